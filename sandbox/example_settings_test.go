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

// An API with other names than the client assumes.
func ExampleWithDialect() {
	ctx := context.Background()
	dialect := hiring.Dialect{ListAssessments: "GET /job-postings"}
	server := sandbox.New(sandbox.WithDialect(dialect))

	_, err := server.Client().Assessments.List().Page(ctx)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	_, err = server.Client(hiring.WithDialect(dialect)).Assessments.List().Page(ctx)
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// With drift, a program fails in its tests if it cannot handle additions to v1.
func ExampleWithDrift() {
	ctx := context.Background()
	account, err := sandbox.New(sandbox.WithDrift(1)).Client().Account.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Name, len(account.Extra) > 0)
	// Output: Sandbox Hiring Ltd true
}

// graded returns a server with a submission that was graded an hour after its creation.
func graded(options ...sandbox.Option) (server *sandbox.Server, evaluatedAt time.Time) {
	server = sandbox.New(options...)
	id := newAttempt(server)
	server.Advance(time.Hour)
	if err := server.Evaluate(id, sandbox.Result{ShipScore: new(70)}); err != nil {
		log.Fatal(err)
	}
	submission, err := server.LiveClient().Submissions.Get(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	return server, *submission.EvaluatedAt
}

// The API's documentation does not say what since filters on.
func ExampleWithSinceOn() {
	for _, meaning := range []sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceEvaluated} {
		server, evaluatedAt := graded(sandbox.WithSinceOn(meaning))
		page, err := server.LiveClient().Submissions.List(hiring.SubmissionFilter{Since: evaluatedAt}).Page(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(meaning, len(page.Items))
	}
	// Output:
	// created 0
	// evaluated 1
}

// The output of a failed test.
func ExampleFault_String() {
	fmt.Println(sandbox.Fault{Route: "GET /account", Status: http.StatusBadGateway, Times: 2})
	// Output: Fault{Route: "GET /account", Times: 2, Status: 502}
}

func ExampleServer_ClearFaults() {
	server := sandbox.New()
	server.Inject(sandbox.Fault{Route: "GET /account", Status: http.StatusInternalServerError, Times: -1}) // Always.
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	_, err := client.Account.Get(context.Background())
	fmt.Println(errors.Is(err, hiring.ErrInternal))

	server.ClearFaults()
	_, err = client.Account.Get(context.Background())
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// The request takes effect and its response is lost: a client that sends again sends
// twice.
func ExampleFault() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessmentID := server.AddAssessment("Backend engineer")
	server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", After: true})

	_, err := client.Invitations.Send(ctx, assessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	fmt.Println(errors.Is(err, hiring.ErrOutcomeUnknown))
	invitations, err := client.Invitations.List(assessmentID).Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(invitations))
	// Output:
	// true
	// 1
}
