package hiring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"reflect"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Scores without enough evidence are not shown.
func ExampleSubmissionService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	filter := hiring.SubmissionFilter{
		AssessmentID: sandbox.AssessmentID,
		Status:       hiring.SubmissionEvaluated,
	}
	page, err := client.Submissions.List(filter).PageSize(4).Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, submission := range page.Items {
		report := submission.Report
		if !report.Ready() {
			continue // Listings may lack reports (assumed). Submissions.Report always returns it.
		}
		fmt.Print(report.Verdict, ":")
		for _, pillar := range report.Pillars {
			if score, ok := pillar.ReliableScore(); ok {
				fmt.Print(" ", score)
			} else {
				fmt.Print(" ?") // Not enough data, which does not mean 0.
			}
		}
		fmt.Println()
	}
	// Output:
	// strong_no: 25 43 ? 31
	// strong_yes: 84 79 88 78
	// yes: ? ? ? ?
	// yes: 81 70 ? ?
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

// An invitation has no submission id. The address leads to the submission.
func ExampleSubmissionService_FindByEmail() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Submissions.FindByEmail(ctx, assessment.ID, "ada@example.com")
	fmt.Println(errors.Is(err, hiring.ErrNotFound)) // The candidate has not begun.

	take(server, invited.Invitation.ID)
	submission, err := client.Submissions.FindByEmail(ctx, assessment.ID, "Ada@Example.com")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.Candidate.Name, submission.Status)
	// Output:
	// true
	// Ada Example evaluated
}

// Unknown values and members are not errors.
func ExampleSubmission_unknown() {
	ctx := context.Background()
	client := sandbox.New(sandbox.WithDrift(1)).Client() // Responses that a later v1 may have.

	surprises, members := 0, 0
	for submission, err := range client.Submissions.List(hiring.SubmissionFilter{}).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		members += len(submission.Extra)
		if !submission.Report.Ready() {
			continue
		}
		switch submission.Report.IntegrityStatus {
		case hiring.IntegrityFlagged, "clear":
		default:
			surprises++ // As received.
		}
	}
	fmt.Println(surprises > 0, members > 0)
	// Output: true true
}

// The stored JSON is what the API sent, and can be read again.
func ExampleSubmission_json() {
	ctx := context.Background()
	client := sandbox.New(sandbox.WithDrift(2)).Client() // With unknown fields.

	submission, err := client.Submissions.Get(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	stored, err := json.Marshal(submission)
	if err != nil {
		log.Fatal(err)
	}
	var again hiring.Submission
	if err := json.Unmarshal(stored, &again); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(again.Extra) > 0, reflect.DeepEqual(submission, again))
	// Output: true true
}
