package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/report"
)

func (a *app) submissionsCommand() *cobra.Command {
	return group("submissions", "submission", "Show candidates' attempts and their reports",
		a.submissionsListCommand(), a.submissionsGetCommand(), a.submissionsFindCommand(), a.submissionsReportCommand(),
		a.submissionsWaitCommand(), a.submissionsArchiveCommand(), a.submissionsExportCommand())
}

func submissionTable() output.Table[hiring.Submission] {
	return output.Table[hiring.Submission]{
		Things: "submissions",
		Shown:  []string{"candidate", "status", "score", "verdict", "submitted_at", "id"},
		More: []string{
			"candidate.email", "confidence", "correctness", "craft", "ai_fluency", "rigor", "challenge.name", "assessment_id",
			"created_at", "started_at", "evaluated_at",
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

// reportTable returns the columns of a report.
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

// ofReport returns a column that is empty until the report is ready.
func ofReport(column func(hiring.Report) any) func(hiring.Submission) any {
	return func(s hiring.Submission) any {
		if !s.Report.Ready() {
			return nil
		}
		return column(*s.Report)
	}
}

// pillarColumn returns a column that is empty when the score is not reliable.
func pillarColumn(id hiring.PillarID) func(hiring.Report) any {
	return func(r hiring.Report) any {
		pillar, found := r.Pillar(id)
		if !found || !r.Ready() {
			return nil
		}
		if score, ok := pillar.ReliableScore(); ok {
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
		Use:   "list",
		Short: "List submissions, newest first",
		Example: "  hiring submissions list --status evaluated --since 7d --sort -score\n" +
			"  hiring submissions list -o csv --columns candidate.email,score,verdict",
	}
	assessment := a.assessmentFilter(c, "only submissions of this assessment: its id or `name`")
	statusFlag(c, &filter)
	since := a.sinceFlag(c, "only submissions since a `time`, as in 2026-03-15, 36h or 7d")
	return listCommand(a, c, submissionTable(), func(ctx context.Context, t task) (hiring.Pager[hiring.Submission], error) {
		filter.Since = *since
		err := checkStatus(filter.Status)
		if err == nil {
			filter.AssessmentID, err = assessment.id(ctx, t.client)
		}
		return t.client.Submissions.List(filter), err
	})
}

// statuses returns the documented status and those that the sandbox uses. The API may use
// others.
func statuses() []string { return []string{string(hiring.SubmissionEvaluated), "started", "submitted"} }

func statusFlag(c *cobra.Command, filter *hiring.SubmissionFilter) {
	c.Flags().StringVar((*string)(&filter.Status), "status", "",
		"only submissions with this `status`: evaluated is documented; the API may use others, such as started or submitted")
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statuses(), cobra.ShellCompDirectiveNoFileComp))
}

// checkStatus returns an error for a status that looks misspelt. Other statuses are sent,
// because the documentation does not list all.
func checkStatus(status hiring.SubmissionStatus) error {
	given := string(status)
	if given == "" || slices.Contains(statuses(), given) {
		return nil
	}
	near := output.Similar(given, statuses()...)
	if len(near) == 0 || !strings.EqualFold(near[0][:1], given[:1]) { // "unevaluated" may exist.
		return nil
	}
	return adviceError{usagef("--status %s is not a known status.%s", output.Clean(given), output.DidYouMean(near)),
		"To send it anyway, use hiring api '/submissions?status=...'"}
}

func (a *app) submissionsGetCommand() *cobra.Command {
	table := submissionTable()
	table.Verbose = nil
	return &cobra.Command{
		Use:   "get <submission-id>",
		Short: "Show a submission",
		RunE: showItem(a, table, func(ctx context.Context, t task) (hiring.Submission, error) {
			return t.client.Submissions.Get(ctx, t.args[0])
		}),
	}
}

func (a *app) submissionsFindCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "find <email> --assessment <assessment>",
		Short: "Show the report of a candidate's newest submission",
	}
	assessment := a.assessmentFlag(c)
	c.RunE = showItem(a, submissionTable(), func(ctx context.Context, t task) (hiring.Submission, error) {
		id, err := assessment.id(ctx, t.client)
		if err != nil {
			return hiring.Submission{}, err
		}
		submission, err := t.client.Submissions.FindByEmail(ctx, id, t.args[0])
		if errors.Is(err, hiring.ErrNotFound) {
			err = adviceError{err, "The candidate may not have started yet; hiring invitations list --assessment " + id +
				" shows the invitations"}
		}
		return submission, err
	})
	return c
}

func (a *app) submissionsReportCommand() *cobra.Command {
	var page string
	c := &cobra.Command{
		Use:     "report <submission-id>",
		Short:   "Show the report of a submission",
		Example: "  hiring submissions report <submission-id>\n  hiring submissions report <submission-id> --html report.html",
	}
	c.Flags().StringVar(&page, "html", "", "write an HTML page to a `file`; - means standard output")
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		if err := checkTarget(page); err != nil {
			return err
		}
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
			return a.writeFile(page, func(to io.Writer) error { return report.WriteHTML(to, report.Of(submission)) })
		}
		if t.Format == output.People {
			return output.One(t.Printer, submissionTable(), submission)
		}
		return output.One(t.Printer, reportTable(), *submission.Report)
	})
	return c
}
