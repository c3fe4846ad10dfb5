package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// slowServer sends a response of one byte at a time, without end.
func slowServer(t *testing.T) *httptest.Server {
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

// TestTimeoutEndsASlowResponse: --timeout ends any command; doctor shows what it found.
func TestTimeoutEndsASlowResponse(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil, "")
	u.env = append(u.env, envBaseURL+"="+slowServer(t).URL, envKey+"="+sandbox.TestKey)
	for line, says := range map[string]string{
		"account": "--timeout sets another limit", "submissions list": "--timeout sets another limit",
		"doctor": "The checks ended early, because the time limit ended them. --timeout sets another limit",
	} {
		begun := time.Now()
		got := u.fails(exitFailed, says, append(strings.Fields(line), "--timeout", "700ms")...)
		assert.Less(t, time.Since(begun), 20*time.Second, "far less than four attempts of 30 s")
		assert.Equal(t, line == "doctor", got.stdout != "", line)
	}
	for _, bad := range []string{"0s", "-1s", "soon"} {
		assert.Equal(t, exitUsage, u.run("account", "--timeout", bad).code, bad)
	}
}

// roundTripper is a transport made from a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// runWith runs the program in this process with a transport, also in a synctest bubble.
func runWith(ctx context.Context, key string, transport http.RoundTripper, args ...string) result {
	var stdout, stderr bytes.Buffer
	env := map[string]string{envBaseURL: "https://hiring.example.com", envKey: key}
	a := &app{
		in: strings.NewReader(""), out: output.Stream{Writer: &stdout}, err: output.Stream{Writer: &stderr},
		getenv: func(name string) string { return env[name] }, zone: time.UTC, transport: transport, stopped: ctx,
	}
	code := a.run(ctx, args)
	return result{stdout.String(), stderr.String(), code}
}

// TestDefaultTimeLimitOfARequest: each of four attempts ends after 30 s, as help/exit-status.txt says.
func TestDefaultTimeLimitOfARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var attempts []time.Duration
		silent := roundTripper(func(r *http.Request) (*http.Response, error) {
			begun := time.Now()
			<-r.Context().Done()
			attempts = append(attempts, time.Since(begun))
			return nil, r.Context().Err()
		})
		begun := time.Now()
		got := runWith(t.Context(), sandbox.TestKey, silent, "account")
		took := time.Since(begun)
		assert.Equal(t, exitFailed, got.code)
		assert.Equal(t, []time.Duration{30 * time.Second, 30 * time.Second, 30 * time.Second, 30 * time.Second}, attempts)
		assert.GreaterOrEqual(t, took, 2*time.Minute)
		assert.Less(t, took, 3*time.Minute, "four attempts and the delays between them")
		assert.Contains(t, got.stderr, "within 30s")
		assert.Contains(t, got.stderr, "4 attempts")
	})
}

// TestDefaultTimeLimitOfDoctor: three minutes for all checks together. Each response takes
// 19 s, which is within the limit of a request.
func TestDefaultTimeLimitOfDoctor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.New()
		slow := roundTripper(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(19 * time.Second):
				return server.Transport().RoundTrip(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		begun := time.Now()
		got := runWith(t.Context(), sandbox.TestKey, slow, "doctor", "-o", "csv", "--columns", "name,verdict")
		assert.Equal(t, exitFailed, got.code)
		assert.Equal(t, 3*time.Minute, time.Since(begun))
		assert.Equal(t, "hiring: The checks ended early, because the time limit ended them. --timeout sets another limit.\n", got.stderr)
		assert.Contains(t, got.stdout, "address,ok\n", "it shows what it found")
		assert.NotContains(t, got.stdout, ",wrong\n")
		begun = time.Now()
		runWith(t.Context(), sandbox.TestKey, slow, "doctor", "--timeout", "10m")
		assert.Greater(t, time.Since(begun), 3*time.Minute, "--timeout sets another limit")
	})
}

// TestInterruptEndsAQuery: the first signal ends an endless jq program.
func TestInterruptEndsAQuery(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	s := u.start("account", "--jq", `"begun", (def f: f; f)`)
	assert.Equal(t, "begun\n", nextLine(t, s.stdout))
	rest, code := s.stop(os.Interrupt)
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, "hiring: Interrupted.\n", rest)
	assert.Equal(t, exitFailed, u.run("account", "--timeout", "300ms", "--jq", "def f: f; f").code)
}
