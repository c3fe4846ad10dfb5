package hiring

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRepeat(t *testing.T) {
	policy, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err)
	const half = 0.5
	first := 250 * time.Millisecond // Half of the longest first pause.
	for name, c := range map[string]struct {
		ending ending
		wait   time.Duration
		again  bool
	}{
		"GET 500":                     {ending{method: "GET", status: 500}, first, true},
		"GET 502":                     {ending{method: "GET", status: 502}, first, true},
		"GET 503":                     {ending{method: "GET", status: 503}, first, true},
		"GET 504":                     {ending{method: "GET", status: 504}, first, true},
		"GET 501":                     {ending{method: "GET", status: 501}, 0, false},
		"GET 505":                     {ending{method: "GET", status: 505}, 0, false},
		"GET 400":                     {ending{method: "GET", status: 400}, 0, false},
		"GET 409":                     {ending{method: "GET", status: 409}, 0, false},
		"GET 429":                     {ending{method: "GET", status: 429}, first, true},
		"GET 302":                     {ending{method: "GET", status: 302}, 0, false},
		"GET 200 cut":                 {ending{method: "GET", status: 200, cut: true}, first, true},
		"GET 200 timeout":             {ending{method: "GET", status: 200, timeout: true}, first, true},
		"GET 200 wrong":               {ending{method: "GET", status: 200}, 0, false},
		"GET cut":                     {ending{method: "GET", cut: true}, first, true},
		"GET timeout":                 {ending{method: "GET", timeout: true}, first, true},
		"GET permanent":               {ending{method: "GET", cut: true, permanent: true}, 0, false},
		"DELETE 500":                  {ending{method: "DELETE", status: 500}, first, true},
		"DELETE 404":                  {ending{method: "DELETE", status: 404}, 0, false},
		"DELETE cut":                  {ending{method: "DELETE", cut: true}, first, true},
		"DELETE timeout":              {ending{method: "DELETE", timeout: true}, 0, false},
		"DELETE timeout unsent":       {ending{method: "DELETE", timeout: true, unsent: true}, first, true},
		"PATCH 503":                   {ending{method: "PATCH", status: 503}, first, true},
		"PATCH cut":                   {ending{method: "PATCH", cut: true}, first, true},
		"PATCH 200 cut":               {ending{method: "PATCH", status: 200, cut: true}, 0, false},
		"PATCH timeout":               {ending{method: "PATCH", timeout: true}, 0, false},
		"PATCH 409":                   {ending{method: "PATCH", status: 409}, 0, false},
		"POST 500":                    {ending{method: "POST", status: 500}, 0, false},
		"POST 503":                    {ending{method: "POST", status: 503, retryAfter: time.Second}, 0, false},
		"POST cut":                    {ending{method: "POST", cut: true}, 0, false},
		"POST timeout":                {ending{method: "POST", timeout: true}, 0, false},
		"POST unsent":                 {ending{method: "POST", unsent: true, cut: true}, first, true},
		"POST unsent permanent":       {ending{method: "POST", unsent: true, permanent: true}, 0, false},
		"POST 429":                    {ending{method: "POST", status: 429}, first, true},
		"PUT 500":                     {ending{method: "PUT", status: 500}, 0, false},
		"Retry-After":                 {ending{method: "POST", status: 429, retryAfter: 7 * time.Second}, 7 * time.Second, true},
		"Retry-After at MaxWait":      {ending{method: "GET", status: 503, retryAfter: time.Minute}, time.Minute, true},
		"Retry-After beyond MaxWait":  {ending{method: "GET", status: 503, retryAfter: time.Minute + 1}, 0, false},
		"Retry-After huge":            {ending{method: "GET", status: 429, retryAfter: math.MaxInt64}, 0, false},
		"Retry-After before deadline": {ending{method: "GET", status: 429, retryAfter: time.Second, bounded: true, left: time.Second + 1}, time.Second, true},
		"Retry-After at deadline":     {ending{method: "GET", status: 429, retryAfter: time.Second, bounded: true, left: time.Second}, 0, false},
		"backoff beyond deadline":     {ending{method: "GET", status: 500, bounded: true, left: first - 1}, 0, false},
		"deadline passed":             {ending{method: "GET", status: 500, bounded: true, left: -1}, 0, false},
		"left without a deadline":     {ending{method: "GET", status: 500, left: 0}, first, true},
		"second":                      {ending{number: 2, method: "GET", status: 500}, 2 * first, true},
		"last but one":                {ending{number: 3, method: "GET", status: 500}, 4 * first, true},
		"last":                        {ending{number: 4, method: "GET", status: 500}, 0, false},
		"last 429":                    {ending{number: 4, method: "GET", status: 429, retryAfter: 1}, 0, false},
	} {
		if c.ending.number == 0 {
			c.ending.number = 1
		}
		c.ending.failed = true
		wait, again := policy.repeat(c.ending, half)
		assert.Equal(t, c.again, again, "%s: again", name)
		assert.Equal(t, c.wait, wait, "%s: wait", name)
	}
}

func TestBackoff(t *testing.T) {
	for _, c := range []struct {
		base, most time.Duration
		want       []time.Duration // After attempts 1, 2, …
	}{
		{500 * time.Millisecond, 30 * time.Second, []time.Duration{5e8, 1e9, 2e9, 4e9, 8e9, 16e9, 30e9, 30e9}},
		{time.Second, 4 * time.Second, []time.Duration{1e9, 2e9, 4e9, 4e9}},
		{time.Second, 5 * time.Second, []time.Duration{1e9, 2e9, 4e9, 5e9, 5e9}},
		{time.Minute, time.Second, []time.Duration{1e9, 1e9}},
		{math.MaxInt64, math.MaxInt64, []time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
		{1, math.MaxInt64, []time.Duration{1, 2, 4}},
	} {
		p := RetryPolicy{BaseBackoff: c.base, MaxBackoff: c.most}
		for i, want := range c.want {
			assert.Equal(t, want, p.backoff(i+1), "backoff(%d) of %+v", i+1, p)
		}
		assert.LessOrEqual(t, p.backoff(1000), c.most, "backoff(1000) of %+v", p)
		assert.Positive(t, p.backoff(1000), "backoff(1000) of %+v", p)
	}
}

func TestRetryPolicyDefaults(t *testing.T) {
	p, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, RetryPolicy{4, 500 * time.Millisecond, 30 * time.Second, time.Minute}, p)
	given := RetryPolicy{1, 2, 3, 4}
	p, err = given.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, given, p)
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

func TestRateLimitOf(t *testing.T) {
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
		limit, ok := rateLimitOf(h)
		assert.Equal(t, c.ok, ok, "%+v", c)
		assert.Equal(t, c.ok, limit != RateLimit{}, "%+v: all or nothing", c)
	}
	limit, _ := rateLimitOf(http.Header{"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"7"}, "X-Ratelimit-Reset": {"1800000000"}})
	assert.Equal(t, RateLimit{1000, 7, time.Unix(1800000000, 0).UTC()}, limit)
}
