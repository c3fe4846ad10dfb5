package console_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

var errProxy = errors.New("the page of a proxy")

// TestEachFaultAtAClick checks that the next request meets the fault, and no other.
func TestEachFaultAtAClick(t *testing.T) {
	for preset, want := range map[string]error{
		"internal": hiring.ErrInternal, "unavailable": hiring.ErrInternal, "limited": hiring.ErrRateLimited, "conflict": hiring.ErrConflict,
		"slow": nil, "reset": syscall.ECONNRESET, "lost": syscall.ECONNRESET, "late": syscall.ECONNRESET, "cut": io.ErrUnexpectedEOF, "proxy": errProxy,
	} {
		t.Run(preset, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := sandbox.New()
				page := inMemory{t, console.Handler(server)}
				text := page.submit("/faults", "preset", preset, "route", "GET /account", "times", "1")
				assert.Contains(t, text, "The fault is injected and waits for its request.")
				assert.Contains(t, text, "GET /account")
				client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
				begun := time.Now()
				_, err := client.Account.Get(t.Context())
				if preset == "slow" {
					assert.Equal(t, 3*time.Second, time.Since(begun))
				}
				if preset == "proxy" {
					require.ErrorContains(t, err, "Bad gateway")
				} else {
					require.ErrorIs(t, err, want)
				}
				client = server.Client() // A client without knowledge of the rate limit that the fault has used up.
				_, err = client.Account.Get(t.Context())
				require.NoError(t, err)
				assert.Contains(t, page.see("/trouble"), "No fault is waiting.")
			})
		})
	}
}

// inMemory is a browser without sockets, for synctest.
type inMemory struct {
	t       *testing.T
	handler http.Handler
}

func (p inMemory) do(method, path string, form url.Values) (int, string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "http://localhost/_sandbox/console"+path, strings.NewReader(form.Encode()))
	r.RemoteAddr = "127.0.0.1:5"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	p.handler.ServeHTTP(w, r)
	if to, _, _ := strings.Cut(w.Header().Get("Location"), "#"); to != "" {
		return p.do("GET", strings.TrimPrefix(to, "/_sandbox/console"), nil)
	}
	return w.Code, w.Body.String()
}

func (p inMemory) see(path string) string {
	p.t.Helper()
	status, text := p.do("GET", path, nil)
	require.Equal(p.t, 200, status, text)
	return text
}

func (p inMemory) submit(path string, fields ...string) string {
	p.t.Helper()
	form := url.Values{"token": {tokenField.FindStringSubmatch(p.see("/trouble"))[1]}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	status, text := p.do("POST", path, form)
	require.Equal(p.t, 200, status, text)
	return text
}

func TestCustomFault(t *testing.T) {
	v := visit(t)
	v.submit("/faults", "route", "POST *", "times", "-1", "skip", "1", "status", "418", "code", "CONFLICT", "retry_after", "90s", "delay", "0.001", "body", "", "after", "1")
	v.submit("/faults", "cut_after", "-1", "route", "", "times", "2")
	v.submit("/faults", "late", "1m", "reset", "1", "times", "1")
	v.submit("/faults", "status", "200", "body", "<html>", "content_type", "text/html", "times", "1")
	text := v.see("/_sandbox/console/trouble")
	for _, shown := range []string{
		"418, CONFLICT, Retry-After 1 min 30 s, delayed by 1 ms, after the work is done for POST *, every time, after 1 more requests",
		"cut after 0 bytes for every request, 2 of 2 left", "connection reset, response lost, done 1 min later for every request, 1 of 1 left",
		"200, response from an intermediary for every request, 1 of 1 left",
	} {
		assert.Contains(t, text, shown)
	}
	v.submit("/faults/clear", "id", "2")
	text = v.see("/_sandbox/console/trouble")
	assert.NotContains(t, text, "cut after 0 bytes")
	assert.Contains(t, text, "done 1 min later")
	v.submit("/faults/clear")
	assert.Contains(t, v.see("/_sandbox/console/trouble"), "No fault is waiting.")
	for fields, says := range map[string]string{
		"status=99": "200 to 599", "route=GET /nowhere&status=500": "no operation has the route", "": "would do nothing", "times=x&reset=1": "no whole number",
		"delay=soon": "no duration", "preset=doom": "no preset of this name", "delay=-5s": "no duration", "delay=20000d": "no duration", "delay=NaN": "no duration",
	} {
		form, err := url.ParseQuery(fields)
		require.NoError(t, err)
		var pairs []string
		for name := range form {
			pairs = append(pairs, name, form.Get(name))
		}
		status, text := v.try("/faults", pairs...)
		assert.Equal(t, 400, status, fields)
		assert.Contains(t, text, says)
	}
}

// TestKeysAndPlans also checks that no page has the token of a key.
func TestKeysAndPlans(t *testing.T) {
	v := visit(t)
	text := v.see("/_sandbox/console/trouble")
	assert.NotContains(t, text, sandbox.LiveKey)
	ids := regexp.MustCompile(`keys/revoke"><input type="hidden" name="token" value="\w+"><input type="hidden" name="key" value="(\w+)"`).FindAllStringSubmatch(text, -1)
	require.Len(t, ids, 4)
	live := ids[0][1] // Live keys are first.
	client := v.client(sandbox.LiveKey)

	assert.Contains(t, v.submit("/keys/quota", "key", live, "class", "read", "remaining", "0"), "<b>0</b> of 1000 left")
	_, err := client.Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrRateLimited)
	v.submit("/keys/quota", "key", live, "class", "read", "remaining", "1000")
	v.submit("/keys/plan", "key", live, "left", "0", "limit", "2000")
	account, err := v.client(sandbox.LiveKey).Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2000, account.Usage.AssessmentsUsed)
	v.submit("/keys/revoke", "key", live)
	_, err = v.client(sandbox.LiveKey).Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrInvalidToken)
	for _, c := range [][]string{
		{"/keys/revoke", "key", live}, {"/keys/revoke", "key", sandbox.TestKey}, {"/keys/quota", "key", ids[1][1], "class", "all", "remaining", "0"},
		{"/keys/quota", "key", ids[1][1], "class", "read", "remaining", "-1"}, {"/keys/plan", "key", ids[1][1], "left", "0", "limit", "1"},
	} {
		status, _ := v.try(c[0], c[1:]...)
		assert.Equal(t, 400, status, c)
	}
}

func TestTheServiceAsAWhole(t *testing.T) {
	v := visit(t)
	_, invitation := v.invited("Ada")
	submission, err := v.server.Begin(invitation)
	require.NoError(t, err)
	require.NoError(t, v.server.Submit(submission))
	get := func() (hiring.Submission, error) {
		return v.client(sandbox.LiveKey).Submissions.Get(t.Context(), submission)
	}

	assert.Contains(t, v.submit("/throttle", "on", "true"), "Every request gets a 429 until")
	_, err = get()
	require.ErrorIs(t, err, hiring.ErrRateLimited)
	v.submit("/throttle", "on", "false")
	found, err := get()
	require.NoError(t, err)
	assert.NotNil(t, found.WorkspaceArchiveURL)
	assert.Contains(t, v.submit("/archives", "available", "false"), "Lost:")
	found, err = get()
	require.NoError(t, err)
	assert.Nil(t, found.WorkspaceArchiveURL)
	v.submit("/archives", "available", "true")
	assert.Contains(t, v.submit("/drift", "on", "true", "seed", "7"), "seed 7")
	drifted := func() string {
		var members []map[string]json.RawMessage
		_, err := v.client(sandbox.LiveKey).Do(t.Context(), "GET", "/members", nil, nil, &members)
		require.NoError(t, err)
		return fmt.Sprint(members)
	}
	assert.Contains(t, drifted(), "drift_")
	v.submit("/drift", "on", "false")
	assert.NotContains(t, drifted(), "drift_")
	status, _ := v.try("/drift", "on", "true", "seed", "x")
	assert.Equal(t, 400, status)

	assert.Contains(t, v.submit("/reset"), "as it was at its start")
	_, err = get()
	require.ErrorIs(t, err, hiring.ErrNotFound)
	assert.Len(t, v.server.Journal(), 1)
}

// TestTheClock checks that the page lists what will happen before the clock is moved.
func TestTheClock(t *testing.T) {
	now := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	v := visit(t, sandbox.WithClock(func() time.Time { return now }))
	v.server.AddKey(sandbox.Key{Token: "sk_test_short_lived", Expires: now.Add(30 * time.Minute)})
	_, err := v.client(sandbox.TestKey).Account.Get(t.Context())
	require.NoError(t, err)
	v.server.Inject(sandbox.Fault{Late: 10 * time.Minute})
	_, err = v.client(sandbox.TestKey).Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.Error(t, err)
	text := v.see("/_sandbox/console/trouble?by=5m")
	assert.Contains(t, text, "Nothing is due.")
	text = v.see("/_sandbox/console/trouble?by=2h30m")
	order := []string{"work is done whose response was lost", "sk_test_…ived</code> expires", "has all its reads again", "a new period of the plan of"}
	for i, shown := range order {
		require.Contains(t, text, shown)
		if i > 0 {
			assert.Less(t, strings.Index(text, order[i-1]), strings.Index(text, shown), "in order")
		}
	}
	assert.Contains(t, text, "Go forward by 2 h 30 min")
	assert.Contains(t, v.submit("/clock", "by", "2h30m"), "2026-12-01 00:30:00 UTC")
	for _, by := range []string{"", "0", "-1h", "soon", "1e300"} {
		status, _ := v.try("/clock", "by", by)
		assert.Equal(t, 400, status, by)
	}
}

// TestFormsThatComeTooLate checks that late or invalid forms get an error and change
// nothing.
func TestFormsThatComeTooLate(t *testing.T) {
	v := visit(t)
	v.server.Advance(math.MaxInt64 - time.Hour)
	status, text := v.try("/clock", "by", "2h")
	assert.Equal(t, 400, status)
	assert.Contains(t, text, "does not go that far")
	for _, page := range []string{"pipeline?postings=9223372036854775807", "pipeline?stage=sent&page=9223372036854775807", "?before=9223372036854775807"} {
		status, text, _ := v.do(http.MethodGet, "/_sandbox/console/"+page, nil)
		assert.NotEqual(t, 500, status, "%s: %s", page, text)
	}
}
