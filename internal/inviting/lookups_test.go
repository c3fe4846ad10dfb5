package inviting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

var attemptEnd = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestLookupsAfterAnAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		retryAfter, now time.Duration
		due             []time.Duration // Of lookups that do not find the invitation. The last one decides.
	}{
		"at once":                       {0, 0, []time.Duration{10 * time.Second, time.Minute}},
		"a short Retry-After":           {5 * time.Second, 0, []time.Duration{10 * time.Second, time.Minute}},
		"a longer Retry-After":          {30 * time.Second, 0, []time.Duration{30 * time.Second, time.Minute}},
		"a Retry-After of a minute":     {time.Minute, 0, []time.Duration{time.Minute}},
		"a Retry-After above a minute":  {90 * time.Second, 0, []time.Duration{90 * time.Second}},
		"after the first was due":       {0, 40 * time.Second, []time.Duration{10 * time.Second, time.Minute}},
		"just before the final was due": {0, time.Minute - 1, []time.Duration{10 * time.Second, time.Minute}},
		"when the final is due":         {0, time.Minute, []time.Duration{time.Minute}},
		"hours later":                   {0, 5 * time.Hour, []time.Duration{time.Minute}},
	} {
		l := inviting.After(attemptEnd, c.retryAfter, attemptEnd.Add(c.now))
		for i, due := range c.due {
			last := i == len(c.due)-1
			assert.Equal(t, due, l.At.Sub(attemptEnd), "%s: lookup %d", name, i)
			assert.Equal(t, last, l.Final, "%s: lookup %d", name, i)
			next, decided := l.Missed()
			assert.Equal(t, last, decided, "%s: lookup %d", name, i)
			l = next
		}
	}
}

func TestAFailedLookupIsRepeated(t *testing.T) {
	l := inviting.After(attemptEnd, 0, attemptEnd)
	failedAt := attemptEnd.Add(55 * time.Second)
	l, again := l.Failed(failedAt, 0, 3)
	assert.True(t, again)
	assert.Equal(t, failedAt.Add(10*time.Second), l.At)
	assert.False(t, l.Final, "a failed lookup decides nothing")
	l, again = l.Failed(failedAt, 20*time.Second, 3)
	assert.True(t, again)
	assert.Equal(t, failedAt.Add(20*time.Second), l.At)
	_, again = l.Failed(failedAt, 0, 3)
	assert.False(t, again, "the third failure in a row")

	next, decided := l.Missed()
	assert.False(t, decided)
	assert.True(t, next.Final)
	assert.Equal(t, l.At, next.At, "never before the lookup that missed")
	_, again = next.Failed(failedAt, 0, 2)
	assert.True(t, again, "a lookup that succeeds begins the count anew")
}
