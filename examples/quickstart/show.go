package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	hiring "github.com/hiring-assessment/hiring-go"
)

// show prints what there is, or nothing when a part of it cannot be read.
func show(ctx context.Context, client *hiring.Client, out io.Writer) error {
	t := newTable()
	if err := showAccount(ctx, client, t); err != nil {
		return fmt.Errorf("account: %w", err)
	}
	assessments, err := showAssessments(ctx, client, t)
	if err != nil {
		return fmt.Errorf("assessments: %w", err)
	}
	if len(assessments) > 0 {
		oldest := assessments[len(assessments)-1]
		if err := showInvitations(ctx, client, t, oldest); err != nil {
			return fmt.Errorf("invitations: %w", err)
		}
		if err := tryWriting(ctx, client, t, oldest); err != nil {
			return fmt.Errorf("writing with a test key: %w", err)
		}
	}
	if err := showCandidates(ctx, client, t); err != nil {
		return fmt.Errorf("candidates: %w", err)
	}
	showQuota(client.Quota(), t)
	return t.print(out)
}

func showAccount(ctx context.Context, client *hiring.Client, t *table) error {
	account, err := client.Account.Get(ctx)
	if err != nil {
		return err
	}
	left, limited := account.InvitationsLeft()
	t.line("%s, plan %s: %d invitations left (limit enforced: %t)", account.Name, account.Plan.ID, left, limited)
	return nil
}

func showAssessments(ctx context.Context, client *hiring.Client, t *table) ([]hiring.Assessment, error) {
	page, err := client.Assessments.List().PageSize(20).Page(ctx)
	if err != nil {
		return nil, err
	}
	t.title("ASSESSMENTS, the newest %d", len(page.Items))
	t.row("STATUS", "CREATED", "NAME")
	for _, assessment := range page.Items {
		t.row(string(assessment.Status), assessment.CreatedAt.Format("2006-01-02"), assessment.Name)
	}
	return page.Items, nil
}

func showInvitations(ctx context.Context, client *hiring.Client, t *table, assessment hiring.Assessment) error {
	page, err := client.Invitations.List(assessment.ID).Page(ctx)
	if err != nil {
		return err
	}
	counts := make(map[hiring.InvitationStatus]int)
	for _, invitation := range page.Items {
		counts[invitation.Status]++
	}
	t.title("INVITATIONS to %s by status, the newest %d of %d: %v", assessment.Name, len(page.Items), page.Meta.Total, counts)
	return nil
}

// tryWriting creates an assessment and invites a candidate. It runs only with test keys,
// for which the API stores nothing.
func tryWriting(ctx context.Context, client *hiring.Client, t *table, assessment hiring.Assessment) error {
	if client.Environment() != hiring.EnvironmentTest || assessment.Status != hiring.AssessmentActive {
		return nil
	}
	created, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: assessment.ChallengeID, Name: "Quickstart"})
	if err != nil {
		return err
	}
	// The created one was not kept, so the candidate is invited to the one that there is.
	invited, err := client.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})
	if err != nil {
		return err
	}
	t.title("CREATED %s", created.Name)
	t.line("INVITED %s", invited.CandidateName)
	return nil
}

func showCandidates(ctx context.Context, client *hiring.Client, t *table) error {
	evaluated := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	page, err := client.Submissions.List(evaluated).PageSize(25).Page(ctx)
	if err != nil {
		return err
	}
	best := ranked(page.Items)
	t.title("CANDIDATES, the newest %d", len(best))
	t.row("RANK", "SHIP SCORE", "VERDICT", "CORRECTNESS", "CRAFT", "AI FLUENCY", "RIGOR", "NAME")
	for _, submission := range best {
		report := submission.Report
		score, _ := report.Score()
		t.row(fmt.Sprintf("%d of %d", report.PipelineRank.Rank, report.PipelineRank.Total), strconv.Itoa(score), string(report.Verdict),
			pillar(report, hiring.PillarCorrectness), pillar(report, hiring.PillarCraft),
			pillar(report, hiring.PillarAIFluency), pillar(report, hiring.PillarRigor), submission.Candidate.Name)
	}
	return nil
}

// ranked returns those that have a score and a rank, the best first.
func ranked(submissions []hiring.Submission) []hiring.Submission {
	var best []hiring.Submission
	for _, submission := range submissions {
		if _, ok := submission.Report.Score(); ok && submission.Report.PipelineRank != nil {
			best = append(best, submission)
		}
	}
	slices.SortStableFunc(best, func(a, b hiring.Submission) int {
		return cmp.Compare(a.Report.PipelineRank.Rank, b.Report.PipelineRank.Rank)
	})
	return best
}

// pillar returns the score of an area, if there is evidence for one. That there is
// none does not mean 0.
func pillar(report *hiring.Report, id hiring.PillarID) string {
	area, _ := report.Pillar(id)
	if score, ok := area.ReliableScore(); ok {
		return strconv.Itoa(score)
	}
	return "not enough data"
}

func showQuota(quota hiring.Quota, t *table) {
	writes := "not known before the first one"
	if quota.Write.Known() {
		writes = fmt.Sprintf("%d of %d", quota.Write.Remaining, quota.Write.Limit)
	}
	t.title("QUOTA left this hour: %d of %d reads; writes: %s", quota.Read.Remaining, quota.Read.Limit, writes)
}
