package suite

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Of the sample data.
const (
	multiTaskChallenge  = "c0000000-0000-4000-8000-000000000001"
	singleTaskChallenge = "c0000000-0000-4000-8000-000000000004"
	aTask               = "7a5c0000-0000-4000-8000-000000000001"
	anInvitation        = "1a000000-0000-4000-8001-000000000001"
)

// operation is a call that succeeds when it is given its id.
type operation struct {
	name  string
	write bool
	id    string // Empty when the call takes none.
	call  func(ctx context.Context, c *hiring.Client, id string) error
}

// operations is every operation of the client that is one request.
var operations = []operation{
	{"Account.Get", false, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.Account.Get(ctx))
	}},
	{"Members.List", false, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.Members.List().Page(ctx))
	}},
	{"Challenges.List", false, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.Challenges.List().Page(ctx))
	}},
	{"Challenges.Get", false, multiTaskChallenge, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Challenges.Get(ctx, id))
	}},
	{"Assessments.List", false, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.Assessments.List().Page(ctx))
	}},
	{"Assessments.Get", false, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Assessments.Get(ctx, id))
	}},
	{"Assessments.Create", true, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: singleTaskChallenge, Name: "Analyst"}))
	}},
	{"Assessments.Update", true, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Assessments.Update(ctx, id, hiring.AssessmentUpdate{Status: hiring.AssessmentActive}))
	}},
	{"Assessments.Close", true, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Assessments.Close(ctx, id))
	}},
	{"Assessments.Delete", true, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return c.Assessments.Delete(ctx, id)
	}},
	{"Invitations.List", false, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Invitations.List(id).Page(ctx))
	}},
	{"Invitations.Send", true, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Invitations.Send(ctx, id, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"}))
	}},
	{"Invitations.Resend", true, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Invitations.Resend(ctx, id, anInvitation))
	}},
	{"Invitations.Resend (invitation)", true, anInvitation, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Invitations.Resend(ctx, sandbox.AssessmentID, id))
	}},
	{"Invitations.Revoke", true, sandbox.AssessmentID, func(ctx context.Context, c *hiring.Client, id string) error {
		return c.Invitations.Revoke(ctx, id, anInvitation)
	}},
	{"Invitations.Revoke (invitation)", true, anInvitation, func(ctx context.Context, c *hiring.Client, id string) error {
		return c.Invitations.Revoke(ctx, sandbox.AssessmentID, id)
	}},
	{"Submissions.List", false, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.Submissions.List(hiring.SubmissionFilter{}).Page(ctx))
	}},
	{"Submissions.Get", false, sandbox.SubmissionID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Submissions.Get(ctx, id))
	}},
	{"Submissions.Report", false, sandbox.SubmissionID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Submissions.Report(ctx, id))
	}},
	{"Events.List", false, sandbox.SubmissionID, func(ctx context.Context, c *hiring.Client, id string) error {
		return second(c.Events.List(id, hiring.EventFilter{}).Page(ctx))
	}},
	{"OpenAPI", false, "", func(ctx context.Context, c *hiring.Client, _ string) error {
		return second(c.OpenAPI(ctx))
	}},
}

func second[T any](_ T, err error) error { return err }

func (o operation) class() sandbox.Class {
	if o.write {
		return sandbox.ClassWrite
	}
	return sandbox.ClassRead
}
