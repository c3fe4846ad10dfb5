package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const newAssessment = `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"n"}`

func limitsOf(t *testing.T, a apiResponse) (limit, remaining int, reset int64) {
	t.Helper()
	number := func(name string) int {
		n, err := strconv.Atoi(a.header.Get(name))
		require.NoError(t, err)
		return n
	}
	return number("X-RateLimit-Limit"), number("X-RateLimit-Remaining"), int64(number("X-RateLimit-Reset"))
}

func TestQuotaWindow(t *testing.T) {
	start := time.Date(2026, 3, 10, 12, 0, 0, 250e6, time.UTC)
	now := start
	s := sandbox.Start(t, sandbox.WithQuota(2, 1), sandbox.WithClock(func() time.Time { return now }))
	d := transports(t, s)[1]
	wantReset := start.Add(time.Hour).Unix() // An hour after the Date of the response.

	for want := 1; want >= 0; want-- {
		_, remaining, reset := limitsOf(t, d.get(t, "/account"))
		assert.Equal(t, want, remaining)
		assert.Equal(t, wantReset, reset, "the window opened at the first request")
		now = now.Add(10 * time.Minute)
	}
	for range 3 {
		a := d.get(t, "/nowhere")
		a.fails(t, 429, "RATE_LIMITED")
		limit, remaining, reset := limitsOf(t, a)
		var details map[string]int64
		require.NoError(t, json.Unmarshal(a.Error.Details, &details))
		assert.Equal(t, map[string]int64{"limit": int64(limit), "remaining": int64(remaining), "reset": reset}, details)
		assert.Equal(t, []int64{2, 0, wantReset}, []int64{int64(limit), int64(remaining), reset})
		date, err := http.ParseTime(a.header.Get("Date"))
		require.NoError(t, err)
		assert.Equal(t, now.Truncate(time.Second), date.UTC())
		assert.Equal(t, strconv.FormatInt(reset-date.Unix(), 10), a.header.Get("Retry-After"))
	}
	assert.Equal(t, 201, d.post(t, "/assessments", newAssessment).status, "writes are counted apart")
	assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", sandbox.ReadOnlyKey).status, "each key has its own quotas")

	now = time.Unix(wantReset, 0).Add(-1)
	last := d.get(t, "/account")
	last.fails(t, 429, "RATE_LIMITED")
	assert.Equal(t, "1", last.header.Get("Retry-After"))
	now = now.Add(1)
	_, remaining, reset := limitsOf(t, d.get(t, "/account"))
	assert.Equal(t, 1, remaining)
	assert.Equal(t, now.Add(time.Hour).Unix(), reset)
}

func TestRequestsThatCountAgainstTheQuota(t *testing.T) {
	s := sandbox.New(sandbox.WithQuota(10, 10))
	d := inProcess(s)
	left := func(method, path, key string, with ...any) int {
		_, remaining, _ := limitsOf(t, d.do(t, method, "/api/v1"+path, key, with...))
		return remaining
	}
	assert.Equal(t, 9, left("GET", "/nowhere", sandbox.ReadOnlyKey))
	assert.Equal(t, 8, left("HEAD", "/account", sandbox.ReadOnlyKey))
	assert.Equal(t, 7, left("GET", "/submissions?page_size=0", sandbox.ReadOnlyKey))
	assert.Equal(t, 9, left("POST", "/assessments", sandbox.ReadOnlyKey, newAssessment))
	assert.Equal(t, 8, left("PUT", "/account", sandbox.ReadOnlyKey))
	assert.Equal(t, 10, left("GET", "/account", "sk_test_wrong"))
	assert.Equal(t, 6, left("GET", "/account", sandbox.ReadOnlyKey))
}

func TestSetQuota(t *testing.T) {
	s := sandbox.New(sandbox.WithQuota(50, 20))
	d := inProcess(s)
	remaining := func(a apiResponse) int { _, n, _ := limitsOf(t, a); return n }
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 3)
	assert.Equal(t, 2, remaining(d.get(t, "/account")))
	assert.Equal(t, 19, remaining(d.post(t, "/assessments", newAssessment)))
	s.SetQuota(sandbox.TestKey, sandbox.ClassWrite, -5)
	a := d.post(t, "/assessments", newAssessment)
	a.fails(t, 429, "RATE_LIMITED")
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1000)
	assert.Equal(t, 49, remaining(d.get(t, "/account")))

	assert.PanicsWithValue(t, "sandbox: SetQuota: key: the server knows no such key", func() { s.SetQuota("sk_test_x", sandbox.ClassRead, 1) })
	assert.PanicsWithValue(t, `sandbox: SetQuota: class: must be read or write, not "all"`, func() { s.SetQuota(sandbox.TestKey, "all", 1) })
	assert.Equal(t, 200, d.get(t, "/account").status, "a panic leaves nothing locked")
}

func TestWindowsEndOnAWholeSecondNeverEarlier(t *testing.T) {
	for nanos, want := range map[int]int64{0: 3600, 1: 3600, 999_999_999: 3600} {
		d := inProcess(sandbox.New(at(time.Unix(1_700_000_000, int64(nanos)))))
		_, _, reset := limitsOf(t, d.get(t, "/account"))
		assert.Equal(t, 1_700_000_000+want, reset, nanos)
		_, _, reset = limitsOf(t, d.do(t, http.MethodGet, "/api/v1/account", "sk_test_wrong"))
		assert.Equal(t, 1_700_000_000+want, reset, nanos)
	}
}

func TestNoQuotaAtAll(t *testing.T) {
	d := inProcess(sandbox.New(sandbox.WithQuota(0, 0)))
	a := d.get(t, "/account")
	a.fails(t, 429, "RATE_LIMITED")
	assert.NotEqual(t, "0", a.header.Get("Retry-After"))
}
