package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// renamedDialect has the names of a server that differs from every assumption.
var renamedDialect = hiring.Dialect{ //nolint:gochecknoglobals // a constant
	PageParam: "leaf", PageSizeParam: "heft", CursorParam: "whence", EventPageSizeParam: "bulk", SinceLayout: "20060102T150405.000Z",
	ListChallenges: "GET /riddles", ListAssessments: "GET /vacancies", GetAssessment: "GET /vacancies/{id}",
	UpdateAssessment: "PUT /vacancies/{id}/settings", ResendInvitation: "POST /vacancies/{id}/{invitation_id}/again",
	RevokeInvitation: "DELETE /vacancies/{id}/{invitation_id}", InvitationEmail: "whom", InvitationName: "title",
}

// oddServer is a server or a key that differs from the documentation or the assumptions.
type oddServer struct {
	key     string // "" means sandbox.TestKey.
	options []sandbox.Option
	quota   int // Reads that are left; 0 means the usual ones.
	dialect hiring.Dialect

	// instead answers a request instead of the sandbox and reports true, or reports false. It
	// may change the request. n counts the requests from 1.
	instead func(w http.ResponseWriter, r *http.Request, n int) bool

	code       int
	wrong      []string // The findings that are wrong.
	found      map[string]string
	notChecked []string // Some of those that are not checked.
	says       string   // In the report.
}

// respond sends a response.
func respond(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("X-Request-Id", "req_1")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

func refusal(code string) string {
	return `{"error":{"code":"` + code + `","message":"No.","request_id":"req_1"}}`
}

// from answers every request from the nth on.
func from(nth, status int, body string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, n int) bool { return n >= nth && respond(w, status, body) }
}

// at answers the requests of a path.
func at(path string, status int, body string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		return strings.HasSuffix(r.URL.Path, path) && respond(w, status, body)
	}
}

// without removes a parameter from every request.
func without(name string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		query := r.URL.Query()
		query.Del(name)
		r.URL.RawQuery = query.Encode()
		return false
	}
}

func redirect(w http.ResponseWriter, _ *http.Request, _ int) bool {
	w.Header().Set("Location", "https://login.corp.example/x?token=secret")
	return respond(w, http.StatusFound, "")
}

const signInPage = "<html><title>Sign in</title>"

var noDocument = at("/openapi.json", 404, refusal("NOT_FOUND")) //nolint:gochecknoglobals // a constant

var writeNames = []string{"UpdateAssessment", "ResendInvitation", "RevokeInvitation", "InvitationEmail", "InvitationName"} //nolint:gochecknoglobals // a constant

var oddServers = map[string]oddServer{ //nolint:gochecknoglobals // a constant table
	"as assumed": {found: map[string]string{"key": "valid", "environment": "test", "scope": "read"}},
	"empty organization": {key: sandbox.LiveKey, found: map[string]string{"environment": "live", "PageSizeParam": "page_size"},
		notChecked: []string{"SinceLayout", "GetAssessment", "CursorParam", "EventPageSizeParam"}},
	"read-only key":  {key: sandbox.ReadOnlyKey, found: map[string]string{"scope": "read"}},
	"no document":    {instead: noDocument, notChecked: writeNames, found: map[string]string{"PageParam": "page"}},
	"unknown fields": {options: []sandbox.Option{sandbox.WithDrift(7)}},

	// Names.
	"all names": {dialect: renamedDialect, code: exitFailed, wrong: []string{
		"PageSizeParam", "SinceLayout", "ListChallenges", "ListAssessments", "GetAssessment", "PageParam", "CursorParam", "EventPageSizeParam",
	}, notChecked: writeNames, says: "set Dialect.ListChallenges to the name in the server's OpenAPI document"},
	"page sizes are ignored": {instead: without("page_size"), code: exitFailed, wrong: []string{"PageSizeParam", "EventPageSizeParam"}},
	"the cursor is ignored":  {instead: without("cursor"), code: exitFailed, wrong: []string{"CursorParam"}},
	"since is ignored":       {instead: without("since"), code: exitFailed, wrong: []string{"SinceLayout"}},
	"a list of another shape": {instead: at("/challenges", 200, `{"data":{"items":[]},"meta":{"request_id":"req_1"}}`), code: exitFailed,
		wrong: []string{"ListChallenges"}, says: "update the client"},

	// Keys, limits and intermediaries.
	"unknown key": {key: "sk_test_unknown", code: exitAuth, wrong: []string{"key"}, notChecked: []string{"scope", "PageParam"}},
	"revoked key": {instead: from(6, 401, refusal("INVALID_TOKEN")), code: exitAuth, wrong: []string{"key"}, notChecked: writeNames},
	"write-only key": {instead: from(1, 403, refusal("INSUFFICIENT_SCOPE")), code: exitAuth, wrong: []string{"scope"},
		found: map[string]string{"key": "valid"}},
	"rate limit":     {instead: from(8, 429, refusal("RATE_LIMITED")), code: exitQuota, notChecked: []string{"key", "InvitationName"}},
	"used-up limit":  {quota: 2, code: exitQuota, notChecked: []string{"key", "InvitationName"}},
	"sign-in page":   {instead: from(1, 200, signInPage), code: exitFailed, wrong: []string{"proxy"}, says: "sign in to this network"},
	"later page":     {instead: from(7, 200, signInPage), code: exitFailed, wrong: []string{"proxy"}},
	"bad gateway":    {instead: from(1, 502, "<html>502"), code: exitFailed, wrong: []string{"proxy"}},
	"proxy password": {instead: from(1, 407, signInPage), code: exitFailed, wrong: []string{"proxy"}, says: "the proxy's user and password"},
	"redirect":       {instead: redirect, code: exitFailed, wrong: []string{"proxy"}},
	"no API here":    {instead: from(1, 404, refusal("NOT_FOUND")), code: exitNotFound, wrong: []string{"address"}, says: "without /api/v1"},
	"no JSON API":    {instead: from(1, 200, `{"hello":"world"}`), code: exitFailed, wrong: []string{"address"}},
}

// TestDoctorAgainstOddServers: doctor finds what is wrong, and nothing else. It sends only
// reads, and counts them.
func TestDoctorAgainstOddServers(t *testing.T) {
	t.Parallel()
	for name, odd := range oddServers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if odd.key == "" {
				odd.key = sandbox.TestKey
			}
			service := sandbox.New(append(odd.options, sandbox.WithDialect(odd.dialect))...)
			t.Cleanup(service.Close)
			if odd.quota > 0 {
				service.SetQuota(odd.key, sandbox.ClassRead, odd.quota)
			}
			n := 0
			got := runWith(t.Context(), odd.key, roundTripper(func(r *http.Request) (*http.Response, error) {
				n++
				assert.Equal(t, http.MethodGet, r.Method)
				w := httptest.NewRecorder()
				r = r.Clone(r.Context())
				r.Body = http.NoBody
				if odd.instead == nil || !odd.instead(w, r, n) {
					service.ServeHTTP(w, r)
				}
				return w.Result(), nil
			}), "doctor", "-o", "json")
			assert.Equal(t, odd.code, got.code, got.stderr)
			assert.NotContains(t, got.stdout+got.stderr, odd.key)
			assert.Contains(t, got.stdout, odd.says)
			var report doctor.Report
			require.NoError(t, json.Unmarshal([]byte(got.stdout), &report), got.stderr)
			assert.Equal(t, n, report.Reads)
			assert.LessOrEqual(t, n, 40)
			assert.Len(t, report.Findings, 19)
			var wrong []string
			for _, f := range report.Findings {
				assert.NotEmpty(t, f.Evidence, f.Name)
				if f.Verdict == doctor.Wrong {
					wrong = append(wrong, f.Name)
					assert.NotEmpty(t, f.Change, f.Name)
				}
				if found, ok := odd.found[f.Name]; ok {
					assert.Equal(t, found, f.Found, "%+v", f)
				}
			}
			assert.ElementsMatch(t, odd.wrong, wrong, "%+v", report.With(doctor.Wrong))
			for _, name := range odd.notChecked {
				assert.Contains(t, fmt.Sprint(report.With(doctor.NotChecked)), "{"+name+" ")
			}
			if name == "as assumed" {
				assert.Empty(t, report.With(doctor.NotChecked))
			}
		})
	}
}

// TestDoctorOnRealConnections: failures of DNS, the connection, TLS and proxies.
func TestDoctorOnRealConnections(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(sandbox.New())
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(sandbox.New())
	t.Cleanup(plain.Close)
	blocking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(blocking.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for base, c := range map[string]struct{ proxy, wrong, says string }{
		"https://hiring.nowhere.invalid":            {"", "address", "no such host"},
		"http://" + closed.Addr().String():          {"", "address", "refused"},
		secure.URL:                                  {"", "TLS", "certificate"},
		"https://" + plain.Listener.Addr().String(): {"", "TLS", "does not speak TLS"},
		plain.URL + "/hr":                           {"", "address", "without /api/v1"},
		"https://hiring.example.com":                {"http://user:pass@" + blocking.Listener.Addr().String(), "proxy", "Forbidden"},
		plain.URL:                                   {"", "", "TLS: http ok"},
	} {
		u := newUser(t, nil, "")
		u.env = append(u.env, envBaseURL+"="+base, envKey+"="+sandbox.TestKey, "HTTPS_PROXY="+c.proxy)
		got := u.run("doctor")
		assert.Contains(t, strings.Join(strings.Fields(got.stdout), " "), c.says, base)
		assert.Equal(t, c.wrong == "", got.code == exitOK, "%s: %s", base, got.stderr)
		if c.wrong != "" {
			assert.Contains(t, got.stdout, "wrong        "+c.wrong+"\n", base)
		}
		assert.NotContains(t, got.stdout+got.stderr, "pass@")
		for line := range strings.Lines(got.stdout) {
			assert.LessOrEqual(t, len(line), 101, line)
		}
	}
}

// TestDoctorChecksADialect: a file with the names of the server works for commands and for doctor.
func TestDoctorChecksADialect(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(sandbox.WithDialect(renamedDialect)), sandbox.TestKey)
	text, err := json.Marshal(renamedDialect)
	require.NoError(t, err)
	u.write("dialect.json", string(text))
	assert.Equal(t, exitNotFound, u.run("assessments", "list").code)
	assert.Equal(t, exitOK, u.run("--dialect", "dialect.json", "assessments", "list").code)
	got := u.run("--dialect", "dialect.json", "doctor")
	assert.Zero(t, got.code)
	assert.Contains(t, got.stdout, "\n19 ok, 0 wrong, 0 not checked; ")
}

// TestDoctorGolden compares the output for several servers and keys.
func TestDoctorGolden(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect hiring.Dialect
		key     string
		args    string
	}{
		"doctor":             {hiring.Dialect{PageParam: "p"}, sandbox.TestKey, "doctor"},
		"doctor-live":        {hiring.Dialect{}, sandbox.LiveKey, "doctor"},
		"doctor-revoked":     {hiring.Dialect{}, "sk_test_unknown", "doctor -o csv"},
		"doctor-no-argument": {hiring.Dialect{}, sandbox.TestKey, "doctor now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(c.args)
			server := sandbox.New(sandbox.WithDialect(c.dialect))
			u := newUser(t, server, c.key)
			text := stable(transcript(args, u.run(args...), u.onTerminal(args...)))
			golden(t, "golden/"+name+".txt", strings.ReplaceAll(text, strings.TrimPrefix(server.URL(), "http://"), "127.0.0.1:…"))
		})
	}
}

// TestItemErrorsAreReported checks that watch and wait report a submission that cannot be decoded,
// continue with the others, and end with exit status 1.
func TestItemErrorsAreReported(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 1)
	first, second := newSubmission(t, h, "a@example.com"), newSubmission(t, h, "b@example.com")
	for _, id := range []string{first, second} {
		require.NoError(t, h.server.Evaluate(id, sandbox.Result{ShipScore: new(71)}))
	}
	damaged := roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := h.server.Transport().RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		text := strings.ReplaceAll(string(body), `"submission_id":"`+first+`"`, `"submission_id":7`)
		response.Body, response.ContentLength = io.NopCloser(strings.NewReader(text)), -1
		response.Header.Del("Content-Length")
		return response, err
	})
	for _, line := range []string{"submissions wait " + first + " " + second, "watch --since 1h --once --checkpoint " + filepath.Join(t.TempDir(), "state")} {
		got := runWith(t.Context(), sandbox.LiveKey, damaged, append(strings.Fields(line), "--interval", "20ms", "--jq", ".id", "--timeout", "1m")...)
		assert.Equal(t, exitFailed, got.code, "%s: %s", line, got.stderr)
		assert.Equal(t, second+"\n", got.stdout, line)
		assert.Contains(t, got.stderr, "Submission "+first+" cannot be read: ", line)
		assert.Contains(t, got.stderr, "hiring: 1 submission cannot be read.", line)
	}
}
