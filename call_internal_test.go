package hiring

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

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
		of := &call{callState: callState{core: &core{shared: s}, request: request{method: http.MethodGet}, key: noKey}}
		of.attempt.exchange.Started = now
		r := readHeader(c.status, c.header, noKey, now)
		r.received = now
		of.record(&r)
		assert.Equal(t, c.learned, s.quotas.Known(keyID{}, quota.Read).Limit == 1000, "%s: rate limit", name)
		assert.Equal(t, c.learned, s.clock.at(now).Before(now.Add(-59*time.Minute)), "%s: clock", name)
	}
}

func TestASlowResponseDoesNotSetTheClock(t *testing.T) {
	clock, sent := new(serverClock), time.Now().Truncate(time.Second)
	clock.set(sent, sent, sent)
	received := sent.Add(10 * time.Second)
	clock.set(sent, sent, received)
	assert.Equal(t, received, clock.at(received))
}

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
		assert.Equal(t, c.want, readHeader(429, h, noKey, now).retryAfter, "Retry-After %q, Date %q", c.value, c.date)
	}
}

func TestDecide(t *testing.T) {
	policy := RetryPolicy{MaxAttempts: 3, BaseBackoff: time.Second, MaxBackoff: time.Minute, MaxWait: 10 * time.Second}
	const hour = time.Hour
	for name, c := range map[string]struct {
		e               Error
		requested, left time.Duration
		wait            time.Duration
	}{
		"503 of a read":                  {Error{Status: 503, Method: "GET"}, 0, hour, 500 * time.Millisecond},
		"the second one":                 {Error{Status: 503, Method: "GET", Attempts: 2}, 0, hour, time.Second},
		"the last one":                   {Error{Status: 503, Method: "GET", Attempts: 3}, 0, hour, 0},
		"503 of a POST":                  {Error{Status: 503, Method: "POST"}, 0, hour, 0},
		"429 of a POST":                  {Error{Status: 429, Method: "POST"}, 9 * time.Second, hour, 9 * time.Second},
		"Retry-After above MaxWait":      {Error{Status: 429, Method: "GET"}, 11 * time.Second, hour, 0},
		"the context ends before":        {Error{Status: 429, Method: "GET"}, 9 * time.Second, 9 * time.Second, 0},
		"no connection for a POST":       {Error{kind: kindUnsent, Method: "POST"}, 0, hour, 500 * time.Millisecond},
		"a lost PATCH":                   {Error{kind: kindBroken, Method: "PATCH"}, 0, hour, 500 * time.Millisecond},
		"a PATCH that timed out":         {Error{kind: kindTimedOut, Method: "PATCH"}, 0, hour, 0},
		"a GET that timed out":           {Error{kind: kindTimedOut, Method: "GET"}, 0, hour, 500 * time.Millisecond},
		"a 409":                          {Error{Status: 409, Method: "GET"}, time.Second, hour, 0},
		"a 2xx that cannot be decoded":   {Error{Status: 200, Method: "GET", kind: kindInvalidBody}, 0, hour, 0},
		"a 501, transient but for later": {Error{Status: 501, Method: "GET"}, 0, hour, 0},
	} {
		c.e.Attempts = max(1, c.e.Attempts)
		wait, again := decide(policy, &c.e, c.e.Attempts, c.requested, c.left, 0.5)
		assert.Equal(t, c.wait, wait, name)
		assert.Equal(t, c.wait > 0, again, name)
	}
	assert.False(t, RetryPolicy{MaxWait: hour}.tooLong(hour+time.Second), "a Date is cut to a second")
	assert.True(t, RetryPolicy{MaxWait: hour}.tooLong(hour+2*time.Second))
}

func TestClassify(t *testing.T) {
	ok := []byte(`{"data":{"id":"x"},"meta":{}}`)
	invalid := []byte(`{"error":{"code":"INVALID_INPUT","message":"No.","details":{"fieldErrors":{"page_size":["at most 100"]}},"request_id":"req_b"}}`)
	cut := &Error{Message: "the response was not complete: EOF", kind: kindBroken, Outcome: OutcomeDone}
	for name, c := range map[string]struct {
		method  string
		r       response
		outcome Outcome
		kind    failureKind
		code    ErrorCode
		text    string // Part of the error; "" for success.
	}{
		"success":               {"POST", response{status: 201, body: ok}, "", 0, "", ""},
		"of an intermediary":    {"POST", response{status: 200, body: []byte("<html>")}, OutcomeUnknown, kindNotFromAPI, "", "not from the API: <html>"},
		"empty, with an id":     {"POST", response{status: 200, requestID: "req_1"}, OutcomeDone, kindBroken, "", "the response is empty"},
		"empty, without an id":  {"POST", response{status: 200}, OutcomeUnknown, kindNotFromAPI, "", "the response is empty and not from the API"},
		"cut short":             {"POST", response{status: 200, body: ok[:9], bodyErr: io.EOF, cut: cut}, OutcomeDone, kindBroken, "", "not complete"},
		"no data":               {"GET", response{status: 200, body: []byte(`{"meta":{}}`)}, "", kindInvalidBody, "", "no data"},
		"informational":         {"POST", response{status: 101}, OutcomeUnknown, kindByStatus, "", "status 101 does not end a request"},
		"redirect":              {"POST", response{status: 302, header: http.Header{"Location": {"https://elsewhere.test/x"}}}, OutcomeNotDone, kindByStatus, "", "redirects elsewhere (to elsewhere.test)"},
		"rejected":              {"POST", response{status: 400, body: invalid}, OutcomeNotDone, kindByStatus, ErrInvalidInput, "page_size: at most 100"},
		"rejected, cut short":   {"POST", response{status: 404, body: invalid[:9], bodyErr: io.EOF, cut: cut}, OutcomeNotDone, kindByStatus, "", "cut short"},
		"a timeout of a proxy":  {"POST", response{status: 408}, OutcomeUnknown, kindByStatus, "", "empty and not from the API"},
		"a client that is gone": {"POST", response{status: 499}, OutcomeUnknown, kindByStatus, "", "empty and not from the API"},
		"an error of the API":   {"POST", response{status: 500, body: []byte(`{"error":{"code":"INTERNAL_ERROR","message":"Oops"}}`)}, OutcomeUnknown, kindByStatus, ErrInternal, "Oops"},
	} {
		var e envelope[Account]
		of := &call{callState: callState{core: new(core), request: request{method: c.method}, key: noKey}, decoder: func(body []byte) (string, error) {
			err := readEnvelope(body, &e)
			if err == nil && e.Data == nil {
				err = errNoData
			}
			return "", err
		}}
		c.r.isAPISuccess, c.r.rejection = of.hasAPIForm(&c.r), readRejection(c.r.body)
		warning, failure := of.classify(&c.r)
		assert.Empty(t, warning, name)
		if c.text == "" {
			assert.Nil(t, failure, name)
			continue
		}
		require.NotNil(t, failure, name)
		assert.Equal(t, [3]any{c.outcome, c.kind, c.code}, [3]any{failure.Outcome, failure.kind, failure.Code}, "%s: %v", name, failure)
		require.ErrorContains(t, failure, c.text, name)
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

// TestSendingChangesACopy: a Pager is an immutable value.
func TestSendingChangesACopy(t *testing.T) {
	list := PagerOf(1, 2)
	changed := list.sending(func(r request) request {
		r.operation = "another"
		return r
	})
	assert.Equal(t, []string{"PagerOf", "another"}, []string{list.list.request.operation, changed.list.request.operation})
}
