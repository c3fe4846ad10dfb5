package sandbox_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

// readControl decodes the response of a GET of the control API.
func readControl[T any](t *testing.T, s *sandbox.Server, path string) (out T) {
	t.Helper()
	status, body := steer(t, s, http.MethodGet, path, "")
	require.Equal(t, 200, status, body)
	require.NoError(t, json.Unmarshal([]byte(body), &out))
	return out
}

// steeredID sends a request to the control API and returns a member of the response.
func steeredID(t *testing.T, s *sandbox.Server, path, body, member string) string {
	t.Helper()
	var response map[string]string
	require.NoError(t, json.Unmarshal([]byte(steered(t, s, path, body)), &response))
	require.NotEmpty(t, response[member])
	return response[member]
}

func controlled(t *testing.T, opts ...sandbox.Option) (*sandbox.Server, transport) {
	s := sandbox.Start(t, opts...)
	return s, inProcess(s)
}

func TestTheClockStopsBeforeItOverflows(t *testing.T) {
	s := sandbox.New()
	s.Advance(1 << 62)
	assert.PanicsWithValue(t, "sandbox: Advance(1281023h53m38.427387904s): the clock does not go that far", func() { s.Advance(1 << 62) })
	assert.NotPanics(t, func() { s.Advance(1<<62 - 1) }, "as far as a duration reaches")
	assert.PanicsWithValue(t, "sandbox: Advance(1ns): the clock does not go that far", func() { s.Advance(1) })
}

// TestControlIndexNamesEveryOperation calls every operation with the example of the
// index, and checks that an unknown id, an unknown member and an unknown parameter are
// refused.
func TestControlIndexNamesEveryOperation(t *testing.T) {
	s, d := controlled(t)
	d.get(t, "/account")
	posting := s.AddAssessment("Backend")
	var index struct {
		Operations []struct {
			Method  string          `json:"method"`
			Path    string          `json:"path"`
			Summary string          `json:"summary"`
			Example json.RawMessage `json:"example"`
		} `json:"operations"`
		Routes []string         `json:"routes"`
		Codes  []map[string]any `json:"codes"`
	}
	status, body := steer(t, s, http.MethodGet, "", "")
	require.Equal(t, 200, status)
	require.NoError(t, json.Unmarshal([]byte(body), &index))
	assert.Contains(t, index.Codes, map[string]any{"code": "PLAN_LIMIT_REACHED", "status": 402.0})
	assert.Contains(t, index.Routes, "GET /submissions/{id}/report")
	assert.LessOrEqual(t, len(index.Operations), 38)
	for _, o := range index.Operations {
		assert.NotEmpty(t, o.Summary, o.Path)
		path, example := strings.TrimPrefix(o.Path, "/_sandbox/"), string(o.Example)
		if path == "events" || path == "reset" || path == "journal/clear" || path == "clock" && o.Method == http.MethodPost {
			continue // Tests of their own.
		}
		if strings.Contains(path, "{id}") {
			status, body := steer(t, s, o.Method, strings.Replace(path, "{id}", sandbox.UnknownID, 1), example)
			assert.Equal(t, 404, status, "%s: %s", path, body)
		}
		s.SetPlan(sandbox.LiveKey, 0, 100)
		invitation, err := s.Invite(posting, "eve@candidates.test", "Eve")
		require.NoError(t, err)
		id := map[string]string{"invitations": invitation, "journal": "1", "candidates": invitation, "snapshots": "1"}[strings.SplitN(path, "/", 2)[0]]
		if strings.HasPrefix(path, "submissions/") {
			id, err = s.Begin(invitation)
			require.NoError(t, err)
		}
		path = strings.Replace(path, "{id}", id, 1)
		if o.Method == http.MethodGet {
			var parameters map[string]any
			if example != "" {
				require.NoError(t, json.Unmarshal(o.Example, &parameters))
			}
			query := make(url.Values)
			for name, value := range parameters {
				query.Set(name, fmt.Sprint(value))
			}
			status, body := steer(t, s, o.Method, path+"?"+query.Encode(), "")
			assert.Equal(t, 200, status, "%s: %s", path, body)
			if path != "" && path != "health" {
				status, _ = steer(t, s, o.Method, path+"?nonsense=1", "")
				assert.Equal(t, 400, status, path)
			}
			continue
		}
		status, body := steer(t, s, o.Method, path, example)
		assert.Less(t, status, 300, "%s %s: %s", path, example, body)
		status, body = steer(t, s, o.Method, path, `{"nonsense":1}`)
		assert.Equal(t, 400, status, "%s: %s", path, body)
	}
	s.ClearFaults()
}

// TestControlAPIEffects uses the control API as a test suite in another language does, and
// checks each effect through the API or by reading it.
func TestControlAPIEffects(t *testing.T) {
	s, d := controlled(t, at(noon))
	left := func() string { return d.get(t, "/account").header.Get("X-RateLimit-Remaining") }
	steered(t, s, "quota", `{"key":"`+sandbox.TestKey+`","class":"read","remaining":3}`)
	assert.Equal(t, "2", left())
	assert.JSONEq(t, `{"now":"2026-03-11T01:00:00.623Z","ahead":46800.5}`, steered(t, s, "clock", `{"seconds":46800.5}`))
	assert.Equal(t, "999", left(), "another window")
	steered(t, s, "clock", `{"seconds":"1h1s"}`)
	assert.Contains(t, steered(t, s, "clock", `{"seconds":"2d1h"}`), `"now":"2026-03-13T03:00:01.623Z"`)
	steered(t, s, "clock", `{"to":"2090-01-01T00:00:00Z"}`)
	assert.Equal(t, "Sun, 01 Jan 2090 00:00:00 GMT", d.get(t, "/account").header.Get("Date"))

	steered(t, s, "keys", `{"token":"sk_live_new","scope":"read","expires":"2090-01-01T03:00:00Z","organization":"acme"}`)
	assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", "sk_live_new").status)
	_, body := steer(t, s, http.MethodGet, "clock?seconds=86400", "")
	assert.Contains(t, body, `"at":"2090-01-01T03:00:00.000Z","kind":"key"`)
	steered(t, s, "keys/revoke", `{"token":"sk_live_new"}`)
	assert.Equal(t, 401, d.do(t, http.MethodGet, "/api/v1/account", "sk_live_new").status)

	steered(t, s, "plan", `{"key":"sk_live_sandbox","used":5,"limit":6}`)
	steered(t, s, "plan", `{"key":"sk_live_sandbox","used":7,"limit":-1}`)
	account, err := s.LiveClient().Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{7, 6, false}, []any{account.Usage.AssessmentsUsed, account.Usage.AssessmentsLimit, account.Plan.LimitsEnforced})
	invitation := steeredID(t, s, "invitations", `{"assessment_id":"`+steeredID(t, s, "assessments", `{"name":"Backend"}`, "assessment_id")+`","email":"ada@candidates.test","name":"Ada"}`, "invitation_id")
	plain := string(d.get(t, "/account").Data)
	steered(t, s, "settings", `{"drift":true}`)
	assert.NotEqual(t, plain, string(d.get(t, "/account").Data))
	assert.JSONEq(t, `{"since_on":"submitted","timeline":{"open":3600,"begin":0,"submit":0,"evaluate":0},"drift":false,"archives":false}`,
		steered(t, s, "settings", `{"drift":false,"archives":false,"since_on":"submitted","timeline":{"open":"1h"}}`))
	steeredID(t, s, "invitations", `{"assessment_id":"`+steeredID(t, s, "assessments", `{"name":"Second"}`, "assessment_id")+`","email":"bob@candidates.test","name":"Bob"}`, "invitation_id")
	_, clock := steer(t, s, http.MethodGet, "clock?seconds=1d", "")
	assert.Contains(t, clock, `"kind":"opened"`, "invitations follow the timeline from then on")

	steered(t, s, "invitations/"+invitation+"/open", "")
	submission := steeredID(t, s, "invitations/"+invitation+"/begin", "", "submission_id")
	steered(t, s, "submissions/"+submission+"/events", `{"kind":"ai_prompt","payloads":[{"text":"a"},{"text":"b"}]}`)
	steered(t, s, "submissions/"+submission+"/submit", "")
	steered(t, s, "submissions/"+submission+"/evaluate", `{"ship_score":70,"report_delay":"1h","low_confidence":["craft"],"summary":"s","extra":{"percentile":7.5}}`)
	get := func() hiring.Submission {
		got, err := s.LiveClient().Submissions.Get(t.Context(), submission)
		require.NoError(t, err)
		return got
	}
	assert.Equal(t, []any{false, true}, []any{get().Report.Evaluated, get().WorkspaceArchiveURL == nil})
	_, clock = steer(t, s, http.MethodGet, "clock?seconds=1h", "")
	assert.Contains(t, clock, `"kind":"report"`, "a late report becomes ready")
	_, candidate := steer(t, s, http.MethodGet, "candidates/"+invitation, "")
	assert.Regexp(t, `"report_at":"2090-01-01T01:`, candidate)
	steered(t, s, "clock", `{"seconds":3600}`)
	steered(t, s, "settings", `{"archives":true}`)
	r := get().Report
	assert.Equal(t, []any{70, "s", 2, 7.5, true}, []any{*r.ShipScore, r.Summary, r.Facts.AIExchangeCount, *r.Percentile, get().WorkspaceArchiveURL != nil})
	steered(t, s, "submissions/"+submission+"/evaluate", `{"ship_score":null,"pillars":{"craft":null,"rigor":0}}`)
	r = get().Report
	assert.Equal(t, []any{true, "", true, 0}, []any{r.ShipScore == nil, string(r.Verdict), r.Pillars[1].Score == nil, *r.Pillars[3].Score}, "null never becomes 0")
	steered(t, s, "submissions/"+submission+"/evaluate", `{"verdict":"no"}`)
	assert.Equal(t, []any{50, "no"}, []any{*get().Report.ShipScore, string(get().Report.Verdict)}, "a score that fits")
	_, mails := steer(t, s, http.MethodGet, "mails", "")
	assert.Contains(t, mails, `"email":"ada@candidates.test"`)
}

// TestConflictsAreNoMistakes takes a step that the state does not allow.
func TestConflictsAreNoMistakes(t *testing.T) {
	s, _ := controlled(t)
	invitation, err := s.Invite(s.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	require.NoError(t, s.Open(invitation))
	status, body := steer(t, s, http.MethodPost, "invitations/"+invitation+"/open", "")
	assert.Equal(t, 409, status)
	assert.Contains(t, body, `"CONFLICT"`)
	assert.Contains(t, body, "opened before")
}

// TestControlAPIMistakes sends wrong inputs. Each response says what to send, without Go's
// words.
func TestControlAPIMistakes(t *testing.T) {
	s, _ := controlled(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "nothing", "", 404, "no such path"},
		{"POST", "", "", 404, "GET /_sandbox/ lists all"},
		{"GET", "reset", "", 405, "use POST"},
		{"OPTIONS", "reset", "", 405, "use POST"},
		{"POST", "invitations/nobody/begin", "", 404, "no such id"},
		{"POST", "submissions/nobody/evaluate", "", 404, "no such id"},
		{"POST", "quota", "{", 400, "not valid JSON"},
		{"POST", "quota", "{} {}", 400, "not valid JSON"},
		{"POST", "quota", "[]", 400, "send a JSON object"},
		{"POST", "quota", "null", 400, "send a JSON object"},
		{"POST", "quota", `{"KEY":1}`, 400, `KEY: there is no such member`},
		{"POST", "quota", `{"key":"a","key":"b"}`, 400, `key: the member is given twice`},
		{"POST", "quota", `{"key":"sk_test_sandbox","class":"read"}`, 400, "remaining: must be from 0 to 1000"},
		{"POST", "quota", `{"key":"sk_test_sandbox","class":"read","remaining":1001}`, 400, "remaining: must be from 0 to 1000"},
		{"POST", "quota", `{"key":"sk_test_sandbox","class":"all","remaining":1}`, 400, `class: must be read or write`},
		{"POST", "quota", `{"key":"sk_test_x","class":"read","remaining":1}`, 400, "knows no such key"},
		{"POST", "plan", `{"key":"sk_test_sandbox","used":1,"limit":1}`, 400, "key: the account of test mode never changes"},
		{"POST", "plan", `{"key":"sk_live_sandbox","limit":1}`, 400, "used: must be a number from 0"},
		{"POST", "plan", `{"key":"sk_live_sandbox","used":1}`, 400, "limit: is required"},
		{"POST", "clock", `{}`, 400, "give seconds or to"},
		{"POST", "clock", `{"seconds":1,"to":"2090-01-01T00:00:00Z"}`, 400, "not both"},
		{"POST", "clock", `{"seconds":-1}`, 400, "does not go back"},
		{"POST", "clock", `{"to":"2001-01-01T00:00:00Z"}`, 400, "does not go back"},
		{"POST", "clock", `{"seconds":"soon"}`, 400, "give a number of seconds, or a text like"},
		{"POST", "clock", `{"seconds":1e300}`, 400, "give a number of seconds"},
		{"POST", "clock", `{"seconds":"-2d"}`, 400, "give a number of seconds"},
		{"POST", "clock?seconds=5", "", 400, "in the body, not in the query"},
		{"POST", "keys", `{"token":"sk_live_a b"}`, 400, "token: must be sk_test_"},
		{"POST", "keys", `{"token":"sk_live_` + strings.Repeat("a", 300) + `"}`, 400, "token: must be"},
		{"POST", "keys", `{"token":"sk_test_x","scope":"root"}`, 400, `scope: must be read, write or admin`},
		{"POST", "keys", `{"token":"sk_test_x","expires":"soon"}`, 400, "expires: give a time like"},
		{"POST", "keys/revoke", `{"token":"sk_test_x"}`, 400, "knows no such key"},
		{"POST", "keys/restore", `{"token":"sk_test_sandbox"}`, 400, "token: the server knows no such revoked key"},
		{"POST", "faults", `{"route":"GET /account"}`, 400, "would do nothing"},
		{"POST", "faults", `{"route":"GET /acount","status":500}`, 400, "no operation has the route"},
		{"POST", "faults", `{"delay":"long"}`, 400, "give a number of seconds, or a text like"},
		{"POST", "faults", `{"status":500,"retry_after":-1}`, 400, "must not be negative"},
		{"POST", "faults", `{"key":"sk_live_nobody","status":500}`, 400, "knows no such key"},
		{"POST", "faults/clear", `{"id":1}`, 404, "no such id"},
		{"POST", "faults/clear", `{"id":1,"key":"sk_live_sandbox"}`, 400, "not both"},
		{"POST", "reset", `{"key":"sk_live_nobody"}`, 400, "knows no such key"},
		{"POST", "reset", `{"key":5}`, 400, "give a text"},
		{"POST", "assessments", `{"name":""}`, 400, "name: must not be empty"},
		{"POST", "settings", `{"timeline":5}`, 400, "give an object"},
		{"POST", "settings", `{"timeline":{"open":-5}}`, 400, "must not be negative"},
		{"POST", "settings", `{"drift":"yes"}`, 400, "give true or false"},
		{"POST", "settings", `{"since_on":"graded"}`, 400, "must be created, submitted or evaluated"},
		{"POST", "submissions/x/evaluate", `{"score":1}`, 400, "score: there is no such member"},
		{"POST", "submissions/x/evaluate", `{"ship_score":82.5}`, 400, "ship_score: give a whole number or null"},
		{"POST", "submissions/x/evaluate", `{"ship_score":101}`, 400, "ship_score: must be from 0 to 100"},
		{"POST", "submissions/x/events", `{"kind":"k","payloads":{}}`, 400, "give an array"},
		{"POST", "quota", `{"key":"` + strings.Repeat("x", 1<<20) + `"}`, 400, "longer than 1048576 bytes"},
		{"GET", "journal?key=sk_live_nobody", "", 400, "knows no such key"},
		{"GET", "journal?after=1&before=2", "", 400, "not both"},
		{"GET", "journal?status=strange", "", 400, "must be a status such as 404"},
		{"GET", "journal?limit=1&limit=2", "", 400, "given twice"},
		{"GET", "journal?limit=%zz", "", 400, "malformed"},
		{"GET", "journal?limit=many", "", 400, "give a whole number"},
		{"GET", "journal?limit=0", "", 400, "from 1 to 10000"},
		{"GET", "journal?details=perhaps", "", 400, "give true or false"},
		{"GET", "events?after=never", "", 400, "give a whole number"},
		{"GET", "events?status=strange", "", 400, "must be a status such as 404"},
		{"GET", "candidates?limit=0", "", 400, "must be at least 1"},
		{"GET", "candidates?sort=size", "", 400, "sort: must be oldest, name or score"},
		{"GET", "candidates?stage=lost", "", 400, "must be sent, opened"},
		{"GET", "mails?key=sk_live_nobody", "", 400, "knows no such key"},
	} {
		status, body := steer(t, s, c.method, c.path, c.body)
		assert.Equal(t, c.status, status, "%s %s %.100s: %s", c.method, c.path, c.body, body)
		var answer struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		require.NoError(t, json.Unmarshal([]byte(body), &answer), body)
		assert.Contains(t, answer.Error.Message, c.says)
		for _, goWord := range []string{"Go value", "struct", "unmarshal", "server."} {
			assert.NotContains(t, body, goWord)
		}
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", ";"} {
		status, body := steer(t, s, http.MethodPost, "clock", `{"seconds":1}`, func(r *http.Request) { r.Header.Set("Content-Type", kind) })
		assert.Equal(t, 400, status, kind)
		assert.Contains(t, body, "Content-Type: application/json")
	}
	status, _ := steer(t, s, http.MethodPost, "clock", `{"seconds":1}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") })
	assert.Equal(t, 200, status)
	assert.Empty(t, steered(t, s, "faults/clear", "{}"), "an empty object counts as no body")
}

// TestSuitesShareAServer uses two keys whose redactions are equal.
func TestSuitesShareAServer(t *testing.T) {
	const alpha, bravo = "sk_live_alpha_2026", "sk_live_bravo_2026"
	s := sandbox.Start(t, sandbox.WithKey(sandbox.Key{Token: alpha, Organization: "alpha"}),
		sandbox.WithKey(sandbox.Key{Token: bravo, Organization: "bravo"}))
	d := inProcess(s)
	type journal struct {
		Entries []struct{ Number, Repeats int }
	}
	type faults struct{ Faults []struct{ Waiting bool } }
	for _, key := range []string{alpha, bravo} {
		posting := steeredID(t, s, "assessments", `{"name":"Backend","key":"`+key+`"}`, "assessment_id")
		populate(t, s, posting, 3)
		steered(t, s, "faults", `{"key":"`+key+`","status":418,"skip":100}`)
		require.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", key).status)
	}
	steered(t, s, "reset", `{"key":"`+bravo+`"}`)
	for key, want := range map[string]int{alpha: 1, bravo: 0} {
		assert.Len(t, readControl[journal](t, s, "journal?key="+key).Entries, want)
		assert.Len(t, readControl[struct{ Mails []any }](t, s, "mails?key="+key).Mails, 3*want)
		assert.Len(t, readControl[struct{ Candidates []any }](t, s, "candidates?key="+key).Candidates, 3*want)
		assert.Equal(t, want == 1, readControl[faults](t, s, "faults?key="+key).Faults[0].Waiting)
		assert.Equal(t, fmt.Sprint(999-want), d.do(t, http.MethodGet, "/api/v1/account", key).header.Get("X-RateLimit-Remaining"))
	}
	steered(t, s, "journal/clear", `{"key":"`+bravo+`"}`)
	assert.Empty(t, readControl[journal](t, s, "journal?key="+bravo).Entries)
	assert.Len(t, readControl[journal](t, s, "journal?key="+alpha).Entries, 2)
	s.ClearFaults()
}

// populate adds candidates at all stages to an assessment.
func populate(t *testing.T, s *sandbox.Server, posting string, count int) {
	t.Helper()
	for n := range count {
		email, name := fmt.Sprintf("candidate-%d@candidates.test", n), fmt.Sprintf("Candidate %d", n)
		if n%5 == 4 {
			_, err := s.AddResult(posting, email, sandbox.Result{})
			require.NoError(t, err)
			continue
		}
		id, err := s.Invite(posting, email, name)
		require.NoError(t, err)
		if n%5 == 1 {
			require.NoError(t, s.Open(id))
		}
		if n%5 > 1 {
			id, err = s.Begin(id)
			require.NoError(t, err)
		}
		if n%5 == 3 {
			require.NoError(t, s.Submit(id))
		}
	}
}

// TestFaultsAreShown reads a fault in each state, waiting ones first.
func TestFaultsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := controlled(t)
		steered(t, s, "faults", `{"route":"GET /account","status":503,"delay":"1ms","times":2}`)
		d.send(t.Context(), t, http.MethodGet, "/account", "")
		_, body := steer(t, s, http.MethodGet, "faults", "")
		assert.JSONEq(t, `{"faults":[{"id":1,"waiting":true,"fired":1,"last":"2000-01-01T00:00:00.000Z","times_left":1,"fault":{"route":"GET /account","times":2,"status":503,"delay":0.001}}]}`, body)
		s.Advance(time.Hour)
		d.send(t.Context(), t, http.MethodGet, "/account", "")
		_, body = steer(t, s, http.MethodGet, "faults", "")
		assert.Contains(t, body, `"fired":2,"last":"2000-01-01T01:00:00.001Z"`)
		for range 2 {
			steered(t, s, "faults", `{"route":"GET /members","status":500,"times":-1}`)
		}
		steered(t, s, "faults/clear", `{"id":2}`)
		var states []string
		for _, f := range readControl[struct {
			Faults []struct {
				ID      int
				Waiting bool
			}
		}](t, s, "faults").Faults {
			states = append(states, fmt.Sprint(f.ID, " ", f.Waiting))
		}
		assert.Equal(t, []string{"3 true", "2 false", "1 false"}, states)
		s.ClearFaults()
	})
}

// TestKeysAreShown reads keys that are valid, expired and revoked, and sets a rate limit by the id of a
// key.
func TestKeysAreShown(t *testing.T) {
	s, _ := controlled(t)
	s.AddKey(sandbox.Key{Token: "sk_test_old_key", Scope: sandbox.ScopeRead, Expires: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)})
	s.RevokeKey(sandbox.WriteKey)
	type key struct {
		ID, Token, State string
		Expires, Revoked *string
		Read             struct{ Remaining int }
		Plan             *struct{ Limit int }
	}
	read := func() (tokens []string, all map[string]key) {
		all = make(map[string]key)
		for _, k := range readControl[struct{ Keys []key }](t, s, "keys").Keys {
			tokens, all[k.Token] = append(tokens, k.Token), k
		}
		return tokens, all
	}
	tokens, all := read()
	assert.Equal(t, []string{sandbox.LiveKey, "sk_test_old_key", sandbox.TestKey, sandbox.ReadOnlyKey, sandbox.WriteKey}, tokens)
	assert.NotContains(t, []*string{all["sk_test_old_key"].Expires, all[sandbox.WriteKey].Revoked}, (*string)(nil))
	assert.Equal(t, []any{2000, "valid", "expired", "revoked"}, []any{all[sandbox.LiveKey].Plan.Limit, all[sandbox.LiveKey].State, all["sk_test_old_key"].State, all[sandbox.WriteKey].State})
	steered(t, s, "quota", `{"key":"`+all[sandbox.LiveKey].ID+`","class":"read","remaining":7}`)
	_, all = read()
	assert.Equal(t, 7, all[sandbox.LiveKey].Read.Remaining)
	s.Advance(25 * time.Hour)
	s.RevokeKey(sandbox.ReadOnlyKey)
	tokens, _ = read()
	assert.NotContains(t, tokens, sandbox.WriteKey, "a day later")
}

// TestAKeyIsRestored with its rate limits, and the action is undone like others.
func TestAKeyIsRestored(t *testing.T) {
	s, d := controlled(t)
	account := func() apiResponse { return d.do(t, http.MethodGet, "/api/v1/account", sandbox.LiveKey) }
	s.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 3)
	assert.Equal(t, "2", account().header.Get("X-RateLimit-Remaining"))
	s.RevokeKey(sandbox.LiveKey)
	assert.Equal(t, 401, account().status)
	steered(t, s, "snapshots", "")
	steered(t, s, "keys/restore", `{"token":"sk_live_sandbox"}`)
	steered(t, s, "snapshots/1/end", "")
	assert.Equal(t, "1", account().header.Get("X-RateLimit-Remaining"), "the window goes on")
	_, body := steer(t, s, http.MethodGet, "journal", "")
	assert.Contains(t, body, `"kind":"Key restored","subject":"sk_live_…dbox"`)
	steered(t, s, "snapshots/1/restore", "")
	assert.Equal(t, 401, account().status)
}

// TestUndoneActionsGiveNoRequestsBack: the reads of a program count, whatever is undone before or after them.
func TestUndoneActionsGiveNoRequestsBack(t *testing.T) {
	s, d := controlled(t)
	remaining := func() string {
		return d.do(t, http.MethodGet, "/api/v1/account", sandbox.LiveKey).header.Get("X-RateLimit-Remaining")
	}
	assert.Equal(t, "999", remaining())
	steered(t, s, "snapshots", "")
	s.Inject(sandbox.Fault{Status: 404, Route: "GET /members"})
	steered(t, s, "snapshots/1/end", "")
	assert.Equal(t, 404, d.do(t, http.MethodGet, "/api/v1/members", sandbox.LiveKey).status, "before it is counted")
	assert.Equal(t, "998", remaining())
	steered(t, s, "snapshots/1/restore", "")
	assert.Equal(t, "997", remaining())
	steered(t, s, "snapshots", "")
	s.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
	steered(t, s, "snapshots/2/end", "")
	remaining()
	_, body := steer(t, s, http.MethodGet, "clock?seconds=3600", "")
	assert.Regexp(t, `"kind":"read","subject":"[0-9a-f]{16}"`, body, "the reads come back")
	steered(t, s, "snapshots/2/restore", "")
	assert.Equal(t, "996", remaining(), "a refused read used none")
	_, body = steer(t, s, http.MethodGet, "clock?seconds=3600", "")
	assert.Contains(t, body, `"upcoming":[]`)
}

// TestCandidatesAreFound finds candidates by stage and text, and reads one in full.
func TestCandidatesAreFound(t *testing.T) {
	s := sandbox.Start(t)
	posting := s.AddAssessment("Backend")
	populate(t, s, posting, 100)
	type candidate struct {
		ID           string
		SubmissionID *string `json:"submission_id"`
		Name         string  `json:"candidate_name"`
		ShipScore    *int    `json:"ship_score"`
		Ended        string
		Stage        string
		Steps        []string
		Report       map[string]any
	}
	type list struct {
		Candidates []candidate
		Counts     map[string]int
	}
	all := readControl[list](t, s, "candidates?assessment_id="+posting)
	require.Len(t, all.Candidates, 100)
	assert.Equal(t, all.Candidates[:10], readControl[list](t, s, "candidates?limit=10").Candidates)
	for _, stage := range []string{"sent", "opened", "started", "submitted", "evaluated"} {
		assert.Positive(t, all.Counts[stage])
		assert.Len(t, readControl[list](t, s, "candidates?stage="+stage).Candidates, all.Counts[stage], stage)
	}
	assert.Empty(t, readControl[list](t, s, "candidates?text=nobody+of+this+name").Candidates)
	assert.Contains(t, readControl[list](t, s, "candidates?text="+url.QueryEscape(strings.ToUpper(all.Candidates[3].Name))).Candidates, all.Candidates[3])
	names := make(map[string]bool)
	for _, c := range all.Candidates {
		names[c.Name] = true
		full := readControl[candidate](t, s, "candidates/"+c.ID)
		if c.SubmissionID != nil {
			assert.NotEmpty(t, full.Report)
		}
		want := map[string]string{"sent": "open begin revoke", "opened": "begin revoke", "started": "submit events evaluate", "submitted": "evaluate", "evaluated": "evaluate"}[c.Stage]
		assert.Equal(t, want, strings.Join(c.Steps, " "), c.Stage)
	}
	assert.Greater(t, len(names), 90, "believable names")
	in := func(order string) []candidate { return readControl[list](t, s, "candidates?sort="+order).Candidates }
	opened := readControl[list](t, s, "candidates?stage=opened").Candidates[0]
	s.Advance(time.Minute)
	steered(t, s, "invitations/"+opened.ID+"/begin", "")
	assert.Equal(t, opened.ID, in("")[0].ID)
	oldest := in("oldest")
	assert.Less(t, slices.IndexFunc(oldest, func(c candidate) bool { return c.ID == all.Candidates[99].ID }), 100)
	assert.True(t, slices.IsSortedFunc(in("name"), func(a, b candidate) int { return strings.Compare(a.Name, b.Name) }))
	assert.True(t, slices.IsSortedFunc(in("score"), func(a, b candidate) int {
		return cmp.Compare(*cmp.Or(b.ShipScore, new(-1)), *cmp.Or(a.ShipScore, new(-1)))
	}))
	_, err := s.LiveClient().Assessments.Close(t.Context(), posting)
	require.NoError(t, err)
	sent := readControl[list](t, s, "candidates?stage=sent").Candidates[0]
	assert.Equal(t, "closed", sent.Ended)
	s.Advance(60 * 24 * time.Hour)
	assert.Equal(t, "expired", readControl[candidate](t, s, "candidates/"+sent.ID).Ended)
	steered(t, s, "invitations/"+sent.ID+"/revoke", "")
	assert.Equal(t, "revoked", readControl[candidate](t, s, "candidates/"+sent.ID).Ended)
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
