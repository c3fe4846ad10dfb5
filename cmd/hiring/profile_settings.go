package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
)

// setting is a value of a profile that can be shown and, if set is not nil, changed.
type setting struct {
	name  string
	value func(profile.Profile) string
	set   func(*profile.Profile, string) error
}

// settings returns the settings of a profile. The address cannot be changed alone, because
// the key would be sent to a server that it was not given for.
func settings() []setting {
	return []setting{
		{"base_url", func(p profile.Profile) string { return p.BaseURL }, nil},
		{"key_in", func(p profile.Profile) string { return string(p.KeyIn) }, nil},
		{"dialect", func(p profile.Profile) string { return p.Dialect }, func(p *profile.Profile, value string) (err error) {
			if value != "" {
				if _, err := readDialect(value); err != nil {
					return err
				}
				value, err = filepath.Abs(value) // Commands run in any folder.
			}
			p.Dialect = value
			return err
		}},
	}
}

func settingNames(changeable bool) []string {
	var names []string
	for _, s := range settings() {
		if s.set != nil || !changeable {
			names = append(names, s.name)
		}
	}
	return names
}

func findSetting(name string) (setting, error) {
	for _, s := range settings() {
		if s.name == strings.ReplaceAll(name, "-", "_") {
			return s, nil
		}
	}
	return setting{}, adviceError{usagef("There is no setting %s", output.Clean(name)), "Settings: " + strings.Join(settingNames(false), ", ")}
}

// errNoProfile is returned when no profile is in use.
var errNoProfile = usagef("No profile is in use")

// chosenProfile returns the profile of --profile, or else the profile in use.
func (a *app) chosenProfile() (*profile.Store, string, profile.Profile, error) {
	store, err := profile.Open()
	if err != nil {
		return nil, "", profile.Profile{}, err
	}
	name, p, err := store.Get(a.flags.profile)
	if errors.Is(err, profile.ErrUnknown) && name == "" {
		return nil, "", p, adviceError{errNoProfile, "Choose one with --profile, or with hiring profile use <name>"}
	}
	if err != nil {
		return nil, "", p, profileError(store, name, err)
	}
	return store, name, p, nil
}

func (a *app) profileGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "get [<setting>]",
		Aliases: []string{"show", "view"},
		Short:   "Show the settings of a profile, or one of them",
		Long: `Show the settings of the profile in use, or of the one that --profile names. The API
key is not shown. Settings: ` + strings.Join(settingNames(false), ", ") + ".",
		Example:           "  hiring profile get\n  hiring profile get base_url\n  hiring --profile acme profile get dialect",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(settingNames(false), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			_, name, p, err := a.chosenProfile()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				s, err := findSetting(args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.out, output.Clean(s.value(p)))
				return err
			}
			printer, err := a.printer()
			if err != nil {
				return err
			}
			shown := map[string]string{"name": name}
			for _, s := range settings() {
				shown[s.name] = s.value(p)
			}
			table := output.Table[map[string]string]{Shown: append([]string{"name"}, settingNames(false)...)}
			return output.One(printer, table, shown)
		},
	}
}

func (a *app) profileSetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set <setting> <value>",
		Short: "Change a setting of a profile",
		Long: `Change a setting of the profile in use, or of the one that --profile names:

  dialect  a file with the names and routes of the server, as hiring doctor writes it

An empty value removes the setting. To change the server address or the API key, run
hiring profile add with the same name: a key is never sent to another server.`,
		Example: "  hiring profile set dialect dialect.json\n  hiring profile set dialect ''",
		Args:    cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(given) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return settingNames(true), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := findSetting(args[0])
			if err != nil {
				return err
			}
			store, name, p, err := a.chosenProfile()
			if err != nil {
				return err
			}
			if s.set == nil {
				return adviceError{usagef("%s cannot be changed alone", s.name),
					"hiring profile add " + name + " asks for the address and the key again"}
			}
			if err := s.set(&p, args[1]); err != nil {
				return err
			}
			if err := store.Change(name, func(stored *profile.Profile) { *stored = p }); err != nil {
				return err
			}
			return a.printDone("Changed " + s.name + " of profile " + name + ".")
		},
	}
}
