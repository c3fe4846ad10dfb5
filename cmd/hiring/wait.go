package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsWaitCommand() *cobra.Command {
	c := command("wait <submission>...", "Wait for reports and write each submission as JSON Lines when its report is ready")
	assessment := a.assessmentFilter(c, "the id or `name` of the assessment of all submissions; saves requests")
	between := a.intervalFlag(c)
	c.RunE = writeLines(a, submissionTable(), func(ctx context.Context, t task) (iter.Seq2[hiring.Submission, error], error) {
		ids, err := a.ids(ctx, t.args)
		if err != nil {
			return nil, err
		}
		for i := range ids {
			if ids[i], err = a.submissionID(ctx, t.client, ids[i]); err != nil {
				return nil, err
			}
		}
		of, err := a.assessmentID(ctx, t.client, *assessment)
		if err != nil {
			return nil, err
		}
		progress := a.err.Progress("reports ready:")
		options := hiring.WaitOptions{AssessmentID: of, Progress: func(now hiring.WaitProgress) { a.showWait(progress, now) }}
		options.MinInterval, options.MaxInterval = between()
		return a.reportItemErrors(progress, readySubmissions(ctx, t.client, ids, options)), nil
	})
	return c
}

// readySubmissions yields each submission with its report when that is ready.
func readySubmissions(ctx context.Context, client *hiring.Client, ids []string, o hiring.WaitOptions) iter.Seq2[hiring.Submission, error] {
	return func(yield func(hiring.Submission, error) bool) {
		for report, err := range client.Submissions.WaitReports(ctx, ids, o) {
			var submission hiring.Submission
			if err == nil {
				submission, err = client.Submissions.Get(ctx, report.SubmissionID)
				submission.Report = &report
			}
			if !yield(submission, err) {
				return
			}
		}
	}
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
func (a *app) ids(ctx context.Context, args []string) ([]string, error) {
	if len(args) != 1 || args[0] != "-" {
		return args, nil
	}
	text, err := a.readInput(ctx, "-")
	if err != nil {
		return nil, err
	}
	if ids := strings.Fields(string(text)); len(ids) > 0 {
		return ids, nil
	}
	return nil, usagef("Standard input has no ids")
}
