package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"syscall"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleError() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{
		Email: sandbox.PlanLimitEmail,
		Name:  "Ada Example",
	})
	switch {
	case err == nil:
		fmt.Println("invited")
	case errors.Is(err, hiring.ErrPlanLimitReached):
		fmt.Println("no invitations left in this period")
	case errors.Is(err, hiring.ErrOutcomeUnknown):
		fmt.Println("look with Invitations.List before sending again")
	default:
		fmt.Println(err)
	}

	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Status, failure.Code, failure.Outcome, failure.RequestID)
	}
	// Output:
	// no invitations left in this period
	// 402 PLAN_LIMIT_REACHED not done req_0000000000000001
}

func ExampleError_Fields() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "none", Name: "Backend engineer"})
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		_, fields := failure.Fields()
		fmt.Println(failure.Code, len(fields["challenge_id"]))
	}
	// Output: INVALID_INPUT 1
}

// Invalid arguments are rejected without a request.
func ExampleParamError() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.com"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, hiring.ErrInvalidInput), client.Quota().Write.Limit)
	// Output:
	// hiring: Name: must not be empty
	// true 0
}

func ExampleParamError_Error() {
	ctx := context.Background()
	client := sandbox.New().Client()

	// One error contains all problems of the arguments and no values.
	_, err := client.Invitations.Send(ctx, "", hiring.NewInvitation{})
	fmt.Println(err)
	// Output: hiring: assessmentID: must be an id: it is empty, "." or ".."; Email: must not be empty; Name: must not be empty
}

func ExampleParamError_Is() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Members.List().PageSize(10).Page(ctx)
	fmt.Println(errors.Is(err, hiring.ErrInvalidInput)) // As a 400 of the API is.
	// Output: true
}

func ExampleError_Error() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Submissions.Report(ctx, sandbox.UnknownID)
	fmt.Println(err)
	// Output: hiring: Submissions.Report: 404 NOT_FOUND: The resource does not exist (request req_0000000000000001)
}

func ExampleError_Is() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Invitations.Send(ctx, sandbox.ClosedAssessmentID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"})
	err = fmt.Errorf("inviting Ada: %w", err)
	fmt.Println(errors.Is(err, hiring.ErrConflict), errors.Is(err, hiring.ErrOutcomeUnknown))
	// Output: true false
}

// The cause of a missing response is part of the error.
func ExampleError_Unwrap() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	server.Inject(sandbox.Fault{Reset: true})

	_, err := client.Account.Get(ctx)
	fmt.Println(errors.Is(err, syscall.ECONNRESET))
	// Output: true
}

// After a transient error the same call may succeed later.
func ExampleIsTransient() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))

	server.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable})
	_, err := client.Account.Get(ctx)
	fmt.Println(hiring.IsTransient(err))

	_, err = client.Submissions.Get(ctx, sandbox.UnknownID)
	fmt.Println(hiring.IsTransient(err))
	// Output:
	// true
	// false
}

// The set of codes is open, so a switch needs a default.
func ExampleErrorCode() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	server.Inject(sandbox.Fault{Route: "GET /account", Status: http.StatusTeapot, Code: "TEAPOT"})

	_, err := client.Account.Get(ctx)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		switch failure.Code {
		case hiring.ErrNotFound:
			fmt.Println("not there")
		case "":
			fmt.Println("no answer of the API")
		default:
			fmt.Println("a code that this version does not know:", failure.Code)
		}
	}
	// Output: a code that this version does not know: TEAPOT
}

func ExampleErrorCode_Error() {
	fmt.Println(hiring.ErrPlanLimitReached.Error())
	// Output: PLAN_LIMIT_REACHED
}

// A form shows validation messages next to its fields, from the client and from the API.
func ExampleFieldErrors() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for _, email := range []string{"", "not an address"} {
		_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: email, Name: "Ada"})
		for field, problems := range hiring.FieldErrors(err) {
			fmt.Println(field, problems)
		}
	}
	// Output:
	// candidate_email [must not be empty]
	// candidate_email [Expected an email address.]
}

// The error of a candidate after the end of a run contains the reason.
func ExampleRunEndedError_Error() {
	err := &hiring.RunEndedError{Cause: hiring.ErrPlanLimitReached}
	fmt.Println(err)
	// Output: hiring: the run ended before this candidate: PLAN_LIMIT_REACHED
}

// The unknown outcome of one candidate does not apply to the candidates after it.
func ExampleRunEndedError_Is() {
	var err error = &hiring.RunEndedError{Cause: &hiring.Error{Code: hiring.ErrInternal, Outcome: hiring.OutcomeUnknown}}
	fmt.Println(errors.Is(err, hiring.ErrRunEnded), errors.Is(err, hiring.ErrInternal), errors.Is(err, hiring.ErrOutcomeUnknown))
	// Output: true true false
}

func ExampleError_As() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Submissions.Report(ctx, sandbox.UnknownID)
	if code, ok := errors.AsType[hiring.ErrorCode](err); ok {
		fmt.Println(code)
	}
	// Output: NOT_FOUND
}

func ExampleParamError_As() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Submissions.Report(ctx, "")
	var code hiring.ErrorCode
	fmt.Println(errors.As(err, &code), code)
	// Output: true INVALID_INPUT
}

func ExampleRunEndedError_As() {
	var err error = &hiring.RunEndedError{Cause: hiring.ErrPlanLimitReached}
	var code hiring.ErrorCode
	fmt.Println(errors.As(err, &code), code)
	// Output: true PLAN_LIMIT_REACHED
}

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

func ExampleClient_Quota() {
	ctx := context.Background()
	client := sandbox.New().Client()

	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	quota := client.Quota()
	fmt.Println(quota.Read.Remaining, "of", quota.Read.Limit)
	fmt.Println(quota.Write.Known()) // No write was sent yet.
	// Output:
	// 999 of 1000
	// false
}

func Example_quotaExhausted() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1)
	client := server.Client()

	_, err := client.Account.Get(ctx)
	fmt.Println(err)

	// No requests remain, so this call is not sent.
	_, err = client.Account.Get(ctx)
	if errors.Is(err, hiring.ErrQuotaExhausted) {
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			fmt.Println("try again in an hour:", failure.RetryAfter > 59*time.Minute)
		}
	}

	// A batch job may wait for the next window. A window is an hour long.
	patient, err := client.With(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 65 * time.Minute}))
	fmt.Println(patient != nil, err)
	// Output:
	// <nil>
	// try again in an hour: true
	// true <nil>
}

// A nightly job and interactive users share a key.
func ExampleWithQuotaReserve() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 202)
	client := server.Client()

	background, err := client.With(hiring.WithQuotaReserve(0.2)) // Leaves the last 200 of 1000.
	if err != nil {
		log.Fatal(err)
	}
	done := 0
	for err == nil {
		if _, err = background.Account.Get(ctx); err == nil {
			done++
		}
	}
	fmt.Println(done, errors.Is(err, hiring.ErrQuotaExhausted))

	_, err = client.Account.Get(ctx)
	fmt.Println(err, client.Quota().Read.Remaining)
	// Output:
	// 2 true
	// <nil> 199
}

// A rate limit is zero before the first response. Known distinguishes it from one that is used up.
func ExampleRateLimit_Known() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for range 2 {
		read := client.Quota().Read
		if read.Known() {
			fmt.Println(read.Remaining, "reads are left")
		} else {
			fmt.Println("no call was made yet")
		}
		if _, err := client.Account.Get(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// no call was made yet
	// 999 reads are left
}
