package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
)

func (a *app) profileCommand() *cobra.Command {
	c := group("profile", "Keep which services you work with, and the keys",
		a.profileAddCommand(), a.profileUseCommand(), a.profileListCommand(), a.profileRemoveCommand())
	c.Long = `A profile is a service and a key. The key is kept in the system's keyring or, where
there is none, in a file that only you can read. The variables HIRING_BASE_URL and
HIRING_API_KEY win over profiles.`
	return c
}

func (a *app) profileAddCommand() *cobra.Command {
	var baseURL string
	var inFile, unchecked bool
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a profile, or give one another key; the key is asked for",
		Long: `Add asks for the base URL and for the key, which is not shown, tries them with one
read, and keeps them. Without a terminal the key is read from standard input. There is
no flag for the key: arguments stand in the shell's history and in the list of
processes.`,
		Example: "  hiring profile add acme\n  hiring profile add acme --base-url https://hiring.example.com < key.txt",
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&baseURL, "base-url", "", "the `address` of the service, without /api/v1")
	c.Flags().BoolVar(&inFile, "in-file", false, "keep the key in a file of mode 0600, though there be a keyring")
	c.Flags().BoolVar(&unchecked, "no-check", false, "do not try the key")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := profile.CheckName(args[0]); err != nil {
			return usageError{err}
		}
		given, err := a.askConnection(c.Context(), baseURL)
		if err != nil {
			return err
		}
		what, err := a.tryOut(c.Context(), given, unchecked)
		if err != nil {
			return err
		}
		return a.keep(args[0], given, inFile, what)
	}
	return c
}

// askConnection asks for what was not given. The address comes first: nobody types
// a key before it is known whose it is.
func (a *app) askConnection(ctx context.Context, baseURL string) (connection, error) {
	given := connection{BaseURL: baseURL, Origin: "what you gave"}
	var err error
	if given.BaseURL == "" {
		if !a.interactive {
			return given, usagef("say where the service is with --base-url")
		}
		if given.BaseURL, err = a.ask(ctx, "Base URL of the service: "); err != nil {
			return given, err
		}
	}
	given.Key, err = a.askSecret(ctx, "API key (it is not shown): ")
	given.BaseURL, given.Key = strings.TrimSpace(given.BaseURL), strings.TrimSpace(given.Key)
	return given, err
}

// tryOut asks the service who the key belongs to.
func (a *app) tryOut(ctx context.Context, given connection, unchecked bool) (what string, err error) {
	client, err := given.client(a.options()...)
	if err != nil {
		return "", usageError{err}
	}
	if unchecked {
		return "", nil
	}
	account, err := client.Account.Get(ctx)
	if err != nil {
		return "", fmt.Errorf("%w; nothing was kept, see also --no-check", err)
	}
	return fmt.Sprintf(" for %s, a %s key", account.Name, keyKind(client.Environment())), nil
}

func keyKind(environment hiring.Environment) string {
	if environment == "" {
		return "key of an unknown kind, treated as a live"
	}
	return string(environment)
}

func (a *app) keep(name string, given connection, inFile bool, what string) error {
	store, err := profile.Open()
	if err != nil {
		return err
	}
	place, err := store.Add(name, given.BaseURL, given.Key, inFile)
	if err != nil {
		return err
	}
	where := "the system's keyring"
	if place == profile.File {
		where = "a file that only you can read"
	}
	_, current, err := store.Names()
	if err != nil {
		return err
	}
	next := ""
	if current != name {
		next = "; hiring profile use " + name + " makes it the one in use"
	}
	return a.done(output.Clean(fmt.Sprintf("added %s%s; the key is in %s%s", name, what, where, next)))
}

// askSecret reads a line without showing it. The terminal shows what is typed
// again, whatever ends it.
func (a *app) askSecret(ctx context.Context, question string) (string, error) {
	file, isFile := a.in.(*os.File)
	if !a.interactive || !isFile {
		line, err := readLine(a.in)
		if errors.Is(err, io.EOF) {
			return "", usagef("there is no key on standard input")
		}
		return line, err
	}
	// Nothing may be shown from before the question on: keys are pasted.
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(file.Fd()), before) }()
	terminal := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{file, a.err}, "")
	key, err := untilDone(ctx, func() (string, error) { return terminal.ReadPassword(a.err.Paint(output.Bold, question)) })
	if errors.Is(err, io.EOF) { // Ctrl-C and Ctrl-D are but keys here.
		_, _ = fmt.Fprint(a.err, "\r\n")
		return "", errInterrupted
	}
	return key, err
}

func (a *app) profileUseCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Short:             "Make a profile the one in use",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := profile.Open()
			if err == nil {
				err = store.Use(args[0])
			}
			if err != nil {
				return profileError(args[0], err)
			}
			return a.done("using " + args[0])
		},
	}
}

func (a *app) profileRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Forget a profile and its key; the key itself stays valid",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := profile.Open()
			if err != nil {
				return err
			}
			_, before, err := store.Names()
			if err == nil {
				err = store.Remove(args[0])
			}
			if err != nil {
				return profileError(args[0], err)
			}
			next := ""
			if before == args[0] {
				next, err = noneInUse(store)
			}
			return firstOf(err, a.done("removed "+args[0]+next))
		},
	}
}

// noneInUse says how to go on without the profile that was in use.
func noneInUse(store *profile.Store) (string, error) {
	names, _, err := store.Names()
	if len(names) == 0 {
		return ", the last profile", err
	}
	return ", which was in use: hiring profile use NAME makes another the one in use (" + strings.Join(names, ", ") + ")", err
}

// profileRow is a profile as a list shows it.
type profileRow struct {
	Name    string        `json:"name"`
	BaseURL string        `json:"base_url"`
	KeyIn   profile.Place `json:"key_in"`
	InUse   bool          `json:"in_use"`
}

func (a *app) profileListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the profiles",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			store, err := profile.Open()
			if err != nil {
				return err
			}
			rows, err := profileRows(store)
			if err != nil {
				return err
			}
			return output.List(printer, output.Table[profileRow]{
				Things: "profiles",
				Shown:  []string{"name", "base_url", "key_in", "in_use"},
			}, hiring.PagerOf(rows...).All(c.Context()))
		},
	}
}

func profileRows(store *profile.Store) (rows []profileRow, err error) {
	names, current, err := store.Names()
	for _, name := range names {
		_, p, err := store.Get(name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, profileRow{Name: name, BaseURL: p.BaseURL, KeyIn: p.KeyIn, InUse: name == current})
	}
	return rows, err
}

// profileError says which profile it is that is not there.
func profileError(name string, err error) error {
	if errors.Is(err, profile.ErrUnknown) {
		return advised{usagef("%w %q", err, name), "hiring profile list shows them"}
	}
	return err
}

func completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	store, err := profile.Open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names, _, err := store.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
