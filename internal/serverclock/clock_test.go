package serverclock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/serverclock"
)

var sent = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestLearn(t *testing.T) {
	for name, c := range map[string]struct {
		skew time.Duration // Of the Date.
		took time.Duration
		want time.Duration // By the last Date that a time zone explains.
		last time.Duration // By the last Date.
	}{
		"the same second":              {skew: 0},
		"the second before":            {skew: -time.Second},
		"more than a second behind":    {skew: -2 * time.Second, want: -2 * time.Second, last: -2 * time.Second},
		"behind by as much as it took": {skew: -5 * time.Second, took: 4 * time.Second},
		"behind by more than it took":  {skew: -6 * time.Second, took: 4 * time.Second, want: -6 * time.Second, last: -6 * time.Second},
		"ahead":                        {skew: time.Second, want: time.Second, last: time.Second},
		"the most of time zones":       {skew: 36 * time.Hour, want: 36 * time.Hour, last: 36 * time.Hour},
		"days ahead":                   {skew: 72 * time.Hour, last: 72 * time.Hour},
		"days behind":                  {skew: -72 * time.Hour, last: -72 * time.Hour},
		"years behind":                 {skew: -26 * 8766 * time.Hour, last: -26 * 8766 * time.Hour},
		"a year of no clock":           {skew: -50 * 8766 * time.Hour},
		"a year of no clock yet":       {skew: 200 * 8766 * time.Hour},
	} {
		var clock serverclock.Clock
		received := sent.Add(c.took)
		clock.Learn(received.Add(c.skew), sent, received)
		assert.Equal(t, c.want, clock.Server(sent).Sub(sent), name)
		assert.Equal(t, c.last, clock.Latest(sent).Sub(sent), name)
		assert.Equal(t, sent, clock.Local(clock.Server(sent)), name)
	}
}

// TestATestAdvancesTheClock: the local time moves with the server's, so the skew does
// not change.
func TestATestAdvancesTheClock(t *testing.T) {
	var clock serverclock.Clock
	test := new(serverclock.Test)
	clock.Follow(test)
	begun := time.Now()
	const skew = time.Hour
	clock.Learn(begun.Add(skew), begun, begun)

	moved := clock.Moved()
	test.Advance(time.Minute)
	select {
	case <-moved:
	default:
		t.Error("Moved is not closed")
	}
	assert.Equal(t, time.Minute, test.Ahead())
	assert.GreaterOrEqual(t, clock.Now().Sub(begun), time.Minute)

	clock.Learn(begun.Add(5*time.Hour), begun, time.Now())
	assert.Equal(t, skew, clock.Server(begun).Sub(begun), "the clock moved while the request was sent")
	now := time.Now()
	clock.Learn(now.Add(time.Minute+skew), now, now)
	assert.Equal(t, skew, clock.Server(begun).Sub(begun))
	test.Advance(-time.Minute)
	assert.Zero(t, test.Ahead(), "a reset of the sandbox")
}

func TestClocksAreFoundByHost(t *testing.T) {
	assert.Nil(t, serverclock.Of("127.0.0.1:1"))
	test := new(serverclock.Test)
	serverclock.Register("127.0.0.1:1", test)
	assert.Same(t, test, serverclock.Of("127.0.0.1:1"))
	serverclock.Unregister("127.0.0.1:1")
	none := serverclock.Of("127.0.0.1:1")
	assert.Nil(t, none)
	assert.Zero(t, none.Ahead())
	assert.Nil(t, none.Moved())
}
