package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// The first test: a server, a client and a call. In a test, use sandbox.Start(t) instead
// of New and Close.
func Example() {
	server := sandbox.New()
	defer server.Close()
	client := server.Client()

	report, err := client.Submissions.Report(context.Background(), sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, *report.ShipScore)
	// Output: strong_yes 91
}

// A call that fails: the next request for the account gets an error.
func ExampleServer_Inject() {
	server := sandbox.New()
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	server.Inject(sandbox.Fault{Route: "GET /account", Status: http.StatusInternalServerError})

	_, err := client.Account.Get(context.Background())
	fmt.Println(errors.Is(err, hiring.ErrInternal))
	_, err = client.Account.Get(context.Background())
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// A lost response: the invitation was sent, but the client does not know. The journal
// shows the requests that reached the server.
func ExampleServer_Inject_lostReply() {
	server := sandbox.New()
	client := server.Client()
	server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", After: true})

	_, err := client.Invitations.Send(context.Background(), sandbox.AssessmentID,
		hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	fmt.Println(errors.Is(err, hiring.ErrOutcomeUnknown))
	for _, entry := range server.Journal() {
		fmt.Println(entry.Method, entry.Route, entry.Status)
	}
	fmt.Println("sent twice:", len(server.Journal().Repeated()))
	// Output:
	// true
	// POST /assessments/{id}/invitations 0
	// sent twice: 0
}

// The rate limit is used up in the middle of an iteration.
func ExampleServer_SetQuota() {
	server := sandbox.New()
	client := server.Client()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)

	invitations, err := client.Invitations.List(sandbox.AssessmentID).Collect(context.Background())
	fmt.Println(len(invitations), "of 360")
	fmt.Println(errors.Is(err, hiring.ErrRateLimited))
	// Output:
	// 200 of 360
	// true
}

// The test moves a candidate through the live data.
func ExampleServer_Evaluate() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	invitationID, err := server.Invite(server.AddAssessment("Backend engineer"), "ada@candidates.test", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	submissionID, err := server.Begin(invitationID)
	if err != nil {
		log.Fatal(err)
	}
	server.Advance(45 * time.Minute)

	result := sandbox.Result{ShipScore: new(82), Pillars: map[hiring.PillarID]*int{"craft": new(90)}}
	if err := server.Evaluate(submissionID, result); err != nil {
		log.Fatal(err)
	}
	report, err := client.Submissions.Report(ctx, submissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*report.ShipScore, report.Verdict, *report.Facts.TimeUsedMinutes)
	// Output: 82 strong_yes 45
}
