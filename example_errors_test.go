package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/http"
	"slices"
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
	// 402 PLAN_LIMIT_REACHED not_done req_0000000000000001
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

// statusOf returns the HTTP status with which a service of your own answers a visitor's form after a failed call.
func statusOf(err error, form ...string) int {
	failure, _ := errors.AsType[*hiring.Error](err)
	fields := slices.Collect(maps.Keys(hiring.FieldErrors(err)))
	switch {
	case errors.Is(err, hiring.ErrOutcomeUnknown), failure != nil && failure.Outcome == hiring.OutcomeDone:
		return http.StatusAccepted // The outcome comes before the code: the write may be done.
	case len(fields) > 0 && !slices.ContainsFunc(fields, func(field string) bool { return !slices.Contains(form, field) }):
		return http.StatusBadRequest // Other fields no visitor can correct.
	case errors.Is(err, hiring.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, hiring.ErrPlanLimitReached):
		return http.StatusPaymentRequired
	case errors.Is(err, hiring.ErrConflict):
		return http.StatusConflict
	case hiring.IsTransient(err):
		return http.StatusServiceUnavailable // Such as a used up rate limit.
	}
	return http.StatusInternalServerError // Such as a revoked key.
}

func ExampleFieldErrors_httpStatus() {
	ctx := context.Background()
	client := sandbox.New().Client()
	_, badAddress := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada", Name: "Ada"})
	_, badOption := client.Invitations.List(sandbox.AssessmentID).PageSize(1000).Page(ctx)
	_, unknownID := client.Submissions.Get(ctx, sandbox.UnknownID)
	_, noneLeft := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: sandbox.PlanLimitEmail, Name: "Ada"})

	for _, err := range []error{badAddress, badOption, unknownID, noneLeft, &hiring.Error{Status: 503, Outcome: hiring.OutcomeUnknown}, &hiring.Error{Status: 503}} {
		fmt.Println(statusOf(err, "candidate_email", "candidate_name"))
	}
	// Output:
	// 400
	// 500
	// 404
	// 402
	// 202
	// 503
}

// No retry and no wait.
func ExampleRetryPolicy_failImmediately() {
	baseURL := sandbox.New(sandbox.WithQuota(1, 1)).URL()

	client, err := hiring.New(baseURL, sandbox.TestKey, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1, MaxWait: -1}))
	if err != nil {
		log.Fatal(err)
	}

	for range 2 {
		_, err := client.Account.Get(context.Background())
		fmt.Println(errors.Is(err, hiring.ErrQuotaExhausted))
	}
	// Output:
	// false
	// true
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
	// not_done
	// done
	// unknown
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
