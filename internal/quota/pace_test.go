package quota

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestPaceWait(t *testing.T) {
	type known struct {
		remaining int
		passed    time.Duration // Of the window, at the last reply.
		own       int
		before    float64
	}
	for name, c := range map[string]struct {
		known    known
		onTheWay int
		later    time.Duration // Since the last reply.
		reserve  int
		want     time.Duration
		wholly   bool
	}{
		"a fresh window goes without pause": {known: known{remaining: 199, own: 1}, reserve: 20},
		"up to half of it":                  {known: known{remaining: 101, own: 99}, reserve: 20},
		"what is on its way counts":         {known: known{remaining: 101, own: 100}, onTheWay: 1, reserve: 20, want: time.Hour / 81},
		"then the rest goes evenly":         {known: known{remaining: 100, own: 100}, reserve: 20, want: time.Hour / 81},
		"less a greater reserve":            {known: known{remaining: 100, own: 100}, reserve: 60, want: time.Hour / 41},
		"over what is left of it":           {known: known{remaining: 60, own: 140, passed: 30 * time.Minute}, reserve: 20, want: 30 * time.Minute / 41},
		"the pause began with the reply":    {known: known{remaining: 100, own: 100}, reserve: 20, later: 30 * time.Second, want: time.Hour/81 - 30*time.Second},
		"and may have passed":               {known: known{remaining: 100, own: 100}, reserve: 20, later: time.Minute},
		"the last":                          {known: known{remaining: 21, own: 179, passed: 59 * time.Minute}, reserve: 20, want: 30 * time.Second},
		"the reserve is left":               {known: known{remaining: 20, own: 180, passed: 50 * time.Minute}, reserve: 20, want: 10 * time.Minute, wholly: true},
		"though it is more than half":       {known: known{remaining: 150, own: 50, passed: 50 * time.Minute}, reserve: 160, want: 10 * time.Minute, wholly: true},
		"nothing is left":                   {known: known{own: 200, passed: 50 * time.Minute}, reserve: 0, want: 10 * time.Minute, wholly: true},
		"the window has turned":             {known: known{own: 200, passed: 50 * time.Minute}, reserve: 20, later: 10 * time.Minute},
		"others used some":                  {known: known{remaining: 75, own: 100, passed: 29 * time.Minute}, reserve: 20, want: duration(31, 55-50*31.0/60)},
		"others used much":                  {known: known{remaining: 50, own: 100, passed: 29 * time.Minute}, reserve: 20, want: 15 * time.Minute},
		"half of the quota at most":         {known: known{remaining: 120, own: 10, passed: 2 * time.Minute}, reserve: 20, want: 0},
		"others of the window before":       {known: known{remaining: 119, own: 81, before: 100}, reserve: 20, want: 15 * time.Minute},
		"whom the half is left too":         {known: known{remaining: 199, own: 1, before: 100}, reserve: 20},
		"nobody else any more":              {known: known{remaining: 119, own: 81, before: 100, passed: 14 * time.Minute}, reserve: 20, want: 0},
		"more of our own than were counted": {known: known{remaining: 100, own: 120}, reserve: 20, want: time.Hour / 81},
		"one is free":                       {known: known{remaining: 150, own: 50}, reserve: 149},
		"long pauses, when nobody else is":  {known: known{remaining: 22, own: 178}, reserve: 20, want: 20 * time.Minute},
		"a tiny quota":                      {known: known{remaining: 3, own: 2}, want: 15 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			limit := 200
			if name == "a tiny quota" {
				limit = 5
			}
			now := start.Add(c.known.passed)
			u := usage{limit: limit, remaining: c.known.remaining, own: c.known.own, before: c.known.before, at: now, ends: start.Add(time.Hour)}
			wait, wholly := u.wait(c.reserve, c.onTheWay, now.Add(c.later))
			assert.InDelta(t, c.want.Seconds(), wait.Seconds(), 0.001, "%s instead of %s", wait, c.want)
			assert.Equal(t, c.wholly, wholly, "until the window's end")
		})
	}
}

// duration is an even share of the minutes that are left.
func duration(minutes, free float64) time.Duration {
	return time.Duration(minutes * float64(time.Minute) / (free + 1))
}

func TestPaceIsUnlimitedBeforeTheFirstResponse(t *testing.T) {
	var u usage
	wait, wholly := u.wait(20, 0, start)
	assert.Zero(t, wait)
	assert.False(t, wholly)
}

func TestPaceLearn(t *testing.T) {
	end := start.Add(time.Hour)
	var u usage
	for n := 1; n <= 50; n++ {
		u.begin()
		u.learn(200, 200-n, 1, end, start)
	}
	assert.Zero(t, u.others(), "all were our own")
	u.begin()
	u.learn(200, 98, 1, end.Add(time.Second), start.Add(29*time.Minute)) // A second later, by rounding.
	assert.InDelta(t, 100, u.others(), 4, "51 of others in half an hour")
	assert.Equal(t, end, u.ends)

	u.begin()
	u.begin()
	u.learn(200, 197, 2, end.Add(time.Hour), end)
	assert.Equal(t, 2, u.own, "in the new window, one on its way still")
	assert.InDelta(t, 100, u.before, 4)
	assert.InDelta(t, 100, u.others(), 40, "one more, and what the window before showed")
	u.learn(200, 196, 1, end.Add(time.Hour), end.Add(20*time.Minute))
	assert.Less(t, u.others(), 12.0, "they seem to be gone")

	u.begin()
	u.learn(200, 150, 1, end.Add(9*time.Hour), end.Add(8*time.Hour))
	assert.Zero(t, u.before, "long ago")
	assert.InDelta(t, 100, u.others(), 0.1, "49 at once, but half of the quota at most")
}

// A window that slides has a later end in each reply; it is no new one for that.
func TestPaceOfASlidingWindow(t *testing.T) {
	var u usage
	for n := 1; n <= 100; n++ {
		u.begin()
		now := start.Add(time.Duration(n) * 20 * time.Second)
		u.learn(200, 200-n, 1, now.Add(time.Hour), now)
	}
	assert.Equal(t, 100, u.own)
	assert.Zero(t, u.others())
}

// A reply just before a window ends is still of that window.
func TestPaceAtTheEndOfAWindow(t *testing.T) {
	end := start.Add(time.Hour)
	var u usage
	for n := 1; n <= 180; n++ {
		u.begin()
		u.learn(200, 200-n, 1, end, end.Add(-time.Second))
	}
	assert.Equal(t, 180, u.own)
	u.begin()
	u.learn(200, 199, 1, end.Add(time.Hour), end)
	assert.Equal(t, 1, u.own)
	assert.Zero(t, u.before, "nobody else")
}
