package hiring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// shape is the documented members of an object, written down from the tables of
// the service's documentation.
type shape map[string]member

type member struct {
	kind   memberKind
	fields shape // Of an object, or of the objects of an array.
}

type memberKind int

const (
	plain memberKind = 1 << iota
	instant
	object
	objects
	nullable
	optional // May be absent.
)

func is(kind memberKind) member { return member{kind: kind} }

func members(names string) shape {
	s := make(shape)
	for name := range strings.FieldsSeq(names) {
		s[name] = is(plain)
	}
	return s
}

// and adds members to those of names.
func (s shape) and(kind memberKind, names string) shape {
	for name := range strings.FieldsSeq(names) {
		s[name] = is(kind)
	}
	return s
}

func (s shape) holds(name string, kind memberKind, fields shape) shape {
	s[name] = member{kind, fields}
	return s
}

var (
	accountShape = members("id name slug custom_domain_verified").and(plain|nullable, "custom_domain").and(instant, "created_at").
			holds("plan", object, members("id subscription_status billing_currency limits_enforced")).
			holds("usage", object, members("assessments_used assessments_limit").and(instant, "period_start")).
			holds("branding", object, members("accent_color").and(plain|nullable, "primary_color logo_url sender_name support_email"))

	memberShape = members("id email name role").and(instant, "created_at")

	challengeShape = members("id slug name domain difficulty level stack time_limit_minutes budget_dollars_cap is_platform is_multi_task brief_md").
			and(instant, "published_at created_at").
			holds("tasks", objects|optional, members("id task_key kind title order_index weight time_limit_minutes"))

	assessmentShape = members("id name challenge_id status time_limit_minutes").
			and(plain|nullable, "budget_dollars_cap selected_task_ids").and(instant, "created_at updated_at")

	invitationShape = members("id assessment_id candidate_email candidate_name status recruiter_decision").
			and(instant|nullable, "sent_at opened_at started_at submitted_at").and(instant, "expires_at created_at")

	// The two times and the report of a submission in the works, and the rank of
	// one, cannot be there: nullable by nature.
	submissionShape = members("id assessment_id status paused_total_seconds").
			and(instant, "started_at created_at").and(instant|nullable, "submitted_at evaluated_at").and(plain|nullable, "workspace_archive_url").
			holds("challenge", object, members("name slug")).
			holds("candidate", object, members("email name")).
			holds("budget", object, members("dollars_used dollars_cap")).
			holds("report", object|nullable, reportShape)

	reportShape = members("submission_id status evaluated verdict verdict_label confidence summary strengths flags interview_questions "+
		"scope_exclusions integrity_status").
		and(plain|nullable, "ship_score scored_as_role").and(plain|optional, "percentile tasks").and(instant|nullable, "generated_at").
		holds("pillars", objects, members("id label low_confidence summary not_assessed").and(plain|nullable, "score")).
		holds("facts", object, members("time_allotted_minutes budget_used_dollars budget_allotted_dollars ai_exchange_count").
			and(plain|nullable, "time_used_minutes ai_authored_pct churn_pct")).
		holds("pipeline_rank", object|nullable, members("rank total"))

	eventShape = members("seq kind ts_ms payload")
)

// goldens has each operation that answers with a resource, by its name.
var goldens = map[string]func(*testing.T, *hiring.Client){
	"Account.Get": goldenOne(accountShape, func(ctx context.Context, c *hiring.Client) (hiring.Account, error) {
		return c.Account.Get(ctx)
	}),
	"Members.List": goldenList(memberShape, func(c *hiring.Client) hiring.Pager[hiring.Member] { return c.Members.List() }),
	"Challenges.List": goldenList(challengeShape, func(c *hiring.Client) hiring.Pager[hiring.Challenge] {
		return c.Challenges.List()
	}),
	"Challenges.Get": goldenChallenges,
	"Assessments.List": goldenList(assessmentShape, func(c *hiring.Client) hiring.Pager[hiring.Assessment] {
		return c.Assessments.List()
	}),
	"Assessments.Get": goldenOne(assessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Get(ctx, sandbox.AssessmentID)
	}),
	"Assessments.Create": goldenOne(assessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000005", Name: "New"})
	}),
	"Assessments.Update": goldenOne(assessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Update(ctx, sandbox.AssessmentID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
	}),
	"Assessments.Close": goldenOne(assessmentShape, func(ctx context.Context, c *hiring.Client) (hiring.Assessment, error) {
		return c.Assessments.Close(ctx, sandbox.AssessmentID)
	}),
	"Invitations.List": goldenList(invitationShape, func(c *hiring.Client) hiring.Pager[hiring.Invitation] {
		return c.Invitations.List(sandbox.AssessmentID)
	}),
	"Invitations.Send": goldenOne(invitationShape, func(ctx context.Context, c *hiring.Client) (hiring.Invitation, error) {
		return c.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.test", Name: "Ada"})
	}),
	"Invitations.Resend": goldenOne(invitationShape, func(ctx context.Context, c *hiring.Client) (hiring.Invitation, error) {
		return c.Invitations.Resend(ctx, sandbox.AssessmentID, sampleInvitationID)
	}),
	"Submissions.List": goldenList(submissionShape, func(c *hiring.Client) hiring.Pager[hiring.Submission] {
		return c.Submissions.List(hiring.SubmissionFilter{})
	}),
	"Submissions.Get": eachSubmission(func(id string) func(*testing.T, *hiring.Client) {
		return goldenOne(submissionShape, func(ctx context.Context, c *hiring.Client) (hiring.Submission, error) {
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

// goldenless are the operations that answer without a resource.
var goldenless = []string{"Assessments.Delete", "Invitations.Revoke", "OpenAPI"}

func TestGolden(t *testing.T) {
	t.Parallel()
	c := sandbox.Start(t).Client()
	for name, golden := range goldens {
		t.Run(name, func(t *testing.T) { golden(t, c) })
	}
}

// goldenOne checks an operation that answers with one resource.
func goldenOne[T any](shape shape, call func(context.Context, *hiring.Client) (T, error)) func(*testing.T, *hiring.Client) {
	return func(t *testing.T, c *hiring.Client) {
		t.Helper()
		var raw hiring.Response
		got, err := call(hiring.WithResponse(t.Context(), &raw), c)
		require.NoError(t, err)
		golden(t, shape, dataOf(t, raw.Body), got, true)
	}
}

// goldenList checks an operation that answers with pages of resources. Variants are
// made of the first of them only.
func goldenList[T any](shape shape, list func(*hiring.Client) hiring.Pager[T]) func(*testing.T, *hiring.Client) {
	return func(t *testing.T, c *hiring.Client) {
		t.Helper()
		var raw hiring.Response
		n := 0
		for page, err := range list(c).Pages(hiring.WithResponse(t.Context(), &raw)) {
			require.NoError(t, err)
			var items []json.RawMessage
			require.NoError(t, json.Unmarshal(dataOf(t, raw.Body), &items))
			require.Len(t, page.Items, len(items))
			for i, item := range items {
				golden(t, shape, item, page.Items[i], n < 25)
				n++
			}
		}
		require.Positive(t, n)
	}
}

// eachSubmission is for submissions that differ: evaluated, busy and pending.
func eachSubmission(golden func(id string) func(*testing.T, *hiring.Client)) func(*testing.T, *hiring.Client) {
	return func(t *testing.T, c *hiring.Client) {
		t.Helper()
		for _, id := range []string{sandbox.SubmissionID, sandbox.BusySubmissionID, sandbox.PendingSubmissionID} {
			golden(id)(t, c)
		}
	}
}

// goldenChallenges are of both kinds: with tasks and without.
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

// What is nullable is null somewhere in the sample data, and not null somewhere
// else: both ways are decoded above. The archive link is null in test mode.
func TestGoldenSampleDataShowsBothSidesOfNull(t *testing.T) {
	c := sandbox.Start(t).Client()
	seen := make(map[string]bool)
	look := func(shape shape, body []byte) {
		data := parse(t, dataOf(t, body))
		if _, list := data.([]any); !list {
			data = []any{data}
		}
		for _, item := range data.([]any) {
			noteNulls(shape, item.(map[string]any), "", seen)
		}
	}
	var raw hiring.Response
	ctx := hiring.WithResponse(t.Context(), &raw)
	_, err := c.Account.Get(ctx)
	require.NoError(t, err)
	look(accountShape, raw.Body)
	for _, err := range c.Submissions.List(hiring.SubmissionFilter{}).Pages(ctx) {
		require.NoError(t, err)
		look(submissionShape, raw.Body)
	}
	for _, err := range c.Invitations.List(sandbox.AssessmentID).Pages(ctx) {
		require.NoError(t, err)
		look(invitationShape, raw.Body)
	}
	_, err = c.Assessments.List().Collect(ctx)
	require.NoError(t, err)
	look(assessmentShape, raw.Body)
	for _, name := range []string{
		".submitted_at", ".evaluated_at", ".opened_at", ".started_at", ".budget_dollars_cap", ".selected_task_ids",
		".report.ship_score", ".report.scored_as_role", ".report.generated_at", ".report.pipeline_rank", ".report.pillars.score",
		".report.facts.time_used_minutes", ".report.facts.ai_authored_pct", ".report.facts.churn_pct",
	} {
		assert.True(t, seen[name+" null"], "%s is null nowhere", name)
		assert.True(t, seen[name+" set"], "%s is null everywhere", name)
	}
	assert.False(t, seen[".workspace_archive_url set"])
}

func noteNulls(s shape, v map[string]any, at string, seen map[string]bool) {
	for name, m := range s {
		value, there := v[name]
		place := at + "." + name
		switch {
		case !there:
			continue
		case value == nil:
			seen[place+" null"] = true
			continue
		}
		seen[place+" set"] = true
		switch {
		case m.kind&object != 0:
			noteNulls(m.fields, value.(map[string]any), place, seen)
		case m.kind&objects != 0:
			for _, element := range value.([]any) {
				noteNulls(m.fields, element.(map[string]any), place, seen)
			}
		}
	}
}

// The busy log has what a reader must be ready for.
func TestGoldenBusyLog(t *testing.T) {
	c := sandbox.Start(t).Client()
	events, err := c.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).Prefetch(2).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, events, 2400)
	var surrogates, long int
	for i, e := range events {
		require.True(t, i == 0 || e.Seq > events[i-1].Seq)
		if bytes.Contains(e.Payload, []byte(`\ud800`)) || bytes.Contains(e.Payload, []byte("\ufffd")) {
			surrogates++
			prompt, ok := e.AIPrompt()
			require.True(t, ok)
			require.Equal(t, "cut in the middle of an emoji \ufffd", prompt.Text)
		}
		if len(e.Payload) > 100<<10 {
			long++
		}
	}
	assert.Positive(t, surrogates)
	assert.Equal(t, 1, long)
	assert.Equal(t, hiring.EventAttemptStarted, events[0].Kind)
	assert.JSONEq(t, `{}`, string(events[0].Payload))
}

// Extra is nil while the service sends nothing new, and holds what it sends.
func TestGoldenExtra(t *testing.T) {
	var a hiring.Account
	require.NoError(t, json.Unmarshal([]byte(`{"id":"1","plan":{"id":"p"}}`), &a))
	assert.Nil(t, a.Extra)
	assert.Nil(t, a.Plan.Extra)
	require.NoError(t, json.Unmarshal([]byte(`{"id":"1","new":[1, 2],"plan":{"id":"p","seats":5}}`), &a))
	assert.JSONEq(t, `[1,2]`, string(a.Extra["new"]))
	assert.Equal(t, "5", string(a.Plan.Extra["seats"]))
	a.Extra["more"] = json.RawMessage(`"x"`)
	b, err := json.Marshal(a)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"more":"x"`)
	assert.NotContains(t, string(b), `"Extra"`)
}
