package retry

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRepeat(t *testing.T) {
	policy := Policy{4, 500 * time.Millisecond, 30 * time.Second, time.Minute}
	const half = 0.5
	first := 250 * time.Millisecond // Half of the longest first delay.
	for name, c := range map[string]struct {
		ending Attempt
		wait   time.Duration
		again  bool
	}{
		"GET 500":                     {Attempt{Method: "GET", Status: 500}, first, true},
		"GET 502":                     {Attempt{Method: "GET", Status: 502}, first, true},
		"GET 503":                     {Attempt{Method: "GET", Status: 503}, first, true},
		"GET 504":                     {Attempt{Method: "GET", Status: 504}, first, true},
		"GET 501":                     {Attempt{Method: "GET", Status: 501}, 0, false},
		"GET 505":                     {Attempt{Method: "GET", Status: 505}, 0, false},
		"GET 400":                     {Attempt{Method: "GET", Status: 400}, 0, false},
		"GET 409":                     {Attempt{Method: "GET", Status: 409}, 0, false},
		"GET 429":                     {Attempt{Method: "GET", Status: 429}, first, true},
		"GET 302":                     {Attempt{Method: "GET", Status: 302}, 0, false},
		"GET 200 cut":                 {Attempt{Method: "GET", Status: 200, Cut: true}, first, true},
		"GET 200 timeout":             {Attempt{Method: "GET", Status: 200, Timeout: true}, first, true},
		"GET 200 wrong":               {Attempt{Method: "GET", Status: 200}, 0, false},
		"GET cut":                     {Attempt{Method: "GET", Cut: true}, first, true},
		"GET timeout":                 {Attempt{Method: "GET", Timeout: true}, first, true},
		"GET permanent":               {Attempt{Method: "GET", Cut: true, Permanent: true}, 0, false},
		"DELETE 500":                  {Attempt{Method: "DELETE", Status: 500}, first, true},
		"DELETE 404":                  {Attempt{Method: "DELETE", Status: 404}, 0, false},
		"DELETE cut":                  {Attempt{Method: "DELETE", Cut: true}, first, true},
		"DELETE timeout":              {Attempt{Method: "DELETE", Timeout: true}, 0, false},
		"DELETE timeout unsent":       {Attempt{Method: "DELETE", Timeout: true, Unsent: true}, first, true},
		"PATCH 503":                   {Attempt{Method: "PATCH", Status: 503}, first, true},
		"PATCH cut":                   {Attempt{Method: "PATCH", Cut: true}, first, true},
		"PATCH 200 cut":               {Attempt{Method: "PATCH", Status: 200, Cut: true}, 0, false},
		"PATCH timeout":               {Attempt{Method: "PATCH", Timeout: true}, 0, false},
		"PATCH 409":                   {Attempt{Method: "PATCH", Status: 409}, 0, false},
		"POST 500":                    {Attempt{Method: "POST", Status: 500}, 0, false},
		"POST 503":                    {Attempt{Method: "POST", Status: 503, RetryAfter: time.Second}, 0, false},
		"POST cut":                    {Attempt{Method: "POST", Cut: true}, 0, false},
		"POST timeout":                {Attempt{Method: "POST", Timeout: true}, 0, false},
		"POST unsent":                 {Attempt{Method: "POST", Unsent: true, Cut: true}, first, true},
		"POST unsent permanent":       {Attempt{Method: "POST", Unsent: true, Permanent: true}, 0, false},
		"POST 429":                    {Attempt{Method: "POST", Status: 429}, first, true},
		"PUT 500":                     {Attempt{Method: "PUT", Status: 500}, 0, false},
		"Retry-After":                 {Attempt{Method: "POST", Status: 429, RetryAfter: 7 * time.Second}, 7 * time.Second, true},
		"Retry-After at MaxWait":      {Attempt{Method: "GET", Status: 503, RetryAfter: time.Minute}, time.Minute, true},
		"Retry-After beyond MaxWait":  {Attempt{Method: "GET", Status: 503, RetryAfter: time.Minute + 1}, 0, false},
		"Retry-After huge":            {Attempt{Method: "GET", Status: 429, RetryAfter: math.MaxInt64}, 0, false},
		"Retry-After before deadline": {Attempt{Method: "GET", Status: 429, RetryAfter: time.Second, Bounded: true, Left: time.Second + 1}, time.Second, true},
		"Retry-After at deadline":     {Attempt{Method: "GET", Status: 429, RetryAfter: time.Second, Bounded: true, Left: time.Second}, 0, false},
		"backoff beyond deadline":     {Attempt{Method: "GET", Status: 500, Bounded: true, Left: first - 1}, 0, false},
		"deadline passed":             {Attempt{Method: "GET", Status: 500, Bounded: true, Left: -1}, 0, false},
		"left without a deadline":     {Attempt{Method: "GET", Status: 500, Left: 0}, first, true},
		"second":                      {Attempt{Number: 2, Method: "GET", Status: 500}, 2 * first, true},
		"last but one":                {Attempt{Number: 3, Method: "GET", Status: 500}, 4 * first, true},
		"last":                        {Attempt{Number: 4, Method: "GET", Status: 500}, 0, false},
		"last 429":                    {Attempt{Number: 4, Method: "GET", Status: 429, RetryAfter: 1}, 0, false},
	} {
		if c.ending.Number == 0 {
			c.ending.Number = 1
		}
		wait, again := policy.Decide(c.ending, half)
		assert.Equal(t, c.again, again, "%s: again", name)
		assert.Equal(t, c.wait, wait, "%s: wait", name)
	}
	wait, again := policy.Decide(Attempt{Number: 1, Method: "GET", Status: 500}, 0)
	assert.True(t, again)
	assert.Positive(t, wait, "0 means no retry")
}

func TestWithDefaults(t *testing.T) {
	full, negative := Policy{}.WithDefaults()
	assert.Equal(t, Policy{4, 500 * time.Millisecond, 30 * time.Second, time.Minute}, full)
	assert.Empty(t, negative, "zero is no mistake")
	own := Policy{1, 2, 3, 4}
	full, negative = own.WithDefaults()
	assert.Equal(t, own, full)
	assert.Empty(t, negative)
	_, negative = Policy{-1, -1, -1, -1}.WithDefaults()
	assert.Equal(t, []string{"MaxAttempts", "BaseBackoff", "MaxBackoff", "MaxWait"}, negative)
}

func TestTooLong(t *testing.T) {
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
		assert.Equal(t, c.want, Policy{MaxWait: c.most}.TooLong(c.wait), name)
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
		{2, 5, []time.Duration{2, 4, 5}},
	} {
		p := Policy{BaseBackoff: c.base, MaxBackoff: c.most}
		for i, want := range c.want {
			assert.Equal(t, want, p.backoff(i+1), "backoff(%d) of %+v", i+1, p)
		}
		assert.LessOrEqual(t, p.backoff(1000), c.most, "backoff(1000) of %+v", p)
		assert.Positive(t, p.backoff(1000), "backoff(1000) of %+v", p)
	}
}
