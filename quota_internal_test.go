package hiring

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func numbered(n int) (id keyID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func TestKeysThatRotateDoNotPileUp(t *testing.T) {
	f := newFamily()
	now := time.Unix(1e9, 0)
	most := 0
	for n := range 20_000 {
		id := numbered(n)
		_, begun := f.gate(id, "GET", 0, false, now)
		f.learn(id, "GET", begun, RateLimit{1000, 0, now.Add(time.Hour)}, time.Hour, now)
		f.ended(id, "GET")
		most = max(most, len(f.keys))
		now = now.Add(time.Minute)
	}
	assert.LessOrEqual(t, most, 3*60, "60 keys have a window at a time")
}

func TestWhatIsKnownIsNotForgotten(t *testing.T) {
	f := newFamily()
	now := time.Unix(1e9, 0)
	closed, onItsWay := numbered(1), numbered(2)
	_, begun := f.gate(closed, "POST", 0, false, now)
	f.learn(closed, "POST", begun, RateLimit{200, 0, now.Add(time.Hour)}, time.Hour, now)
	f.ended(closed, "POST")
	f.gate(onItsWay, "GET", 0, false, now)
	for n := range 1000 {
		id := numbered(10 + n)
		f.gate(id, "GET", 0, false, now)
		f.ended(id, "GET")
	}
	assert.Less(t, len(f.keys), 100, "keys that nothing is known of")
	b, _ := f.gate(closed, "POST", 0, false, now)
	assert.Equal(t, time.Hour, b.wait, "a window that has not turned")
	assert.Equal(t, 1, f.of(onItsWay, "GET").inFlight, "a request on its way")
	assert.LessOrEqual(t, len(f.keys), 100)

	for n := range fewKeys - len(f.keys) {
		f.gate(numbered(5000+n), "GET", 0, false, now)
	}
	assert.NotZero(t, f.quota(closed), "few keys are kept")
}

// SendAll waits for windows, however long, but not for a throttle.
func TestRefusalKnowsTheThrottleFromAQuota(t *testing.T) {
	c := (&call{request: request{method: "POST"}}).fresh()
	throttled, quota := c.exhausted(barrier{wait: time.Minute, throttled: true}), c.exhausted(barrier{wait: time.Minute})
	assert.True(t, throttled.throttled)
	assert.False(t, quota.throttled)
}

func TestThrottleIsNotShortenedByALaterReply(t *testing.T) {
	f := newFamily()
	now := time.Unix(1e9, 0)
	f.hold(now.Add(time.Minute))
	f.hold(now.Add(time.Second))
	b, _ := f.gate(keyID{}, "GET", 0, false, now)
	assert.Equal(t, time.Minute, b.wait)
}

func TestRefusedKeysThatRotateDoNotPileUp(t *testing.T) {
	f := newFamily()
	now := time.Unix(1e9, 0)
	most := 0
	for n := range 20_000 {
		f.judged(numbered(n), true, now)
		most = max(most, len(f.brakes))
		now = now.Add(time.Minute)
	}
	assert.LessOrEqual(t, most, fewKeys, "60 keys were refused within an hour")
	for range maxRefusals {
		f.judged(numbered(1), true, now)
	}
	for n := range 1000 {
		f.judged(numbered(30_000+n), true, now)
	}
	b, _ := f.gate(numbered(1), "GET", 0, false, now)
	assert.Equal(t, barrier{wait: brakePause, braked: true}, b, "one that was refused a moment ago is not forgotten")
}
