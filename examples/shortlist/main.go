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

	evaluated := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	for submission, err := range client.Submissions.List(evaluated).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		report := submission.Report
		if report != nil && report.ShipScore != nil && *report.ShipScore >= 95 {
			fmt.Println(*report.ShipScore, report.VerdictLabel, submission.Candidate.Name)
		}
	}
}
