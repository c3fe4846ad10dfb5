package apitest

import (
	"context"
	"reflect"
	"time"

	"github.com/hiring-assessment/hiring-go"
)

// Operation is an exported method that sends a request, with the request that it must send.
type Operation struct {
	Name, Method, Route, URI, Body string
	Reply                          string // A response that it accepts.
	Call                           func(context.Context, *hiring.Client) error
}

// Operations returns every exported method that sends a request.
func Operations() []Operation {
	const a, i, list = "a1", "i1", `{"data":[],"meta":{"request_id":"req_0a","has_more":false}}`
	const one = `{"data":{"id":"x"},"meta":{"request_id":"req_0a"}}`
	invitation := hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"}
	return []Operation{
		{"Account.Get", "GET", "/account", "/account", "", one, func(ctx context.Context, c *hiring.Client) error { _, err := c.Account.Get(ctx); return err }},
		{"Members.List", "GET", "/members", "/members", "", list, func(ctx context.Context, c *hiring.Client) error { _, err := c.Members.List().Collect(ctx); return err }},
		{"Challenges.List", "GET", "/challenges", "/challenges?page_size=100", "", list, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Challenges.List().Collect(ctx)
			return err
		}},
		{"Challenges.Get", "GET", "/challenges/{id}", "/challenges/a1", "", one, func(ctx context.Context, c *hiring.Client) error { _, err := c.Challenges.Get(ctx, a); return err }},
		{"Assessments.List", "GET", "/assessments", "/assessments?page_size=100", "", list, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Assessments.List().Collect(ctx)
			return err
		}},
		{"Assessments.Get", "GET", "/assessments/{id}", "/assessments/a1", "", one, func(ctx context.Context, c *hiring.Client) error { _, err := c.Assessments.Get(ctx, a); return err }},
		{"Assessments.Create", "POST", "/assessments", "/assessments", `{"challenge_id":"c1","name":"Go"}`, one, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c1", Name: "Go"})
			return err
		}},
		{"Assessments.Update", "PATCH", "/assessments/{id}", "/assessments/a1", `{"status":"active"}`, one, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Assessments.Update(ctx, a, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
			return err
		}},
		{"Assessments.Close", "PATCH", "/assessments/{id}", "/assessments/a1", `{"status":"closed"}`, one, func(ctx context.Context, c *hiring.Client) error { _, err := c.Assessments.Close(ctx, a); return err }},
		{"Assessments.Delete", "DELETE", "/assessments/{id}", "/assessments/a1", "", one, func(ctx context.Context, c *hiring.Client) error { return c.Assessments.Delete(ctx, a) }},
		{"Invitations.List", "GET", "/assessments/{id}/invitations", "/assessments/a1/invitations?page_size=100", "", list, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Invitations.List(a).Collect(ctx)
			return err
		}},
		{"Invitations.Send", "POST", "/assessments/{id}/invitations", "/assessments/a1/invitations", `{"candidate_email":"jo@example.com","candidate_name":"Jo"}`, one, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Invitations.Send(ctx, a, invitation)
			return err
		}},
		{"Invitations.Resend", "POST", "/assessments/{id}/invitations/{invitation_id}/resend", "/assessments/a1/invitations/i1/resend", "", one, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Invitations.Resend(ctx, a, i)
			return err
		}},
		{"Invitations.Revoke", "POST", "/assessments/{id}/invitations/{invitation_id}/revoke", "/assessments/a1/invitations/i1/revoke", "", one, func(ctx context.Context, c *hiring.Client) error { return c.Invitations.Revoke(ctx, a, i) }},
		{"Submissions.List", "GET", "/submissions", "/submissions?assessment_id=a1&page_size=100&since=2026-01-02T02%3A04%3A05.678Z&status=evaluated", "", list, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Submissions.List(hiring.SubmissionFilter{
				AssessmentID: a, Status: hiring.SubmissionEvaluated,
				Since: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.FixedZone("CET", 3600)),
			}).Collect(ctx)
			return err
		}},
		{"Submissions.Get", "GET", "/submissions/{id}", "/submissions/a1", "", one, func(ctx context.Context, c *hiring.Client) error { _, err := c.Submissions.Get(ctx, a); return err }},
		{"Submissions.Report", "GET", "/submissions/{id}/report", "/submissions/a1/report", "", one, func(ctx context.Context, c *hiring.Client) error { _, err := c.Submissions.Report(ctx, a); return err }},
		{"Events.List", "GET", "/submissions/{id}/events", "/submissions/a1/events?page_size=500&since_seq=7", "", list, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Events.List(a, hiring.EventFilter{SinceSeq: 7}).Collect(ctx)
			return err
		}},
		{"OpenAPI", "GET", "/openapi.json", "/openapi.json", "", `{"openapi":"3.1.0"}`, func(ctx context.Context, c *hiring.Client) error { _, err := c.OpenAPI(ctx); return err }},
		{"Do", "PUT", "/widgets/{id}", "/widgets/W1?q=1", `{"n":1}`, one, func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Do(ctx, "PUT", "/widgets/W1", map[string][]string{"q": {"1"}}, map[string]int{"n": 1}, nil)
			return err
		}},
	}
}

// SampleInvitationID is an invitation of the sandbox's sample data.
const SampleInvitationID = "1a000000-0000-4000-8001-000000000001"

// DialectFields returns the field names of hiring.Dialect.
func DialectFields() []string {
	var names []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		names = append(names, field.Name)
	}
	return names
}
