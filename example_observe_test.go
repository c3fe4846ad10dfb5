package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleWithResponse() {
	client := sandbox.New().Client()

	var response hiring.Response
	ctx := hiring.WithResponse(context.Background(), &response)
	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, response.Attempts, response.Header.Get("X-Request-Id"))
	// Output: 200 1 req_0000000000000001
}

func ExampleWithObserver() {
	ctx := context.Background()
	client := sandbox.New().Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		fmt.Println(e.Operation, e.Method, e.Route, e.Status)
	}))

	_, err := client.Submissions.Report(ctx, sandbox.UnknownID)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	// Output:
	// Submissions.Report GET /submissions/{id}/report 404
	// true
}

// What a tracer does: a span for each call, one below it for each attempt, and
// its name in a header.
func ExampleWithProbe() {
	type span struct{}
	ctx := context.Background()
	client := sandbox.New().Client(hiring.WithProbe(hiring.Probe{
		Call: func(ctx context.Context, c hiring.ProbeCall) (context.Context, func(error)) {
			fmt.Println("begin", c.Operation)
			return context.WithValue(ctx, span{}, c.Operation), func(err error) { fmt.Println("end", c.Operation, err) }
		},
		Attempt: func(ctx context.Context, a hiring.ProbeAttempt) (context.Context, func(hiring.Exchange)) {
			fmt.Println("  attempt", a.Number, "of", ctx.Value(span{}), a.Method, a.Route)
			a.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			return ctx, func(e hiring.Exchange) { fmt.Println("  status", e.Status) }
		},
		Pause: func(_ context.Context, p hiring.ProbePause) {
			fmt.Println("  waits:", p.Reason)
		},
	}))

	if _, err := client.Members.List().Collect(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// begin Members.List
	//   attempt 1 of Members.List GET /members
	//   status 200
	// end Members.List <nil>
}
