package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// visitor sends requests of a browser, or with change those of other clients.
type visitor struct {
	t      *testing.T
	server *sandbox.Server
	base   string
	web    *http.Client
}

func visit(t *testing.T) visitor {
	t.Helper()
	server := sandbox.New()
	web := httptest.NewServer(console.Handler(server))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return visitor{t, server, web.URL, web.Client()}
}

func (v visitor) do(method, path string, change ...func(*http.Request)) (status int, text string, res *http.Response) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, http.NoBody)
	require.NoError(v.t, err)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
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

const static = "/_sandbox/console/static/"

func header(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

func TestEverythingElseIsTheServers(t *testing.T) {
	v := visit(t)
	client, err := hiring.New(v.base, sandbox.TestKey)
	require.NoError(t, err)
	account, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, account.ID)
	status, text, _ := v.do(http.MethodGet, "/_sandbox/journal")
	assert.Equal(t, 200, status)
	assert.Contains(t, text, `"route":"/account"`)
	assert.Contains(t, text, `"request_id":"req_`, "the server keeps details")
	for path, want := range map[string]int{
		"/": 200, "/_sandbox/": 200, "/_sandbox": 200, "/_sandbox/console/pipeline": 200, "/_sandbox/console/faults": 200, "/_sandbox/console/keys": 200,
		"/_sandbox/console/": 200, "/_sandbox/console": 200, "/console/": 200, "/_sandbox/console/nothing": 200, "/_sandbox/console/static/nothing": 404, "/_sandbox/nothing": 404,
	} {
		status, text, _ := v.do(http.MethodGet, path)
		assert.Equal(t, want, status, "%s: %s", path, text)
		assert.Equal(t, want == 200, strings.HasPrefix(text, "<!DOCTYPE html>"), path)
	}
	for accept, kind := range map[string]string{"": "application/json", "*/*": "application/json", "text/html,application/json;q=0.9": "text/html; charset=utf-8"} {
		_, _, res := v.do(http.MethodGet, "/_sandbox/", header("Accept", accept))
		assert.Equal(t, kind, res.Header.Get("Content-Type"), "a program gets the index at the same path")
	}
	status, _, _ = v.do(http.MethodPost, "/_sandbox/console/pipeline")
	assert.NotEqual(t, 200, status, "the page accepts no forms")
	status, _, _ = v.do(http.MethodPost, "/_sandbox/reset", header("Accept", "*/*"))
	assert.Equal(t, 204, status)
	_, _, res := v.do(http.MethodGet, "/favicon.ico") // Every browser sends it.
	assert.Contains(t, res.Header.Get("Content-Type"), "image/svg+xml")
	assert.Empty(t, v.server.Journal())
}

var (
	inline    = regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|javascript:|<script(?:[^>]*)>[^<]`)
	addresses = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
)

// TestThePageKeepsItsPolicy checks that the page has nothing inline or from other servers,
// and cannot be framed.
func TestThePageKeepsItsPolicy(t *testing.T) {
	v := visit(t)
	_, text, res := v.do(http.MethodGet, "/_sandbox/")
	policy := res.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "require-trusted-types-for 'script'"} {
		assert.Contains(t, policy, part)
	}
	assert.NotContains(t, policy, "unsafe")
	assert.Equal(t, "DENY", res.Header.Get("X-Frame-Options"))
	assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
	assert.Equal(t, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Empty(t, inline.FindAllString(text, -1))
	all := addresses.FindAllStringSubmatch(text, -1)
	require.Len(t, all, 4)
	for _, address := range all {
		assert.Regexp(t, `^(/_sandbox/|#main)`, address[1])
	}
}

func TestFilesHaveTheirTypes(t *testing.T) {
	v := visit(t)
	for name, kind := range map[string]string{
		"console.css": "text/css", "script.js": "text/javascript", "icon.svg": "image/svg+xml",
	} {
		status, _, res := v.do(http.MethodGet, static+name)
		assert.Equal(t, 200, status, name)
		assert.Contains(t, res.Header.Get("Content-Type"), kind, name)
		assert.Equal(t, "no-cache", res.Header.Get("Cache-Control"))
	}
	status, _, _ := v.do(http.MethodGet, static+"nothing.js")
	assert.Equal(t, 404, status)
	_, text, _ := v.do(http.MethodGet, static+"script.js")
	assert.Contains(t, text, `litHtmlVersions??=[]).push("3.3.0")`)
}
