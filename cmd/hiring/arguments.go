package main

import (
	"context"
	"maps"
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
	a.args, a.typed = nil, nil // No advice shows it.
	return adviceError{
		usagef("An argument looks like a key. Never give a key as an argument: the shell's history and the process list show it"),
		"Nothing was sent. Revoke the key in the dashboard, and give the next one to hiring profile add <name>, which asks for it",
	}
}

// normalize gives flags with one dash, as programs in Go have them, the second, because they would be read as letters: flags
// of the command and those that habits has. The value of --sort may begin with a dash. --version beside another flag, such as
// -o json, becomes the command version.
func (a *app) normalize(root *cobra.Command) {
	c, _, _ := root.Find(a.args)
	c.InitDefaultHelpFlag()
	if i := slices.Index(a.args, "--version"); i >= 0 && len(a.args) > 1 && c == root {
		a.args[i] = "version"
	}
	for i, argument := range a.args {
		name, _, _ := strings.Cut(strings.TrimPrefix(argument, "-"), "=")
		isFlag := strings.HasPrefix(argument, "-") && (i == 0 || a.args[i-1] != "--sort")
		if isFlag && (c.Flag(name) != nil || a.insteadOfFlag(c, typedFlag{flag: "--" + name}) != "") {
			a.args[i] = "-" + argument
		}
	}
	a.typed = typedIn(a.args)
}

// typedFlag is a flag of a command line with its value, if any, or an argument, which has no flag.
type typedFlag struct{ flag, value string }

// typedIn returns what a command line has. What may be the value of the flag before it is no argument. Only the value of --sort may
// begin with a dash.
func typedIn(args []string) (line []typedFlag) {
	for i := 0; i < len(args); i++ {
		flag, value, _ := strings.Cut(args[i], "=")
		if strings.Trim(flag, "-") == "" || flag[0] != '-' {
			line = append(line, typedFlag{value: args[i]})
			continue
		}
		if len(flag) > 2 && flag[1] != '-' { // As in -L5.
			flag, value = flag[:2], flag[2:]
		}
		next := append(args, "--")[i+1]
		isValue := !strings.HasPrefix(next, "-") || next == "-" || flag == "--sort" && !strings.HasPrefix(next, "--")
		if value == "" && isValue {
			i, value = i+1, next
		}
		line = append(line, typedFlag{flag, value})
	}
	return line
}

// hasTyped reports whether one of some flags was typed.
func (a *app) hasTyped(flags ...string) bool {
	return slices.ContainsFunc(a.typed, func(typed typedFlag) bool { return slices.Contains(flags, typed.flag) })
}

// flagOf returns the flag of a command such as --status or -a, or nil.
func flagOf(c *cobra.Command, name string) *pflag.Flag {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return c.Flag(long)
	}
	if short, ok := strings.CutPrefix(name, "-"); ok && short != "" {
		return c.Flags().ShorthandLookup(short[:1])
	}
	return nil
}

// isFlag matches an argument that is a flag also after a flag that needs a value.
var isFlag = regexp.MustCompile(`^--[A-Za-z]`)

// withoutResults are the names of the commands that print no results.
var withoutResults = []string{"add", "archive", "completion", "delete", "remove", "revoke", "sandbox", "use"} //nolint:gochecknoglobals // a constant table

// withoutServer are the names of the commands that have no use for the flags of the others.
var withoutServer = []string{"completion", "help", "profile", "sandbox", "version"} //nolint:gochecknoglobals // a constant table

// targetFlags are the names of the flags that select the server and the assessment.
var targetFlags = []string{"assessment", "dialect", "profile", "sandbox"} //nolint:gochecknoglobals // a constant table

// requestFlags are the names of the flags that any request may have.
var requestFlags = []string{"data", "dialect", "field", "jq", "profile", "sandbox"} //nolint:gochecknoglobals // a constant table

// outputFlags are the names of the flags that say how results are printed.
var outputFlags = []string{"output", "jq", "columns", "bom", "separator"} //nolint:gochecknoglobals // a constant table

// isAction reports whether a command is for a change or prints no results: --jq is no advice then.
func isAction(c *cobra.Command) bool {
	return slices.Contains(append(withoutResults, "close", "create", "import", "invite", "resend", "send"), c.Name())
}

// prepare checks the global flags before a command runs, and starts the time limit.
func (a *app) prepare(c *cobra.Command) error {
	if a.flags.sandbox && a.flags.profile != "" {
		return usagef("--sandbox and --profile exclude each other")
	}
	for _, flag := range outputFlags {
		if c.Flags().Changed(flag) && slices.Contains(withoutResults, c.Name()) {
			err := usagef("%s prints no results, so that --%s has no meaning", commandName(c), flag)
			instead := a.insteadOfTyped(c, typedFlag{"--" + flag, c.Flag(flag).Value.String()})
			return advise(adviceError{err, c.CommandPath() + " --help lists the flags"}, instead)
		}
	}
	names := slices.Sorted(maps.Keys(insteadOfWords()))
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	for _, name := range names {
		variable := "HIRING_" + strings.ReplaceAll(strings.ToUpper(strings.TrimLeft(name, "-")), "-", "_") // As in HIRING_URL.
		if a.getenv(variable) != "" && !c.Flags().Changed(name) && !slices.Contains([]string{envBaseURL, envKey, envProfile}, variable) {
			a.warnOnce("The variable " + variable + " has no effect: use a flag, or " + envBaseURL + ", " + envKey + " or " + envProfile + ".")
		}
	}
	if c.Flags().Changed("timeout") {
		if a.flags.timeout <= 0 {
			return usagef("--timeout: give a duration above 0, as in 20s")
		}
		a.limit(c, a.flags.timeout)
	}
	return nil
}

// checkValues returns an error for a flag in the place of a value, for an empty value, which a variable that is not set leaves,
// and for a second value of --jq or of a flag of the command that takes one, because only the last one would count. An alias of
// a shell may set the other global flags. An empty --dialect removes a setting.
func (a *app) checkValues(c *cobra.Command) error {
	given, flags := make(map[string]bool), pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddFlagSet(c.Flags()) // ParseAll changes what Args returns.
	return flags.ParseAll(a.args, func(f *pflag.Flag, value string) error {
		_, several := f.Value.(pflag.SliceValue)
		switch isSwitch := f.NoOptDefVal != ""; {
		case isFlag.MatchString(value) || f.Name != "sort" && isFlag.MatchString("-"+value): // As in -q --status x and -q -L 5.
			return withoutValue(f)
		case value == "" && f.Name != "dialect":
			return usagef("--%s is empty", f.Name)
		case given[f.Name] && !several && !isSwitch && (f.Name == "jq" || c.InheritedFlags().Lookup(f.Name) == nil):
			return useInstead(usagef("--%s is given twice: give one value", f.Name), "--"+f.Name+" twice")
		}
		given[f.Name] = true
		return nil
	})
}

// limit ends the command's context after a duration.
func (a *app) limit(c *cobra.Command, after time.Duration) {
	ctx, cancel := context.WithTimeout(c.Context(), after)
	context.AfterFunc(ctx, cancel)
	a.ctx = ctx
	c.SetContext(ctx)
}
