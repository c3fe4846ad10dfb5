package hiring

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

func TestClassOf(t *testing.T) {
	for method, class := range map[string]quota.Class{
		"GET": quota.Read, "HEAD": quota.Read, "POST": quota.Write, "PATCH": quota.Write, "PUT": quota.Write, "DELETE": quota.Write,
	} {
		assert.Equal(t, class, classOf(method), method)
	}
}

// A proxy with a wrong clock must not move the times that SendAll records.
func TestClockIsNotLearnedFromAnIntermediary(t *testing.T) {
	now := time.Now()
	date := now.Add(-time.Hour).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		header  http.Header
		learned bool
	}{
		"the API": {http.Header{
			"Date": {date}, "X-Request-Id": {"req_1"}, "X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1800000000"},
		}, true},
		"a cache": {http.Header{
			"Date": {date}, "X-Request-Id": {"req_1"}, "X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1800000000"},
			"Age": {"1"},
		}, false},
		"a proxy's error page":             {http.Header{"Date": {date}}, false},
		"a proxy with its own request ids": {http.Header{"Date": {date}, "X-Request-Id": {"proxy_1"}}, false},
	} {
		s := new(shared)
		of := &call{core: &core{shared: s}, request: request{method: http.MethodGet}, key: noKey}
		of.learnLimits(http.StatusBadGateway, c.header, now, now)
		assert.Equal(t, c.learned, s.clock.Server(now).Before(now.Add(-59*time.Minute)), "%s: clock", name)
		assert.Equal(t, c.learned, s.clock.Latest(now).Before(now.Add(-59*time.Minute)), "%s: clock of polls", name)
	}
}

// TestAnAttemptKnowsThatItWaitedForAWindow makes two writes with one left, both within a minute.
func TestAnAttemptKnowsThatItWaitedForAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := time.Now().Add(20 * time.Second)
		client, err := New("https://service.invalid", "sk_live_emulated", WithHTTPClient(&http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusCreated, Body: io.NopCloser(strings.NewReader(`{"data":{}}`)), Request: r, Header: http.Header{
				"Content-Type": {"application/json"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}, "X-Request-Id": {"r"},
				"X-Ratelimit-Limit": {"200"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {strconv.FormatInt(ends.Unix(), 10)},
			}}, nil
		})}))
		require.NoError(t, err)
		for _, want := range []bool{false, true} {
			r := newInviteRequest(client.core, "a", NewInvitation{Name: "Ada", Email: "ada@example.com"})
			calls := 0
			r.beforeAttempt = func(waited bool) error {
				calls++
				assert.Equal(t, want, waited)
				return nil
			}
			require.NoError(t, client.core.makeCall(t.Context(), r, nil))
			assert.Equal(t, 1, calls)
		}
	})
}

// TestAnAttemptIsAdmittedAgainAfterALongWait has a key that rotates while SendAll, before an attempt, waits
// for a window to read the listing.
func TestAnAttemptIsAdmittedAgainAfterALongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, sent := time.Now(), ""
		key := func(context.Context) (string, error) {
			return fmt.Sprintf("sk_live_emulated_%d", time.Since(begun)/time.Hour), nil
		}
		client, err := New("https://service.invalid", "", WithKeySource(key), WithHTTPClient(&http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			sent = r.Header.Get("Authorization")
			return &http.Response{StatusCode: http.StatusCreated, Body: io.NopCloser(strings.NewReader(`{"data":{}}`)), Request: r, Header: http.Header{"Content-Type": {"application/json"}}}, nil
		})}))
		require.NoError(t, err)
		r := newInviteRequest(client.core, "a", NewInvitation{Name: "Ada", Email: "ada@example.com"})
		calls := 0
		r.beforeAttempt = func(bool) error {
			if calls++; calls == 1 {
				time.Sleep(2 * time.Hour)
			}
			return nil
		}
		require.NoError(t, client.core.makeCall(t.Context(), r, nil))
		assert.Equal(t, 2, calls)
		assert.Equal(t, "Bearer sk_live_emulated_2", sent)
	})
}

// transportFunc is a function as transport.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOwnersOfKeysThatRotateDoNotPileUp(t *testing.T) {
	f := new(shared)
	for n := range 10 * maxAccounts {
		id := keyID{byte(n), byte(n >> 8), byte(n >> 16)}
		f.setAccount(id, strconv.Itoa(n))
		assert.Equal(t, strconv.Itoa(n), f.account(id))
		assert.LessOrEqual(t, len(f.accounts.known), maxAccounts)
	}
}

func TestRetryAfterOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"0", "", 0},
		{"1", "", time.Second},
		{" 120 ", "", 2 * time.Minute},
		{"007", "", 7 * time.Second},
		{"9223372036", "", 9223372036 * time.Second},
		{"9223372037", "", 9223372036 * time.Second},
		{"18446744073709551615", "", 9223372036 * time.Second},
		{"99999999999999999999999999", "", 9223372036 * time.Second},
		{"-5", "", 0},
		{"+5", "", 0},
		{"1.5", "", 0},
		{"1e3", "", 0},
		{"soon", "", 0},
		{"120, 60", "", 0},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "", 30 * time.Second},
		{"Sunday, 01-Mar-26 12:00:30 GMT", "", 30 * time.Second},
		{"Sun Mar  1 12:00:30 2026", "", 30 * time.Second},
		{"Sun, 01 Mar 2026 11:59:00 GMT", "", 0},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01 Mar 2026 12:00:20 GMT", 10 * time.Second},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01 Mar 2026 13:00:00 GMT", 0},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "yesterday", 30 * time.Second},
		{"2026-03-01T12:00:30Z", "", 0},
		{"Fri, 31 Dec 9999 23:59:59 GMT", "", math.MaxInt64},
	} {
		h := http.Header{"Retry-After": {c.value}}
		if c.date != "" {
			h.Set("Date", c.date)
		}
		assert.Equal(t, c.want, retryAfterOf(h, now), "Retry-After %q, Date %q", c.value, c.date)
	}
	assert.Zero(t, retryAfterOf(nil, now))
}

func TestWindowOf(t *testing.T) {
	for _, c := range []struct {
		limit, remaining, reset string
		ok                      bool
	}{
		{"1000", "999", "1800000000", true},
		{"1000", "0", "1800000000", true},
		{"0", "0", "1", true},
		{"1000", "999", "253402300799", true},
		{"", "999", "1800000000", false},
		{"1000", "", "1800000000", false},
		{"1000", "999", "", false},
		{"-1", "999", "1800000000", false},
		{"1000", "-1", "1800000000", false},
		{"1000", "999", "-1", false},
		{"1000", "999", "0", false},
		{"1000", "999", "253402300800", false},
		{"1e3", "999", "1800000000", false},
		{"1000", "999", "Sun, 01 Mar 2026 12:00:30 GMT", false},
		{"99999999999999999999", "999", "1800000000", false},
	} {
		h := http.Header{}
		h.Set("X-RateLimit-Limit", c.limit)
		h.Set("X-RateLimit-Remaining", c.remaining)
		h.Set("X-RateLimit-Reset", c.reset)
		limit, ok := windowOf(h)
		assert.Equal(t, c.ok, ok, "%+v", c)
		assert.Equal(t, c.ok, limit != quota.Window{}, "%+v: all or nothing", c)
	}
	limit, _ := windowOf(http.Header{"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"7"}, "X-Ratelimit-Reset": {"1800000000"}})
	assert.Equal(t, quota.Window{Limit: 1000, Remaining: 7, Reset: time.Unix(1800000000, 0).UTC()}, limit)
}

func TestHeadersThatTracersMayAdd(t *testing.T) {
	for name, want := range map[string]bool{
		"X-Trace": true, "a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "!#$%&'*+-.^_`|~": true,
		"": false, "X Trace": false, "X:Trace": false, "X/Trace": false, "X@Trace": false, "X[Trace": false, "X{Trace": false, "Xé": false, "X\n": false,
		"Authorization": false, "Idempotency-Key": false, "X-Idempotency-Key": false, "Accept": false, "Host": false, "Range": false,
	} {
		assert.Equal(t, want, isAddable(name), "%q", name)
	}
}

func TestValuesOfHeaders(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "a b": true, "a\tb": true, "é~": true, "\x00": false, "\x1f": false, "a\nb": false, "a\rb": false, "\x7f": false,
	} {
		assert.Equal(t, want, isHeaderValue(value), "%q", value)
	}
}
