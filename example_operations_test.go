package hiring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleClient_OpenAPI() {
	ctx := context.Background()
	client := sandbox.New().Client()

	raw, err := client.OpenAPI(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var document struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		log.Fatal(err)
	}
	_, found := document.Paths["/api/v1/submissions/{id}"]
	fmt.Println(document.OpenAPI, found)
	// Output: 3.1.0 true
}

func ExampleChallengeService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()
	assessment, err := client.Assessments.Get(ctx, sandbox.AssessmentID)
	if err != nil {
		log.Fatal(err)
	}

	challenge, err := client.Challenges.Get(ctx, assessment.ChallengeID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(challenge.Name)
	for _, task := range challenge.Tasks {
		fmt.Printf("%d minutes: %s\n", task.TimeLimitMinutes, task.Title)
	}
	// Output:
	// Payments backend
	// 30 minutes: Customers are charged twice
	// 35 minutes: Partial refunds
	// 25 minutes: The ledger takes nine seconds
}

func ExampleAssessmentService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for assessment, err := range client.Assessments.List().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if assessment.Status == hiring.AssessmentClosed {
			fmt.Println(assessment.Name)
		}
	}
	// Output: Data analyst (filled)
}

func ExampleAssessmentService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()

	assessment, err := client.Assessments.Get(ctx, sandbox.AssessmentID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Name, assessment.Status, assessment.TimeLimitMinutes)
	// Output: Senior payments engineer active 90
}

// A closed assessment is opened again.
func ExampleAssessmentService_Update() {
	ctx := context.Background()
	client := sandbox.New().Client()

	update := hiring.AssessmentUpdate{Status: hiring.AssessmentActive}
	assessment, err := client.Assessments.Update(ctx, sandbox.ClosedAssessmentID, update)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Status)
	// Output: active
}

func ExampleAssessmentService_Delete() {
	ctx := context.Background()
	client := sandbox.New().LiveClient()
	assessment := newAssessment(ctx, client)

	if err := client.Assessments.Delete(ctx, assessment.ID); err != nil {
		log.Fatal(err)
	}
	_, err := client.Assessments.Get(ctx, assessment.ID)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	// Output: true
}

// Somebody who has not opened the mail gets it again.
func ExampleInvitationService_Resend() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for invitation, err := range client.Invitations.List(sandbox.AssessmentID).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if invitation.Status != hiring.InvitationSent {
			continue
		}
		again, err := client.Invitations.Resend(ctx, sandbox.AssessmentID, invitation.ID)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(again.Status, again.SentAt.After(*invitation.SentAt))
		break
	}
	// Output: sent true
}

func ExampleInvitationService_Revoke() {
	ctx := context.Background()
	client := sandbox.New().LiveClient()
	assessment := newAssessment(ctx, client)
	invitation, err := client.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})
	if err != nil {
		log.Fatal(err)
	}

	if err := client.Invitations.Revoke(ctx, assessment.ID, invitation.ID); err != nil {
		log.Fatal(err)
	}
	err = client.Invitations.Revoke(ctx, assessment.ID, invitation.ID)
	fmt.Println(errors.Is(err, hiring.ErrConflict)) // It can be taken back once.
	// Output: true
}

func ExampleSubmissionService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()

	submission, err := client.Submissions.Get(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.Candidate.Name, submission.Status)
	fmt.Printf("%.2f of %.2f dollars\n", submission.Budget.DollarsUsed, submission.Budget.DollarsCap)
	// Output:
	// Björn Bergström evaluated
	// 2.90 of 10.00 dollars
}

// Each new result once, until the loop is left or the context ends.
func ExampleSubmissionService_Watch() {
	ctx := context.Background()
	client := sandbox.New().Client()

	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	results := 0
	for submission, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Since: since}) {
		if err != nil {
			log.Fatal(err)
		}
		if _, scored := submission.Report.Score(); scored {
			results++
		}
		if results == 3 {
			break
		}
	}
	fmt.Println(results)
	// Output: 3
}
