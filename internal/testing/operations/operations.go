package operations

import (
	"context"
	"net/http"
	"strings"

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

// Operation is a method of the client that is one request.
type Operation struct {
	Name  string   // As the client calls it: Submissions.Report.
	Route string   // In the default dialect: GET /submissions/{id}/report.
	IDs   []string // For the placeholders of Route: of the sample data.
	Test  string   // Of [Tests]: what looks at the answer.

	// Call succeeds in test mode when it is given the IDs.
	Call func(ctx context.Context, c *hiring.Client, id []string) error
}

// Operations is the one table of what the client can ask the service for. Here an
// endpoint begins: TestNoEndpointByHalves of the package above says by name what
// else a row needs.
var Operations = []Operation{
	{"Account.Get", "GET /account", nil, "Account",
		func(ctx context.Context, c *hiring.Client, _ []string) error { return second(c.Account.Get(ctx)) }},
	{"Members.List", "GET /members", nil, "Members",
		func(ctx context.Context, c *hiring.Client, _ []string) error {
			return second(c.Members.List().Page(ctx))
		}},
	{"Challenges.List", "GET /challenges", nil, "Challenges",
		func(ctx context.Context, c *hiring.Client, _ []string) error {
			return second(c.Challenges.List().Page(ctx))
		}},
	{"Challenges.Get", "GET /challenges/{id}", []string{multiTaskChallenge}, "Challenges",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Challenges.Get(ctx, id[0]))
		}},
	{"Assessments.List", "GET /assessments", nil, "Assessments",
		func(ctx context.Context, c *hiring.Client, _ []string) error {
			return second(c.Assessments.List().Page(ctx))
		}},
	{"Assessments.Get", "GET /assessments/{id}", []string{sandbox.AssessmentID}, "Assessments",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Assessments.Get(ctx, id[0]))
		}},
	{"Assessments.Create", "POST /assessments", nil, "Assessments",
		func(ctx context.Context, c *hiring.Client, _ []string) error {
			return second(c.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: singleTaskChallenge, Name: "Analyst"}))
		}},
	{"Assessments.Update", "PATCH /assessments/{id}", []string{sandbox.AssessmentID}, "Assessments",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Assessments.Update(ctx, id[0], hiring.AssessmentUpdate{Status: hiring.AssessmentActive}))
		}},
	{"Assessments.Close", "PATCH /assessments/{id}", []string{sandbox.AssessmentID}, "Assessments",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Assessments.Close(ctx, id[0]))
		}},
	{"Assessments.Delete", "DELETE /assessments/{id}", []string{sandbox.AssessmentID}, "Assessments",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return c.Assessments.Delete(ctx, id[0])
		}},
	{"Invitations.List", "GET /assessments/{id}/invitations", []string{sandbox.AssessmentID}, "Invitations",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Invitations.List(id[0]).Page(ctx))
		}},
	{"Invitations.Send", "POST /assessments/{id}/invitations", []string{sandbox.AssessmentID}, "Invitations",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Invitations.Send(ctx, id[0], hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"}))
		}},
	{"Invitations.Resend", "POST /assessments/{id}/invitations/{invitation_id}/resend", []string{sandbox.AssessmentID, anInvitation}, "Invitations",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Invitations.Resend(ctx, id[0], id[1]))
		}},
	{"Invitations.Revoke", "POST /assessments/{id}/invitations/{invitation_id}/revoke", []string{sandbox.AssessmentID, anInvitation}, "Invitations",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return c.Invitations.Revoke(ctx, id[0], id[1])
		}},
	{"Submissions.List", "GET /submissions", nil, "Submissions",
		func(ctx context.Context, c *hiring.Client, _ []string) error {
			return second(c.Submissions.List(hiring.SubmissionFilter{}).Page(ctx))
		}},
	{"Submissions.Get", "GET /submissions/{id}", []string{sandbox.SubmissionID}, "Submissions",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Submissions.Get(ctx, id[0]))
		}},
	{"Submissions.Report", "GET /submissions/{id}/report", []string{sandbox.SubmissionID}, "Submissions",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Submissions.Report(ctx, id[0]))
		}},
	{"Events.List", "GET /submissions/{id}/events", []string{sandbox.SubmissionID}, "Events",
		func(ctx context.Context, c *hiring.Client, id []string) error {
			return second(c.Events.List(id[0], hiring.EventFilter{}).Page(ctx))
		}},
	{"OpenAPI", "GET /openapi.json", nil, "OpenAPI",
		func(ctx context.Context, c *hiring.Client, _ []string) error { return second(c.OpenAPI(ctx)) }},
}

// Tests is every behaviour by its name.
var Tests = map[string]Test{
	"Account":            Account,
	"Members":            Members,
	"Challenges":         Challenges,
	"Assessments":        Assessments,
	"AssessmentInput":    AssessmentInput,
	"Invitations":        Invitations,
	"InvitationRefusals": InvitationRefusals,
	"Submissions":        Submissions,
	"SubmissionFilters":  SubmissionFilters,
	"Reports":            Reports,
	"PendingReport":      PendingReport,
	"Events":             Events,
	"OddEvents":          OddEvents,
	"Lists":              Lists,
	"ListResumes":        ListResumes,
	"Observed":           Observed,
	"InvalidInput":       InvalidInput,
	"InvalidToken":       InvalidToken,
	"InvalidTokenAgain":  InvalidTokenAgain,
	"InsufficientScope":  InsufficientScope,
	"NotFound":           NotFound,
	"RateLimited":        RateLimited,
	"InternalError":      InternalError,
	"Quota":              Quota,
	"NothingPersists":    NothingPersists,
	"Do":                 Do,
	"OpenAPI":            OpenAPI,
	"LocalRefusals":      LocalRefusals,
}

// Composed is every other method of the client's services: each is made of
// several requests, or of another's, and has tests of its own.
var Composed = []string{
	"Invitations.Ensure", "Invitations.SendAll",
	"Submissions.FindByEmail", "Submissions.DownloadArchive", "Submissions.WaitReport", "Submissions.WaitReports",
	"Submissions.Watch", "Submissions.Poll", "Events.Tail",
}

// Method is the HTTP method.
func (o Operation) Method() string { return strings.Fields(o.Route)[0] }

// Path is the route below /api/v1 with the IDs in it.
func (o Operation) Path() string {
	_, path, _ := strings.Cut(o.Route, " ")
	for _, id := range o.IDs {
		begin, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:begin] + id + path[end+1:]
	}
	return path
}

func (o Operation) write() bool { return o.Method() != http.MethodGet }

func (o Operation) class() sandbox.Class {
	if o.write() {
		return sandbox.ClassWrite
	}
	return sandbox.ClassRead
}

func second[T any](_ T, err error) error { return err }
