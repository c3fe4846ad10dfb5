package apitest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Shape is the documented members of an object, copied by hand from the tables of
// the API's documentation.
type Shape map[string]member

type member struct {
	Kind   memberKind
	Fields Shape // Of an object, or of the objects of an array.
}

type memberKind int

// Kinds of members.
const (
	plain memberKind = 1 << iota
	instant
	Object
	Objects
	nullable
	optional // May be absent.
)

func is(kind memberKind) member { return member{Kind: kind} }

func members(names string) Shape {
	s := make(Shape)
	for name := range strings.FieldsSeq(names) {
		s[name] = is(plain)
	}
	return s
}

// and adds members to those of names.
func (s Shape) and(kind memberKind, names string) Shape {
	for name := range strings.FieldsSeq(names) {
		s[name] = is(kind)
	}
	return s
}

func (s Shape) holds(name string, kind memberKind, fields Shape) Shape {
	s[name] = member{kind, fields}
	return s
}

// Shapes of the resources.
var (
	AccountShape = members("id name slug custom_domain_verified").and(plain|nullable, "custom_domain").and(instant, "created_at").
			holds("plan", Object, members("id subscription_status billing_currency limits_enforced")).
			holds("usage", Object, members("assessments_used assessments_limit").and(instant, "period_start")).
			holds("branding", Object, members("accent_color").and(plain|nullable, "primary_color logo_url sender_name support_email"))

	memberShape = members("id email name role").and(instant, "created_at")

	challengeShape = members("id slug name domain difficulty level stack time_limit_minutes budget_dollars_cap is_platform is_multi_task brief_md").
			and(instant, "published_at created_at").
			holds("tasks", Objects|optional, members("id task_key kind title order_index weight time_limit_minutes"))

	AssessmentShape = members("id name challenge_id status time_limit_minutes").
			and(plain|nullable, "budget_dollars_cap selected_task_ids").and(instant, "created_at updated_at")

	InvitationShape = members("id assessment_id candidate_email candidate_name status recruiter_decision").
			and(instant|nullable, "sent_at opened_at started_at submitted_at").and(instant, "expires_at created_at")

	// SubmissionShape: an unfinished submission has no times of its end, no report
	// and no rank.
	SubmissionShape = members("id assessment_id status paused_total_seconds").
			and(instant, "started_at created_at").and(instant|nullable, "submitted_at evaluated_at").and(plain|nullable, "workspace_archive_url").
			holds("challenge", Object, members("name slug")).
			holds("candidate", Object, members("email name")).
			holds("budget", Object, members("dollars_used dollars_cap")).
			holds("report", Object|nullable, reportShape)

	reportShape = members("submission_id status evaluated verdict verdict_label confidence summary strengths flags interview_questions "+
		"scope_exclusions integrity_status").
		and(plain|nullable, "ship_score scored_as_role").and(plain|optional, "percentile tasks").and(instant|nullable, "generated_at").
		holds("pillars", Objects, members("id label low_confidence summary not_assessed").and(plain|nullable, "score")).
		holds("facts", Object, members("time_allotted_minutes budget_used_dollars budget_allotted_dollars ai_exchange_count").
			and(plain|nullable, "time_used_minutes ai_authored_pct churn_pct")).
		holds("pipeline_rank", Object|nullable, members("rank total"))

	eventShape = members("seq kind ts_ms payload")
)

// Goldens are the checks of the operations that return a resource, by operation name.
var Goldens = map[string]func(*testing.T, *hiring.Client){
	"Account.Get": goldenOne(AccountShape, func(ctx context.Context, c *hiring.Client) (hiring.Account, error) {
		return c.Account.Get(ctx)
	}),
	"Members.List": goldenList(memberShape, func(c *hiring.Client) hiring.Pager[hiring.Member] { return c.Members.List() }),
	"Challenges.List": goldenList(challengeShape, func(c *hiring.Client) hiring.Pager[hiring.Challenge] {
		return c.Challenges.List()
	}),
	"Challenges.Get": goldenChallenges,
	"Assessments.List": goldenList(AssessmentShape, func(c *hiring.Client) hiring.Pager[hiring.Assessment] {
		return c.Assessments.List()
	}),
	"Assessments.Get": goldenOne(AssessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Get(ctx, sandbox.AssessmentID)
	}),
	"Assessments.Create": goldenOne(AssessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000005", Name: "New"})
	}),
	"Assessments.Update": goldenOne(AssessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Update(ctx, sandbox.AssessmentID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
	}),
	"Assessments.Close": goldenOne(AssessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Close(ctx, sandbox.AssessmentID)
	}),
	"Invitations.List": goldenList(InvitationShape, func(c *hiring.Client) hiring.Pager[hiring.Invitation] {
		return c.Invitations.List(sandbox.AssessmentID)
	}),
	"Invitations.Send": goldenOne(InvitationShape, func(ctx context.Context, c *hiring.Client) (hiring.Invitation, error) {
		return c.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.test", Name: "Ada"})
	}),
	"Invitations.Resend": goldenOne(InvitationShape, func(ctx context.Context, c *hiring.Client) (hiring.Invitation, error) {
		return c.Invitations.Resend(ctx, sandbox.AssessmentID, SampleInvitationID)
	}),
	"Submissions.List": goldenList(SubmissionShape, func(c *hiring.Client) hiring.Pager[hiring.Submission] {
		return c.Submissions.List(hiring.SubmissionFilter{})
	}),
	"Submissions.Get": eachSubmission(func(id string) func(*testing.T, *hiring.Client) {
		return goldenOne(SubmissionShape, func(ctx context.Context, c *hiring.Client) (hiring.Submission, error) {
			return c.Submissions.Get(ctx, id)
		})
	}),
	"Submissions.Report": eachSubmission(func(id string) func(*testing.T, *hiring.Client) {
		return goldenOne(reportShape, func(ctx context.Context, c *hiring.Client) (hiring.Report, error) {
			return c.Submissions.Report(ctx, id)
		})
	}),
	"Events.List": eachSubmission(func(id string) func(*testing.T, *hiring.Client) {
		return goldenList(eventShape, func(c *hiring.Client) hiring.Pager[hiring.Event] {
			return c.Events.List(id, hiring.EventFilter{})
		})
	}),
}

// goldenOne checks an operation that returns one resource.
func goldenOne[T any](shape Shape, call func(context.Context, *hiring.Client) (T, error)) func(*testing.T, *hiring.Client) {
	return func(t *testing.T, c *hiring.Client) {
		t.Helper()
		var raw hiring.Response
		got, err := call(hiring.WithResponse(t.Context(), &raw), c)
		require.NoError(t, err)
		golden(t, shape, DataOf(t, raw.Body), got, true)
	}
}

// goldenList checks an operation that returns pages of resources. Only the first
// resources are also checked in variants.
func goldenList[T any](shape Shape, list func(*hiring.Client) hiring.Pager[T]) func(*testing.T, *hiring.Client) {
	return func(t *testing.T, c *hiring.Client) {
		t.Helper()
		var raw hiring.Response
		n := 0
		for page, err := range list(c).Pages(hiring.WithResponse(t.Context(), &raw)) {
			require.NoError(t, err)
			var items []json.RawMessage
			require.NoError(t, json.Unmarshal(DataOf(t, raw.Body), &items))
			require.Len(t, page.Items, len(items))
			for i, item := range items {
				golden(t, shape, item, page.Items[i], n < 25)
				n++
			}
		}
		require.Positive(t, n)
	}
}

// eachSubmission checks an evaluated, a busy and a pending submission.
func eachSubmission(golden func(id string) func(*testing.T, *hiring.Client)) func(*testing.T, *hiring.Client) {
	return func(t *testing.T, c *hiring.Client) {
		t.Helper()
		for _, id := range []string{sandbox.SubmissionID, sandbox.BusySubmissionID, sandbox.PendingSubmissionID} {
			golden(id)(t, c)
		}
	}
}

// goldenChallenges checks challenges with tasks and without.
func goldenChallenges(t *testing.T, c *hiring.Client) {
	challenges, err := c.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	kinds := make(map[bool]int)
	for _, challenge := range challenges {
		kinds[challenge.IsMultiTask]++
		goldenOne(challengeShape, func(ctx context.Context, c *hiring.Client) (hiring.Challenge, error) {
			got, err := c.Challenges.Get(ctx, challenge.ID)
			assert.Equal(t, challenge.IsMultiTask, len(got.Tasks) > 0)
			return got, err
		})(t, c)
	}
	assert.Len(t, kinds, 2)
}
