package sandbox_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// outcome is the result of a client, which does not depend on the transport.
type outcome struct {
	status int // 0: no response.
	body   string
	err    error // Of the exchange or of reading the body.
	header http.Header
}

func (d transport) send(ctx context.Context, t *testing.T, method, path, body string) outcome {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, d.base+"/api/v1"+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
	res, err := d.client.Do(r)
	if err != nil {
		return outcome{err: err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return outcome{res.StatusCode, string(raw), err, res.Header}
}

const accountStart = `{"data":{"id"`

// faultCases are faults with the result of a GET and its cost.
var faultCases = map[string]struct {
	fault  sandbox.Fault
	status int
	err    error
	body   string // Beginning of the text.
	header map[string]string
	cost   int
	logged int
}{
	"status":          {fault: sandbox.Fault{Status: 503}, status: 503, body: `{"error":{"code":"INTERNAL_ERROR"`},
	"code":            {fault: sandbox.Fault{Code: hiring.ErrConflict}, status: 409, body: `{"error":{"code":"CONFLICT"`},
	"both":            {fault: sandbox.Fault{Status: 418, Code: "TEAPOT"}, status: 418, body: `{"error":{"code":"TEAPOT"`},
	"invalid":         {fault: sandbox.Fault{Status: 400}, status: 400, body: `{"error":{"code":"INVALID_INPUT","message":"This error was injected.","details":{"formErrors":[`},
	"unauthorized":    {fault: sandbox.Fault{Code: hiring.ErrInvalidToken}, status: 401, body: `{"error":{"code":"INVALID_TOKEN"`},
	"redirect":        {fault: sandbox.Fault{Status: 302}, status: 302},
	"no content":      {fault: sandbox.Fault{Status: 204}, status: 204},
	"retry after":     {fault: sandbox.Fault{Status: 503, RetryAfter: 1500 * time.Millisecond}, status: 503, header: map[string]string{"Retry-After": "2"}},
	"after":           {fault: sandbox.Fault{After: true, Status: 500}, status: 500, cost: 1},
	"lost after":      {fault: sandbox.Fault{After: true}, err: syscall.ECONNRESET, cost: 1},
	"reset":           {fault: sandbox.Fault{Reset: true}, err: syscall.ECONNRESET},
	"reset after":     {fault: sandbox.Fault{Reset: true, After: true}, err: syscall.ECONNRESET, cost: 1},
	"delayed reset":   {fault: sandbox.Fault{Reset: true, Delay: time.Millisecond}, err: syscall.ECONNRESET},
	"slow":            {fault: sandbox.Fault{Delay: time.Millisecond}, status: 200, body: accountStart, cost: 1},
	"slow after":      {fault: sandbox.Fault{Delay: time.Millisecond, After: true}, status: 200, body: accountStart, cost: 1},
	"cut":             {fault: sandbox.Fault{CutAfter: 12}, status: 200, err: io.ErrUnexpectedEOF, body: accountStart[:12], cost: 1},
	"cut at the end":  {fault: sandbox.Fault{CutAfter: 1 << 30}, status: 200, err: io.ErrUnexpectedEOF, body: accountStart, cost: 1},
	"headers only":    {fault: sandbox.Fault{CutAfter: -1}, status: 200, err: io.ErrUnexpectedEOF, cost: 1},
	"cut after":       {fault: sandbox.Fault{CutAfter: 5, After: true}, status: 200, err: io.ErrUnexpectedEOF, body: accountStart[:5], cost: 1},
	"cut error":       {fault: sandbox.Fault{CutAfter: 5, Status: 500}, status: 500, err: io.ErrUnexpectedEOF, body: `{"err`},
	"cut nothing":     {fault: sandbox.Fault{CutAfter: 5, Status: 204}, err: syscall.ECONNRESET},
	"page":            {fault: sandbox.Fault{Status: 502, Body: "<html>Bad gateway"}, status: 502, body: "<html>Bad gateway", header: map[string]string{"Content-Type": "text/html; charset=utf-8", "X-Request-Id": "", "X-Ratelimit-Limit": ""}},
	"page with type":  {fault: sandbox.Fault{Body: "{}", ContentType: "application/json", RetryAfter: time.Second}, status: 200, body: "{}", header: map[string]string{"Content-Type": "application/json", "Retry-After": "1"}},
	"page of nothing": {fault: sandbox.Fault{Status: 502, ContentType: "text/html"}, status: 502, header: map[string]string{"Content-Length": "0", "Content-Type": "text/html"}},
	"cut page":        {fault: sandbox.Fault{Status: 502, Body: "<html>", CutAfter: 3, After: true}, status: 502, err: io.ErrUnexpectedEOF, body: "<ht", cost: 1},
}

func TestFaultsThroughEveryTransport(t *testing.T) {
	for name, c := range faultCases {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Start(t)
			for _, d := range transports(t, s) {
				remaining := 1000 - before(t, d)
				fault := c.fault
				fault.Route = "GET /account"
				d.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				d.client.CloseIdleConnections() // net/http may retry a reset of a reused connection.
				s.Inject(fault)
				got := d.send(t.Context(), t, http.MethodGet, "/account", "")
				assert.Equal(t, c.status, got.status, d.name)
				require.ErrorIs(t, got.err, c.err, d.name)
				assert.Truef(t, strings.HasPrefix(got.body, c.body), "%s: %s", d.name, got.body)
				for header, value := range c.header {
					assert.Equal(t, value, got.header.Get(header), d.name)
				}
				journal := s.Journal()
				assert.Equal(t, c.status, journal[len(journal)-1].Status, d.name)
				after := 1000 - before(t, d)
				assert.Equal(t, c.cost, after-remaining-1, "%s: requests that count", d.name)
			}
		})
	}
}

// before makes a call and returns the remaining requests.
func before(t *testing.T, d transport) int {
	t.Helper()
	n, err := strconv.Atoi(d.get(t, "/account").header.Get("X-Ratelimit-Remaining"))
	require.NoError(t, err)
	return n
}

func TestInjected429Agrees(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 900e6, time.UTC)
	s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
	d := inProcess(s)
	for _, c := range []struct {
		retryAfter time.Duration
		seconds    int64
	}{{0, 3600}, {time.Nanosecond, 1}, {90 * time.Second, 90}, {90*time.Second + 1, 91}, {2 * time.Hour, 7200}, {1<<63 - 1, 9223372036}} {
		s.Inject(sandbox.Fault{Code: hiring.ErrRateLimited, RetryAfter: c.retryAfter})
		a := d.get(t, "/account")
		a.fails(t, 429, "RATE_LIMITED")
		assert.Equal(t, strconv.FormatInt(c.seconds, 10), a.header.Get("Retry-After"))
		reset := now.Unix() + c.seconds
		assert.Equal(t, strconv.FormatInt(reset, 10), a.header.Get("X-RateLimit-Reset"))
		assert.JSONEq(t, fmt.Sprintf(`{"limit":1000,"remaining":0,"reset":%d}`, reset), string(a.Error.Details))
	}
	s.Inject(sandbox.Fault{RetryAfter: time.Second})
	d.get(t, "/account").fails(t, 429, "RATE_LIMITED")
	assert.Equal(t, "999", d.get(t, "/account").header.Get("X-RateLimit-Remaining"), "the quota was not touched")
}

// TestADelayEndsWithItsContext uses each transport. The request then has no effect,
// unless it took effect before the delay.
func TestADelayEndsWithItsContext(t *testing.T) {
	for _, after := range []bool{false, true} {
		s := sandbox.Start(t)
		for _, d := range transports(t, s) {
			s.SetQuota(sandbox.TestKey, sandbox.ClassWrite, 100)
			s.Inject(sandbox.Fault{Route: "POST /assessments", Delay: time.Hour, After: after})
			ctx, cancel := context.WithCancel(t.Context())
			before := len(s.Journal())
			go func() {
				for len(s.Journal()) == before { // Until the request has arrived.
					runtime.Gosched()
				}
				cancel()
			}()
			got := d.send(ctx, t, http.MethodPost, "/assessments", newAssessment)
			require.ErrorIs(t, got.err, context.Canceled, d.name)
			journal := s.Journal()
			assert.Zero(t, journal[len(journal)-1].Status, d.name)
			left := "99"
			if after {
				left = "98"
			}
			assert.Equal(t, left, d.post(t, "/assessments", newAssessment).header.Get("X-RateLimit-Remaining"), d.name)
		}
	}
}
