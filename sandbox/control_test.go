package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// steer sends a request to the control API. change may make the request invalid.
func steer(t *testing.T, s *sandbox.Server, method, path, body string, change ...func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://localhost:8780/_sandbox/"+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, spoil := range change {
		spoil(r)
	}
	res, err := s.Transport().RoundTrip(r)
	require.NoError(t, err)
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	for name := range res.Header {
		assert.NotContains(t, name, "Access-Control")
		assert.NotContains(t, name, "Ratelimit", "nothing is counted")
	}
	return res.StatusCode, string(raw)
}

func steered(t *testing.T, s *sandbox.Server, path, body string) string {
	t.Helper()
	status, answer := steer(t, s, http.MethodPost, path, body)
	require.Less(t, status, 300, answer)
	return answer
}

func controlled(t *testing.T, opts ...sandbox.Option) (*sandbox.Server, transport) {
	s := sandbox.Start(t, opts...)
	return s, inProcess(s)
}

func TestEveryServerHasTheControlAPI(t *testing.T) {
	s := sandbox.Start(t)
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	for _, base := range []string{"https://sandbox.invalid", s.URL()} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/_sandbox/reset", http.NoBody)
		require.NoError(t, err)
		transport := s.Transport()
		if base == s.URL() {
			transport = http.DefaultTransport
		}
		res, err := transport.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, http.StatusNoContent, res.StatusCode, base)
	}
	assert.Equal(t, 200, inProcess(s).get(t, "/account").status)
}

func TestTheClockStopsBeforeItOverflows(t *testing.T) {
	s := sandbox.New()
	s.Advance(1 << 62)
	assert.PanicsWithValue(t, "sandbox: Advance(1281023h53m38.427387904s): the clock does not go that far", func() { s.Advance(1 << 62) })
	assert.NotPanics(t, func() { s.Advance(1<<62 - 1) }, "as far as a duration reaches")
	assert.PanicsWithValue(t, "sandbox: Advance(1ns): the clock does not go that far", func() { s.Advance(1) })
}

func TestControlAPIEffects(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s, d := controlled(t, sandbox.WithClock(func() time.Time { return now }))
	left := func() string { return d.get(t, "/account").header.Get("X-RateLimit-Remaining") }
	steered(t, s, "quota", `{"key":"`+sandbox.TestKey+`","class":"read","remaining":3}`)
	assert.Equal(t, "2", left())
	steered(t, s, "advance", `{"seconds": 0}`)
	assert.Equal(t, "1", left())
	steered(t, s, "advance", `{"seconds": 3600.5}`)
	assert.Equal(t, "999", left())
	steered(t, s, "advance", `{"seconds": "1h1s"}`)
	assert.Equal(t, "999", left())

	steered(t, s, "keys", `{"token":"sk_test_new","scope":"read","expires":"2026-05-01T15:00:00Z","organization":"acme"}`)
	assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_new").status)
	steered(t, s, "advance", `{"seconds": 3600}`)
	assert.Equal(t, 401, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_new").status)
	steered(t, s, "keys", `{"token":"sk_test_other"}`)
	assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_other").status)
	steered(t, s, "keys/revoke", `{"token":"sk_test_other"}`)
	assert.Equal(t, 401, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_other").status)

	steered(t, s, "faults", `{"route":"GET /account","skip":1,"times":2,"status":503,"code":"RATE_LIMITED","retry_after":"1.5s","delay":0.001,"after":true}`)
	assert.Equal(t, "998", left())
	for range 2 {
		got := d.send(t.Context(), t, http.MethodGet, "/account", "")
		assert.Equal(t, []any{503, "2"}, []any{got.status, got.header.Get("Retry-After")})
	}
	assert.Equal(t, "995", left())
	steered(t, s, "faults", `{"reset":true,"late":"1h"}`)
	require.Error(t, d.send(t.Context(), t, http.MethodGet, "/account", "").err)
	steered(t, s, "faults", `{"cut_after":3,"body":"<html>","content_type":"text/x"}`)
	got := d.send(t.Context(), t, http.MethodGet, "/account", "")
	assert.Equal(t, []any{"<ht", "text/x"}, []any{got.body, got.header.Get("Content-Type")})
}

func TestTheControlAPIsJournal(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s, d := controlled(t, sandbox.WithClock(func() time.Time { return now }))
	status, empty := steer(t, s, http.MethodGet, "journal", "")
	assert.Equal(t, 200, status)
	assert.JSONEq(t, `{"entries":[],"repeated":[],"more":false,"position":0}`, empty)
	d.post(t, "/assessments", "{}")
	s.Inject(sandbox.Fault{Reset: true})
	d.send(t.Context(), t, http.MethodPost, "/assessments", "{}")
	_, body := steer(t, s, http.MethodGet, "journal", "")
	const lost = `{"number":2,"method":"POST","route":"/assessments","path":"/api/v1/assessments","query":"","status":null,"ended":true,` +
		`"key":"sk_test_…dbox","key_id":"f5c8bb5a44b28cfb","organization":"","body":"{}","at":"2026-05-01T12:00:00.000Z",` +
		`"repeats":null,"repeated_by":null,"request_id":null,"error":null,"took":null,"response_size":null,"limit":null,"remaining":null,"throttled":false,"fault":null}`
	first := strings.Replace(strings.Replace(lost, "null", "400", 1), `"number":2`, `"number":1`, 1)
	assert.JSONEq(t, `{"entries":[`+first+`,`+lost+`],"repeated":[],"more":false,"position":4}`, body, "the first had no effect")
	d.send(t.Context(), t, http.MethodPost, "/assessments", "{}")
	_, body = steer(t, s, http.MethodGet, "journal", "")
	assert.Equal(t, 1, strings.Count(body[strings.Index(body, `"repeated":`):], `"method"`), "the lost one may have had an effect")
}

func TestControlReset(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s, d := controlled(t, sandbox.WithClock(func() time.Time { return now }), sandbox.WithQuota(150, 5),
		sandbox.WithKey(sandbox.Key{Token: "sk_test_mine", Scope: sandbox.ScopeRead}))
	live := s.LiveClient()
	_, err := live.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: aChallenge(t, live), Name: "n"})
	require.NoError(t, err)
	s.AddKey(sandbox.Key{Token: "sk_test_more"})
	s.RevokeKey("sk_test_mine")
	s.Advance(time.Hour)
	s.Inject(sandbox.Fault{Times: -1, Skip: 200, Status: 500})
	for range 101 {
		d.do(t, http.MethodGet, "/api/v1/account", "sk_test_wrong")
	}
	assert.Equal(t, 429, d.get(t, "/account").status, "throttled")
	steered(t, s, "reset", "")
	assert.Empty(t, s.Journal())
	a := d.get(t, "/account")
	assert.Equal(t, []string{"149", now.Format(http.TimeFormat), "req_0000000000000001"},
		[]string{a.header.Get("X-RateLimit-Remaining"), a.header.Get("Date"), a.Meta.RequestID})
	assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_mine").status, "a key of the options")
	assert.Equal(t, 401, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_more").status)
	postings, err := live.Assessments.List().Collect(t.Context())
	require.NoError(t, err)
	assert.Empty(t, postings)
}

func aChallenge(t *testing.T, client *hiring.Client) string {
	t.Helper()
	page, err := client.Challenges.List().PageSize(1).Page(t.Context())
	require.NoError(t, err)
	return page.Items[0].ID
}

func TestTheLiveWorldByTheControlAPI(t *testing.T) {
	s, _ := controlled(t)
	live := s.LiveClient()
	posting, err := live.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: aChallenge(t, live), Name: "n"})
	require.NoError(t, err)
	sent, err := live.Invitations.Send(t.Context(), posting.ID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.NoError(t, err)
	invitation := "invitations/" + sent.ID
	status, body := steer(t, s, http.MethodPost, invitation+"/submit", "")
	assert.Equal(t, 409, status)
	assert.Contains(t, body, "the attempt has not begun")
	assert.Empty(t, steered(t, s, invitation+"/open", ""))
	status, body = steer(t, s, http.MethodPost, invitation+"/open", "")
	assert.Equal(t, 409, status)
	assert.Contains(t, body, "opened before")
	var begun struct {
		SubmissionID string `json:"submission_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(steered(t, s, invitation+"/begin", "")), &begun))
	assert.JSONEq(t, `{"submission_id":"`+begun.SubmissionID+`"}`, steered(t, s, invitation+"/submit", ""))
	steered(t, s, "submissions/"+begun.SubmissionID+"/evaluate", `{"ship_score":77,"verdict":"yes","pillars":{"craft":70}}`)
	report, err := live.Submissions.Report(t.Context(), begun.SubmissionID)
	require.NoError(t, err)
	assert.Equal(t, 77, *report.ShipScore)
	theLiveWorldsStorageByTheControlPlane(t, s)
	for path, says := range map[string]string{
		invitation + "/begin": "begun before", invitation + "/submit": "submitted before",
		"submissions/" + begun.SubmissionID + "/evaluate": "evaluated before",
	} {
		status, body := steer(t, s, http.MethodPost, path, "")
		assert.Equal(t, 409, status, path)
		assert.Contains(t, body, `"CONFLICT"`, path)
		assert.Contains(t, body, says, path)
	}
}

func theLiveWorldsStorageByTheControlPlane(t *testing.T, s *sandbox.Server) {
	t.Helper()
	var made struct {
		AssessmentID string `json:"assessment_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(steered(t, s, "assessments", `{"name":"Second"}`)), &made))
	client := s.LiveClient()
	invitation, err := client.Invitations.Send(t.Context(), made.AssessmentID, hiring.NewInvitation{Email: "bob@candidates.test", Name: "Bob"})
	require.NoError(t, err)
	id, err := s.Begin(invitation.ID)
	require.NoError(t, err)
	steered(t, s, "submissions/"+id+"/evaluate", `{"low_confidence":["craft"],"summary":"s","confidence":"c","integrity_status":"flagged","extra":{"percentile":7.5}}`)
	for _, available := range []bool{false, true} {
		steered(t, s, "archives", fmt.Sprintf(`{"available":%t}`, available))
		submission, err := client.Submissions.Get(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, available, submission.WorkspaceArchiveURL != nil)
		assert.Equal(t, []string{"s", "c", "flagged"},
			[]string{submission.Report.Summary, string(submission.Report.Confidence), string(submission.Report.IntegrityStatus)})
		assert.InDelta(t, 7.5, *submission.Report.Percentile, 0)
	}
}

func TestControlAPIMistakes(t *testing.T) {
	s, _ := controlled(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "nothing", "", 404, "no such path"},
		{"POST", "", "", 405, "use GET"},
		{"POST", "invitations/nobody/open", "", 404, `"NOT_FOUND"`},
		{"POST", "invitations/nobody/begin", "", 404, "no such id"},
		{"POST", "invitations/nobody/submit", "", 404, "no such id"},
		{"POST", "submissions/nobody/evaluate", "", 404, "no such id"},
		{"GET", "reset", "", 405, "use POST"},
		{"POST", "journal", "", 405, "use GET"},
		{"OPTIONS", "reset", "", 405, "use POST"},
		{"POST", "quota", "", 400, "remaining: is required"},
		{"POST", "quota", "{", 400, "not valid JSON"},
		{"POST", "quota", "{} {}", 400, "not valid JSON"},
		{"POST", "quota", "[]", 400, "send a JSON object"},
		{"POST", "quota", `{"Kee":1}`, 400, `Kee: there is no such member`},
		{"POST", "quota", `{"key":"sk_test_sandbox","class":"read"}`, 400, "remaining: is required"},
		{"POST", "quota", `{"key":"sk_test_sandbox","class":"read","remaining":-1}`, 400, "remaining: must be from 0 to 1000"},
		{"POST", "quota", `{"key":"sk_test_sandbox","class":"all","remaining":1}`, 400, `class: must be read or write`},
		{"POST", "quota", `{"key":"sk_test_x","class":"read","remaining":1}`, 400, "knows no such key"},
		{"POST", "submissions/nobody/pause", `{}`, 400, "seconds: is required"},
		{"POST", "submissions/nobody/pause", `{"seconds":null}`, 400, "seconds: is required"},
		{"POST", "advance", `{}`, 400, "seconds: is required"},
		{"POST", "advance", `{"seconds":-1}`, 400, "does not go back"},
		{"POST", "advance", `{"seconds":"soon"}`, 400, "give a number of seconds, or a text like"},
		{"POST", "advance", `{"seconds":1e300}`, 400, "give a number of seconds"},
		{"POST", "advance", `{"seconds":[]}`, 400, "give a number of seconds, or a text like"},
		{"POST", "keys", `{"token":"x"}`, 400, "token: must be sk_test_"},
		{"POST", "keys", `{"token":"sk_test_x","scope":"root"}`, 400, `scope: must be read, write or admin`},
		{"POST", "keys", `{"token":"sk_test_x","expires":"soon"}`, 400, "expires: give a time like"},
		{"POST", "keys/revoke", `{"token":"sk_test_x"}`, 400, "knows no such key"},
		{"POST", "keys/revoke", `nonsense`, 400, "not valid JSON"},
		{"POST", "faults", `{"route":"GET /account"}`, 400, "would do nothing"},
		{"POST", "faults", `{"route":"GET /acount","status":500}`, 400, "no operation has the route"},
		{"POST", "faults", `{"delay":"long"}`, 400, "give a number of seconds, or a text like"},
		{"POST", "assessments", `{"name":""}`, 400, "name: must not be empty"},
		{"POST", "archives", `{}`, 400, "available: is required"},
		{"POST", "submissions/x/evaluate", `{"score":1}`, 400, "score: there is no such member"},
		{"POST", "quota", `{"key":"` + strings.Repeat("x", 1<<20) + `"}`, 400, "longer than 1048576 bytes"},
	} {
		status, body := steer(t, s, c.method, c.path, c.body)
		assert.Equal(t, c.status, status, "%s %s %.100s: %s", c.method, c.path, c.body, body)
		var answer struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		require.NoError(t, json.Unmarshal([]byte(body), &answer), body)
		assert.NotEmpty(t, answer.Error.Message)
		assert.Contains(t, body, c.says)
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", ";"} {
		status, body := steer(t, s, http.MethodPost, "advance", `{"seconds":1}`, func(r *http.Request) { r.Header.Set("Content-Type", kind) })
		assert.Equal(t, 400, status, kind)
		assert.Contains(t, body, "Content-Type: application/json")
	}
	status, _ := steer(t, s, http.MethodPost, "advance", `{"seconds":1}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") })
	assert.Equal(t, 204, status)
}
