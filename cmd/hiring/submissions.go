package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/report"
)

func (a *app) submissionsCommand() *cobra.Command {
	return group("submissions", "Candidates' attempts and their reports",
		a.submissionsListCommand(), a.submissionsGetCommand(), a.submissionsFindCommand(), a.submissionsReportCommand(),
		a.submissionsWaitCommand(), a.submissionsArchiveCommand(), a.submissionsExportCommand())
}

func submissionTable() output.Table[hiring.Submission] {
	return output.Table[hiring.Submission]{
		Things: "submissions",
		Shown:  []string{"id", "candidate", "status", "score", "verdict", "submitted_at"},
		More: []string{
			"candidate.email", "confidence", "correctness", "craft", "ai_fluency", "rigor", "challenge.name", "assessment_id", "created_at", "started_at", "evaluated_at",
		},
		Own: map[string]func(hiring.Submission) any{
			"candidate":   func(s hiring.Submission) any { return s.Candidate.Name },
			"score":       func(s hiring.Submission) any { return scoreOf(s.Report) },
			"verdict":     ofReport(func(r hiring.Report) any { return r.VerdictLabel }),
			"confidence":  ofReport(func(r hiring.Report) any { return string(r.Confidence) }),
			"correctness": ofReport(pillarColumn(hiring.PillarCorrectness)),
			"craft":       ofReport(pillarColumn(hiring.PillarCraft)),
			"ai_fluency":  ofReport(pillarColumn(hiring.PillarAIFluency)),
			"rigor":       ofReport(pillarColumn(hiring.PillarRigor)),
		},
		Verbose: showReport,
	}
}

// reportTable is for those who want a report as rows.
func reportTable() output.Table[hiring.Report] {
	return output.Table[hiring.Report]{
		Shown: []string{"submission_id", "status", "score", "verdict_label", "confidence", "correctness", "craft", "ai_fluency", "rigor"},
		More:  []string{"pipeline_rank.rank", "pipeline_rank.total", "percentile", "integrity_status", "summary", "generated_at"},
		Own: map[string]func(hiring.Report) any{
			"score":       func(r hiring.Report) any { return scoreOf(&r) },
			"correctness": pillarColumn(hiring.PillarCorrectness),
			"craft":       pillarColumn(hiring.PillarCraft),
			"ai_fluency":  pillarColumn(hiring.PillarAIFluency),
			"rigor":       pillarColumn(hiring.PillarRigor),
		},
	}
}

func scoreOf(r *hiring.Report) any {
	if score, ok := r.Score(); ok {
		return score
	}
	return nil
}

// ofReport is a column that is empty while there is no report.
func ofReport(column func(hiring.Report) any) func(hiring.Submission) any {
	return func(s hiring.Submission) any {
		if s.Report == nil || !s.Report.Ready() {
			return nil
		}
		return column(*s.Report)
	}
}

// pillarColumn never shows a score that the service has too little evidence for.
func pillarColumn(id hiring.PillarID) func(hiring.Report) any {
	return func(r hiring.Report) any {
		pillar, found := r.Pillar(id)
		if !found || !r.Ready() {
			return nil
		}
		if score, ok := pillar.Reported(); ok {
			return score
		}
		return report.NotEnoughData
	}
}

func showReport(p *output.Printer, s hiring.Submission) error {
	return report.WriteText(p.Stream, report.Of(s))
}

func (a *app) submissionsListCommand() *cobra.Command {
	var filter hiring.SubmissionFilter
	c := &cobra.Command{
		Use:     "list",
		Short:   "List submissions, newest first",
		Example: "  hiring submissions list --status evaluated --since 7d --sort -score\n  hiring submissions list -o csv --columns candidate.email,score,verdict",
		Args:    cobra.NoArgs,
	}
	c.Flags().StringVarP(&filter.AssessmentID, "assessment", "a", "", "only those of the assessment with this `id`")
	statusFlag(c, &filter)
	since := a.sinceFlag(c, "only those since that `time`, as in 2026-03-15, 36h or 7d")
	table := submissionTable()
	table.None = func() string { return statusNote(filter.Status) }
	return listing(a, c, table, func(t task) (hiring.Pager[hiring.Submission], error) {
		filter.Since = *since
		return t.client.Submissions.List(filter), nil
	})
}

// statusFlag takes any status, for the documentation names one and leaves the
// others open.
func statusFlag(c *cobra.Command, filter *hiring.SubmissionFilter) {
	c.Flags().StringVar((*string)(&filter.Status), "status", "", "only those with this `status`: evaluated is documented; others, such as started or submitted, are the service's own")
}

// statusNote is for a list that came out empty: the status may be misspelt.
func statusNote(status hiring.SubmissionStatus) string {
	if status == "" || status == hiring.SubmissionEvaluated {
		return ""
	}
	return fmt.Sprintf("the status %q is not documented, and may be none: %q is the one that is", status, hiring.SubmissionEvaluated)
}

func (a *app) submissionsGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Show a submission",
		Args:  cobra.ExactArgs(1),
		RunE: a.does(func(ctx context.Context, t task) error {
			submission, err := t.client.Submissions.Get(ctx, t.args[0])
			if err != nil {
				return err
			}
			table := submissionTable()
			table.Verbose = nil
			return output.One(t.Printer, table, submission)
		}),
	}
}

func (a *app) submissionsFindCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "find EMAIL --assessment ID",
		Short: "Find the newest submission of a candidate and show its report",
		Args:  cobra.ExactArgs(1),
	}
	assessment := assessmentFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		submission, err := t.client.Submissions.FindByEmail(ctx, *assessment, t.args[0])
		if errors.Is(err, hiring.ErrNotFound) {
			return advised{err, "perhaps the candidate has not begun yet: hiring invitations list --assessment " + *assessment}
		}
		if err != nil {
			return err
		}
		return output.One(t.Printer, submissionTable(), submission)
	})
	return c
}

func (a *app) submissionsReportCommand() *cobra.Command {
	var page string
	c := &cobra.Command{
		Use:     "report ID",
		Short:   "Show the report of a submission",
		Example: "  hiring submissions report ID\n  hiring submissions report ID --html report.html",
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&page, "html", "", "write it as a page into a `file`; - for standard output")
	c.RunE = a.does(func(ctx context.Context, t task) error {
		submission, err := t.client.Submissions.Get(ctx, t.args[0])
		if err != nil {
			return err
		}
		if submission.Report == nil {
			own, err := t.client.Submissions.Report(ctx, t.args[0])
			if err != nil {
				return err
			}
			submission.Report = &own
		}
		if page != "" {
			return a.writePage(page, report.Of(submission))
		}
		if t.Format == output.People {
			return output.One(t.Printer, submissionTable(), submission)
		}
		return output.One(t.Printer, reportTable(), *submission.Report)
	})
	return c
}

func (a *app) writePage(file string, view report.View) error {
	if file == "-" {
		return report.WriteHTML(a.out, view)
	}
	err := writeFile(file, func(to *os.File) error { return report.WriteHTML(to, view) })
	if err != nil {
		return err
	}
	return a.done("wrote " + output.Clean(file))
}
