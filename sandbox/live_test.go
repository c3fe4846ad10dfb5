package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestALiveWorldBeginsEmpty(t *testing.T) {
	l := liveWorld(at(noon))
	assert.JSONEq(t, `{"period_start":"2026-03-01T00:00:00.000Z","assessments_used":0,"assessments_limit":2000}`,
		string(conforms(t, "account", l.get(t, "/account").Data)["usage"]))
	assert.Empty(t, everything(t, l.transport.with(l.key), "/assessments"))
	assert.Empty(t, everything(t, l.transport.with(l.key), "/submissions"))
	assert.Equal(t, l.do(t, "GET", "/api/v1/challenges", sandbox.TestKey).Data, l.get(t, "/challenges").Data)
	for _, m := range into[[]json.RawMessage](t, l.get(t, "/members")) {
		conforms(t, "member", m)
	}
	l.get(t, "/assessments/"+sandbox.AssessmentID).fails(t, 404, "NOT_FOUND")
	l.get(t, "/submissions/"+sandbox.SubmissionID+"/report").fails(t, 404, "NOT_FOUND")
	assert.Equal(t, 6, l.transport.get(t, "/assessments").Meta.Total, "test mode is another world")
}

func TestTheLifeOfACandidate(t *testing.T) {
	now := noon
	l := liveWorld(sandbox.WithClock(func() time.Time { return now }))
	posting := l.assess(t)
	id := l.invite(t, posting, "ada@example.test")
	i := l.invitation(t, posting, id)
	assert.Equal(t, []string{"sent", noonUTC, "null", "null", "null"},
		[]string{i.text("status"), i.text("sent_at"), i.text("opened_at"), i.text("started_at"), i.text("submitted_at")})

	now = now.Add(time.Minute)
	require.NoError(t, l.s.Open(id))
	i = l.invitation(t, posting, id)
	assert.Equal(t, []string{"opened", "2026-03-10T12:01:00.123Z", "null"}, []string{i.text("status"), i.text("opened_at"), i.text("started_at")})

	now = now.Add(time.Minute)
	submission := l.begin(t, id)
	i = l.invitation(t, posting, id)
	assert.Equal(t, []string{"started", "2026-03-10T12:02:00.123Z", "null"}, []string{i.text("status"), i.text("started_at"), i.text("submitted_at")})
	s, r := l.submission(t, submission)
	assert.Equal(t, []string{"started", "2026-03-10T12:02:00.123Z", "null", "null", "null"}, []string{s.text("status"),
		s.text("started_at"), s.text("submitted_at"), s.text("evaluated_at"), s.text("workspace_archive_url")})
	assert.Equal(t, []string{"false", "null", "null", "null"},
		[]string{string(r["evaluated"]), string(r["ship_score"]), string(r["pipeline_rank"]), string(r["generated_at"])})
	assert.JSONEq(t, `[{"seq":1,"kind":"attempt_started","ts_ms":1773144120123,"payload":{}}]`, string(l.get(t, "/submissions/"+submission+"/events").Data))

	now = now.Add(time.Minute)
	require.NoError(t, l.s.AppendEvents(submission, "ai_prompt", `{"text":"a \ud800"}`, `{ "text": "b" }`))
	require.NoError(t, l.s.AppendEvents(submission, "strange", `{}`))
	// As written: a comparison as JSON would repair the lone surrogate.
	want := `[{"seq":2,"kind":"ai_prompt","ts_ms":1773144180123,"payload":{"text":"a \ud800"}},` +
		`{"seq":3,"kind":"ai_prompt","ts_ms":1773144180123,"payload":{"text":"b"}},{"seq":4,"kind":"strange","ts_ms":1773144180123,"payload":{}}]`
	assert.Equal(t, want, string(l.get(t, "/submissions/"+submission+"/events?since_seq=1").Data))

	require.NoError(t, l.s.Submit(submission))
	i = l.invitation(t, posting, id)
	assert.Equal(t, []string{"started", "2026-03-10T12:03:00.123Z"}, []string{i.text("status"), i.text("submitted_at")})
	s, _ = l.submissionWithoutLink(t, submission)
	assert.Equal(t, []string{"submitted", "2026-03-10T12:03:00.123Z", "null"}, []string{s.text("status"), s.text("submitted_at"), s.text("evaluated_at")})

	now = now.Add(time.Minute)
	require.NoError(t, l.s.Evaluate(submission, sandbox.Result{ShipScore: new(87), Verdict: "strong_yes", Pillars: map[hiring.PillarID]*int{"craft": new(0), "rigor": new(91)}}))
	assert.Equal(t, "evaluated", l.invitation(t, posting, id).text("status"))
	s, r = l.submissionWithoutLink(t, submission)
	assert.Equal(t, []string{"evaluated", "2026-03-10T12:04:00.123Z", `"2026-03-10T12:04:00.123Z"`},
		[]string{s.text("status"), s.text("evaluated_at"), string(r["generated_at"])})
	assert.Equal(t, []string{"true", "87", "strong_yes", "Strong yes", "medium", `{"rank":1,"total":1}`}, []string{string(r["evaluated"]),
		string(r["ship_score"]), r.text("verdict"), r.text("verdict_label"), r.text("confidence"), string(r["pipeline_rank"])})
	checkPillars(t, r, map[string]string{"correctness": "null", "craft": "0", "ai_fluency": "null", "rigor": "91"})
	assert.JSONEq(t, `{"time_used_minutes":1,"time_allotted_minutes":90,"budget_used_dollars":`+string(s.budget(t, "dollars_used"))+
		`,"budget_allotted_dollars":`+string(s.budget(t, "dollars_cap"))+`,"ai_authored_pct":37,"churn_pct":null,"ai_exchange_count":2}`, string(r["facts"]))
	require.ErrorContains(t, l.s.AppendEvents(submission, "ai_response", `{"tokens":5}`), "submitted before")
}

func TestStepsThatCannotBeTaken(t *testing.T) {
	now := noon
	l := liveWorld(sandbox.WithClock(func() time.Time { return now }))
	posting := l.assess(t)
	fails := func(err error, what string) {
		t.Helper()
		require.ErrorContains(t, err, what)
		assert.True(t, strings.HasPrefix(err.Error(), "sandbox: "), err)
	}
	second := func(_ string, err error) error { return err }
	unknown := "the live data has no such id"
	for _, id := range []string{"", sandbox.UnknownID, sandbox.SubmissionID} {
		fails(l.s.Open(id), unknown)
		fails(second(l.s.Begin(id)), unknown)
		fails(l.s.Submit(id), unknown)
		fails(l.s.AppendEvents(id, "x", `{}`), unknown)
		fails(l.s.Evaluate(id, sandbox.Result{}), unknown)
	}
	i := l.invite(t, posting, "a@example.test")
	fails(l.s.Submit(i), "has not begun")
	submission := l.begin(t, i)
	assert.Equal(t, noonUTC, l.invitation(t, posting, i).text("opened_at"), "beginning opens")
	fails(l.s.Open(i), "opened before")
	fails(second(l.s.Begin(i)), "begun before")
	for _, payload := range []string{"", "x", "7", "[]", "null", `"{}"`, "{}{}", "{\"a\":\"\xff\"}"} {
		fails(l.s.AppendEvents(submission, "k", `{}`, payload), "payload 2 is not a JSON object")
	}
	fails(l.s.AppendEvents(submission, "", `{}`), "kind: must not be empty")
	require.NoError(t, l.s.AppendEvents(submission, "k"))
	assert.Len(t, into[[]object](t, l.get(t, "/submissions/"+submission+"/events")), 1, "all or nothing")
	for what, r := range map[string]sandbox.Result{
		"ship_score: must": {ShipScore: new(101)}, "must be from 0 to 100": {ShipScore: new(-1)}, `no pillar "Craft"`: {Pillars: map[hiring.PillarID]*int{"Craft": new(1)}},
		"pillars.craft: must": {Pillars: map[hiring.PillarID]*int{"craft": new(101)}}, "pillars.rigor: must": {Pillars: map[hiring.PillarID]*int{"rigor": new(-1)}},
	} {
		fails(l.s.Evaluate(submission, r), what)
	}
	s, _ := l.submission(t, submission)
	assert.Equal(t, "started", s.text("status"), "an error changes nothing")
	require.NoError(t, l.s.Evaluate(submission, sandbox.Result{ShipScore: new(40)}))
	s, r := l.submission(t, submission)
	assert.Equal(t, noonUTC, s.text("submitted_at"), "evaluating hands in")
	assert.Equal(t, []string{"no", "high"}, []string{r.text("verdict"), r.text("confidence")})
	fails(l.s.Submit(submission), "submitted before")

	revoked, expired, late := l.invite(t, posting, "b@example.test"), l.invite(t, posting, "c@example.test"), l.invite(t, posting, "d@example.test")
	assert.Equal(t, 200, l.post(t, posting+"/invitations/"+revoked+"/revoke", "").status)
	fails(l.s.Open(revoked), "revoked")
	fails(second(l.s.Begin(revoked)), "revoked")
	now = now.Add(30 * 24 * time.Hour)
	fails(l.s.Open(expired), "expired")
	fails(second(l.s.Begin(expired)), "expired")
	assert.Equal(t, 200, l.post(t, posting+"/invitations/"+expired+"/resend", "").status)
	assert.Equal(t, 200, l.post(t, posting+"/invitations/"+late+"/resend", "").status)
	require.NoError(t, l.s.Open(expired), "resending begins anew")
	l.patch(t, posting, `{"status":"closed"}`)
	fails(second(l.s.Begin(expired)), "closed")
	fails(second(l.s.Begin(late)), "closed")
	assert.Equal(t, "sent", l.invitation(t, posting, late).text("status"))
	l.patch(t, posting, `{"status":"active"}`)
	l.begin(t, late)
}
