package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// live is one organization of the live world, seen through one door.
type live struct {
	door

	s   *sandbox.Server
	key string
}

func liveWorld(opts ...sandbox.Option) live {
	s := sandbox.New(append([]sandbox.Option{unlimited()}, opts...)...)
	return live{inProcess(s), s, sandbox.LiveKey}
}

// as is the live world as another organization sees it.
func (l live) as(organization string) live {
	l.key = "sk_live_" + organization
	l.s.AddKey(sandbox.Key{Token: l.key, Organization: organization})
	return l
}

func (l live) get(t *testing.T, path string) answer {
	t.Helper()
	return l.do(t, http.MethodGet, "/api/v1"+path, l.key)
}

func (l live) post(t *testing.T, path, body string) answer {
	t.Helper()
	return l.do(t, http.MethodPost, "/api/v1"+path, l.key, body)
}

func (l live) patch(t *testing.T, path, body string) answer {
	t.Helper()
	return l.do(t, http.MethodPatch, "/api/v1"+path, l.key, body)
}

func (l live) delete(t *testing.T, path string) answer {
	t.Helper()
	return l.do(t, http.MethodDelete, "/api/v1"+path, l.key)
}

// assess makes an assessment and returns its path.
func (l live) assess(t *testing.T) string {
	t.Helper()
	return "/assessments/" + ids1(t, l.post(t, "/assessments", newAssessment))
}

func candidateBody(email string) string {
	return `{"candidate_email":"` + email + `","candidate_name":"Ada"}`
}

// invite returns an invitation's id.
func (l live) invite(t *testing.T, assessment, email string) string {
	t.Helper()
	return ids1(t, l.post(t, assessment+"/invitations", candidateBody(email)))
}

func (l live) begin(t *testing.T, invitation string) string {
	t.Helper()
	id, err := l.s.Begin(invitation)
	require.NoError(t, err)
	return id
}

// invitation reads one out of the list.
func (l live) invitation(t *testing.T, assessment, id string) fields {
	t.Helper()
	for _, raw := range into[[]json.RawMessage](t, l.get(t, assessment+"/invitations?page_size=100")) {
		if i := conforms(t, "invitation", raw); i.text("id") == id {
			return i
		}
	}
	require.Fail(t, "no such invitation", id)
	return nil
}

func (l live) submission(t *testing.T, id string) (submission, report fields) {
	t.Helper()
	submission = conforms(t, "submission", l.get(t, "/submissions/"+id).Data)
	report = conforms(t, "report", submission["report"])
	assert.JSONEq(t, string(submission["report"]), string(l.get(t, "/submissions/"+id+"/report").Data))
	assert.Equal(t, submission.text("status"), report.text("status"))
	conforms(t, "ref", submission["challenge"])
	conforms(t, "candidate", submission["candidate"])
	conforms(t, "budget", submission["budget"])
	conforms(t, "facts", report["facts"])
	return submission, report
}

func (l live) used(t *testing.T) float64 {
	t.Helper()
	account := conforms(t, "account", l.get(t, "/account").Data)
	conforms(t, "plan", account["plan"])
	conforms(t, "branding", account["branding"])
	var usage object
	require.NoError(t, json.Unmarshal(conforms(t, "usage", account["usage"])["assessments_used"], new(int)))
	require.NoError(t, json.Unmarshal(account["usage"], &usage))
	return usage["assessments_used"].(float64)
}

const noonUTC = "2026-03-10T12:00:00.123Z"

func TestALiveWorldBeginsEmpty(t *testing.T) {
	l := liveWorld(at(noon))
	assert.JSONEq(t, `{"period_start":"2026-03-01T00:00:00.000Z","assessments_used":0,"assessments_limit":2000}`,
		string(conforms(t, "account", l.get(t, "/account").Data)["usage"]))
	assert.Empty(t, everything(t, l.door.with(l.key), "/assessments"))
	assert.Empty(t, everything(t, l.door.with(l.key), "/submissions"))
	assert.Equal(t, l.do(t, "GET", "/api/v1/challenges", sandbox.TestKey).Data, l.get(t, "/challenges").Data)
	for _, m := range into[[]json.RawMessage](t, l.get(t, "/members")) {
		conforms(t, "member", m)
	}
	l.get(t, "/assessments/"+sandbox.AssessmentID).fails(t, 404, "NOT_FOUND")
	l.get(t, "/submissions/"+sandbox.SubmissionID+"/report").fails(t, 404, "NOT_FOUND")
	assert.Equal(t, 6, l.door.get(t, "/assessments").Meta.Total, "test mode is another world")
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
	assert.Equal(t, `[{"seq":2,"kind":"ai_prompt","ts_ms":1773144180123,"payload":{"text":"a \ud800"}},`+
		`{"seq":3,"kind":"ai_prompt","ts_ms":1773144180123,"payload":{"text":"b"}},{"seq":4,"kind":"strange","ts_ms":1773144180123,"payload":{}}]`,
		string(l.get(t, "/submissions/"+submission+"/events?since_seq=1").Data))

	require.NoError(t, l.s.Submit(submission))
	i = l.invitation(t, posting, id)
	assert.Equal(t, []string{"started", "2026-03-10T12:03:00.123Z"}, []string{i.text("status"), i.text("submitted_at")})
	s, _ = l.submissionWithoutLink(t, submission)
	assert.Equal(t, []string{"submitted", "2026-03-10T12:03:00.123Z", "null"}, []string{s.text("status"), s.text("submitted_at"), s.text("evaluated_at")})

	now = now.Add(time.Minute)
	require.NoError(t, l.s.Evaluate(submission, sandbox.Result{ShipScore: 87, Verdict: "strong_yes", Pillars: map[string]int{"craft": 0, "rigor": 91}}))
	assert.Equal(t, "evaluated", l.invitation(t, posting, id).text("status"))
	s, r = l.submissionWithoutLink(t, submission)
	assert.Equal(t, []string{"evaluated", "2026-03-10T12:04:00.123Z", `"2026-03-10T12:04:00.123Z"`},
		[]string{s.text("status"), s.text("evaluated_at"), string(r["generated_at"])})
	assert.Equal(t, []string{"true", "87", "strong_yes", "Strong yes", "medium", `{"rank":1,"total":1}`}, []string{string(r["evaluated"]),
		string(r["ship_score"]), r.text("verdict"), r.text("verdict_label"), r.text("confidence"), string(r["pipeline_rank"])})
	checkPillars(t, r, map[string]string{"correctness": "null", "craft": "0", "ai_fluency": "null", "rigor": "91"})
	assert.JSONEq(t, `{"time_used_minutes":1,"time_allotted_minutes":90,"budget_used_dollars":`+string(s.budget(t, "dollars_used"))+
		`,"budget_allotted_dollars":`+string(s.budget(t, "dollars_cap"))+`,"ai_authored_pct":17,"churn_pct":7,"ai_exchange_count":2}`, string(r["facts"]))
	require.NoError(t, l.s.AppendEvents(submission, "ai_response", `{"tokens":5}`), "a log may arrive late")
}

func checkPillars(t *testing.T, report fields, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	var pillars []json.RawMessage
	require.NoError(t, json.Unmarshal(report["pillars"], &pillars))
	for _, raw := range pillars {
		p := conforms(t, "pillar", raw)
		got[p.text("id")] = string(p["score"])
		assert.Equal(t, p.null("score"), string(p["low_confidence"]) == "true")
	}
	require.Equal(t, want, got)
	require.Len(t, pillars, 4)
}

func (f fields) budget(t *testing.T, name string) json.RawMessage {
	t.Helper()
	return conforms(t, "budget", f["budget"])[name]
}

func (l live) submissionWithoutLink(t *testing.T, id string) (submission, report fields) {
	t.Helper()
	submission, report = l.submission(t, id)
	assert.False(t, submission.null("workspace_archive_url"))
	return submission, report
}

// with makes the helpers that know no key use another.
func (d door) with(key string) door {
	inner := d.client.Transport
	d.client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+key)
		return inner.RoundTrip(r)
	})}
	return d
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

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
	unknown := "the live world has no such id"
	for _, id := range []string{"", sandbox.UnknownID, sandbox.SubmissionID} {
		fails(l.s.Open(id), unknown)
		fails(second(l.s.Begin(id)), unknown)
		fails(l.s.Submit(id), unknown)
		fails(l.s.AppendEvents(id, "x", `{}`), unknown)
		fails(l.s.Evaluate(id, sandbox.Result{}), unknown)
	}
	i := l.invite(t, posting, "a@example.test")
	fails(l.s.Submit(i), unknown)
	submission := l.begin(t, i)
	assert.Equal(t, noonUTC, l.invitation(t, posting, i).text("opened_at"), "beginning opens")
	fails(l.s.Open(i), "opened before")
	fails(second(l.s.Begin(i)), "begun before")
	for _, payload := range []string{"", "x", "7", "[]", "null", `"{}"`, "{}{}", "{\"a\":\"\xff\"}"} {
		fails(l.s.AppendEvents(submission, "k", `{}`, payload), "payload 2 is not a JSON object")
	}
	fails(l.s.AppendEvents(submission, "", `{}`), "the kind is empty")
	require.NoError(t, l.s.AppendEvents(submission, "k"))
	assert.Len(t, into[[]object](t, l.get(t, "/submissions/"+submission+"/events")), 1, "all or nothing")
	for what, r := range map[string]sandbox.Result{
		"ship score 101": {ShipScore: 101}, "ship score -1": {ShipScore: -1}, `no pillar "Craft"`: {Pillars: map[string]int{"Craft": 1}},
		"score 101 of craft": {Pillars: map[string]int{"craft": 101}}, "score -1 of rigor": {Pillars: map[string]int{"rigor": -1}},
	} {
		fails(l.s.Evaluate(submission, r), what)
	}
	s, _ := l.submission(t, submission)
	assert.Equal(t, "started", s.text("status"), "an error changes nothing")
	require.NoError(t, l.s.Evaluate(submission, sandbox.Result{ShipScore: 40}))
	s, r := l.submission(t, submission)
	assert.Equal(t, noonUTC, s.text("submitted_at"), "evaluating hands in")
	assert.Equal(t, []string{"no", "low"}, []string{r.text("verdict"), r.text("confidence")})
	fails(l.s.Submit(submission), "handed in before")
	fails(l.s.Evaluate(submission, sandbox.Result{}), "evaluated before")

	revoked, expired, late := l.invite(t, posting, "b@example.test"), l.invite(t, posting, "c@example.test"), l.invite(t, posting, "d@example.test")
	assert.Equal(t, 204, l.post(t, posting+"/invitations/"+revoked+"/revoke", "").status)
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

func TestAssessmentsPersist(t *testing.T) {
	now := noon
	l := liveWorld(sandbox.WithClock(func() time.Time { return now }))
	first := l.assess(t)
	now = now.Add(time.Hour)
	second := l.assess(t)
	assert.Equal(t, []string{second[13:], first[13:]}, ids(t, l.get(t, "/assessments")), "newest first")
	assert.Equal(t, 200, l.patch(t, first, `{"name":"new","budget_dollars_cap":3.5}`).status)
	a := conforms(t, "assessment", l.get(t, first).Data)
	assert.Equal(t, []string{"new", "3.5", noonUTC, "2026-03-10T13:00:00.123Z"},
		[]string{a.text("name"), string(a["budget_dollars_cap"]), a.text("created_at"), a.text("updated_at")})
	assert.Equal(t, []string{second[13:], first[13:]}, ids(t, l.get(t, "/assessments")))

	i := l.invite(t, first, "a@example.test")
	waiting := l.invite(t, first, "b@example.test")
	assert.Equal(t, 204, l.delete(t, first).status)
	assert.Equal(t, second[13:], ids1(t, l.get(t, second)))
	assert.Equal(t, []string{second[13:]}, ids(t, l.get(t, "/assessments")))
	for _, gone := range []answer{
		l.get(t, first), l.delete(t, first), l.patch(t, first, `{"status":"closed"}`), l.post(t, first+"/invitations", candidateBody("c@example.test")),
	} {
		gone.fails(t, 404, "NOT_FOUND")
	}
	submission := l.begin(t, i)
	require.NoError(t, l.s.Evaluate(submission, sandbox.Result{ShipScore: 1}))
	_, r := l.submission(t, submission)
	assert.Equal(t, "3.5", string(conforms(t, "facts", r["facts"])["budget_allotted_dollars"]))
	assert.Equal(t, []string{submission}, ids(t, l.get(t, "/submissions?assessment_id="+first[13:])), "submissions stay reportable")
	assert.Equal(t, "evaluated", l.invitation(t, first, i).text("status"), "existing invitations keep working")
	assert.Equal(t, 200, l.post(t, first+"/invitations/"+waiting+"/resend", "").status)
	assert.Equal(t, 204, l.post(t, first+"/invitations/"+waiting+"/revoke", "").status)
}

func TestConflicts(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	change := func(id, what string) answer { return l.post(t, posting+"/invitations/"+id+"/"+what, "") }
	for name, prepare := range map[string]func(id string){
		"revoked":   func(id string) { assert.Equal(t, 204, change(id, "revoke").status) },
		"started":   func(id string) { l.begin(t, id) },
		"submitted": func(id string) { require.NoError(t, l.s.Submit(l.begin(t, id))) },
		"evaluated": func(id string) { require.NoError(t, l.s.Evaluate(l.begin(t, id), sandbox.Result{})) },
	} {
		id := l.invite(t, posting, name+"@example.test")
		prepare(id)
		before := l.invitation(t, posting, id)
		change(id, "resend").fails(t, 409, "CONFLICT")
		change(id, "revoke").fails(t, 409, "CONFLICT")
		assert.Equal(t, before, l.invitation(t, posting, id), name)
	}
	opened := l.invite(t, posting, "opened@example.test")
	require.NoError(t, l.s.Open(opened))
	assert.Equal(t, "opened", into[object](t, change(opened, "resend"))["status"])
	assert.Equal(t, 204, change(opened, "revoke").status)
	assert.Equal(t, "revoked", l.invitation(t, posting, opened).text("status"))

	l.patch(t, posting, `{"status":"closed"}`)
	used := l.used(t)
	l.post(t, posting+"/invitations", candidateBody("late@example.test")).fails(t, 409, "CONFLICT")
	assert.Equal(t, used, l.used(t), "a refusal costs nothing")
	other := l.assess(t)
	l.post(t, other+"/invitations/"+opened+"/revoke", "").fails(t, 404, "NOT_FOUND")
}

func TestTheServiceInvitesTheSameAddressTwice(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	first, second := l.invite(t, posting, "a@example.test"), l.invite(t, posting, "a@example.test")
	assert.Equal(t, []string{second, first}, ids(t, l.get(t, posting+"/invitations")))
	assert.InDelta(t, 2, l.used(t), 0)
}

func TestPlanQuota(t *testing.T) {
	now := noon
	l := liveWorld(sandbox.WithClock(func() time.Time { return now }))
	posting := l.assess(t)
	l.s.SetPlan(l.key, 7, 8)
	id := l.invite(t, posting, "a@example.test")
	assert.InDelta(t, 8, l.used(t), 0)
	l.post(t, posting+"/invitations", candidateBody("b@example.test")).fails(t, 402, "PLAN_LIMIT_REACHED")
	l.post(t, posting+"/invitations", `{}`).invalid(t, "candidate_email", "candidate_name")
	assert.Equal(t, 200, l.post(t, posting+"/invitations/"+id+"/resend", "").status, "resending costs nothing")
	assert.Equal(t, 204, l.post(t, posting+"/invitations/"+id+"/revoke", "").status)
	assert.InDelta(t, 8, l.used(t), 0, "revoking gives nothing back")
	assert.Equal(t, 201, l.post(t, "/assessments", newAssessment).status, "assessments cost nothing")
	assert.Equal(t, 1, l.get(t, posting+"/invitations").Meta.Total)

	now = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	assert.InDelta(t, 0, l.used(t), 0, "a new period")
	l.invite(t, posting, "b@example.test")
	l.post(t, posting+"/invitations", candidateBody(sandbox.PlanLimitEmail)).fails(t, 402, "PLAN_LIMIT_REACHED")
	l.s.SetPlan(l.key, 5, 0)
	assert.InDelta(t, 5, l.used(t), 0)
	l.post(t, posting+"/invitations", candidateBody("c@example.test")).fails(t, 402, "PLAN_LIMIT_REACHED")

	assert.PanicsWithValue(t, "sandbox: SetPlan(-1, 2): a number of invitations cannot be negative", func() { l.s.SetPlan(l.key, -1, 2) })
	assert.PanicsWithValue(t, "sandbox: SetPlan(1, -2): a number of invitations cannot be negative", func() { l.s.SetPlan(l.key, 1, -2) })
	assert.PanicsWithValue(t, "sandbox: SetPlan: the server knows no such key", func() { l.s.SetPlan("sk_live_x", 1, 2) })
	assert.PanicsWithValue(t, "sandbox: SetPlan: the account of test mode never changes; use a key that begins with sk_live_",
		func() { l.s.SetPlan(sandbox.TestKey, 1, 2) })
	assert.InDelta(t, 5, l.used(t), 0, "a panic leaves nothing locked")
}

func TestManyGoroutinesNeverInviteMoreThanThePlanAllows(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	l.s.SetPlan(l.key, 0, 60)
	var sent atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if l.post(t, posting+"/invitations", candidateBody("a@example.test")).status == 201 {
					sent.Add(1)
				}
				assert.LessOrEqual(t, l.used(t), 60.0)
			}
		})
	}
	group.Wait()
	assert.Equal(t, int64(60), sent.Load())
	assert.Equal(t, 60, l.get(t, posting+"/invitations").Meta.Total)
}

func TestOrganizationsDoNotSeeEachOther(t *testing.T) {
	shared := liveWorld()
	a, b := shared.as("acme"), shared.as("bolt")
	assert.NotEqual(t, ids1(t, a.get(t, "/account")), ids1(t, b.get(t, "/account")))
	assert.NotEqual(t, ids(t, a.get(t, "/members")), ids(t, b.get(t, "/members")))
	posting := a.assess(t)
	i := a.invite(t, posting, "a@example.test")
	submission := a.begin(t, i)
	require.NoError(t, a.s.Evaluate(submission, sandbox.Result{ShipScore: 50}))
	foreign := map[string]string{}
	for _, call := range []string{
		"GET " + posting, "PATCH " + posting, "DELETE " + posting, "GET " + posting + "/invitations", "POST " + posting + "/invitations",
		"POST " + posting + "/invitations/" + i + "/resend", "POST " + posting + "/invitations/" + i + "/revoke",
		"GET /submissions/" + submission, "GET /submissions/" + submission + "/report", "GET /submissions/" + submission + "/events",
	} {
		method, path, _ := strings.Cut(call, " ")
		for _, stranger := range []string{b.key, sandbox.LiveKey, sandbox.TestKey} {
			r := b.do(t, method, "/api/v1"+path, stranger, `{"status":"closed"}`)
			r.fails(t, 404, "NOT_FOUND")
			foreign[strings.ReplaceAll(string(r.raw), r.Error.RequestID, "")] = call
		}
	}
	unknown := b.get(t, "/assessments/"+sandbox.UnknownID)
	foreign[strings.ReplaceAll(string(unknown.raw), unknown.Error.RequestID, "")] = "unknown"
	assert.Len(t, foreign, 1, "foreign and unknown ids are answered alike")
	own := b.assess(t)
	require.NoError(t, b.s.Evaluate(b.begin(t, b.invite(t, own, "b@example.test")), sandbox.Result{ShipScore: 90}))
	for _, l := range []live{a, b} {
		list := into[[]json.RawMessage](t, l.get(t, "/submissions"))
		require.Len(t, list, 1)
		assert.JSONEq(t, `{"rank":1,"total":1}`, string(conforms(t, "report", conforms(t, "submission", list[0])["report"])["pipeline_rank"]))
		assert.InDelta(t, 1, l.used(t), 0)
	}
	assert.Empty(t, ids(t, b.get(t, "/submissions?assessment_id="+posting[13:])))
	assert.InDelta(t, 0, shared.used(t), 0)
	shared.s.AddKey(sandbox.Key{Token: "sk_live_second"})
	other := shared
	other.key = "sk_live_second"
	assert.Equal(t, shared.assess(t), "/assessments/"+ids(t, other.get(t, "/assessments"))[0], "keys without an organization share one")
}

func TestRanks(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	var submissions []string
	for n, score := range []int{50, 100, 0, 50, 99} {
		id := l.begin(t, l.invite(t, posting, fmt.Sprintf("c%d@example.test", n)))
		require.NoError(t, l.s.Evaluate(id, sandbox.Result{ShipScore: score}))
		submissions = append(submissions, id)
	}
	l.begin(t, l.invite(t, posting, "pending@example.test"))
	for n, rank := range []int{3, 1, 5, 3, 2} {
		_, r := l.submission(t, submissions[n])
		assert.JSONEq(t, fmt.Sprintf(`{"rank":%d,"total":5}`, rank), string(r["pipeline_rank"]))
	}
}

func TestListsMoveBetweenPages(t *testing.T) {
	now := noon
	l := liveWorld(sandbox.WithClock(func() time.Time { return now }))
	posting := l.assess(t)
	var made []string
	begin := func() {
		now = now.Add(time.Millisecond)
		made = append([]string{l.begin(t, l.invite(t, posting, "a@example.test"))}, made...)
	}
	for range 5 {
		begin()
	}
	first := l.get(t, "/submissions?page_size=2")
	assert.Equal(t, made[:2], ids(t, first))
	begin()
	require.NoError(t, l.s.Evaluate(made[3], sandbox.Result{}))
	assert.Equal(t, made[3:5], ids(t, l.get(t, "/submissions?page_size=2&cursor="+*first.Meta.NextCursor)), "what comes meanwhile moves nothing")
	assert.Equal(t, made, ids(t, l.get(t, "/submissions")))
	list := l.get(t, posting+"/invitations?page_size=2&page=2")
	l.invite(t, posting, "b@example.test")
	assert.Equal(t, ids(t, list)[1], ids(t, l.get(t, posting+"/invitations?page_size=2&page=3"))[0], "pages by number move")

	newest := now
	now = now.Add(-time.Hour) // a clock that is set back must not spoil the order
	begin()
	assert.Equal(t, append(made[1:], made[0]), ids(t, l.get(t, "/submissions")))
	since := "/submissions?since=" + newest.UTC().Format("2006-01-02T15:04:05.000Z")
	assert.Equal(t, made[1:2], ids(t, l.get(t, since)))
	require.NoError(t, l.s.Submit(made[1]))
	assert.Equal(t, made[1:2], ids(t, l.get(t, since+"&status=submitted")))
}

func TestSinceInTheLiveWorld(t *testing.T) {
	for on, want := range map[sandbox.SinceField][]bool{
		sandbox.SinceCreated: {false, false, true}, sandbox.SinceSubmitted: {false, true, false}, sandbox.SinceEvaluated: {true, false, false},
	} {
		now := noon
		l := liveWorld(sandbox.WithSinceOn(on), sandbox.WithClock(func() time.Time { return now }))
		posting := l.assess(t)
		evaluated, handedIn := l.begin(t, l.invite(t, posting, "a@example.test")), l.begin(t, l.invite(t, posting, "b@example.test"))
		require.NoError(t, l.s.Submit(evaluated))
		now = now.Add(time.Hour)
		since := now
		begun := l.begin(t, l.invite(t, posting, "c@example.test"))
		require.NoError(t, l.s.Submit(handedIn))
		require.NoError(t, l.s.Evaluate(evaluated, sandbox.Result{}))
		var expected []string
		for i, id := range []string{evaluated, handedIn, begun} {
			if want[i] {
				expected = append(expected, id)
			}
		}
		format := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.999999999Z") }
		assert.Equal(t, expected, ids(t, l.get(t, "/submissions?since="+format(since.Truncate(time.Millisecond)))), on)
		assert.Empty(t, ids(t, l.get(t, "/submissions?since="+format(since))), "a record's time is in whole milliseconds")
		assert.Equal(t, expected, ids(t, l.get(t, "/submissions?since="+format(since.Add(-time.Minute)))), on)
	}
}

func TestAdvance(t *testing.T) {
	l := liveWorld(at(noon))
	date := func() string { return l.get(t, "/account").header.Get("Date") }
	assert.Equal(t, "Tue, 10 Mar 2026 12:00:00 GMT", date())
	l.s.Advance(90 * time.Minute)
	l.s.Advance(0)
	l.s.Advance(time.Second)
	assert.Equal(t, "Tue, 10 Mar 2026 13:30:01 GMT", date())
	assert.PanicsWithValue(t, "sandbox: Advance(-1s): the clock does not go back", func() { l.s.Advance(-time.Second) })
	other := inProcess(sandbox.New(at(noon)))
	assert.Equal(t, "Tue, 10 Mar 2026 12:00:00 GMT", other.get(t, "/account").header.Get("Date"))
}

func TestTheLiveWorldThroughTheSDK(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithTimeline(sandbox.Timeline{Polls: 2}))
	client := s.LiveClient()
	posting, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: multiTask, Name: "n"})
	require.NoError(t, err)
	invitation, err := client.Invitations.Send(t.Context(), posting.ID, hiring.NewInvitation{Email: "a@example.test", Name: "A"})
	require.NoError(t, err)
	assert.Equal(t, hiring.InvitationSent, invitation.Status)
	submissions, err := client.Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, submissions, 1)
	for want := range 3 {
		report, err := client.Submissions.Report(t.Context(), submissions[0].ID)
		require.NoError(t, err)
		assert.Equal(t, want == 2, report.Ready())
	}
}

func TestAHundredServersInOneProcess(t *testing.T) {
	for n := range 100 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			l := liveWorld(at(noon))
			posting := l.assess(t)
			assert.Equal(t, "/assessments/f0000000-0000-4000-8000-000000000001", posting)
			for range n%5 + 1 {
				id := l.begin(t, l.invite(t, posting, "a@example.test"))
				require.NoError(t, l.s.Evaluate(id, sandbox.Result{ShipScore: n}))
			}
			assert.Len(t, ids(t, l.get(t, "/submissions?status=evaluated")), n%5+1)
			assert.Len(t, ids(t, l.door.get(t, "/submissions?page_size=7")), 7)
		})
	}
}
