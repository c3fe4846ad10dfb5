package main

import (
	"cmp"
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts has a file for each command and topic with more to say than its short text, and for each
// argument that several commands take.
//
//go:embed help
var helpTexts embed.FS

// helpText returns the help text with a name, as in "submissions list", and its examples.
func helpText(name string) (long, examples string) {
	text, _ := helpTexts.ReadFile("help/" + strings.ReplaceAll(name, " ", "-") + ".txt") // Not every command has one.
	long, examples, _ = strings.Cut("\n"+string(text), "\nExamples:\n")
	return strings.TrimSpace(long), strings.TrimRight(examples, "\n")
}

// describe sets the help text of a command, with that of its argument, and its examples.
func describe(c *cobra.Command, name string) {
	c.Long, c.Example = helpText(name)
	for _, argument := range []string{"submission", "invitation"} {
		if strings.Contains(argumentsOf(c), "<"+argument+">") {
			text, _ := helpText("argument " + argument)
			c.Long = cmp.Or(c.Long, c.Short+".") + "\n\n" + text
		}
	}
}

// topics returns the help texts that belong to no command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "environment", Aliases: []string{"env", "variables"}, Short: "Environment variables"},
		{Use: "exit-status", Aliases: []string{"exit", "exit-codes", "exit-statuses"}, Short: "Exit statuses"},
		{Use: "formatting", Aliases: []string{"format", "formats", "output", "json", "jq", "filtering", "scripting", "pagination", "dates"}, Short: "Formats, columns and jq programs"},
	}
}
