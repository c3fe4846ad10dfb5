package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// statuses are all that a request can be answered with.
var statuses = []int{200, 201, 204, 400, 401, 402, 403, 404, 405, 409, 429}

// probe sends a request to a server of its own and checks what holds for every
// reply. A request that no client could send is not one.
func probe(t *testing.T, method, target, key string, header http.Header, body string) {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil || u.Scheme != "" && u.Scheme != "https" {
		return
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
	res, err := sandbox.New().Transport().RoundTrip(r)
	if err != nil {
		if res != nil || !strings.HasPrefix(err.Error(), "sandbox: invalid") && !strings.HasPrefix(err.Error(), "sandbox: parse") {
			t.Fatalf("%s %q: %v", method, target, err)
		}
		return
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %q: %v", method, target, err)
	}
	if !slices.Contains(statuses, res.StatusCode) {
		t.Fatalf("%s %q: status %d: %s", method, target, res.StatusCode, raw)
	}
	if strings.HasPrefix(u.Path, "/_archive/") || strings.HasPrefix(u.Path, "/_sandbox/") {
		return // Neither storage nor the control plane is the API.
	}
	checkHeaders(t, res)
	if res.StatusCode != http.StatusNoContent && method != http.MethodHead {
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

// eachKey makes three probes of one.
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
	} {
		f.Add("GET", path)
	}
	f.Add("DELETE", "/api/v1/assessments/"+sandbox.AssessmentID)
	f.Add("BREW", "/api/v1/account")
	f.Fuzz(func(t *testing.T, method, path string) { eachKey(t, method, path, "") })
}

func FuzzQuery(f *testing.F) {
	for _, query := range []string{
		"", "page=1&page_size=100", "page=9223372036854775807&page_size=100", "page=-1", "page_size=0", "page_size=101", "page=%zz", "page=1;2", "page=+1",
		"cursor=", "cursor=AAAA", "since=2026-01-01T00:00:00Z&status=evaluated&assessment_id=" + sandbox.AssessmentID, "since=9999-12-31T23:59:59.999999999Z",
		"since_seq=9223372036854775807&page_size=500", "since_seq=-1", "format=pdf", "format=json&format=pdf", "=&=&&", "page", "page=1e3", "page=٣",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{
			"/submissions", "/assessments", "/assessments/" + sandbox.AssessmentID + "/invitations",
			"/submissions/" + sandbox.SubmissionID + "/events", "/submissions/" + sandbox.SubmissionID + "/report",
		} {
			eachKey(t, http.MethodGet, "/api/v1"+path+"?"+query, "")
		}
	})
}

func FuzzBody(f *testing.F) {
	for _, body := range []string{
		"", " ", "{}", "[]", "null", "{", `{"name":"n"}x`, newAssessment, `{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`,
		`{"candidate_email":"` + sandbox.PlanLimitEmail + `","candidate_name":"\ud800"}`, `{"status":"closed"}`, `{"status":null}`, `{"name":1e999}`,
		`{"budget_dollars_cap":-0.0,"selected_task_ids":[],"time_limit_minutes":1.5}`, `{"name":"a","name":"b"}`, "\xef\xbb\xbf{}", "{\"a\":\"\xff\"}",
		strings.Repeat("[", 20000), `{"budget_dollars_cap":1e-400}`, "\x00",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		eachKey(t, http.MethodPost, "/api/v1/assessments", body)
		eachKey(t, http.MethodPatch, "/api/v1/assessments/"+sandbox.AssessmentID, body)
		eachKey(t, http.MethodPost, "/api/v1/assessments/"+sandbox.AssessmentID+"/invitations", body)
	})
}

func FuzzHeader(f *testing.F) {
	f.Add("Authorization", "Bearer "+sandbox.TestKey)
	f.Add("Authorization", "bearer  "+sandbox.TestKey)
	f.Add("authorization", "Bearer "+sandbox.TestKey+" ")
	f.Add("Authorization", "Basic c2VjcmV0")
	f.Add("Authorization", "Bearer")
	f.Add("Authorization", "Bearer \xff")
	f.Add("Content-Type", "text/plain")
	f.Add("Content-Encoding", "gzip")
	f.Add("Content-Length", "5")
	f.Add("Transfer-Encoding", "chunked")
	f.Add("Expect", "100-continue")
	f.Add("Range", "bytes=0-1")
	f.Add("If-None-Match", "*")
	f.Add("Idempotency-Key", "x")
	f.Add("Origin", "https://evil.example")
	f.Add("Upgrade", "websocket")
	f.Add("Host", "elsewhere")
	f.Fuzz(func(t *testing.T, name, value string) {
		for _, key := range []string{"", sandbox.TestKey} {
			probe(t, http.MethodGet, "/api/v1/account", key, http.Header{name: {value}}, "")
			probe(t, http.MethodPost, "/api/v1/assessments", key, http.Header{name: {value, value}}, newAssessment)
		}
	})
}
