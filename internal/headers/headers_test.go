package headers_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/headers"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

func TestRetryAfter(t *testing.T) {
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
		assert.Equal(t, c.want, headers.RetryAfter(h, now), "Retry-After %q, Date %q", c.value, c.date)
	}
	assert.Zero(t, headers.RetryAfter(nil, now))
}

func TestQuota(t *testing.T) {
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
		limit, ok := headers.Quota(h)
		assert.Equal(t, c.ok, ok, "%+v", c)
		assert.Equal(t, c.ok, limit != quota.Window{}, "%+v: all or nothing", c)
	}
	limit, _ := headers.Quota(http.Header{"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"7"}, "X-Ratelimit-Reset": {"1800000000"}})
	assert.Equal(t, quota.Window{Limit: 1000, Remaining: 7, Reset: time.Unix(1800000000, 0).UTC()}, limit)
}

func TestAddable(t *testing.T) {
	for name, want := range map[string]bool{
		"X-Trace": true, "a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "!#$%&'*+-.^_`|~": true,
		"": false, "X Trace": false, "X:Trace": false, "X/Trace": false, "X@Trace": false, "X[Trace": false, "X{Trace": false, "Xé": false, "X\n": false,
		"Authorization": false, "Idempotency-Key": false, "X-Idempotency-Key": false, "Accept": false, "Host": false, "Range": false,
	} {
		assert.Equal(t, want, headers.Addable(name), "%q", name)
	}
}

func TestIsValue(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "a b": true, "a\tb": true, "é~": true, "\x00": false, "\x1f": false, "a\nb": false, "a\rb": false, "\x7f": false,
	} {
		assert.Equal(t, want, headers.IsValue(value), "%q", value)
	}
}
