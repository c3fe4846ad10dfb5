package main

import (
	_ "embed" // The help texts.

	"github.com/spf13/cobra"
)

var (
	//go:embed topics/completion.txt
	completionLong string
	//go:embed topics/environment.txt
	environmentTopic string
	//go:embed topics/exit-status.txt
	exitStatusTopic string
	//go:embed topics/formatting.txt
	formattingTopic string
)

// topics returns the help texts that belong to no command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "environment", Aliases: []string{"env", "variables"}, Short: "Environment variables", Long: environmentTopic},
		{Use: "exit-status", Aliases: []string{"exit-codes", "exit-statuses"}, Short: "Exit statuses", Long: exitStatusTopic},
		{Use: "formatting", Aliases: []string{"format", "formats", "output", "jq"}, Short: "Formats, columns and jq programs", Long: formattingTopic},
	}
}
