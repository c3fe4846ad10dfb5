package hiring

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// endedAttempt has the facts that a decision depends on.
type endedAttempt struct {
	Number                          int
	Method                          string
	Status                          int
	Unsent, Timeout, Cut, Permanent bool
	RetryAfter                      time.Duration
	Left                            time.Duration // Until the context's deadline, if Bounded.
	Bounded                         bool
}

func (e endedAttempt) decide(p RetryPolicy, jitter float64) (time.Duration, bool) {
	failure := &Error{Method: e.Method, Attempts: e.Number, Status: e.Status}
	switch {
	case e.Permanent:
		failure.kind = final
	case e.Unsent:
		failure.kind = unsent
	case e.Timeout:
		failure.kind = timedOut
	case e.Cut:
		failure.kind = broken
	}
	left := time.Duration(math.MaxInt64)
	if e.Bounded {
		left = e.Left
	}
	return decide(p, failure, e.RetryAfter, left, jitter)
}

func TestRetriedAttempts(t *testing.T) {
	policy := RetryPolicy{4, 500 * time.Millisecond, 30 * time.Second, time.Minute}
	const half = 0.5
	first := 250 * time.Millisecond // Half of the longest first delay.
	for name, c := range map[string]struct {
		ending endedAttempt
		wait   time.Duration
		again  bool
	}{
		"GET 500":                     {endedAttempt{Method: "GET", Status: 500}, first, true},
		"GET 502":                     {endedAttempt{Method: "GET", Status: 502}, first, true},
		"GET 503":                     {endedAttempt{Method: "GET", Status: 503}, first, true},
		"GET 504":                     {endedAttempt{Method: "GET", Status: 504}, first, true},
		"GET 501":                     {endedAttempt{Method: "GET", Status: 501}, 0, false},
		"GET 505":                     {endedAttempt{Method: "GET", Status: 505}, 0, false},
		"GET 400":                     {endedAttempt{Method: "GET", Status: 400}, 0, false},
		"GET 409":                     {endedAttempt{Method: "GET", Status: 409}, 0, false},
		"GET 429":                     {endedAttempt{Method: "GET", Status: 429}, first, true},
		"GET 302":                     {endedAttempt{Method: "GET", Status: 302}, 0, false},
		"GET 200 cut":                 {endedAttempt{Method: "GET", Status: 200, Cut: true}, first, true},
		"GET 200 timeout":             {endedAttempt{Method: "GET", Status: 200, Timeout: true}, first, true},
		"GET 200 wrong":               {endedAttempt{Method: "GET", Status: 200}, 0, false},
		"GET cut":                     {endedAttempt{Method: "GET", Cut: true}, first, true},
		"GET timeout":                 {endedAttempt{Method: "GET", Timeout: true}, first, true},
		"GET permanent":               {endedAttempt{Method: "GET", Permanent: true}, 0, false},
		"DELETE 500":                  {endedAttempt{Method: "DELETE", Status: 500}, first, true},
		"DELETE 404":                  {endedAttempt{Method: "DELETE", Status: 404}, 0, false},
		"DELETE cut":                  {endedAttempt{Method: "DELETE", Cut: true}, first, true},
		"DELETE timeout":              {endedAttempt{Method: "DELETE", Timeout: true}, 0, false},
		"DELETE timeout unsent":       {endedAttempt{Method: "DELETE", Timeout: true, Unsent: true}, first, true},
		"PATCH 503":                   {endedAttempt{Method: "PATCH", Status: 503}, first, true},
		"PATCH cut":                   {endedAttempt{Method: "PATCH", Cut: true}, first, true},
		"PATCH 200 cut":               {endedAttempt{Method: "PATCH", Status: 200, Cut: true}, 0, false},
		"PATCH timeout":               {endedAttempt{Method: "PATCH", Timeout: true}, 0, false},
		"PATCH 409":                   {endedAttempt{Method: "PATCH", Status: 409}, 0, false},
		"POST 500":                    {endedAttempt{Method: "POST", Status: 500}, 0, false},
		"POST 503":                    {endedAttempt{Method: "POST", Status: 503, RetryAfter: time.Second}, 0, false},
		"POST cut":                    {endedAttempt{Method: "POST", Cut: true}, 0, false},
		"POST timeout":                {endedAttempt{Method: "POST", Timeout: true}, 0, false},
		"POST unsent":                 {endedAttempt{Method: "POST", Unsent: true, Cut: true}, first, true},
		"POST unsent permanent":       {endedAttempt{Method: "POST", Unsent: true, Permanent: true}, 0, false},
		"POST 429":                    {endedAttempt{Method: "POST", Status: 429}, first, true},
		"PUT 500":                     {endedAttempt{Method: "PUT", Status: 500}, 0, false},
		"Retry-After":                 {endedAttempt{Method: "POST", Status: 429, RetryAfter: 7 * time.Second}, 7 * time.Second, true},
		"Retry-After at MaxWait":      {endedAttempt{Method: "GET", Status: 503, RetryAfter: time.Minute}, time.Minute, true},
		"Retry-After beyond MaxWait":  {endedAttempt{Method: "GET", Status: 503, RetryAfter: time.Minute + 1}, 0, false},
		"Retry-After huge":            {endedAttempt{Method: "GET", Status: 429, RetryAfter: math.MaxInt64}, 0, false},
		"Retry-After before deadline": {endedAttempt{Method: "GET", Status: 429, RetryAfter: time.Second, Bounded: true, Left: time.Second + 1}, time.Second, true},
		"Retry-After at deadline":     {endedAttempt{Method: "GET", Status: 429, RetryAfter: time.Second, Bounded: true, Left: time.Second}, 0, false},
		"backoff beyond deadline":     {endedAttempt{Method: "GET", Status: 500, Bounded: true, Left: first - 1}, 0, false},
		"deadline passed":             {endedAttempt{Method: "GET", Status: 500, Bounded: true, Left: -1}, 0, false},
		"left without a deadline":     {endedAttempt{Method: "GET", Status: 500, Left: 0}, first, true},
		"second":                      {endedAttempt{Number: 2, Method: "GET", Status: 500}, 2 * first, true},
		"last but one":                {endedAttempt{Number: 3, Method: "GET", Status: 500}, 4 * first, true},
		"last":                        {endedAttempt{Number: 4, Method: "GET", Status: 500}, 0, false},
		"last 429":                    {endedAttempt{Number: 4, Method: "GET", Status: 429, RetryAfter: 1}, 0, false},
	} {
		if c.ending.Number == 0 {
			c.ending.Number = 1
		}
		wait, again := c.ending.decide(policy, half)
		assert.Equal(t, c.again, again, name)
		assert.Equal(t, c.wait, wait, name)
	}
	wait, retry := endedAttempt{Number: 1, Method: "GET", Status: 500}.decide(policy, 0)
	assert.True(t, retry)
	assert.Positive(t, wait, "0 means no retry")
}

func TestRetryPolicyDefaults(t *testing.T) {
	full, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err, "zero is no mistake")
	assert.Equal(t, RetryPolicy{defaults.MaxAttempts, defaults.BaseBackoff, defaults.MaxBackoff, defaults.MaxWait}, full)
	own := RetryPolicy{1, 2, 3, 4}
	full, err = own.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, own, full)
	_, err = RetryPolicy{-1, -1, -1, -1}.withDefaults()
	assert.Equal(t, []string{"RetryPolicy.BaseBackoff", "RetryPolicy.MaxAttempts", "RetryPolicy.MaxBackoff"},
		slices.Sorted(maps.Keys(FieldErrors(err))))
	c, err := New("https://hiring.example.com", "sk_test_x")
	require.NoError(t, err)
	assert.Equal(t, int64(defaults.MaxResponseBytes), c.core.config.maxBytes)
}

func TestWaitLongerThanMaxWait(t *testing.T) {
	for name, c := range map[string]struct {
		most, wait time.Duration
		want       bool
	}{
		"as long as allowed":                 {time.Minute, time.Minute, false},
		"longer":                             {time.Minute, time.Minute + 1, true},
		"a window, for one who waits less":   {time.Hour - 1, time.Hour, true},
		"a window that seems longer":         {time.Hour, time.Hour + time.Second, false},
		"more than a window can seem":        {time.Hour, time.Hour + time.Second + 1, true},
		"as long as allowed, two windows":    {2 * time.Hour, 2 * time.Hour, false},
		"longer than allowed, two windows":   {2 * time.Hour, 2*time.Hour + 1, true},
		"a window, for one who waits longer": {2 * time.Hour, time.Hour + time.Minute, false},
	} {
		assert.Equal(t, c.want, RetryPolicy{MaxWait: c.most}.tooLong(c.wait), name)
	}
}

func TestLongestBackoff(t *testing.T) {
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
		{2, 5, []time.Duration{2, 4, 5}},
	} {
		p := RetryPolicy{BaseBackoff: c.base, MaxBackoff: c.most}
		for i, want := range c.want {
			assert.Equal(t, want, p.backoff(i+1), "backoff(%d) of %+v", i+1, p)
		}
		assert.LessOrEqual(t, p.backoff(1000), c.most, "backoff(1000) of %+v", p)
		assert.Positive(t, p.backoff(1000), "backoff(1000) of %+v", p)
	}
}

// A proxy with a wrong clock must not move the times of polls.
func TestClockIsNotLearnedFromAnIntermediary(t *testing.T) {
	now := time.Now()
	date := now.Add(-time.Hour).UTC().Format(http.TimeFormat)
	ofTheAPI := http.Header{
		"Date": {date}, "X-Request-Id": {"req_1"}, "X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1800000000"},
	}
	cached := ofTheAPI.Clone()
	cached.Set("Age", "1")
	for name, c := range map[string]struct {
		status  int
		header  http.Header
		learned bool
	}{
		"the API":                          {502, ofTheAPI, true},
		"a key of no account":              {401, ofTheAPI, false},
		"a cache":                          {502, cached, false},
		"a proxy's error page":             {502, http.Header{"Date": {date}}, false},
		"a proxy with its own request ids": {502, http.Header{"Date": {date}, "X-Request-Id": {"proxy_1"}}, false},
	} {
		s := new(shared)
		of := &call{core: &core{shared: s}, request: request{method: http.MethodGet}, progress: progress{key: noKey}}
		of.attempt.exchange.Started = now
		of.learn(&http.Response{StatusCode: c.status, Header: c.header}, nil, now)
		assert.Equal(t, c.learned, s.quotas.Known(keyID{}, quota.Read).Limit == 1000, "%s: rate limit", name)
		assert.Equal(t, c.learned, s.clock.at(now).Before(now.Add(-59*time.Minute)), "%s: clock", name)
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
		limit, ok := windowOf(c.limit, c.remaining, c.reset)
		assert.Equal(t, c.ok, ok, "%+v", c)
		assert.Equal(t, c.ok, limit != quota.Window{}, "%+v: all or nothing", c)
	}
	limit, _ := windowOf("1000", "7", "1800000000")
	assert.Equal(t, quota.Window{Limit: 1000, Remaining: 7, Reset: time.Unix(1800000000, 0).UTC()}, limit)
}

// A 2xx counts as the API's if its body is an envelope, or if it is empty and has X-Request-Id.
func TestIsFromAPI(t *testing.T) {
	for name, c := range map[string]struct {
		signed bool
		body   string
		want   bool
	}{
		"an envelope":               {body: `{"data":{}}`, want: true},
		"an envelope with spaces":   {body: " { \"data\" : {}}", want: true},
		"after other members":       {body: `{"a":[{"b":1}],"meta":{}}`, want: true},
		"an envelope that is cut":   {body: `{"data":{"a`, want: true},
		"empty, with a request id":  {signed: true, want: true},
		"blank, with a request id":  {signed: true, body: " \n", want: true},
		"empty":                     {},
		"a page, with a request id": {signed: true, body: "<html>"},
		"other JSON, with an id":    {signed: true, body: `{"login":1}`},
		"a list":                    {body: `["data"]`},
		"deeper":                    {body: `{"a":{"data":1}}`},
		"behind the JSON":           {body: `{"a":1} 7 "data"`},
		"an OpenAPI document":       {body: `{"openapi":"3.1.0"}`},
	} {
		h := http.Header{}
		if c.signed {
			h.Set("X-Request-Id", "req_1")
		}
		of := &call{request: request{route: "/account"}}
		assert.Equal(t, c.want, of.isFromAPI(h, []byte(c.body)), name)
		of.request.route = "/openapi.json"
		assert.Equal(t, c.want || c.body == `{"openapi":"3.1.0"}`, of.isFromAPI(h, []byte(c.body)), name)
	}
}

func TestRedact(t *testing.T) {
	const key = `sk_live_a+b/c"d`
	for text, want := range map[string]string{
		"nothing": "nothing", "": "", "the key " + key + ", twice " + key: "the key [redacted], twice [redacted]",
		"q=sk_live_a%2Bb%2Fc%22d":  "q=[redacted]",
		"/sk_live_a+b%2Fc%22d/":    "/[redacted]/",
		`{"k":"sk_live_a+b/c\"d"}`: `{"k":"[redacted]"}`,
	} {
		assert.Equal(t, want, secret(key).redact(text), text)
	}
	assert.Equal(t, "a word", secret("word").redact("a word"), "a key that may be a word")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		assert.Equal(t, redacted, fmt.Sprintf(verb, secret(key)), verb)
	}
	text, err := json.Marshal(secret(key))
	require.NoError(t, err)
	assert.Equal(t, `"[redacted]"`, string(text))
}
