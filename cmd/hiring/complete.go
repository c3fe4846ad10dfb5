package main

import (
	"embed"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// completionScripts complete names with spaces, in quotes and without. Those of Cobra do not.
//
//go:embed completion
var completionScripts embed.FS

func completionCommand() *cobra.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	c := command("completion <"+strings.Join(shells, "|")+">", "Write the completion script of a shell: bash, fish, powershell or zsh")
	c.ValidArgsFunction = cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp)
	c.RunE = func(c *cobra.Command, args []string) error {
		if args[0] == "powershell" {
			return c.Root().GenPowerShellCompletionWithDesc(c.OutOrStdout())
		}
		script, err := completionScripts.ReadFile("completion/hiring." + args[0])
		if err != nil {
			return usagef("There is no completion for %s: choose one of %s", output.Clean(args[0]), strings.Join(shells, ", "))
		}
		_, err = c.OutOrStdout().Write(script)
		return err
	}
	return c
}

// A completion reads one page, within a time that a user waits.
const (
	completionTimeout = 3 * time.Second
	maxCompletions    = 100
)

// complete returns the completion of the first argument or of a flag, with names, or with ids
// once one was begun. It sends one request without retries, and completes nothing after an error.
func (a *app) complete(list thingList) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		client, err := a.client(hiring.WithTimeout(completionTimeout), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1, MaxWait: time.Millisecond}))
		if err != nil || len(given) > 0 {
			return nil, directive
		}
		read := 0
		for one, err := range list(c.Context(), client) {
			name, about := output.Clean(one.name), output.Clean(one.about)
			switch {
			case err != nil:
				return nil, directive
			case strings.HasPrefix(strings.ToLower(name), strings.ToLower(begun)):
				found = append(found, name+"\t"+about+", "+one.id)
			case strings.HasPrefix(one.id, begun):
				found = append(found, one.id+"\t"+about+", "+name)
			}
			if read++; read == maxCompletions {
				break
			}
		}
		return found, directive
	}
}
