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
