package hiring_test

import (
	"context"
	"errors"
	"fmt"

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

// What is surely wrong is refused before it costs a request.
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
