package hiring

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func (e endedAttempt) decide(p RetryPolicy, jitter float64) decision {
	at := time.Unix(1_800_000_000, 0)
	class := classification{failure: &Error{RetryAfter: e.RetryAfter}, timeout: e.Timeout, cut: e.Cut, permanent: e.Permanent}
	end := attemptEnd{at: at, bounded: e.Bounded, deadline: at.Add(e.Left)}
	return decide(p, e.Method, e.Number, &roundTrip{status: e.Status, unsent: e.Unsent}, class, &end, jitter)
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
		"GET permanent":               {endedAttempt{Method: "GET", Cut: true, Permanent: true}, 0, false},
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
		assert.Equal(t, decision{c.again, c.wait}, c.ending.decide(policy, half), name)
	}
	next := endedAttempt{Number: 1, Method: "GET", Status: 500}.decide(policy, 0)
	assert.True(t, next.retry)
	assert.Positive(t, next.wait, "0 means no retry")
}

func TestRetryPolicyDefaults(t *testing.T) {
	full, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err, "zero is no mistake")
	assert.Equal(t, RetryPolicy{4, 500 * time.Millisecond, 30 * time.Second, time.Minute}, full)
	own := RetryPolicy{1, 2, 3, 4}
	full, err = own.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, own, full)
	_, err = RetryPolicy{-1, -1, -1, -1}.withDefaults()
	assert.Equal(t, []string{"RetryPolicy.BaseBackoff", "RetryPolicy.MaxAttempts", "RetryPolicy.MaxBackoff"},
		slices.Sorted(maps.Keys(FieldErrors(err))))
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
