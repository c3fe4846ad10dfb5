package client_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

func TestInvitationsLeft(t *testing.T) {
	for _, c := range []struct {
		used, limit int
		enforced    bool
		left        int
	}{{3, 10, true, 7}, {10, 10, true, 0}, {12, 10, true, 0}, {3, 10, false, 7}, {0, 0, false, 0}, {-1, 0, true, 1}} {
		a := hiring.Account{Plan: hiring.Plan{LimitsEnforced: c.enforced}, Usage: hiring.Usage{AssessmentsUsed: c.used, AssessmentsLimit: c.limit}}
		left, limited := a.InvitationsLeft()
		assert.Equal(t, c.left, left, "%+v", c)
		assert.Equal(t, c.enforced, limited, "%+v", c)
	}
}

func TestNilReportIsNotReady(t *testing.T) {
	var report *hiring.Report
	assert.False(t, report.Ready())
	pillar, ok := report.Pillar(hiring.PillarCraft)
	assert.False(t, ok)
	assert.Zero(t, pillar)
	score, ok := report.Score()
	assert.False(t, ok)
	assert.Zero(t, score)
}

func TestScore(t *testing.T) {
	var none *hiring.Report
	for name, c := range map[string]struct {
		report *hiring.Report
		want   int
		ok     bool
	}{
		"no report":          {none, 0, false},
		"an empty one":       {&hiring.Report{}, 0, false},
		"not ready":          {&hiring.Report{ShipScore: new(71)}, 0, false},
		"ready, without one": {&hiring.Report{Evaluated: true}, 0, false},
		"ready":              {&hiring.Report{Evaluated: true, ShipScore: new(71)}, 71, true},
		"ready, and zero":    {&hiring.Report{Evaluated: true, ShipScore: new(0)}, 0, true},
	} {
		got, ok := c.report.Score()
		assert.Equal(t, [2]any{c.want, c.ok}, [2]any{got, ok}, name)
	}
}

func TestEventTime(t *testing.T) {
	at := hiring.Event{TimestampMS: 1772366400123}.Time()
	assert.Equal(t, "2026-03-01T12:00:00.123Z", at.Format(time.RFC3339Nano))
	assert.Equal(t, time.UTC, at.Location())
}

func TestPromptAndResponseAreReadDefensively(t *testing.T) {
	for payload, want := range map[string]struct {
		text   string
		ok     bool
		tokens *int64
		model  string
		said   bool
	}{
		`{"text":"hi","x":1}`:                  {"hi", true, nil, "", false},
		`{"text":""}`:                          {"", true, nil, "", false},
		`{"text":7}`:                           {},
		`{"text":null}`:                        {},
		`{}`:                                   {},
		``:                                     {},
		`null`:                                 {},
		`["text"]`:                             {},
		`"text"`:                               {},
		`{"tokens":812,"model":"m-1"}`:         {"", false, new(int64(812)), "m-1", true},
		`{"token_count":8,"model_name":"m-2"}`: {"", false, new(int64(8)), "m-2", true},
		`{"tokens":0}`:                         {"", false, new(int64(0)), "", true},
		`{"tokens":1,"token_count":2}`:         {"", false, new(int64(1)), "", true},
		`{"tokens":null,"token_count":2}`:      {"", false, new(int64(2)), "", true},
		`{"tokens":"9","token_count":2}`:       {"", false, new(int64(2)), "", true},
		`{"model":null,"model_name":"m"}`:      {"", false, nil, "m", true},
		`{"model":"a","model_name":"b"}`:       {"", false, nil, "a", true},
		`{"tokens":12.7}`:                      {"", false, new(int64(12)), "", true},
		`{"tokens":1e3}`:                       {"", false, new(int64(1000)), "", true},
		`{"tokens":-1}`:                        {},
		`{"tokens":9007199254740992}`:          {},
		`{"tokens":9007199254740991}`:          {"", false, new(int64(9007199254740991)), "", true},
		`{"tokens":1e300}`:                     {},
		`{"tokens":true,"model":{"name":"deep"}}`: {},
		`{"tokens":null,"model":"m"}`:             {"", false, nil, "m", true},
		`{"tokens":-1,"model":"m"}`:               {"", false, nil, "m", true},
		`{"model":"m"}`:                           {"", false, nil, "m", true},
	} {
		prompt, ok := hiring.Event{Kind: hiring.EventAIPrompt, Payload: json.RawMessage(payload)}.AIPrompt()
		assert.Equal(t, hiring.AIPrompt{Text: want.text}, prompt, "AIPrompt of %s", payload)
		assert.Equal(t, want.ok, ok, "AIPrompt of %s", payload)
		response, ok := hiring.Event{Kind: hiring.EventAIResponse, Payload: json.RawMessage(payload)}.AIResponse()
		assert.Equal(t, hiring.AIResponse{Tokens: want.tokens, Model: want.model}, response, "Response of %s", payload)
		assert.Equal(t, want.said, ok, "Response of %s", payload)
		for _, kind := range []hiring.EventKind{hiring.EventAttemptStarted, "new_kind", ""} {
			_, prompted := hiring.Event{Kind: kind, Payload: json.RawMessage(payload)}.AIPrompt()
			_, responded := hiring.Event{Kind: kind, Payload: json.RawMessage(payload)}.AIResponse()
			assert.False(t, prompted || responded, "%q event with %s", kind, payload)
		}
	}
}

func TestValueText(t *testing.T) {
	for raw, want := range map[string]struct {
		text string
		ok   bool
	}{`"a\nb"`: {"a\nb", true}, `""`: {"", true}, `"\ud800"`: {"\ufffd", true}, `7`: {}, `null`: {}, `{"a":"b"}`: {}, `["a"]`: {}, ``: {}, `"`: {}, `"a" "b"`: {}} {
		text, ok := hiring.RawValue(raw).Text()
		assert.Equal(t, want.text, text, "Text of %s", raw)
		assert.Equal(t, want.ok, ok, "Text of %s", raw)
	}
}

func TestValueKeepsACopy(t *testing.T) {
	raw := []byte(`"abc"`)
	v := hiring.RawValue("before")
	require.NoError(t, v.UnmarshalJSON(raw))
	raw[1] = 'X'
	assert.Equal(t, `"abc"`, string(v))
	for _, v := range []hiring.RawValue{nil, {}} {
		b, err := json.Marshal([]hiring.RawValue{v})
		if v == nil {
			require.NoError(t, err)
			assert.Equal(t, `[null]`, string(b))
		}
	}
}

type sample struct {
	name string
	into func() any
	wire string
}

const pillarWire = `{"id":"craft","label":"Craft","score":71,"low_confidence":true,"summary":"s","not_assessed":["a","b"],"new":{"n":[1]}}`

const reportWire = `{"submission_id":"s","status":"evaluated","evaluated":true,"ship_score":82,"verdict":"strong_yes","verdict_label":"Strong yes",
	"confidence":"low","summary":"s","scored_as_role":"backend","pillars":[` + pillarWire + `,{"id":"rigor","label":"Rigor","score":null,"low_confidence":false,"summary":"","not_assessed":[]}],
	"strengths":["a",{"b":1}],"flags":[],"interview_questions":[{"q":"why"}],
	"facts":{"time_used_minutes":41.5,"time_allotted_minutes":60,"budget_used_dollars":1.25,"budget_allotted_dollars":5,"ai_authored_pct":12.5,"churn_pct":null,"ai_exchange_count":9,"new":1},
	"scope_exclusions":["x"],"integrity_status":"flagged","pipeline_rank":{"rank":1,"total":7,"new":2},"percentile":93.5,"tasks":[{"id":"t"}],"generated_at":"2026-03-01T12:00:00.123Z","new":null}`

// wires has a resource of each type with every documented member and some unknown members.
var wires = map[string]string{
	"Account": `{"id":"a","name":"n","slug":"s",
		"plan":{"id":"p","subscription_status":"active","billing_currency":"usd","limits_enforced":true,"new":[]},
		"usage":{"period_start":"2026-03-01T00:00:00.000Z","assessments_used":3,"assessments_limit":10,"new":{}},
		"branding":{"accent_color":"#fff","primary_color":"#000","logo_url":null,"sender_name":"N","support_email":"e","new":"x"},
		"custom_domain":"d","custom_domain_verified":true,"created_at":"2026-03-01T12:00:00.123Z","new":{"deep":{"a":1.50}}}`,
	"Member": `{"id":"m","email":"e","name":"n","role":"admin","created_at":"2026-03-01T12:00:00.123Z","Name":"other case"}`,
	"Challenge": `{"id":"c","slug":"s","name":"n","domain":"d","difficulty":"x","level":"l","stack":"t","time_limit_minutes":60,
		"budget_dollars_cap":2.5,"is_platform":true,"is_multi_task":true,"published_at":"2026-03-01T12:00:00.123Z","created_at":"2026-03-01T12:00:00.124Z","brief_md":"# <b>&",
		"tasks":[{"id":"t","task_key":"k","kind":"bug","title":"T","order_index":0,"weight":0.25,"time_limit_minutes":20,"new":1}],"new":1}`,
	"Assessment": `{"id":"a","name":"n","challenge_id":"c","status":"closed","time_limit_minutes":60,"budget_dollars_cap":2.5,
		"selected_task_ids":["t"],"created_at":"2026-03-01T12:00:00.123Z","updated_at":"2026-03-01T12:00:00.124Z","new":true}`,
	"Invitation": `{"id":"i","assessment_id":"a","candidate_email":"e","candidate_name":"n","status":"opened","recruiter_decision":"shortlisted",
		"sent_at":"2026-03-01T12:00:00.123Z","opened_at":"2026-03-02T12:00:00.123Z","started_at":"2026-03-03T12:00:00.123Z","submitted_at":"2026-03-03T13:00:00.123Z","expires_at":"2026-04-01T12:00:00.000Z","created_at":"2026-03-01T12:00:00.123Z","new":0}`,
	"Submission": `{"id":"s","assessment_id":"a","challenge":{"name":"n","slug":"g","new":1},"candidate":{"email":"e","name":"n","new":2},
		"status":"evaluated","started_at":"2026-03-01T12:00:00.123Z","submitted_at":"2026-03-01T13:00:00.123Z","evaluated_at":"2026-03-01T14:00:00.123Z","paused_total_seconds":7,
		"budget":{"dollars_used":1.5,"dollars_cap":5,"new":3},"created_at":"2026-03-01T12:00:00.123Z","workspace_archive_url":"https://x.test/?a=1&b=2","report":` + reportWire + `,"new":4}`,
	"Report":              reportWire,
	"Event":               `{"seq":9007199254740993,"kind":"ai_prompt","ts_ms":1772366400123,"payload":{"text":"a","b":[1,{"c":1e2}]},"new":12345678901234567890}`,
	"Plan":                `{"id":"p","subscription_status":"active","billing_currency":"usd","limits_enforced":true,"new":[]}`,
	"Usage":               `{"period_start":"2026-03-01T00:00:00.000Z","assessments_used":3,"assessments_limit":10,"new":{}}`,
	"Branding":            `{"accent_color":"#fff","primary_color":"#000","logo_url":"l","sender_name":"N","support_email":"e","new":"x"}`,
	"Task":                `{"id":"t","task_key":"k","kind":"bug","title":"T","order_index":2,"weight":0.25,"time_limit_minutes":20,"new":1}`,
	"SubmissionChallenge": `{"name":"n","slug":"g","new":1}`,
	"Candidate":           `{"email":"e","name":"n","new":2}`,
	"Budget":              `{"dollars_used":1.5,"dollars_cap":5,"new":3}`,
	"PipelineRank":        `{"rank":1,"total":7,"new":2}`,
	"Pillar":              pillarWire,
	"Facts":               `{"time_used_minutes":41.5,"time_allotted_minutes":60,"budget_used_dollars":1.25,"budget_allotted_dollars":5,"ai_authored_pct":12.5,"churn_pct":3.5,"ai_exchange_count":9,"new":1}`,
}

// samples returns a sample of each resource.
func samples(t *testing.T) (all []sample) {
	t.Helper()
	for _, v := range resourceTypes() {
		of := reflect.TypeOf(v).Elem()
		require.NotEmpty(t, wires[of.Name()], "%s has no sample: add it to wires in test/client/resources_test.go", of.Name())
		all = append(all, sample{of.Name(), func() any { return reflect.New(of).Interface() }, wires[of.Name()]})
	}
	return all
}

func TestResourcesDecodeAndEncodeWithEveryMember(t *testing.T) {
	filled := make(map[string]bool)
	for codec, c := range apitest.Codecs {
		for _, s := range samples(t) {
			v := s.into()
			require.NoError(t, c.Unmarshal([]byte(s.wire), v), "%s: decode %s", codec, s.name)
			assertFilled(t, codec+" "+s.name, reflect.ValueOf(v).Elem(), filled)
			for form, value := range map[string]any{"pointer": v, "value": reflect.ValueOf(v).Elem().Interface(), "in a list": []any{v}, "in a struct": struct{ V any }{v}} {
				b, err := c.Marshal(value)
				require.NoError(t, err, "%s: encode %s, %s", codec, s.name, form)
				b = bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("[")), []byte("]")), []byte(`{"V":`)), []byte("\n"))
				if form == "in a struct" {
					b = b[:len(b)-1]
				}
				assert.Equal(t, parse(t, []byte(s.wire)), parse(t, b), "%s: %s, %s", codec, s.name, form)
				again := s.into()
				require.NoError(t, c.Unmarshal(b, again), "%s: decode %s again", codec, s.name)
				assert.Equal(t, v, again, "%s: %s, %s, decoded again", codec, s.name, form)
			}
		}
	}
	for field, has := range filled {
		assert.True(t, has, "no sample has a value of %s: add it to wires in test/client/resources_test.go", field)
	}
}

// assertFilled reports a documented member that no field has decoded: in the samples only
// "new" members belong in Extra. It records the fields that have a value.
func assertFilled(t *testing.T, what string, v reflect.Value, filled map[string]bool) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			assertFilled(t, what, v.Elem(), filled)
		}
	case reflect.Slice:
		for i := range v.Len() {
			assertFilled(t, what, v.Index(i), filled)
		}
	case reflect.Struct:
		extra := v.FieldByName("Extra")
		if !extra.IsValid() {
			return
		}
		for _, key := range extra.MapKeys() {
			assert.Contains(t, []string{"new", "Name"}, key.String(), "%s: Extra of %s", what, v.Type())
		}
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			filled[v.Type().Name()+"."+name] = filled[v.Type().Name()+"."+name] || !v.Field(i).IsZero()
			assertFilled(t, what+"."+name, v.Field(i), filled)
		}
	}
}

func TestExtraIsNilWhenNothingIsNew(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","plan":{},"usage":{},"branding":{}}`), apitest.RespondData(`{"pillars":[{}],"facts":{},"pipeline_rank":{}}`))
	client := fake.Client()
	account, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	for _, extra := range []map[string]json.RawMessage{account.Extra, account.Plan.Extra, account.Usage.Extra, account.Branding.Extra} {
		assert.Nil(t, extra)
	}
	report, err := client.Submissions.Report(t.Context(), "a")
	require.NoError(t, err)
	for _, extra := range []map[string]json.RawMessage{report.Extra, report.Pillars[0].Extra, report.Facts.Extra, report.PipelineRank.Extra} {
		assert.Nil(t, extra)
	}
}

func TestExtraOfResponsesAndListItems(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[{"id":"1","new":{"a":[1, 2]}},{"id":"2","report":{"pillars":[{"new":1}],"facts":{"new":2}},"candidate":{"new":3}}],"meta":{"has_more":false,"new":1},"new":1}`))
	list, err := fake.Client().Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.JSONEq(t, `{"a":[1, 2]}`, string(list[0].Extra["new"]))
	assert.Equal(t, [3]string{"1", "2", "3"}, [3]string{
		string(list[1].Report.Pillars[0].Extra["new"]), string(list[1].Report.Facts.Extra["new"]), string(list[1].Candidate.Extra["new"])})
	assert.Nil(t, list[1].Extra)
}

func TestNullElementsOfLists(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"pillars":[null],"strengths":[null],"facts":null,"evaluated":null}`))
	report, err := fake.Client().Submissions.Report(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, []hiring.Pillar{{}}, report.Pillars)
	require.Len(t, report.Strengths, 1)
	assert.Contains(t, []string{"", "null"}, string(report.Strengths[0]))
}

func TestNilListsStayNull(t *testing.T) {
	for codec, c := range apitest.Codecs {
		b, err := c.Marshal(hiring.Report{})
		require.NoError(t, err, "%s", codec)
		assert.Contains(t, string(b), `"pillars":null,"strengths":null`, "%s", codec)
		var again hiring.Report
		require.NoError(t, c.Unmarshal(b, &again), "%s", codec)
		assert.Equal(t, hiring.Report{}, again, "%s", codec)
	}
}

func TestEnumsAreOpen(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","status":"teleported","role":"owner","kind":"quest","verdict":"meh","confidence":"vast","integrity_status":"odd","recruiter_decision":"maybe","pillars":[{"id":"charm"}]}`))
	client := fake.Client()
	report, err := client.Submissions.Report(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, [5]string{"teleported", "meh", "vast", "odd", "charm"},
		[5]string{string(report.Status), string(report.Verdict), string(report.Confidence), string(report.IntegrityStatus), string(report.Pillars[0].ID)})
	invitation, err := client.Invitations.Resend(t.Context(), "a", "i")
	require.NoError(t, err)
	assert.Equal(t, [2]string{"teleported", "maybe"}, [2]string{string(invitation.Status), string(invitation.RecruiterDecision)})
}

func TestConstants(t *testing.T) {
	for got, want := range map[any]string{
		hiring.MemberRoleAdmin: "admin", hiring.MemberRoleMember: "member",
		hiring.TaskKindBug: "bug", hiring.TaskKindFeature: "feature", hiring.TaskKindEfficiency: "efficiency",
		hiring.AssessmentActive: "active", hiring.AssessmentClosed: "closed",
		hiring.InvitationSent: "sent", hiring.InvitationOpened: "opened", hiring.InvitationStarted: "started", hiring.InvitationEvaluated: "evaluated",
		hiring.DecisionNone: "none", hiring.DecisionShortlisted: "shortlisted", hiring.SubmissionEvaluated: "evaluated",
		hiring.VerdictStrongYes: "strong_yes", hiring.ConfidenceLow: "low", hiring.IntegrityFlagged: "flagged",
		hiring.PillarCorrectness: "correctness", hiring.PillarCraft: "craft", hiring.PillarAIFluency: "ai_fluency", hiring.PillarRigor: "rigor",
		hiring.EventAttemptStarted: "attempt_started", hiring.EventAIPrompt: "ai_prompt", hiring.EventAIResponse: "ai_response",
		hiring.EnvironmentLive: "live", hiring.EnvironmentTest: "test",
	} {
		assert.Equal(t, want, reflect.ValueOf(got).String(), "%T", got)
	}
}

func TestUncleanTextIsEncodedValid(t *testing.T) {
	event := hiring.Event{Kind: "a\xff", Payload: json.RawMessage(`{"text":"cut \ud800"}`)}
	for codec, c := range apitest.Codecs {
		b, err := c.Marshal(event)
		require.NoError(t, err, "%s", codec)
		assert.JSONEq(t, `{"seq":0,"kind":"a�","ts_ms":0,"payload":{"text":"cut �"}}`, string(b), "%s", codec)
	}
}

func TestTimesRoundTrip(t *testing.T) {
	for came, want := range map[string]string{
		"2026-03-01T12:00:00.000Z":           "",
		"2026-03-01T12:00:00.120Z":           "",
		"2026-03-01T12:00:00.001Z":           "",
		"2026-03-01T12:00:00.123456Z":        "",
		"2026-03-01T12:00:00.1234Z":          "",
		"2026-03-01T12:00:00.000000001Z":     "",
		"2026-03-01T13:00:00.123+01:00":      "",
		"2026-03-01T06:30:00.000-05:30":      "",
		"9999-12-31T23:59:59.999Z":           "",
		"0001-01-01T00:00:00.001Z":           "",
		"2026-03-01T12:00:00Z":               "2026-03-01T12:00:00.000Z", // The API documents three digits.
		"2026-03-01T12:00:00.1Z":             "2026-03-01T12:00:00.100Z",
		"2026-03-01T12:00:00.123450Z":        "2026-03-01T12:00:00.12345Z",
		"2026-03-01T12:00:00.123+00:00":      "2026-03-01T12:00:00.123Z",
		"2026-03-01T12:00:00.1234567891234Z": "2026-03-01T12:00:00.123456789Z",
	} {
		wire := `{"data":{"id":"a","created_at":"` + came + `","sent_at":"` + came + `"},"meta":{}}`
		got, err := apitest.NewScriptedServer(t, apitest.Respond(200, wire)).Client().Invitations.Resend(t.Context(), "a", "i")
		require.NoError(t, err, came)
		if want == "" {
			want = came
		}
		for codec, c := range apitest.Codecs {
			var decoded hiring.Invitation
			require.NoError(t, c.Unmarshal([]byte(`{"created_at":"`+came+`","sent_at":"`+came+`"}`), &decoded), "%s: %s", codec, came)
			for _, v := range []hiring.Invitation{got, decoded} {
				b, err := c.Marshal(v)
				require.NoError(t, err, "%s: %s", codec, came)
				assert.Contains(t, string(b), `"created_at":"`+want+`"`, "%s: %s", codec, came)
				assert.Contains(t, string(b), `"sent_at":"`+want+`"`, "%s: %s", codec, came)
			}
		}
	}
}

func TestTimesThatJSONCannotHoldAreErrors(t *testing.T) {
	for codec, c := range apitest.Codecs {
		for _, at := range []time.Time{
			time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 25*60*60)),
		} {
			_, err := c.Marshal(hiring.Member{CreatedAt: at})
			require.Error(t, err, "%s: %v", codec, at)
		}
		b, err := c.Marshal(hiring.Account{})
		require.NoError(t, err, "%s", codec)
		assert.NotContains(t, string(b), "0001-01-01", "%s: a zero time is left out", codec)
	}
}

// An empty list differs from an absent one.
func TestEmptyTasksAreKept(t *testing.T) {
	for codec, c := range apitest.Codecs {
		for _, v := range []any{new(hiring.Challenge), new(hiring.Report)} {
			require.NoError(t, c.Unmarshal([]byte(`{"tasks":[]}`), v), "%s: %T", codec, v)
			b, err := c.Marshal(v)
			require.NoError(t, err, "%s: %T", codec, v)
			assert.Contains(t, string(b), `"tasks":[]`, "%s: %T", codec, v)
		}
	}
}

func TestNullPayloadDecodesToNil(t *testing.T) {
	var event hiring.Event
	require.NoError(t, json.Unmarshal([]byte(`{"seq":1,"payload":null,"new":null}`), &event))
	assert.Nil(t, event.Payload)
	assert.JSONEq(t, "null", string(event.Extra["new"]), "an unknown null is kept")
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[{"seq":1,"payload":null}],"meta":{"has_more":false}}`))
	events, err := fake.Client().Events.List("a", hiring.EventFilter{}).Collect(t.Context())
	require.NoError(t, err)
	assert.Nil(t, events[0].Payload)
}
