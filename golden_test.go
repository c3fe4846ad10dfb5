package hiring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// goldenOne checks an operation that answers with one resource.
func goldenOne[T any](t *testing.T, name string, shape shape, call func(context.Context) (T, error)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		var raw hiring.Response
		got, err := call(hiring.WithResponse(t.Context(), &raw))
		require.NoError(t, err)
		golden(t, shape, dataOf(t, raw.Body), got, true)
	})
}

// goldenList checks an operation that answers with pages of resources. Variants
// are made of the first of them only.
func goldenList[T any](t *testing.T, name string, shape shape, list hiring.Pager[T]) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		var raw hiring.Response
		n := 0
		for page, err := range list.Pages(hiring.WithResponse(t.Context(), &raw)) {
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
	})
}

func dataOf(t *testing.T, body []byte) []byte {
	t.Helper()
	var reply struct {
		Data json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &reply))
	require.NotEmpty(t, reply.Data)
	return reply.Data
}

// golden checks that a resource encodes to what the service sent, member by
// member: as the client returned it, and decoded and encoded again by both JSON
// packages, also with members that nobody knows, with everything null that may
// be, and without what may be absent.
func golden[T any](t *testing.T, shape shape, raw []byte, got T, variants bool) {
	t.Helper()
	sent := parse(t, raw).(map[string]any)
	requireDocumented(t, shape, sent, "")
	encoded, err := json.Marshal(got)
	require.NoError(t, err)
	requireSame(t, shape, sent, parse(t, encoded), "")
	requireRoundTrips[T](t, shape, raw)
	if !variants {
		return
	}
	requireRoundTrips[T](t, shape, unparse(t, withUnknown(sent)))
	requireRoundTrips[T](t, shape, unparse(t, withNulls(shape, sent)))
	requireRoundTrips[T](t, shape, unparse(t, withUnknown(withNulls(shape, sent))))
	requireRoundTrips[T](t, shape, unparse(t, withoutOptional(shape, sent)))
	requireDecodesNulls[T](t, sent)
}

func requireRoundTrips[T any](t *testing.T, shape shape, raw []byte) {
	t.Helper()
	sent := parse(t, raw)
	lenient := jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

	var v1 T
	require.NoError(t, json.Unmarshal(raw, &v1))
	encoded, err := json.Marshal(v1)
	require.NoError(t, err)
	requireSame(t, shape, sent, parse(t, encoded), "")
	encoded, err = json.Marshal(&v1)
	require.NoError(t, err)
	requireSame(t, shape, sent, parse(t, encoded), "")

	var v2 T
	require.NoError(t, jsonv2.Unmarshal(raw, &v2, lenient))
	require.Equal(t, v1, v2)
	encoded, err = jsonv2.Marshal(v2) // Without options: what is written must be valid for any reader.
	require.NoError(t, err)
	requireSame(t, shape, sent, parse(t, encoded), "")

	var again T
	require.NoError(t, jsonv2.Unmarshal(encoded, &again))
	twice, err := json.Marshal(again)
	require.NoError(t, err)
	requireSame(t, shape, sent, parse(t, twice), "")

	inside, err := json.Marshal([]any{map[string]any{"value": v1}})
	require.NoError(t, err)
	requireSame(t, shape, sent, parse(t, inside).([]any)[0].(map[string]any)["value"], "")
}

// requireDecodesNulls sets one documented or undocumented member after the other
// to null: each decodes, to the zero value if to nothing else.
func requireDecodesNulls[T any](t *testing.T, sent map[string]any) {
	t.Helper()
	for name := range sent {
		changed := maps.Clone(sent)
		changed[name] = nil
		var v T
		require.NoError(t, json.Unmarshal(unparse(t, changed), &v), name)
		_, err := json.Marshal(v)
		require.NoError(t, err, name)
	}
}

func parse(t *testing.T, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v), "%.200s", raw)
	return v
}

func unparse(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

// requireDocumented checks that the sandbox sends every documented member, and
// no other.
func requireDocumented(t *testing.T, shape shape, sent map[string]any, at string) {
	t.Helper()
	for name := range sent {
		require.Contains(t, shape, name, "%s.%s is not documented", at, name)
	}
	for name, m := range shape {
		value, there := sent[name]
		if !there {
			require.NotZero(t, m.kind&optional, "%s.%s is missing", at, name)
			continue
		}
		if value == nil {
			require.NotZero(t, m.kind&nullable, "%s.%s is null", at, name)
			continue
		}
		switch {
		case m.kind&instant != 0:
			require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, value, "%s.%s", at, name)
		case m.kind&object != 0:
			requireDocumented(t, m.fields, value.(map[string]any), at+"."+name)
		case m.kind&objects != 0:
			for i, element := range value.([]any) {
				requireDocumented(t, m.fields, element.(map[string]any), fmt.Sprintf("%s.%s[%d]", at, name, i))
			}
		}
	}
}

// requireSame checks that an object has the members that were sent, no fewer and
// no more, and each with its value: times letter by letter, numbers as numbers.
func requireSame(t *testing.T, shape shape, sent, encoded any, at string) {
	t.Helper()
	was, ok := sent.(map[string]any)
	require.True(t, ok, at)
	now, ok := encoded.(map[string]any)
	require.True(t, ok, "%s became %T", at, encoded)
	for name := range now {
		require.Contains(t, was, name, "%s.%s appeared", at, name)
	}
	for name, value := range was {
		place := at + "." + name
		got, there := now[name]
		require.True(t, there, "%s was lost", place)
		m := shape[name]
		switch {
		case value == nil:
			require.Nil(t, got, place)
		case m.kind&object != 0:
			requireSame(t, m.fields, value, got, place)
		case m.kind&objects != 0:
			elements, _ := got.([]any)
			require.Len(t, elements, len(value.([]any)), place)
			for i, element := range value.([]any) {
				requireSame(t, m.fields, element, elements[i], fmt.Sprintf("%s[%d]", place, i))
			}
		default:
			require.True(t, sameJSON(value, got), "%s: %v became %v", place, value, got)
		}
	}
}

// sameJSON compares numbers as numbers.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameJSON)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameJSON)
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, xok := new(big.Rat).SetString(a.String())
		y, yok := new(big.Rat).SetString(b.String())
		return xok && yok && x.Cmp(y) == 0
	}
	return a == b
}

// withUnknown adds to every object what a later version of the service might,
// and names that lie in wait: of the SDK's own fields, of another case, empty.
func withUnknown(v any) any {
	switch v := v.(type) {
	case map[string]any:
		w := map[string]any{
			"added_later": map[string]any{"deep": []any{json.Number("1"), nil, "ü\u2028", map[string]any{}}},
			"big":         json.Number("12345678901234567890.50"),
			"Extra":       "mine",
			"extra":       map[string]any{"Extra": nil},
			"ID":          "loud",
			"Name":        []any{},
			"CreatedAt":   json.Number("0"),
			"absent":      nil,
			"":            true,
			"a\"b\\c<é":   false,
		}
		for name, value := range v {
			w[name] = withUnknown(value)
		}
		return w
	case []any:
		w := make([]any, len(v))
		for i, element := range v {
			w[i] = withUnknown(element)
		}
		return w
	}
	return v
}

// withNulls sets every member to null that may be.
func withNulls(s shape, v map[string]any) map[string]any {
	w := maps.Clone(v)
	for name, m := range s {
		value, there := v[name]
		switch {
		case m.kind&nullable != 0:
			w[name] = nil
		case !there:
		case m.kind&object != 0:
			w[name] = withNulls(m.fields, value.(map[string]any))
		case m.kind&objects != 0:
			var elements []any
			for _, element := range value.([]any) {
				elements = append(elements, withNulls(m.fields, element.(map[string]any)))
			}
			w[name] = elements
		}
	}
	return w
}

// withoutOptional leaves out every member that may be absent.
func withoutOptional(s shape, v map[string]any) map[string]any {
	w := maps.Clone(v)
	for name, m := range s {
		switch inner := v[name].(type) {
		case map[string]any:
			w[name] = withoutOptional(m.fields, inner)
		default:
			if m.kind&optional != 0 {
				delete(w, name)
			}
		}
	}
	return w
}

func TestGoldenReads(t *testing.T) {
	t.Parallel()
	c := sandbox.Start(t).Client()
	goldenOne(t, "Account.Get", accountShape, c.Account.Get)
	goldenList(t, "Members.List", memberShape, c.Members.List())
	goldenList(t, "Challenges.List", challengeShape, c.Challenges.List())
	goldenList(t, "Assessments.List", assessmentShape, c.Assessments.List())
	goldenOne(t, "Assessments.Get", assessmentShape, func(ctx context.Context) (hiring.Assessment, error) {
		return c.Assessments.Get(ctx, sandbox.AssessmentID)
	})
	goldenList(t, "Invitations.List", invitationShape, c.Invitations.List(sandbox.AssessmentID))
	goldenList(t, "Submissions.List", submissionShape, c.Submissions.List(hiring.SubmissionFilter{}))
	for _, id := range []string{sandbox.SubmissionID, sandbox.BusySubmissionID, sandbox.PendingSubmissionID} {
		goldenOne(t, "Submissions.Get "+id, submissionShape, func(ctx context.Context) (hiring.Submission, error) {
			return c.Submissions.Get(ctx, id)
		})
		goldenOne(t, "Submissions.Report "+id, reportShape, func(ctx context.Context) (hiring.Report, error) {
			return c.Submissions.Report(ctx, id)
		})
		goldenList(t, "Events.List "+id, eventShape, c.Events.List(id, hiring.EventFilter{}))
	}
}

func TestGoldenChallenges(t *testing.T) {
	c := sandbox.Start(t).Client()
	challenges, err := c.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	kinds := make(map[bool]int)
	for _, challenge := range challenges {
		kinds[challenge.IsMultiTask]++
		goldenOne(t, "Challenges.Get "+challenge.Slug, challengeShape, func(ctx context.Context) (hiring.Challenge, error) {
			got, err := c.Challenges.Get(ctx, challenge.ID)
			assert.Equal(t, challenge.IsMultiTask, len(got.Tasks) > 0)
			return got, err
		})
	}
	assert.Len(t, kinds, 2)
}

func TestGoldenWrites(t *testing.T) {
	c := sandbox.Start(t).Client()
	goldenOne(t, "Assessments.Create", assessmentShape, func(ctx context.Context) (hiring.Assessment, error) {
		return c.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000005", Name: "New"})
	})
	goldenOne(t, "Assessments.Update", assessmentShape, func(ctx context.Context) (hiring.Assessment, error) {
		return c.Assessments.Update(ctx, sandbox.AssessmentID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
	})
	goldenOne(t, "Assessments.Close", assessmentShape, func(ctx context.Context) (hiring.Assessment, error) {
		return c.Assessments.Close(ctx, sandbox.AssessmentID)
	})
	goldenOne(t, "Invitations.Send", invitationShape, func(ctx context.Context) (hiring.Invitation, error) {
		return c.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.test", Name: "Ada"})
	})
	goldenOne(t, "Invitations.Resend", invitationShape, func(ctx context.Context) (hiring.Invitation, error) {
		return c.Invitations.Resend(ctx, sandbox.AssessmentID, sampleInvitationID)
	})
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
			prompt, ok := e.Prompt()
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
