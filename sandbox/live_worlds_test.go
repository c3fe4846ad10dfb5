package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestADeletedAssessmentKeepsItsInvitations(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	id := l.invite(t, posting, "a@example.test")
	assert.Equal(t, 200, l.delete(t, posting).status)
	assert.Empty(t, ids(t, l.get(t, "/assessments")))
	assert.Equal(t, []string{id}, ids(t, l.get(t, posting+"/invitations")))
	assert.NotEmpty(t, l.begin(t, id), "it keeps working")
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
	assert.Equal(t, 200, l.post(t, posting+"/invitations/"+id+"/revoke", "").status)
	assert.InDelta(t, 8, l.used(t), 0, "revoking gives nothing back")
	assert.Equal(t, 201, l.post(t, "/assessments", newAssessment).status, "assessments cost nothing")
	assert.Equal(t, 1, l.get(t, posting+"/invitations").Meta.Total)

	now = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	assert.InDelta(t, 0, l.used(t), 0, "a new period")
	l.invite(t, posting, "b@example.test")
	for _, email := range []string{sandbox.PlanLimitEmail, strings.ToUpper(sandbox.PlanLimitEmail)} {
		l.invite(t, posting, email) // From test mode.
	}
	assert.InDelta(t, 3, l.used(t), 0)
	l.s.SetPlan(l.key, 5, 0)
	assert.InDelta(t, 5, l.used(t), 0)
	l.post(t, posting+"/invitations", candidateBody("c@example.test")).fails(t, 402, "PLAN_LIMIT_REACHED")

	assert.PanicsWithValue(t, "sandbox: SetPlan: used: must be a number from 0", func() { l.s.SetPlan(l.key, -1, 2) })
	assert.PanicsWithValue(t, "sandbox: SetPlan: key: the server knows no such key", func() { l.s.SetPlan("sk_live_x", 1, 2) })
	assert.PanicsWithValue(t, "sandbox: SetPlan: key: the account of test mode never changes: give a key that begins with sk_live_",
		func() { l.s.SetPlan(sandbox.TestKey, 1, 2) })
	assert.InDelta(t, 5, l.used(t), 0, "a panic leaves nothing locked")
}

func TestOrganizationsDoNotSeeEachOther(t *testing.T) {
	shared := liveWorld()
	a, b := shared.as("acme"), shared.as("bolt")
	assert.NotEqual(t, ids1(t, a.get(t, "/account")), ids1(t, b.get(t, "/account")))
	assert.NotEqual(t, ids(t, a.get(t, "/members")), ids(t, b.get(t, "/members")))
	posting := a.assess(t)
	i := a.invite(t, posting, "a@example.test")
	submission := a.begin(t, i)
	require.NoError(t, a.s.Evaluate(submission, sandbox.Result{ShipScore: new(50)}))
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
	require.NoError(t, b.s.Evaluate(b.begin(t, b.invite(t, own, "b@example.test")), sandbox.Result{ShipScore: new(90)}))
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
	now = now.Add(-time.Hour) // A clock that is set back must not change the order.
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

func TestAnAssessmentOfTestModeWithoutInvitations(t *testing.T) {
	d := inProcess(sandbox.New())
	path := "/assessments/a0000000-0000-4000-8000-000000000002/invitations"
	assert.Equal(t, "[]", string(d.get(t, path).Data))
	d.post(t, path+"/"+sandbox.UnknownID+"/resend", "").fails(t, 404, "NOT_FOUND")
}
