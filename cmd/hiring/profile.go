package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func (a *app) profileCommand() *cobra.Command {
	return group("profile", "profiles", "Manage profiles (server address and API key)",
		a.profileAddCommand(), a.profileUseCommand(), a.profileListCommand(), a.profileRemoveCommand())
}

// profiles returns the stored profiles. It warns when other users can read or write them.
func (a *app) profiles() (profile.Store, error) {
	store, err := profile.Open()
	if path := store.Exposed(); err == nil && path != "" {
		a.warnOnce("Other users can read or write " + path + ". Run chmod go-rwx on it, unless a mount sets its mode.")
	}
	return store, err
}

func (a *app) profileAddCommand() *cobra.Command {
	var baseURL string
	c := command("add <name>", "Add a profile, or replace its API key")
	c.Flags().StringVar(&baseURL, "base-url", "", "the `address` of the server, without /api/v1")
	c.RunE = a.withStore(func(c *cobra.Command, store profile.Store, name string) (string, error) {
		if err := profile.CheckName(name); err != nil {
			return "", usageError{err}
		}
		given, err := a.askConnection(c.Context(), store, name, baseURL)
		if err != nil {
			return "", err
		}
		_, before, _ := store.Get(name)
		about, err := a.checkConnection(c.Context(), given)
		if err == nil {
			err = store.Add(name, given.BaseURL, given.Key)
		}
		if err != nil {
			return "", err
		}
		if before.Key != "" {
			a.warnOnce("Profile " + name + " existed: its server and key are replaced.")
		}
		next := ""
		if _, current, _ := store.All(); current != name {
			next = " To use it, run hiring profile use " + name + "."
		}
		return output.Clean(fmt.Sprintf("Added profile %s for %s. The key is in %s, which only you can read.%s", name, about, store.Path(), next)), nil
	})
	return c
}

// askConnection asks for values that were not given. The address comes first, so that the
// user knows where the key will be sent. Without a terminal it is that of the profile, which gets another key, or of the
// variable.
func (a *app) askConnection(ctx context.Context, store profile.Store, name, baseURL string) (given connection, err error) {
	if !a.interactive {
		_, known, _ := store.Get(name)
		baseURL = cmp.Or(baseURL, known.BaseURL, a.getenv(envBaseURL))
	}
	switch {
	case baseURL == "" && a.interactive:
		baseURL, err = a.ask(ctx, "Base URL of the server: ")
	case baseURL == "":
		err = adviceError{usagef("--base-url is missing"), "Use hiring profile add " + output.Clean(name) + " --base-url <address> < key-file"}
	}
	given = connection{BaseURL: strings.TrimSpace(baseURL), Key: sandbox.TestKey} // Any key, to check the address.
	if err == nil {
		_, err = a.clientOf(given)
	}
	if err == nil {
		given.Key, err = a.askSecret(ctx, "API key (it is not shown): ")
		given.Key = strings.TrimSpace(given.Key)
	}
	return given, err
}

// checkConnection reads the account of a key and says what it is.
func (a *app) checkConnection(ctx context.Context, given connection) (about string, err error) {
	client, err := a.clientOf(given)
	if err != nil {
		return "", err
	}
	account, err := client.Account.Get(ctx)
	if err != nil {
		return "", adviceError{err, "Nothing was stored"}
	}
	kind := cmp.Or(string(client.Environment()), "key of an unknown kind, treated as a live")
	return fmt.Sprintf("%s at %s, a %s key", account.Name, given.BaseURL, kind), nil
}

// askSecret reads a line without showing it. It always restores the terminal.
func (a *app) askSecret(ctx context.Context, question string) (string, error) {
	file, isFile := a.in.(*os.File)
	if !a.interactive || !isFile {
		line, err := untilDone(ctx, func() (string, error) { return readLine(a.in) })
		if errors.Is(err, io.EOF) {
			return "", usagef("Standard input has no key")
		}
		return line, err
	}
	// The echo is off before the question is shown, because users may paste the key at
	// once.
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
	if errors.Is(err, io.EOF) { // In raw mode, Ctrl-C and Ctrl-D are keys.
		_, _ = fmt.Fprint(a.err, "\r\n")
		return "", errInterrupted
	}
	return key, err
}

// withStore returns the RunE function of a command that changes the profile it names.
func (a *app) withStore(change func(c *cobra.Command, store profile.Store, name string) (done string, err error)) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		store, err := a.profiles()
		if err != nil {
			return err
		}
		done, err := change(c, store, args[0])
		return a.printDone(done, profileError(args[0], err))
	}
}

func (a *app) profileUseCommand() *cobra.Command {
	c := command("use <name>", "Use a profile from now on")
	c.ValidArgsFunction = a.completeProfiles
	c.RunE = a.withStore(func(c *cobra.Command, store profile.Store, name string) (string, error) {
		if c.Flags().Changed("dialect") {
			if err := a.keepDialect(store, name); err != nil {
				return "", err
			}
		}
		err := store.Use(name)
		if err == nil && (a.usesVariables() || cmp.Or(a.getenv(envProfile), name) != name) {
			set := slices.DeleteFunc([]string{envProfile, envBaseURL, envKey}, func(variable string) bool { return a.getenv(variable) == "" })
			a.warnOnce("Variables come first: unset " + strings.Join(set, " ") + ", or use -p " + name + ".")
		}
		return "Using profile " + name + ".", err
	})
	return c
}

// keepDialect makes the file of --dialect a setting of a profile.
func (a *app) keepDialect(store profile.Store, name string) error {
	file := a.flags.dialect
	if _, err := readDialect(file); err != nil {
		return err
	}
	if file != "" {
		var err error
		if file, err = filepath.Abs(file); err != nil { // Commands run in any folder.
			return err
		}
	}
	return store.SetDialect(name, file)
}

func (a *app) profileRemoveCommand() *cobra.Command {
	c := command("remove <name>", "Remove a profile and its stored key; the key itself stays valid", "rm", "delete")
	c.ValidArgsFunction = a.completeProfiles
	c.RunE = a.withStore(func(_ *cobra.Command, store profile.Store, name string) (string, error) {
		return "Removed profile " + name + ".", store.Remove(name)
	})
	return c
}

// profileRow is a profile in a list, or the server and the key of the variables.
type profileRow struct {
	Name        string `json:"name"`
	Environment string `json:"environment"` // Of the key: live, test or unknown.
	BaseURL     string `json:"base_url"`
	InUse       bool   `json:"in_use"` // By a command with the same flags and variables.
	Dialect     string `json:"dialect"`
}

func (a *app) profileListCommand() *cobra.Command {
	c := command("list", "List the profiles, and which one commands use")
	c.RunE = a.withPrinter(func(_ *cobra.Command, printer *output.Printer, _ []string) error {
		store, err := a.profiles()
		if err != nil {
			return err
		}
		all, current, err := store.All()
		if err != nil {
			return err
		}
		var rows []profileRow
		for _, name := range slices.Sorted(maps.Keys(all)) {
			used := name == cmp.Or(a.chosenProfile(), current) && !a.usesVariables() && !a.flags.sandbox
			p := all[name]
			rows = append(rows, profileRow{Name: name, Environment: environmentOf(p.Key), BaseURL: p.BaseURL, InUse: used, Dialect: p.Dialect})
		}
		if base, key := a.getenv(envBaseURL), a.getenv(envKey); base != "" && key != "" {
			used := a.usesVariables() && !a.flags.sandbox
			rows = append(rows, profileRow{Name: "(variables)", Environment: environmentOf(key), BaseURL: base, InUse: used})
		}
		return output.List(printer, output.Table[profileRow]{Things: "profiles", Shown: []string{"name", "environment", "base_url", "in_use", "dialect"}}, output.Of(rows...))
	})
	return c
}

// environmentOf returns the environment of a key, or "unknown".
func environmentOf(key string) string {
	client, err := hiring.New("https://hiring.invalid", key)
	if err != nil || client.Environment() == "" {
		return "unknown"
	}
	return string(client.Environment())
}

// profileError names the unknown profile.
func profileError(name string, err error) error {
	if !errors.Is(err, profile.ErrUnknown) { // Or nil.
		return err
	}
	return adviceError{usagef("There is no profile %s", output.Clean(name)), "hiring profile list shows the profiles, and hiring profile add " + output.Clean(name) + " adds one"}
}

func (a *app) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	store, err := a.profiles()
	all, _, unread := store.All()
	if cmp.Or(err, unread) != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return slices.Sorted(maps.Keys(all)), cobra.ShellCompDirectiveNoFileComp
}
