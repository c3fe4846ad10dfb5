// Command shortlist invites a candidate and prints those who did best.
package main

import (
	"context"
	"fmt"
	"log"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx := context.Background()
	client := sandbox.New().Client() // The service itself: client, err := hiring.FromEnv()

	invitation, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("invited", invitation.CandidateName)

	best, err := shortlist(ctx, client, 95)
	if err != nil {
		log.Fatal(err)
	}
	for _, submission := range best {
		score, _ := submission.Report.Score()
		fmt.Println(score, submission.Report.VerdictLabel, submission.Candidate.Name)
	}
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
