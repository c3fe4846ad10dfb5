package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsCommand() *cobra.Command {
	return group("submissions", "submission", "Show candidates' attempts and their reports",
		a.submissionsListCommand(), a.submissionsGetCommand(), a.submissionsFindCommand(), a.submissionsReportCommand(),
		a.submissionsWaitCommand(), a.submissionsArchiveCommand(), a.submissionsExportCommand())
}

func submissionTable() output.Table[hiring.Submission] {
	return output.Table[hiring.Submission]{
		Things: "submissions",
		Shown:  []string{"candidate", "candidate.email", "status", "score", "verdict", "submitted_at", "id"},
		More: []string{
			"confidence", "correctness", "craft", "ai_fluency", "rigor", "challenge.name", "assessment_id",
			"created_at", "started_at", "evaluated_at",
		},
		Links: []string{"workspace_archive_url"},
		Own: map[string]func(hiring.Submission) any{
			"candidate":   func(s hiring.Submission) any { return s.Candidate.Name },
			"name":        func(s hiring.Submission) any { return s.Candidate.Name },
			"email":       func(s hiring.Submission) any { return s.Candidate.Email },
			"score":       func(s hiring.Submission) any { return knownScore(s.Report.Score()) },
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

// knownScore returns a score, or nil if it is not known or not reliable.
func knownScore(score int, ok bool) any {
	if ok {
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
		pillar, _ := r.Pillar(id)
		return knownScore(pillar.ReliableScore())
	}
}

func (a *app) submissionsListCommand() *cobra.Command {
	c := command("list", "List submissions, newest first")
	selected := a.submissionFilter(c)
	return listCommand(a, c, submissionTable(), func(ctx context.Context, t task) (hiring.Pager[hiring.Submission], error) {
		list, err := selected(ctx, t.client)
		return sized(t, list), err
	})
}

// lookback is how long after its creation the evaluation of a submission is found, as in a
// watch.
const lookback = 30 * 24 * time.Hour

// submissionFilter adds the flags that select submissions, and returns a function that lists
// these.
func (a *app) submissionFilter(c *cobra.Command) func(context.Context, *hiring.Client) (hiring.Pager[hiring.Submission], error) {
	var filter hiring.SubmissionFilter
	assessment := a.assessmentFilter(c, "only submissions of this assessment: its id or `name`")
	// The API documents evaluated, and the sandbox uses the others.
	status := a.statusFlag(c, "only submissions with this `status`: evaluated is documented; the API may use others, such as started or submitted",
		string(hiring.SubmissionEvaluated), "started", "submitted")
	since := a.timeFlag(c, "since", "only submissions since a `time`, as in 2026-03-15, 36h or 7d; the API does not document of which time it is: see --evaluated-since")
	evaluatedSince := a.timeFlag(c, "evaluated-since", "only submissions evaluated since a `time`; reads the list from 30 days before it")
	return func(ctx context.Context, client *hiring.Client) (list hiring.Pager[hiring.Submission], err error) {
		if filter.Since = *since; since.IsZero() && !evaluatedSince.IsZero() {
			filter.Since = evaluatedSince.Add(-lookback)
		}
		only, err := status()
		if err != nil {
			return list, err
		}
		filter.Status = hiring.SubmissionStatus(only)
		filter.AssessmentID, err = a.assessmentID(ctx, client, *assessment)
		list = client.Submissions.List(filter)
		if err != nil || evaluatedSince.IsZero() {
			return list, err
		}
		found, err := matching(list.All(ctx), func(s hiring.Submission) bool { return s.EvaluatedAt != nil && !s.EvaluatedAt.Before(*evaluatedSince) })
		return hiring.PagerOf(found...), err
	}
}

// statusFlag adds the flag --status and returns a function that returns its value. The function warns
// about a status that is not known.
func (a *app) statusFlag(c *cobra.Command, usage string, known ...string) func() (string, error) {
	given := c.Flags().StringSlice("status", nil, usage)
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	return func() (string, error) {
		status := strings.Join(*given, ",")
		if i := slices.IndexFunc(known, func(one string) bool { return strings.EqualFold(one, status) }); i >= 0 {
			status = known[i]
		}
		switch {
		case len(*given) > 1:
			several := "hiring " + c.Parent().Name() + ` list with --all --jq 'map(select(.status == "` + strings.Join(*given, `" or .status == "`) + `"))' shows several`
			return "", adviceError{usagef("--status %s: give one status only", output.Clean(status)), several}
		case status != "" && !slices.Contains(known, status):
			a.warnOnce("--status " + status + " may find nothing: known are " + strings.Join(known, ", ") + ".")
		}
		return status, nil
	}
}

func (a *app) submissionsGetCommand() *cobra.Command {
	table := submissionTable()
	table.Verbose = nil
	return getCommand(a, command("get <submission>", "Show a submission"), table, a.submissionID, getSubmission)
}

func (a *app) submissionsReportCommand() *cobra.Command {
	table := submissionTable()
	table.JSON = func(s hiring.Submission) any { return s.Report }
	return getCommand(a, command("report <submission>", "Show the report of a submission", "reports"), table, a.submissionID, getSubmission)
}

func (a *app) submissionsFindCommand() *cobra.Command {
	c := command("find <email>", "Show a candidate's newest submission with its report")
	assessment := a.assessmentFilter(c, "only submissions of this assessment, however old: its id or `name`")
	return getCommand(a, c, submissionTable(), func(ctx context.Context, client *hiring.Client, given string) (string, error) {
		in, err := a.assessmentID(ctx, client, *assessment)
		if err != nil {
			return "", err
		}
		return a.submissionOf(ctx, client, in, given)
	}, getSubmission)
}

func getSubmission(client *hiring.Client) getter[hiring.Submission] { return client.Submissions.Get }
