package hiring_test

import (
	"context"
	"fmt"
	"log"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Invite a candidate and receive the result.
func Example() {
	ctx := context.Background()
	server := sandbox.New()       // A fake server in memory.
	client := server.LiveClient() // With the API: client, err := hiring.FromEnv()
	id := server.AddAssessment("Backend engineer")

	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	invited, err := client.Invitations.Ensure(ctx, id, ada) // One e-mail, also after a lost response.
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(invited.Outcome)

	if _, err := server.AddResult(id, ada.Email, sandbox.Result{ShipScore: new(82)}); err != nil { // The candidate submits.
		log.Fatal(err)
	}
	yesterday := time.Now().AddDate(0, 0, -1)
	for submission, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Since: yesterday}) {
		if err != nil {
			log.Fatal(err)
		}
		score, ok := submission.Report.Score() // Not ok means not enough data, never 0.
		fmt.Println(submission.Candidate.Email, score, ok)
		break // A service continues, with a Checkpoint.
	}
	// Output:
	// sent
	// ada@example.com 82 true
}
