package main

import (
	"context"
	"embed"
	"slices"
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
	return &cobra.Command{
		Use:   "completion <shell>",
		Short: "Write the completion script of a shell: bash, fish, powershell or zsh",
		Long: `Write the completion script of a shell. These lines load it in a running shell:

  source <(hiring completion bash)
  source <(hiring completion zsh)
  hiring completion fish | source
  hiring completion powershell | Out-String | Invoke-Expression

For every new shell, add the line to its start file. The zsh script needs compinit before it.`,
		ValidArgsFunction: cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == "powershell" {
				return c.Root().GenPowerShellCompletionWithDesc(c.OutOrStdout())
			}
			script, err := completionScripts.ReadFile("completion/hiring." + args[0])
			if err != nil {
				return usagef("There is no completion for %s: choose one of %s", output.Clean(args[0]), strings.Join(shells, ", "))
			}
			_, err = c.OutOrStdout().Write(script)
			return err
		},
	}
}

// idList returns lines with the ids of one kind to complete, each followed by a tab and a
// description, and for names by another tab and the name to complete. It reads one page.
type idList func(context.Context, *hiring.Client) ([]string, error)

func assessmentIDs(ctx context.Context, client *hiring.Client) ([]string, error) {
	return completions(ctx, client.Assessments.List(), func(a hiring.Assessment) string {
		return a.ID + "\t" + string(a.Status) + "\t" + a.Name
	})
}

func challengeIDs(ctx context.Context, client *hiring.Client) ([]string, error) {
	return completions(ctx, client.Challenges.List(), func(c hiring.Challenge) string { return c.ID + "\t" + c.Difficulty + "\t" + c.Name })
}

func submissionIDs(ctx context.Context, client *hiring.Client) ([]string, error) {
	return completions(ctx, client.Submissions.List(hiring.SubmissionFilter{}), func(s hiring.Submission) string {
		return s.ID + "\t" + string(s.Status) + ", started " + s.CreatedAt.Format(time.DateOnly)
	})
}

// invitationIDs returns a list that depends on the flag --assessment.
func invitationIDs(assessment assessmentRef) idList {
	return func(ctx context.Context, client *hiring.Client) ([]string, error) {
		id, err := assessment.id(ctx, client)
		if err != nil {
			return nil, err
		}
		return completions(ctx, client.Invitations.List(id), func(i hiring.Invitation) string {
			return i.ID + "\t" + string(i.Status) + ", created " + i.CreatedAt.Format(time.DateOnly)
		})
	}
}

// completions returns a line for each item of the first page of a list.
func completions[T any](ctx context.Context, list hiring.Pager[T], line func(T) string) ([]string, error) {
	page, err := list.Page(ctx)
	lines := make([]string, 0, len(page.Items))
	for _, item := range page.Items {
		fields := strings.Split(line(item), "\t")
		for i := range fields {
			fields[i] = output.Clean(fields[i])
		}
		lines = append(lines, strings.Join(fields, "\t"))
	}
	return lines, err
}

// complete returns the completion of ids in arguments or in a flag. Assessments are
// completed by name, unless an id was begun.
func (a *app) complete(list idList) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if several := strings.Contains(c.Use, "..."); len(given) > 0 && !several {
			return nil, directive
		}
		var found []string
		for _, line := range a.knownIDs(c.Context(), list) {
			fields := strings.Split(line, "\t")
			id, description := fields[0], strings.Join(fields[1:], ", ")
			switch {
			case slices.Contains(given, id):
			case len(fields) > 2 && strings.HasPrefix(strings.ToLower(fields[2]), strings.ToLower(begun)):
				found = append(found, fields[2]+"\t"+fields[1]+", "+id)
			case strings.HasPrefix(id, begun):
				found = append(found, id+"\t"+description)
			}
		}
		return found, directive
	}
}

// completionTimeout limits the request of a completion.
const completionTimeout = 3 * time.Second

// knownIDs returns the ids of one request without retries, or none after an error.
func (a *app) knownIDs(ctx context.Context, list idList) []string {
	client, err := a.client(hiring.WithTimeout(completionTimeout), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1, MaxWait: time.Millisecond}))
	if err != nil {
		return nil
	}
	lines, _ := list(ctx, client)
	return lines
}

// columnsOf is the annotation of commands that show a table.
const columnsOf = "columns"

// completeColumns completes --columns and --sort from the table of the command.
func completeColumns(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	before := ""
	if i := strings.LastIndex(begun, ","); i >= 0 {
		before = begun[:i+1]
	} else if strings.HasPrefix(begun, "-") {
		before = "-"
	}
	var all []string
	for name := range strings.SplitSeq(c.Annotations[columnsOf], ",") {
		all = append(all, before+name)
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
