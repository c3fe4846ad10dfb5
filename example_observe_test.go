package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

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

// A tracer: a span for each call, a child span for each attempt, and a header with the
// span's name.
func ExampleWithTrace() {
	type span struct{}
	ctx := context.Background()
	client := sandbox.New().Client(hiring.WithTrace(hiring.Trace{
		Call: func(ctx context.Context, c hiring.TraceCall) (context.Context, func(error)) {
			fmt.Println("begin", c.Operation)
			return context.WithValue(ctx, span{}, c.Operation), func(err error) { fmt.Println("end", c.Operation, err) }
		},
		Attempt: func(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			fmt.Println("  attempt", a.Number, "of", ctx.Value(span{}), a.Method, a.Route)
			a.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			return ctx, func(e hiring.Exchange) { fmt.Println("  status", e.Status) }
		},
		Pause: func(_ context.Context, p hiring.TracePause) {
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

// The log has one line for each attempt, without ids, names, bodies and the key.
func ExampleWithLogger() {
	ctx := context.Background()
	server := sandbox.New()
	server.Inject(sandbox.Fault{Route: "GET /submissions/{id}", Status: http.StatusServiceUnavailable})
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch a.Key {
			case slog.TimeKey, "duration", "wait", "started":
				return slog.Attr{} // They differ from run to run.
			}
			return a
		},
	}))
	client := server.Client(hiring.WithLogger(logger), hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))

	submission, err := client.Submissions.Get(ctx, sandbox.SubmissionID)
	fmt.Println(submission.Status, err)
	// Output:
	// level=INFO msg="hiring: call will be retried" operation=Submissions.Get method=GET route=/submissions/{id} status=503 request_id=req_0000000000000001 attempt=1 rate_limit=1000 rate_remaining=1000 code=INTERNAL_ERROR
	// level=DEBUG msg="hiring: call" operation=Submissions.Get method=GET route=/submissions/{id} status=200 request_id=req_0000000000000002 attempt=2 rate_limit=1000 rate_remaining=999
	// evaluated <nil>
}

// The raw response of a call that failed.
func ExampleResponse() {
	client := sandbox.New().Client()

	var response hiring.Response
	ctx := hiring.WithResponse(context.Background(), &response)
	_, err := client.Submissions.Report(ctx, sandbox.UnknownID)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	fmt.Println(response.StatusCode, response.RequestID, strings.Contains(string(response.Body), `"NOT_FOUND"`))
	// Output:
	// true
	// 404 req_0000000000000001 true
}

// A metric for each attempt. Routes are templates, so there are few of them.
func ExampleExchange() {
	ctx := context.Background()
	server := sandbox.New()
	server.Inject(sandbox.Fault{Route: "GET /submissions/{id}/report", Status: http.StatusBadGateway})
	count := make(map[string]int)
	client := server.Client(
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			count[fmt.Sprintf("%s %s %d", e.Method, e.Route, e.Status)]++
		}),
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))

	for _, id := range []string{sandbox.SubmissionID, sandbox.PendingSubmissionID, sandbox.BusySubmissionID} {
		if _, err := client.Submissions.Report(ctx, id); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(count)
	// Output: map[GET /submissions/{id}/report 200:3 GET /submissions/{id}/report 502:1]
}

// A trace is called with the reason and the end of each wait of more than a second.
func ExampleTrace() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := sandbox.New().Client(hiring.WithTrace(hiring.Trace{
		Pause: func(_ context.Context, pause hiring.TracePause) {
			fmt.Println(pause.Operation, "waits:", pause.Reason)
			cancel() // Ends the example.
		},
	}))

	_, err := client.Submissions.WaitReport(ctx, sandbox.PendingSubmissionID, hiring.WaitOptions{})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// Submissions.WaitReport waits: poll
	// true
}
