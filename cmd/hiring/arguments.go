package main

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// typedKey matches a key in an argument. The prefix alone does not match.
var typedKey = regexp.MustCompile(`sk_(live|test)_[A-Za-z0-9_-]{6}`)

// refuseArguments returns an error for an argument with a key. Servers and proxies log keys
// in paths and queries.
func (a *app) refuseArguments(hasKey func(string) bool) error {
	if !slices.ContainsFunc(a.args, hasKey) {
		return nil
	}
	return adviceError{
		usagef("An argument looks like a key. Never give a key as an argument: the shell's history and the process list show it"),
		"Nothing was sent. Revoke the key in the dashboard, and give the next one to hiring profile add <name>, which asks for it",
	}
}

// addDashes gives flags with one dash, as programs in Go have them, the second, because they would be read as letters: flags
// of the command and those that habits has. The value of --sort may begin with a dash.
func (a *app) addDashes(root *cobra.Command) {
	c, _, _ := root.Find(a.args)
	c.InitDefaultHelpFlag()
	for i, argument := range a.args {
		name, _, _ := strings.Cut(strings.TrimPrefix(argument, "-"), "=")
		isFlag := strings.HasPrefix(argument, "-") && (i == 0 || a.args[i-1] != "--sort")
		if isFlag && (c.Flag(name) != nil || a.insteadOfFlag(c, "--"+name, a.args[i:]) != "") {
			a.args[i] = "-" + argument
		}
	}
}

// withoutResults are the names of the commands that print no results.
var withoutResults = []string{"add", "archive", "completion", "delete", "remove", "revoke", "sandbox", "use"} //nolint:gochecknoglobals // a constant table

// prepare checks the global flags before a command runs, and starts the time limit.
func (a *app) prepare(c *cobra.Command) error {
	if a.flags.sandbox && a.flags.profile != "" {
		return usagef("--sandbox and --profile exclude each other")
	}
	var err error
	c.Flags().Visit(func(f *pflag.Flag) { err = cmp.Or(err, a.checkValue(c, f)) })
	if err != nil {
		return err
	}
	for _, flag := range []string{"output", "jq", "columns", "bom", "separator"} {
		if c.Flags().Changed(flag) && slices.Contains(withoutResults, c.Name()) {
			err := usagef("%s prints no results, so that --%s has no meaning", commandName(c), flag)
			return useInstead(adviceError{err, c.CommandPath() + " --help lists the flags"}, commandName(c)+" --"+flag)
		}
	}
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if variable := "HIRING_" + strings.ToUpper(f.Name); a.getenv(variable) != "" && variable != envProfile && !f.Changed {
			a.warnOnce("The variable " + variable + " has no effect: use --" + f.Name + ".")
		}
	})
	a.flags.output.Format = strings.ToLower(a.flags.output.Format)
	if c.Flags().Changed("timeout") {
		if a.flags.timeout <= 0 {
			return usagef("--timeout: give a duration above 0, as in 20s")
		}
		a.limit(c, a.flags.timeout)
	}
	return nil
}

// checkValue returns an error for an empty value, which a variable that is not set leaves, and for a second value of a flag
// of the command, because only the last one would count. An empty --dialect removes a setting.
func (a *app) checkValue(c *cobra.Command, f *pflag.Flag) error {
	given := 0
	for _, argument := range a.args {
		name, _, _ := strings.Cut(argument, "=")
		if name == "--"+f.Name || f.Shorthand != "" && name == "-"+f.Shorthand {
			given++
		}
	}
	switch value := f.Value.String(); {
	case (value == "" || value == "[]") && f.Name != "dialect":
		return usagef("--%s is empty", f.Name)
	case given > 1 && f.Value.Type() == "string" && c.InheritedFlags().Lookup(f.Name) == nil:
		return usagef("--%s is given twice: give one value", f.Name)
	}
	return nil
}

// limit ends the command's context after a duration.
func (a *app) limit(c *cobra.Command, after time.Duration) {
	ctx, cancel := context.WithTimeout(c.Context(), after)
	context.AfterFunc(ctx, cancel)
	a.ctx = ctx
	c.SetContext(ctx)
}
