package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsWaitCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "wait <submission-id>...",
		Short: "Wait for reports and write each as JSON Lines when it is ready",
		Long: `Write a line of JSON for each report when it becomes ready, and end when all are ready.
The command costs a few requests, however many submissions there are. With - as the only
id, it reads ids from standard input, one a line. After Ctrl-C, run the same command
again: reports that are ready are written immediately.`,
		Example: "  hiring submissions list --status submitted --jq '.[].id' | hiring submissions wait -",
	}
	assessment := a.assessmentFilter(c, "the id or `name` of the assessment of all submissions; saves requests")
	every := intervalFlag(c)
	c.RunE = writeLines(a, func(ctx context.Context, t task) (iter.Seq2[hiring.Report, error], error) {
		ids, err := a.ids(t.args)
		if err != nil {
			return nil, err
		}
		of, err := assessment.id(ctx, t.client)
		if err != nil {
			return nil, err
		}
		progress := a.err.Progress("reports ready:")
		options := hiring.WaitOptions{
			AssessmentID: of, MinInterval: *every, MaxInterval: 2 * *every,
			Progress: func(now hiring.WaitProgress) { a.showWait(progress, now) },
		}
		return func(yield func(hiring.Report, error) bool) {
			for ready, err := range t.client.Submissions.WaitReports(ctx, ids, options) {
				progress.Clear()
				if !yield(ready, err) {
					return
				}
			}
			progress.End()
		}, nil
	})
	return c
}

func (a *app) showWait(progress *output.Progress, now hiring.WaitProgress) {
	note := ""
	if now.Missing > 0 {
		note = fmt.Sprintf("%d missing, ", now.Missing)
	}
	if !now.NextPoll.IsZero() {
		note += "next poll at " + a.clock(now.NextPoll)
	}
	progress.Show(now.Ready, now.Total, strings.TrimSuffix(note, ", "))
}

// ids returns the arguments, or else the lines of standard input.
func (a *app) ids(args []string) ([]string, error) {
	if len(args) != 1 || args[0] != "-" {
		return args, nil
	}
	var ids []string
	lines := bufio.NewScanner(io.LimitReader(a.in, 64<<20))
	for lines.Scan() {
		if id := strings.TrimSpace(lines.Text()); id != "" {
			ids = append(ids, id)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, usagef("Standard input has no ids")
	}
	return ids, nil
}
