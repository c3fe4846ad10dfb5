package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// drip sends a byte of a response at a time, without end.
func drip(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "req_1")
		_, _ = w.Write([]byte(`{"data":`))
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(" "))
			_ = http.NewResponseController(w).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestTimeoutEndsASlowResponse, also for doctor, which then shows what it found.
func TestTimeoutEndsASlowResponse(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil, "")
	u.env = append(u.env, envBaseURL+"="+drip(t).URL, envKey+"="+sandbox.TestKey)
	for line, says := range map[string]string{
		"account": "--timeout sets another limit", "submissions list": "--timeout sets another limit",
		"doctor": "The time limit ended the checks early. --timeout sets another limit",
	} {
		begun := time.Now()
		got := u.run(append(strings.Fields(line), "--timeout", "700ms")...)
		assert.Equal(t, exitFailed, got.code, "%s: %s", line, got.stderr)
		assert.Contains(t, got.stderr, says)
		assert.Less(t, time.Since(begun), 20*time.Second, "far less than four requests of 30 s")
		assert.Equal(t, line == "doctor", got.stdout != "", line)
	}
	for _, bad := range []string{"0s", "-1s", "soon"} {
		assert.Equal(t, exitUsage, u.run("account", "--timeout", bad).code, bad)
	}
}

// TestTruncatedListIsAWarning, once, on standard error.
func TestTruncatedListIsAWarning(t *testing.T) {
	t.Parallel()
	item := `{"id":"5b000000-0000-4000-8001-000000000001","status":"started"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "req_1")
		n, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
		_, _ = w.Write([]byte(`{"data":[` + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + `],"meta":{"request_id":"req_1"}}`))
	}))
	t.Cleanup(server.Close)
	u := newUser(t, nil, "")
	u.env = append(u.env, envBaseURL+"="+server.URL, envKey+"="+sandbox.TestKey)
	got := u.run("submissions", "list", "--jq", "length")
	assert.Zero(t, got.code)
	assert.Equal(t, "100\n", got.stdout)
	assert.Equal(t, 1, strings.Count(got.stderr, "may be truncated"), got.stderr)
	assert.True(t, strings.HasPrefix(got.stderr, "hiring: warning: "), got.stderr)
	assert.NotContains(t, got.stderr, "Dialect.")
}

// TestInterruptEndsAQuery: the first signal ends a jq program that never would.
func TestInterruptEndsAQuery(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	s := u.start("account", "--jq", `"begun", (def f: f; f)`)
	assert.Equal(t, "begun\n", nextLine(t, s.stdout))
	rest, code := s.stop()
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, "hiring: Interrupted.\n", rest)
	assert.Equal(t, exitFailed, u.run("account", "--timeout", "300ms", "--jq", "def f: f; f").code)
}
