package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// oddServer is a server that differs from the documentation or from the assumptions.
type oddServer struct {
	dialect hiring.Dialect
	options []sandbox.Option

	// instead answers a request instead of the sandbox and reports true, or reports false. n
	// counts the requests from 1. It may change the request.
	instead func(w http.ResponseWriter, r *http.Request, n int) bool

	// change changes a response's JSON and its status. It is not called for the document.
	change func(r *http.Request, status *int, body any) any

	wrong []string // Findings that must be wrong. Nil: the commands work, and doctor must not find them wrong.
	short []string // Instead of wrong for the live key, whose lists are short and whose writes are not tried; nil if not another.
	code  int      // Doctor's exit status unless the commands work; 0 means 1.
}

func noDocument(w http.ResponseWriter, r *http.Request, _ int) bool {
	return strings.HasSuffix(r.URL.Path, "/openapi.json") && respond(w, 404, `{"error":{"code":"NOT_FOUND","message":"There is none.","request_id":"req_1"}}`)
}

// respond sends a response of the API and returns true.
func respond(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("X-Request-Id", "req_1")
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "3600") // Commands would wait a shorter time.
	}
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
	return true
}

// from answers every request from the nth on.
func from(nth, status int, body string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, n int) bool { return n >= nth && respond(w, status, body) }
}

// renamed gives a parameter of a request another value or none.
func query(change func(r *http.Request, q map[string][]string)) func(http.ResponseWriter, *http.Request, int) bool {
	return func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		q := r.URL.Query()
		change(r, q)
		r.URL.RawQuery = q.Encode()
		return false
	}
}

type members = map[string]any

// everywhere calls f with each object in a JSON value, the innermost first.
func everywhere(value any, f func(members)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			everywhere(item, f)
		}
	case members:
		for _, inner := range v {
			everywhere(inner, f)
		}
		f(v)
	}
}

// times changes every time in a response.
func times(f func(time.Time) any) func(*http.Request, *int, any) any {
	return func(_ *http.Request, _ *int, body any) any {
		everywhere(body, func(o members) {
			for name, value := range o {
				text, _ := value.(string)
				if at, err := time.Parse(time.RFC3339, text); err == nil && strings.HasSuffix(name, "_at") {
					o[name] = f(at)
				}
			}
		})
		return body
	}
}

// meta changes the meta of every list.
func meta(f func(members)) func(*http.Request, *int, any) any {
	return func(_ *http.Request, _ *int, body any) any {
		o, _ := body.(members)
		if _, list := o["data"].([]any); list {
			f(o["meta"].(members))
		}
		return body
	}
}

// reports changes every report.
func reports(f func(members)) func(*http.Request, *int, any) any {
	return func(_ *http.Request, _ *int, body any) any {
		everywhere(body, func(o members) {
			if _, isReport := o["ship_score"]; isReport {
				f(o)
			}
		})
		return body
	}
}

// errors replaces every error.
func replaceErrors(f func(r *http.Request, status *int, e members) any) func(*http.Request, *int, any) any {
	return func(r *http.Request, status *int, body any) any {
		if o, _ := body.(members); o["error"] != nil {
			return f(r, status, o["error"].(members))
		}
		return body
	}
}

// works is oddServer.short where the commands work.
var works = []string{""} //nolint:gochecknoglobals // a constant

const signInPage = "<html><title>Sign in</title>"

var oddServers = map[string]oddServer{ //nolint:gochecknoglobals // a constant table
	// These work.
	"as assumed":            {},
	"no document":           {instead: noDocument, short: []string{}},
	"unknown fields":        {options: []sandbox.Option{sandbox.WithDrift(7)}},
	"since is evaluation":   {options: []sandbox.Option{sandbox.WithSinceOn(sandbox.SinceEvaluated)}},
	"long rate limit":       {options: []sandbox.Option{sandbox.WithQuota(5000, 5000)}},
	"no rate-limit headers": {instead: nil, change: nil, wrong: []string{"rate-limit headers"}},

	// Names.
	"other names":                 {dialect: renamedDialect, wrong: []string{"PageParam", "CursorParam", "SinceLayout", "ListAssessments"}},
	"usual names, no document":    {dialect: hiring.Dialect{PageParam: "p", PageSizeParam: "limit", CursorParam: "after"}, instead: noDocument, wrong: []string{"PageParam", "PageSizeParam", "CursorParam"}},
	"unusual names, no document":  {dialect: hiring.Dialect{PageParam: "leaf", CursorParam: "whence"}, instead: noDocument, wrong: []string{"PageParam", "CursorParam"}},
	"unusual routes, no document": {dialect: hiring.Dialect{ListAssessments: "GET /vacancies", ListChallenges: "GET /riddles"}, instead: noDocument, wrong: []string{"ListAssessments", "ListChallenges"}},
	"another invitation":          {dialect: hiring.Dialect{InvitationEmail: "email", InvitationName: "name"}, wrong: []string{"InvitationEmail", "InvitationName"}},

	// Times.
	"times without a zone":  {change: times(func(at time.Time) any { return at.UTC().Format("2006-01-02T15:04:05.000") }), wrong: []string{"submission"}},
	"times as Unix seconds": {change: times(func(at time.Time) any { return at.Unix() }), wrong: []string{"submission"}},
	"times as dates":        {change: times(func(at time.Time) any { return at.UTC().Format(time.DateOnly) }), wrong: []string{"submission"}},

	// Shapes.
	"scores as text":       {change: reports(func(o members) { o["ship_score"] = fmt.Sprint(o["ship_score"]) }), wrong: []string{"submission"}},
	"scores are missing":   {change: reports(func(o members) { o["score"] = o["ship_score"]; delete(o, "ship_score") }), wrong: []string{"report"}},
	"scores are fractions": {change: reports(func(o members) { o["ship_score"] = 0.57 }), wrong: []string{"submission"}},
	"pillars by name":      {change: reports(func(o members) { o["pillars"] = members{"craft": 57} }), wrong: []string{"submission"}},
	"ids as numbers": {change: func(_ *http.Request, _ *int, body any) any {
		everywhere(body, func(o members) {
			if _, has := o["id"]; has {
				o["id"] = 7
			}
		})
		return body
	}, wrong: []string{"account"}},
	"items in data": {change: func(_ *http.Request, _ *int, body any) any {
		if o, _ := body.(members); o["data"] != nil {
			if list, ok := o["data"].([]any); ok {
				o["data"] = members{"items": list}
			}
		}
		return body
	}, wrong: []string{"submission"}},
	"no envelope": {change: func(_ *http.Request, _ *int, body any) any {
		if o, _ := body.(members); o["data"] != nil {
			return o["data"]
		}
		return body
	}, wrong: []string{"account"}},

	// Pages.
	"pages from 0": {change: meta(func(m members) {
		if page, ok := m["page"].(float64); ok {
			m["page"] = page - 1
		}
	}), wrong: []string{"list shape"}},
	"the cursor is lost": {change: meta(func(m members) {
		if m["next_cursor"] != nil {
			delete(m, "next_cursor")
			m["has_more"] = true
		}
	}), wrong: []string{"submission"}},
	"no has_more and no cursor": {change: meta(func(m members) {
		delete(m, "has_more")
		delete(m, "next_cursor")
		delete(m, "total")
	}), wrong: []string{"list shape"}, short: works},
	"pages of 50 at most": {instead: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		n, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
		return n > 50 && !strings.HasSuffix(r.URL.Path, "/events") && respond(w, 400, `{"error":{"code":"INVALID_INPUT","message":"Not valid.","request_id":"req_1",
			"details":{"formErrors":[],"fieldErrors":{"page_size":["must be at most 50"]}}}}`)
	}, wrong: []string{"page sizes"}},
	"pages of 10, silently": {instead: query(func(r *http.Request, q map[string][]string) {
		if n, _ := strconv.Atoi(r.URL.Query().Get("page_size")); n > 10 && strings.HasSuffix(r.URL.Path, "/submissions") {
			q["page_size"] = []string{"10"}
		}
	}), wrong: []string{"page sizes"}},
	"the cursor is ignored": {instead: query(func(_ *http.Request, q map[string][]string) { delete(q, "cursor") }), wrong: []string{"CursorParam"}},
	"the page is ignored":   {instead: query(func(_ *http.Request, q map[string][]string) { delete(q, "page") }), wrong: []string{"PageParam"}},
	"since_seq is ignored":  {instead: query(func(_ *http.Request, q map[string][]string) { delete(q, "since_seq") }), wrong: []string{"event"}},

	// Filters.
	"the status filter is ignored": {instead: query(func(_ *http.Request, q map[string][]string) { delete(q, "status") }), wrong: []string{"status filter"}},
	"since is ignored": {instead: func(w http.ResponseWriter, r *http.Request, n int) bool {
		return noDocument(w, r, n) || query(func(_ *http.Request, q map[string][]string) { delete(q, "since") })(w, r, n)
	}, wrong: []string{"SinceLayout"}},

	// Errors.
	"404 as 200 without data": {change: replaceErrors(func(_ *http.Request, status *int, _ members) any {
		*status = 200
		return members{"data": nil, "meta": members{"request_id": "req_1"}}
	}), wrong: []string{"error envelope"}},
	"errors of another shape": {change: replaceErrors(func(_ *http.Request, _ *int, e members) any {
		return members{"message": e["message"], "statusCode": 404}
	}), wrong: []string{"error envelope"}},
	"errors as text":      {change: replaceErrors(func(_ *http.Request, _ *int, e members) any { return e["message"] }), wrong: []string{"error envelope"}},
	"errors of web pages": {change: replaceErrors(func(_ *http.Request, _ *int, _ members) any { return "<html>Not found" }), wrong: []string{"error envelope"}},
	"codes in lower case": {change: replaceErrors(func(_ *http.Request, _ *int, e members) any {
		e["code"] = strings.ToLower(e["code"].(string))
		return members{"error": e}
	}), wrong: []string{"error envelope"}},
	"an unknown id is 400": {change: replaceErrors(func(_ *http.Request, status *int, e members) any {
		*status, e["code"] = 400, "INVALID_INPUT"
		return members{"error": e}
	}), wrong: []string{"error envelope"}},
	"reports are 500": {instead: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		return strings.HasSuffix(r.URL.Path, "/report") &&
			respond(w, 500, `{"error":{"code":"INTERNAL_ERROR","message":"Something failed.","request_id":"req_1"}}`)
	}, wrong: []string{"report"}},

	// Keys, limits and intermediaries.
	"the key is revoked": {instead: from(6, 401, `{"error":{"code":"INVALID_TOKEN","message":"The key is not valid.","request_id":"req_1"}}`),
		wrong: []string{"key"}, code: exitAuth},
	"rate limited": {instead: from(1, 429, `{"error":{"code":"RATE_LIMITED","message":"Too many requests.","request_id":"req_1"}}`), wrong: []string{}, code: exitQuota},
	"rate limited later": {instead: from(8, 429, `{"error":{"code":"RATE_LIMITED","message":"Too many requests.","request_id":"req_1"}}`),
		wrong: []string{}, code: exitQuota},
	"a sign-in page":        {instead: from(1, 200, signInPage), wrong: []string{"proxy"}},
	"a sign-in page, later": {instead: from(7, 200, signInPage), wrong: []string{"proxy"}},
	"a bad gateway":         {instead: from(1, 502, "<html>502"), wrong: []string{"proxy"}},
}

// oddHandler returns the handler of an odd server, and the writes that it receives.
func (o oddServer) handler(name string, service http.Handler) (handler http.Handler, writes func() []string) {
	var mu sync.Mutex
	var written []string
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		nth := n
		if r.Method != http.MethodGet {
			written = append(written, r.Method+" "+r.URL.Path)
		}
		mu.Unlock()
		if o.instead != nil && o.instead(w, r, nth) {
			return
		}
		recorded := httptest.NewRecorder()
		service.ServeHTTP(recorded, r)
		status, text := recorded.Code, recorded.Body.Bytes()
		var body any
		if o.change != nil && !strings.HasSuffix(r.URL.Path, "/openapi.json") && json.Unmarshal(text, &body) == nil {
			body = o.change(r, &status, body)
			plain, isText := body.(string)
			text = []byte(plain)
			if !isText {
				text, _ = json.Marshal(body)
			}
		}
		for header, values := range recorded.Header() {
			if header != "Content-Length" && (name != "no rate-limit headers" || !strings.HasPrefix(header, "X-Ratelimit")) {
				w.Header()[header] = values
			}
		}
		w.WriteHeader(status)
		_, _ = w.Write(text)
	}), func() []string { return written }
}

// liveDataTakes is by how much withLiveData advances the clock.
const liveDataTakes = (liveCandidates - 3) * 3 * time.Minute

const liveCandidates = 24

// withLiveData adds candidates to the live data, who were invited, started, submitted and
// evaluated, or not yet.
func withLiveData(t *testing.T, s *sandbox.Server, dialect hiring.Dialect) {
	t.Helper()
	assessment, client := s.AddAssessment("Payments engineer"), s.LiveClient(hiring.WithDialect(dialect))
	for n := range liveCandidates {
		invited, err := client.Invitations.Send(t.Context(), assessment, hiring.NewInvitation{Email: fmt.Sprintf("c%d@candidates.test", n), Name: "C"})
		require.NoError(t, err)
		if n > liveCandidates-3 {
			continue // Not opened.
		}
		id, err := s.Begin(invited.ID)
		require.NoError(t, err)
		for range 4 {
			require.NoError(t, s.AppendEvents(id, "ai_prompt", `{"text":"?"}`))
			require.NoError(t, s.AppendEvents(id, "ai_response", `{"tokens":1,"model":"m"}`))
		}
		if n == liveCandidates-3 {
			continue // Not submitted.
		}
		s.Advance(time.Minute)
		require.NoError(t, s.Submit(id))
		s.Advance(time.Minute)
		require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: new(50), Verdict: "yes"}))
		s.Advance(time.Minute)
	}
}

// runAgainst runs the program in this process, over a socket.
func runAgainst(ctx context.Context, base, key string, args ...string) result {
	var stdout, stderr bytes.Buffer
	env := map[string]string{envBaseURL: base, envKey: key}
	a := &app{
		in: strings.NewReader(""), out: output.Stream{Writer: &stdout}, err: output.Stream{Writer: &stderr},
		getenv: func(name string) string { return env[name] }, zone: time.UTC,
	}
	code := a.run(ctx, args)
	return result{stdout.String(), stderr.String(), code}
}

// failingCommands returns the everyday commands that do not do what they should, with
// their outputs. The ids are those of the sandbox itself.
func failingCommands(t *testing.T, base, key string, truth *hiring.Client) (failing []string) {
	t.Helper()
	invalid := func(line string, why string) { failing = append(failing, "hiring "+line+": "+strings.TrimSpace(why)) }
	run := func(line string, code int) string {
		if len(failing) > 0 {
			return "" // Enough.
		}
		got := runAgainst(t.Context(), base, key, strings.Fields(line)...)
		if got.code != code {
			invalid(line, fmt.Sprintf("exit %d: %s", got.code, got.stderr))
		}
		return got.stdout
	}
	submissions, err := truth.Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	latest := slices.IndexFunc(submissions, func(s hiring.Submission) bool { return s.Status == hiring.SubmissionEvaluated })
	submission, assessment := submissions[latest], submissions[latest].AssessmentID
	challenges, err := truth.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	run("account", exitOK)
	run("members", exitOK)
	run("challenges list", exitOK)
	run("challenges get "+challenges[0].ID, exitOK)
	run("assessments list", exitOK)
	run("assessments get "+assessment, exitOK)
	run("invitations list -a "+assessment, exitOK)
	run("submissions get "+submission.ID, exitOK)
	run("events list "+submission.ID, exitOK)
	run("submissions get "+sandbox.UnknownID, exitNotFound)
	if report := run("report "+submission.ID+" -o json", exitOK); !strings.Contains(report, `"ship_score": `+strconv.Itoa(*submission.Report.ShipScore)) {
		invalid("report", "the score is not "+strconv.Itoa(*submission.Report.ShipScore))
	}
	if n := strings.TrimSpace(run("submissions list --all --jq length", exitOK)); n != strconv.Itoa(len(submissions)) {
		invalid("submissions list", n+" of "+strconv.Itoa(len(submissions)))
	}
	if all := run("submissions list --status evaluated --all --jq .[].status", exitOK); strings.Contains(all, "started") || strings.Contains(all, "submitted") {
		invalid("submissions list --status evaluated", "other submissions are listed")
	}
	if all := run("submissions list --since 2098-01-01 --jq length", exitOK); strings.TrimSpace(all) != "0" {
		invalid("submissions list --since", all+"submissions of the future")
	}
	if key == sandbox.TestKey {
		run("invitations send --again --name Ada ada@candidates.test -a "+assessment, exitOK)
		run("assessments close "+assessment, exitOK)
	}
	return failing
}

// assertConsistent checks what holds of every report: it has all rows, it says what to do
// about each that is wrong or undecided, and it does not contradict itself.
func assertConsistent(t *testing.T, r doctor.Report) {
	t.Helper()
	rows := make(map[string]doctor.Finding)
	for _, f := range r.Findings {
		rows[f.Name] = f
		assert.NotEmpty(t, f.Evidence, f.Name)
		if f.Verdict == doctor.Wrong || f.Verdict == doctor.Undecided {
			assert.NotEmpty(t, f.Change, f.Name)
		}
	}
	assert.Len(t, rows, 40)
	assert.Equal(t, r.Stopped == "", len(r.With(doctor.NotChecked)) == 0)
	switch r.Stopped {
	case "the key was rejected":
		assert.Equal(t, doctor.Wrong, rows["key"].Verdict)
	case "the responses do not come from the API":
		assert.Equal(t, doctor.Wrong, rows["proxy"].Verdict)
	case "the server cannot be reached":
		assert.Equal(t, doctor.Wrong, rows["connection"].Verdict)
	}
}

// TestDoctorLinesFit: for people, no line is longer than 100 columns or the terminal, and
// what to change comes first.
func TestDoctorLinesFit(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"as assumed", "times without a zone", "a sign-in page", "a bad gateway", "other names", "unusual names, no document"} {
		odd := oddServers[name]
		service := sandbox.New(append(slices.Clone(odd.options), sandbox.WithDialect(odd.dialect))...)
		t.Cleanup(service.Close)
		handler, _ := odd.handler(name, service)
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		u := newUser(t, nil, "")
		u.env = append(u.env, envBaseURL+"="+server.URL, envKey+"="+sandbox.TestKey)
		some, all := u.run("doctor"), u.run("doctor", "--all")
		for line := range strings.Lines(all.stdout) {
			assert.LessOrEqual(t, len(line), 101, line)
		}
		assert.NotContains(t, some.stdout, "What holds")
		assert.Contains(t, "\n"+all.stdout, "\nWhat holds\n")
		assert.Equal(t, some.code == exitFailed, strings.HasPrefix(all.stdout, "What to change\n"), name)
	}
}

// TestDoctorAgainstOddServers: where doctor finds nothing wrong, the everyday commands
// work, and where one fails, doctor says what is wrong. Doctor never writes with a live
// key.
func TestDoctorAgainstOddServers(t *testing.T) {
	t.Parallel()
	assert.GreaterOrEqual(t, len(oddServers), 25)
	for name, odd := range oddServers {
		for _, key := range []string{sandbox.TestKey, sandbox.LiveKey} {
			t.Run(name+"/"+key, func(t *testing.T) {
				t.Parallel()
				clock := time.Now
				if key == sandbox.LiveKey { // withLiveData advances the clock.
					clock = func() time.Time { return time.Now().Add(-liveDataTakes) }
				}
				service := sandbox.New(append(slices.Clone(odd.options), sandbox.WithDialect(odd.dialect), sandbox.WithClock(clock))...)
				t.Cleanup(service.Close)
				truth := service.Client(hiring.WithDialect(odd.dialect))
				if key == sandbox.LiveKey {
					withLiveData(t, service, odd.dialect)
					truth = service.LiveClient(hiring.WithDialect(odd.dialect))
				}
				handler, writes := odd.handler(name, service)
				server := httptest.NewServer(handler)
				t.Cleanup(server.Close)

				got := runAgainst(t.Context(), server.URL, key, "doctor", "-o", "json")
				var report doctor.Report
				require.NoError(t, json.Unmarshal([]byte(got.stdout), &report), got.stderr)
				if key == sandbox.LiveKey {
					assert.Empty(t, writes(), "doctor wrote with a live key")
				}
				expected := odd.wrong
				switch short := odd.short; {
				case key != sandbox.LiveKey || short == nil:
				case len(short) == 1 && short[0] == "":
					expected = nil
				default:
					expected = short
				}
				var wrong []string
				for _, f := range report.Findings {
					if f.Verdict == doctor.Wrong {
						wrong = append(wrong, f.Name)
					}
				}
				assertConsistent(t, report)
				failing := failingCommands(t, server.URL, key, truth)
				t.Logf("exit %d, wrong: %v, %d reads, %d writes: %sfailing commands:\n%s",
					got.code, wrong, report.Reads, report.Writes, got.stderr, strings.Join(failing, "\n"))
				if expected == nil {
					assert.Equal(t, exitOK, got.code, got.stderr)
					assert.Empty(t, wrong)
				} else {
					assert.Equal(t, max(odd.code, exitFailed), got.code, got.stderr)
					assert.Subset(t, wrong, expected)
				}
				if got.code == exitOK {
					assert.Empty(t, failing, "doctor says that all is well")
				}
			})
		}
	}
}
