// Command shortlist invites a candidate and prints those who did best.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	client := sandbox.New().Client() // The API itself: client, err := hiring.FromEnv()
	if err := run(context.Background(), client, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shortlist:", strings.Map(printable, err.Error()))
		os.Exit(1)
	}
}

func run(ctx context.Context, client *hiring.Client, out io.Writer) error {
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	// Ensure checks for an invitation first, so that a second run sends no second e-mail.
	invited, err := client.Invitations.Ensure(ctx, sandbox.AssessmentID, ada)
	if err != nil {
		return fmt.Errorf("invite: %w", err)
	}
	if _, err := fmt.Fprintln(out, "invited", strings.Map(printable, invited.Candidate.Name)); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	best, err := shortlist(ctx, client, 95)
	if err != nil {
		return fmt.Errorf("read the results: %w", err)
	}
	return show(out, best)
}

// shortlist returns the submissions with at least that score.
func shortlist(ctx context.Context, client *hiring.Client, least int) ([]hiring.Submission, error) {
	var best []hiring.Submission
	evaluated := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	for submission, err := range client.Submissions.List(evaluated).All(ctx) {
		if err != nil {
			return nil, err
		}
		if score, ok := submission.Report.Score(); ok && score >= least { // Not ok: not enough data.
			best = append(best, submission)
		}
	}
	return best, nil
}

func show(out io.Writer, best []hiring.Submission) error {
	for _, submission := range best {
		score, _ := submission.Report.Score()
		verdict, name := strings.Map(printable, submission.Report.VerdictLabel), strings.Map(printable, submission.Candidate.Name)
		if _, err := fmt.Fprintln(out, score, verdict, name); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// printable replaces what a terminal would obey: names come from outside.
func printable(r rune) rune {
	if unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d' { // The last two join letters.
		return r
	}
	return unicode.ReplacementChar
}
