package sandbox_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// documentedOperation is an operation and its possible responses.
type documentedOperation struct {
	method   string
	segments []string
	statuses []int
}

// documentedOperations are the operations of openapi.json. No request alone causes the
// documented 500.
var documentedOperations = sync.OnceValues(func() (all []documentedOperation, err error) {
	raw, err := os.ReadFile("openapi.json")
	if err != nil {
		return nil, err
	}
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[int]json.RawMessage `json:"responses"`
		} `json:"paths"`
	}
	err = json.Unmarshal(raw, &document)
	for path, item := range document.Paths {
		for method, o := range item {
			delete(o.Responses, http.StatusInternalServerError)
			statuses := slices.Collect(maps.Keys(o.Responses))
			all = append(all, documentedOperation{strings.ToUpper(method), strings.Split(path, "/"), statuses})
		}
	}
	return all, err
})

// allowed are the possible statuses of a request with a valid key.
func allowed(t *testing.T, method, escapedPath string) []int {
	t.Helper()
	operations, err := documentedOperations()
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodHead || method == "" {
		method = http.MethodGet
	}
	otherwise, path := http.StatusNotFound, strings.Split(escapedPath, "/")
	for _, o := range operations {
		if !slices.EqualFunc(o.segments, path, fits) {
			continue
		}
		if o.method == method {
			return o.statuses
		}
		otherwise = http.StatusMethodNotAllowed
	}
	return []int{otherwise}
}

// fits reports whether a segment matches a segment of a template.
func fits(template, escaped string) bool {
	segment, err := url.PathUnescape(escaped)
	return err == nil && (segment == template || strings.HasPrefix(template, "{") && segment != "")
}

// probe sends a request to a new server.
func probe(t *testing.T, method, target, key string, header http.Header, body string) {
	t.Helper()
	send(t, sandbox.New(), method, target, key, header, body)
}

// send sends a request, checks what applies to every response, and returns the status: 0
// for a request that no client could send.
func send(t *testing.T, s *sandbox.Server, method, target, key string, header http.Header, body string) (status int) {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil || u.Scheme != "" && u.Scheme != "https" {
		return 0
	}
	u.Scheme, u.Host, u.User = "https", "sandbox.invalid", nil
	r := (&http.Request{Method: method, URL: u, Header: header}).WithContext(t.Context())
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	res, err := s.Transport().RoundTrip(r)
	if err != nil {
		if res != nil || !strings.HasPrefix(err.Error(), "sandbox: invalid") && !strings.HasPrefix(err.Error(), "sandbox: parse") {
			t.Fatalf("%s %q: %v", method, target, err)
		}
		return 0
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %q: %v", method, target, err)
	}
	checkReply(t, r, res, raw)
	return res.StatusCode
}

func checkReply(t *testing.T, r *http.Request, res *http.Response, raw []byte) {
	t.Helper()
	sent, err := url.ParseRequestURI(r.URL.RequestURI()) // As the server reads it.
	if err != nil {
		t.Fatalf("%s %q was answered: %v", r.Method, r.URL, err)
	}
	if strings.HasPrefix(sent.Path, "/_archive/") || strings.HasPrefix(sent.Path, "/_sandbox/") {
		if res.StatusCode >= http.StatusInternalServerError {
			t.Fatalf("%s %q: status %d: %s", r.Method, r.URL, res.StatusCode, raw)
		}
		return // Neither storage nor the control API is part of the API.
	}
	if want := allowed(t, r.Method, sent.EscapedPath()); !slices.Contains(want, res.StatusCode) {
		t.Fatalf("%s %q: status %d is none of %v: %s", r.Method, r.URL, res.StatusCode, want, raw)
	}
	checkHeaders(t, res)
	if res.StatusCode != http.StatusNoContent && r.Method != http.MethodHead {
		checkEnvelope(t, res, raw)
	}
}

func checkHeaders(t *testing.T, res *http.Response) {
	t.Helper()
	for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"} {
		if n, err := strconv.Atoi(res.Header.Get(name)); err != nil || n < 0 {
			t.Fatalf("%s: %q", name, res.Header.Get(name))
		}
	}
	if !strings.HasPrefix(res.Header.Get("X-Request-Id"), "req_") {
		t.Fatalf("X-Request-Id: %q", res.Header.Get("X-Request-Id"))
	}
}

func checkEnvelope(t *testing.T, res *http.Response, raw []byte) {
	t.Helper()
	var envelope struct {
		Data json.RawMessage `json:"data"`
		Meta struct {
			RequestID string `json:"request_id"`
		} `json:"meta"`
		Error struct {
			Code      string `json:"code"`
			RequestID string `json:"request_id"`
		} `json:"error"`
		OpenAPI string `json:"openapi"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		t.Fatalf("status %d: %v: %s", res.StatusCode, err, raw)
	}
	id := envelope.Meta.RequestID + envelope.Error.RequestID
	switch {
	case envelope.OpenAPI != "" && res.StatusCode == http.StatusOK:
	case (res.StatusCode < 300) != (envelope.Data != nil), (res.StatusCode >= 400) != (envelope.Error.Code != ""), id != res.Header.Get("X-Request-Id"):
		t.Fatalf("status %d: not the envelope: %s", res.StatusCode, raw)
	}
}

var fuzzKeys = []string{sandbox.TestKey, sandbox.LiveKey, sandbox.ReadOnlyKey}

// eachKey sends a probe with each of three keys.
func eachKey(t *testing.T, method, target, body string) {
	t.Helper()
	for _, key := range fuzzKeys {
		probe(t, method, target, key, nil, body)
	}
}

func FuzzPath(f *testing.F) {
	for _, path := range []string{
		"/api/v1/account", "/api/v1/submissions/" + sandbox.SubmissionID + "/report", "/api/v1/assessments/" + sandbox.AssessmentID + "/invitations/x/resend",
		"/api/v1/../account", "/api/v1//account", "/api/v1/submissions/%2e%2e/report", "/api/v1/submissions/%00", "/api/v1/submissions/a%2fb",
		"/", "//", "/api", "/api/v1", "/api/v1/", "/_sandbox/reset", "/_archive/x?expires=1&signature=2", "/api/v1/ACCOUNT", "*", "/api/v1/%F0%9F%8E%89",
		"/api/v1/" + strings.Repeat("a/", 40), "/api/v1/account#x", "/api/v1/account;x=1",
		"/api/v1/assessments?page=9223372036854775807&page_size=100", "/api/v1/assessments?page=%zz&page_size=0", "/api/v1/submissions?cursor=AAAA&since=9999-12-31T23:59:59.999999999Z",
		"/api/v1/submissions/" + sandbox.SubmissionID + "/events?since_seq=-1&page_size=501", "/api/v1/submissions/" + sandbox.SubmissionID + "/report?format=pdf",
	} {
		f.Add("GET", path)
	}
	f.Add("DELETE", "/api/v1/assessments/"+sandbox.AssessmentID)
	f.Add("BREW", "/api/v1/account")
	f.Fuzz(func(t *testing.T, method, path string) { eachKey(t, method, path, "") })
}

func FuzzBody(f *testing.F) {
	for _, body := range []string{
		"", " ", "{}", "[]", "null", "{", `{"name":"n"}x`, newAssessment, `{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`,
		`{"candidate_email":"` + sandbox.PlanLimitEmail + `","candidate_name":"\ud800"}`, `{"status":"closed"}`, `{"status":null}`, `{"name":1e999}`,
		`{"budget_dollars_cap":-0.0,"selected_task_ids":[],"time_limit_minutes":1.5}`, `{"name":"a","name":"b"}`, "\xef\xbb\xbf{}", "{\"a\":\"\xff\"}",
		strings.Repeat("[", 10001), `{"budget_dollars_cap":1e-400}`, "\x00",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		eachKey(t, http.MethodPost, "/api/v1/assessments", body)
		for _, key := range []string{sandbox.TestKey, sandbox.ReadOnlyKey} {
			probe(t, http.MethodPatch, "/api/v1/assessments/"+sandbox.AssessmentID, key, nil, body)
			probe(t, http.MethodPost, "/api/v1/assessments/"+sandbox.AssessmentID+"/invitations", key, nil, body)
		}
	})
}
