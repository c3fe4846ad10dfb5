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
		{Use: "environment", Short: "Environment variables", Long: environmentTopic},
		{Use: "exit-status", Short: "Exit statuses", Long: exitStatusTopic},
		{Use: "formatting", Short: "Formats, columns and jq programs", Long: formattingTopic},
	}
}
