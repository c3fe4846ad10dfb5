package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// maxSuggestions is how many names a sentence suggests.
const maxSuggestions = 3

// unknownCommand suggests commands of the group with a similar name, or commands of any
// group with the same name.
func unknownCommand(c *cobra.Command, name string) error {
	text := "There is no command " + c.CommandPath() + " " + output.Clean(name) + "."
	help := "hiring help"
	if c.HasParent() {
		help += " " + commandName(c)
	}
	if name == "help" {
		return adviceError{usagef("%s", text), "Use " + help}
	}
	paths := commandsNamed(c, name)
	if child := commandForID(c, name); child != nil {
		paths = []string{child.CommandPath() + " " + name}
	}
	if len(paths) == 0 {
		c.SuggestionsMinimumDistance = 2
		for _, known := range c.SuggestionsFor(name) {
			paths = append(paths, c.CommandPath()+" "+known)
		}
	}
	paths = slices.Compact(paths)
	return adviceError{usagef("%s%s", text, output.DidYouMean(paths[:min(len(paths), maxSuggestions)])), help + " lists the commands"}
}

// commandsNamed returns the paths of subcommands with a name or alias.
func commandsNamed(c *cobra.Command, name string) []string {
	var paths []string
	for _, group := range available(c) {
		for _, child := range available(group) {
			if child.Name() == name || child.HasAlias(name) {
				paths = append(paths, child.CommandPath())
			}
		}
	}
	return paths
}

// commandForID returns the command of a group that takes an id, if name is one.
func commandForID(c *cobra.Command, name string) *cobra.Command {
	if !isID.MatchString(name) {
		return nil
	}
	for _, known := range []string{"get", "list"} {
		for _, child := range available(c) {
			if child.Name() == known && strings.Contains(child.Use, "<") {
				return child
			}
		}
	}
	return nil
}

// available returns the commands that the help of a group lists.
func available(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(child *cobra.Command) bool { return !child.IsAvailableCommand() })
}

// unknownFlag suggests flags with a similar name.
func unknownFlag(c *cobra.Command, e *pflag.NotExistError) error {
	if shorthands := e.GetSpecifiedShortnames(); shorthands != "" {
		return withReplacement(c, shorthands, usagef("%s has no flag -%s", commandName(c), output.Clean(shorthands)))
	}
	var known []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { // Cobra has added the inherited flags.
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	name := e.GetSpecifiedName()
	near := output.Similar(name, known...)
	for i := range near {
		near[i] = "--" + near[i]
	}
	return withReplacement(c, name, usagef("%s has no flag --%s.%s", commandName(c), output.Clean(name), output.DidYouMean(near)))
}

// replacements are flags of other programs, such as gh, and the flags that have their
// meaning here.
var replacements = map[string]struct{ flag, use string }{ //nolint:gochecknoglobals // a constant table
	"json":       {"output", "-o json"},
	"format":     {"output", "-o"},
	"q":          {"jq", "--jq"},
	"t":          {"jq", "--jq with string interpolation; see hiring help formatting"},
	"template":   {"jq", "--jq with string interpolation; see hiring help formatting"},
	"s":          {"status", "--status"},
	"l":          {"limit", "--limit"},
	"n":          {"limit", "--limit"},
	"page":       {"limit", "--limit; lists are read to their end"},
	"per-page":   {"limit", "--limit; lists are read to their end"},
	"no-headers": {"jq", "--jq, as in --jq '.[].id'"},
	"input":      {"data", "-d @file"},
	"pdf":        {"html", "--html, and print the page from a browser"},
}

// withReplacement adds the flag to use instead of an unknown one, if c has it.
func withReplacement(c *cobra.Command, unknown string, err error) error {
	replacement, known := replacements[unknown]
	if !known || c.Flag(replacement.flag) == nil {
		return err
	}
	return adviceError{err, "Use " + replacement.use}
}
