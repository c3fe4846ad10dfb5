package hiring_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// From an invitation to the score. An invitation has no submission id. The candidate's
// address leads to the submission.
func Example_journey() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient() // The API itself: client, err := hiring.FromEnv()
	assessment := post(ctx, client)
	folder, err := os.MkdirTemp("", "hiring")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	state := filepath.Join(folder, "watch.state")

	invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}

	take(server, invited.Invitation.ID) // The candidate's steps, which take hours or days in reality.

	options := hiring.WatchOptions{
		AssessmentID: assessment.ID,
		Since:        invited.Invitation.CreatedAt,
		Checkpoint:   hiring.FileCheckpoint(state), // A restart resumes from this file.
	}
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if err != nil {
			log.Fatal(err)
		}
		if !submission.Report.Ready() || !strings.EqualFold(submission.Candidate.Email, invited.Candidate.Email) {
			continue
		}
		fmt.Println(submission.Candidate.Name, submission.Report.VerdictLabel)
		for _, pillar := range submission.Report.Pillars {
			if score, ok := pillar.ReliableScore(); ok {
				fmt.Println(pillar.Label, score)
			} else {
				fmt.Println(pillar.Label, "not enough data")
			}
		}
		break
	}
	// Output:
	// Ada Example Strong yes
	// Correctness 91
	// Craft not enough data
	// AI Fluency not enough data
	// Rigor 84
}

func post(ctx context.Context, client *hiring.Client) hiring.Assessment {
	challenges, err := client.Challenges.List().Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	return assessment
}

func take(server *sandbox.Server, invitationID string) {
	submissionID, err := server.Begin(invitationID)
	if err == nil {
		err = server.Evaluate(submissionID, sandbox.Result{ShipScore: 88, Pillars: map[string]int{"correctness": 91, "rigor": 84}})
	}
	if err != nil {
		log.Fatal(err)
	}
}
