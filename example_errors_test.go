package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

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
