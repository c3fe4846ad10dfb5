package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
)

func showAccount(ctx context.Context, client *hiring.Client, out io.Writer) error {
	account, err := client.Account.Get(ctx)
	if err != nil {
		return err
	}
	left, limited := account.InvitationsLeft()
	row(out, fmt.Sprintf("%s, plan %s: %d invitations left (limit enforced: %t)", account.Name, account.Plan.ID, left, limited))
	return nil
}

func showAssessments(ctx context.Context, client *hiring.Client, out io.Writer) error {
	page, err := client.Assessments.List().PageSize(20).Page(ctx)
	if err != nil {
		return err
	}
	row(out)
	row(out, fmt.Sprintf("ASSESSMENTS, the newest %d", len(page.Items)))
	row(out, "STATUS", "CREATED", "NAME")
	for _, assessment := range page.Items {
		row(out, string(assessment.Status), assessment.CreatedAt.Format("2006-01-02"), assessment.Name)
	}
	if len(page.Items) == 0 {
		return nil
	}
	oldest := page.Items[len(page.Items)-1]
	if err := showInvitations(ctx, client, out, oldest); err != nil {
		return err
	}
	return tryWriting(ctx, client, out, oldest)
}

func showInvitations(ctx context.Context, client *hiring.Client, out io.Writer, assessment hiring.Assessment) error {
	page, err := client.Invitations.List(assessment.ID).Page(ctx)
	if err != nil {
		return err
	}
	counts := make(map[hiring.InvitationStatus]int)
	for _, invitation := range page.Items {
		counts[invitation.Status]++
	}
	row(out)
	row(out, fmt.Sprintf("INVITATIONS, the newest %d of %d to %s", len(page.Items), page.Meta.Total, assessment.Name))
	row(out, strings.Trim(fmt.Sprint(counts), "map[]")) // Sorted by status.
	return nil
}

// tryWriting creates an assessment and invites a candidate. It runs only with test keys,
// for which the API stores nothing.
func tryWriting(ctx context.Context, client *hiring.Client, out io.Writer, assessment hiring.Assessment) error {
	if client.Environment() != hiring.EnvironmentTest || assessment.Status != hiring.AssessmentActive {
		return nil
	}
	created, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: assessment.ChallengeID, Name: "Quickstart"})
	if err != nil {
		return err
	}
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	invited, err := client.Invitations.Send(ctx, assessment.ID, ada) // The created assessment was not stored.
	if err != nil {
		return err
	}
	row(out)
	row(out, "CREATED "+created.Name)
	row(out, "INVITED "+invited.CandidateName)
	return nil
}

func showCandidates(ctx context.Context, client *hiring.Client, out io.Writer) error {
	evaluated := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	page, err := client.Submissions.List(evaluated).PageSize(20).Page(ctx)
	if err != nil {
		return err
	}
	row(out)
	row(out, "CANDIDATES with a score, the newest first (-: not enough data)")
	row(out, "SHIP SCORE", "VERDICT", "CORRECTNESS", "CRAFT", "AI FLUENCY", "RIGOR", "NAME")
	for _, submission := range page.Items {
		report := submission.Report
		score, ok := report.Score()
		if !ok {
			continue
		}
		row(out, strconv.Itoa(score), string(report.Verdict),
			pillar(report, hiring.PillarCorrectness), pillar(report, hiring.PillarCraft),
			pillar(report, hiring.PillarAIFluency), pillar(report, hiring.PillarRigor), submission.Candidate.Name)
	}
	return nil
}

// pillar returns the score of an area if there is enough evidence for it. A missing score
// does not mean 0.
func pillar(report *hiring.Report, id hiring.PillarID) string {
	area, _ := report.Pillar(id)
	if score, ok := area.ReliableScore(); ok {
		return strconv.Itoa(score)
	}
	return "-"
}

// showRateLimits sends no request: each response contains the rate limit.
func showRateLimits(_ context.Context, client *hiring.Client, out io.Writer) error {
	quota := client.Quota()
	writes := "not known before the first one"
	if quota.Write.Known() {
		writes = fmt.Sprintf("%d of %d", quota.Write.Remaining, quota.Write.Limit)
	}
	row(out)
	row(out, fmt.Sprintf("RATE LIMITS, left this hour: %d of %d reads; writes: %s", quota.Read.Remaining, quota.Read.Limit, writes))
	return nil
}

// row prints a line of columns. Names come from outside: they must not control the
// terminal or add columns and lines.
func row(out io.Writer, cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.Map(printable, cell)
	}
	_, _ = fmt.Fprintln(out, strings.Join(cells, "\t")) // Writes to a buffer, which never fails.
}

// printable replaces control characters, which a terminal would execute: the text may
// contain names from outside.
func printable(r rune) rune {
	if unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d' { // The last two join letters.
		return r
	}
	return unicode.ReplacementChar
}
