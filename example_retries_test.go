package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Safe requests are retried; a POST only when the API certainly did
// nothing.
func ExampleRetryPolicy() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))

	server.Inject(sandbox.Fault{Route: "GET /account", Status: http.StatusServiceUnavailable, Times: 2})
	_, err := client.Account.Get(ctx)
	fmt.Println(err)

	server.Inject(sandbox.Fault{Route: "POST *", Status: http.StatusServiceUnavailable})
	_, err = client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"})
	fmt.Println(errors.Is(err, hiring.ErrOutcomeUnknown))
	for _, entry := range server.Journal() {
		fmt.Println(entry.Method, entry.Status)
	}
	// Output:
	// <nil>
	// true
	// GET 503
	// GET 503
	// GET 200
	// POST 503
}

// A delay that would exceed the context's deadline does not begin.
func ExampleRetryPolicy_deadline() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	server := sandbox.New()
	client := server.Client()
	server.Inject(sandbox.Fault{Route: "GET /account", Status: http.StatusServiceUnavailable, RetryAfter: 30 * time.Second})

	_, err := client.Account.Get(ctx)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Status, failure.Attempts, failure.RetryAfter)
	}
	// Output: 503 1 30s
}

// The known outcome of a write that failed.
func ExampleOutcome() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	const route = "POST /assessments/{id}/invitations"

	for _, fault := range []sandbox.Fault{
		{Route: route, Status: http.StatusConflict}, // Rejected.
		{Route: route, After: true, CutAfter: 20},   // Done, but the response was cut short.
		{Route: route, After: true},                 // No response.
	} {
		server.Inject(fault)
		_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"})
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			fmt.Println(failure.Outcome)
		}
	}
	// Output:
	// not done
	// done
	// unknown
}

// The client stops sending a key that is rejected repeatedly, because the API would
// throttle the address for all keys.
func Example_keyRefused() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	server.RevokeKey(sandbox.TestKey)

	for range 4 {
		_, err := client.Account.Get(ctx)
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			fmt.Println(failure.Code, failure.Status)
		}
	}
	fmt.Println(len(server.Journal()), "requests")
	// Output:
	// INVALID_TOKEN 401
	// INVALID_TOKEN 401
	// INVALID_TOKEN 401
	// INVALID_TOKEN 0
	// 3 requests
}

// The page of a proxy does not count as a response of the API, whatever its status.
func Example_notTheService() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	server.Inject(sandbox.Fault{Status: http.StatusOK, Body: "<h1>Please sign in</h1>", ContentType: "text/html"})

	err := client.Invitations.Revoke(ctx, sandbox.AssessmentID, sandbox.UnknownID)
	fmt.Println(err)
	// Output: hiring: Invitations.Revoke: 200 the response is not from the API: <h1>Please sign in</h1>; the outcome is unknown: check before you repeat it: a proxy answered, or the base URL is wrong
}

// A redirect is not followed, because the key would be sent to its target.
func Example_redirect() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	server.Inject(sandbox.Fault{Status: http.StatusMovedPermanently})

	_, err := client.Account.Get(ctx)
	fmt.Println(err)
	// Output: hiring: Account.Get: 301 the server redirects elsewhere, which is not followed because the key would be sent there: correct the base URL (request req_0000000000000001)
}
