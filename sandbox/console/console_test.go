package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// visitor is a user with a browser without scripts.
type visitor struct {
	t      *testing.T
	server *sandbox.Server
	base   string
	web    *http.Client
}

func visit(t *testing.T, opts ...sandbox.Option) visitor {
	t.Helper()
	server := sandbox.New(opts...)
	web := httptest.NewServer(console.Handler(server))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return visitor{t, server, web.URL, web.Client()}
}

func (v visitor) do(method, path string, form url.Values, change ...func(*http.Request)) (status int, text string, res *http.Response) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	require.NoError(v.t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range change {
		c(r)
	}
	res, err = v.web.Do(r)
	require.NoError(v.t, err)
	raw, err := io.ReadAll(res.Body)
	require.NoError(v.t, err)
	require.NoError(v.t, res.Body.Close())
	return res.StatusCode, string(raw), res
}

// see opens a page.
func (v visitor) see(path string) string {
	v.t.Helper()
	status, text, _ := v.do(http.MethodGet, path, nil)
	require.Equal(v.t, 200, status, "%s: %s", path, text)
	return text
}

var tokenField = regexp.MustCompile(`name="token" value="(\w+)"`)

func (v visitor) token() string {
	v.t.Helper()
	found := tokenField.FindStringSubmatch(v.see("/_sandbox/console/trouble"))
	require.NotNil(v.t, found)
	return found[1]
}

// submit sends a form, which must succeed, and returns the resulting page.
func (v visitor) submit(path string, fields ...string) string {
	v.t.Helper()
	status, text := v.try(path, fields...)
	require.Equal(v.t, 200, status, "%s: %s", path, text)
	return text
}

func (v visitor) try(path string, fields ...string) (status int, text string) {
	v.t.Helper()
	form := url.Values{"token": {v.token()}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	status, text, _ = v.do(http.MethodPost, "/_sandbox/console"+path, form)
	return status, text
}

func (v visitor) client(key string) *hiring.Client {
	v.t.Helper()
	client, err := hiring.New(v.base, key, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	require.NoError(v.t, err)
	return client
}

// hired is a candidate who was invited.
func (v visitor) invited(name string) (assessmentID, invitationID string) {
	v.t.Helper()
	assessmentID = v.server.AddAssessment("Backend")
	invitationID, err := v.server.Invite(assessmentID, "ada@candidates.test", name)
	require.NoError(v.t, err)
	return assessmentID, invitationID
}

func TestEverythingElseIsTheServers(t *testing.T) {
	v := visit(t)
	account, err := v.client(sandbox.TestKey).Account.Get(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, account.ID)
	status, text, _ := v.do(http.MethodGet, "/_sandbox/journal", nil)
	assert.Equal(t, 200, status)
	assert.Contains(t, text, `"route":"/account"`)
	status, _, _ = v.do(http.MethodPost, "/_sandbox/reset", nil)
	assert.Equal(t, 204, status)
	assert.Empty(t, v.server.Journal())
	for path, want := range map[string]int{
		"/_sandbox/": 200, "/_sandbox": 200, "/_sandbox/console/": 404, "/_sandbox/console/nothing": 404, "/_sandbox/nothing": 404,
		"/_sandbox/console/exchanges/99": 404, "/_sandbox/console/exchanges/x": 404, "/_sandbox/console/candidates/x": 404,
		"/_sandbox/console/pipeline?org=nobody": 404, "/_sandbox/console/trouble?by=soon": 400, "/": 401, "/favicon.ico": 401,
	} {
		status, text, _ := v.do(http.MethodGet, path, nil)
		assert.Equal(t, want, status, "%s: %s", path, text)
	}
	for _, e := range v.server.Journal() {
		assert.NotContains(t, e.Path, "_sandbox", "the page is in no journal")
	}
}

var (
	inline    = regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|javascript:|<script(?:[^>]*)>[^<]`)
	addresses = regexp.MustCompile(`(?:src|href|action|sse-connect)="([^"]*)"`)
)

// TestPagesKeepTheirPolicy checks that a page has nothing inline or from other servers,
// cannot be framed and is not cached.
func TestPagesKeepTheirPolicy(t *testing.T) {
	v := visit(t)
	_, invitation := v.invited("Ada")
	_, err := v.client(sandbox.TestKey).Account.Get(t.Context())
	require.NoError(t, err)
	for _, path := range []string{
		"/_sandbox/", "/_sandbox/console/pipeline", "/_sandbox/console/trouble", "/_sandbox/console/exchanges/1",
		"/_sandbox/console/candidates/" + invitation, "/_sandbox/console/nothing",
	} {
		_, text, res := v.do(http.MethodGet, path, nil)
		policy := res.Header.Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'")
		assert.NotContains(t, policy, "unsafe")
		assert.Contains(t, policy, "frame-ancestors 'none'")
		assert.Equal(t, "DENY", res.Header.Get("X-Frame-Options"))
		assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
		assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
		assert.Equal(t, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
		assert.Empty(t, inline.FindAllString(text, -1), path)
		for _, address := range addresses.FindAllStringSubmatch(text, -1) {
			assert.Regexp(t, `^(/_sandbox/|#)`, address[1], path)
		}
	}
}

func TestStaticFiles(t *testing.T) {
	v := visit(t)
	for name, kind := range map[string]string{
		"console.css": "text/css", "console.js": "text/javascript", "htmx.min.js": "text/javascript", "htmx-sse.min.js": "text/javascript",
		"icon.svg": "image/svg+xml", "LICENSE-htmx.txt": "text/plain", "LICENSE-htmx-sse.txt": "text/plain",
	} {
		status, text, res := v.do(http.MethodGet, "/_sandbox/console/static/"+name, nil)
		assert.Equal(t, 200, status, name)
		assert.Contains(t, res.Header.Get("Content-Type"), kind, name)
		assert.NotEmpty(t, text)
	}
	_, text, _ := v.do(http.MethodGet, "/_sandbox/console/static/htmx.min.js", nil)
	assert.Contains(t, text, `version:"2.0.11"`)
}

func TestNamesAreHarmless(t *testing.T) {
	for _, name := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'+alert(1)+'`, `{{.Token}}`, "\u202egnihton\u202c", "a\r\n\r\nb\ndata: x",
		strings.Repeat("W", 10<<10), strings.Repeat("é<b>", 3<<10),
	} {
		v := visit(t)
		assessment := v.server.AddAssessment(name)
		v.server.AddKey(sandbox.Key{Token: "sk_live_other", Organization: name})
		invitation, err := v.server.Invite(assessment, "ada@candidates.test", name)
		require.NoError(t, err)
		_, _ = v.client(sandbox.LiveKey).Do(t.Context(), http.MethodGet, "/x", url.Values{"q": {name}}, nil, nil)
		_, err = v.client(sandbox.LiveKey).Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: sandbox.UnknownID, Name: name})
		require.Error(t, err)
		for _, path := range []string{
			"/_sandbox/", "/_sandbox/?text=" + url.QueryEscape(name), "/_sandbox/console/pipeline", "/_sandbox/console/pipeline?org=" + url.QueryEscape(name),
			"/_sandbox/console/trouble", "/_sandbox/console/exchanges/1", "/_sandbox/console/exchanges/2", "/_sandbox/console/candidates/" + invitation,
		} {
			text := v.see(path)
			for _, bad := range []string{"<script>alert", "<img src=x", "<b>é", v.token() + "</"} {
				assert.NotContains(t, text, bad, path)
			}
			assert.Less(t, len(text), 130<<10, path)
		}
	}
}

// TestHomeIsTheIndexOfTheControlAPIForPrograms checks that browsers get the page at the
// same path.
func TestHomeIsTheIndexOfTheControlAPIForPrograms(t *testing.T) {
	handler := console.Handler(sandbox.New())
	for accept, kind := range map[string]string{
		"": "text/html; charset=utf-8", "text/html,application/json;q=0.9": "text/html; charset=utf-8", "*/*": "text/html; charset=utf-8",
		"application/json": "application/json", "application/json, */*": "application/json",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/_sandbox/", http.NoBody)
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		assert.Equal(t, 200, w.Code)
		assert.Equal(t, kind, w.Header().Get("Content-Type"), accept)
	}
}
