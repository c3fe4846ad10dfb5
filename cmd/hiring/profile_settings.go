package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
)

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

func (a *app) profileSetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set <setting> <file>",
		Short: "Set the dialect file of a profile",
		Long: `Set the dialect file of the profile in use, or of the one that --profile names: a file
with the names and routes of the server, as hiring doctor writes it. An empty name removes
the setting. To change the server address or the API key, run hiring profile add with the
same name: a key is never sent to another server.`,
		Example: "  hiring profile set dialect dialect.json\n  hiring profile set dialect ''",
		ValidArgsFunction: func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(given) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return []string{"dialect"}, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			store, name, _, err := a.chosenProfile()
			if err != nil {
				return err
			}
			if args[0] != "dialect" {
				return adviceError{usagef("%s cannot be set", output.Clean(args[0])),
					"The only setting is dialect; hiring profile add " + name + " asks for the address and the key again"}
			}
			file := args[1]
			if file != "" {
				if _, err := readDialect(file); err != nil {
					return err
				}
				if file, err = filepath.Abs(file); err != nil { // Commands run in any folder.
					return err
				}
			}
			if err := store.SetDialect(name, file); err != nil {
				return err
			}
			return a.printDone("Changed the dialect of profile " + name + ".")
		},
	}
}
