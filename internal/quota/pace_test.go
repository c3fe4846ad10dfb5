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
		passed    time.Duration // Of the window, at the last request and its response.
		own       int
		before    float64
	}
	for name, c := range map[string]struct {
		known    known
		onTheWay int
		later    time.Duration // Since the last request.
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
		"the pause began with the request":  {known: known{remaining: 100, own: 100}, reserve: 20, later: 30 * time.Second, want: time.Hour/81 - 30*time.Second},
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
			u := usage{limit: limit, remaining: c.known.remaining, own: c.known.own, previousRate: c.known.before, at: now, planned: now, ends: start.Add(time.Hour)}
			wait, wholly := u.wait(c.reserve, c.onTheWay, now.Add(c.later))
			assert.InDelta(t, c.want.Seconds(), wait.Seconds(), 0.001, "%s instead of %s", wait, c.want)
			assert.Equal(t, c.wholly, wholly, "until the window's end")
		})
	}
}

// A request that was late because those before it took long does not delay the next
// ones. Other delays do.
func TestPaceMakesUpForSlowRequests(t *testing.T) {
	const pause = time.Hour / 81 // 80 of the limit of 200 are spread over the window.
	at := func(passed time.Duration) time.Time { return start.Add(passed) }
	for name, c := range map[string]struct {
		planned, ended, begun time.Duration // Of the last requests, since the window began.
		used                  int           // By the time of the request.
		want                  time.Duration // When the next request is planned, since the window began.
	}{
		"on time":                            {0, 0, pause, 100, pause},
		"the previous one took long":         {0, 40 * time.Second, pause, 100, pause},
		"the previous one took too long":     {0, time.Minute, time.Minute, 100, pause},
		"the client was idle":                {0, time.Second, time.Minute, 100, time.Minute},
		"it took too long, and then idle":    {0, time.Minute, 90 * time.Second, 100, pause + 30*time.Second},
		"earlier than planned":               {0, time.Second, 20 * time.Second, 100, 20 * time.Second},
		"without delay":                      {0, 5 * time.Second, 5 * time.Second, 50, 0},
		"without delay, idle":                {0, 5 * time.Second, 9 * time.Second, 50, 4 * time.Second},
		"the last of the requests for a run": {0, 0, time.Minute, 180, time.Minute},
		"a window later":                     {0, time.Hour, time.Hour, 100, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			u := usage{limit: 200, remaining: 200 - c.used, own: c.used, at: start, planned: at(c.planned), ended: at(c.ended), ends: at(time.Hour)}
			u.begin(20, 0, at(c.begun))
			assert.InDelta(t, c.want.Seconds(), u.planned.Sub(start).Seconds(), 0.001)
			assert.Equal(t, c.used+1, u.own)
		})
	}
}

// Half of a window takes ten minutes here. The pace then allows at once what an even
// pace would have allowed meanwhile, and reaches the reserve no earlier.
func TestPaceAfterASlowFirstHalf(t *testing.T) {
	var u usage
	now, used := start, 0
	var at []time.Duration
	for {
		wait, wholly := u.wait(20, 0, now)
		if wholly {
			break
		}
		now = now.Add(wait)
		at = append(at, now.Sub(start))
		u.begin(20, 0, now)
		used++
		if used <= 100 {
			now = now.Add(6 * time.Second)
		}
		u.learn(200, 200-used, 1, start.Add(time.Hour), now)
		u.ended = now
	}
	assert.Len(t, at, 180)
	for n, begun := range at[100:] {
		want := max(10*time.Minute, time.Duration(n+1)*time.Hour/81-6*time.Second)
		assert.InDelta(t, want.Seconds(), begun.Seconds(), 7, n)
	}
}

// duration returns an even share of the remaining minutes.
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
		u.begin(20, 0, start)
		u.learn(200, 200-n, 1, end, start)
	}
	assert.Zero(t, u.others(), "all were our own")
	u.begin(20, 0, start)
	u.learn(200, 98, 1, end.Add(time.Second), start.Add(29*time.Minute)) // A second later, by rounding.
	assert.InDelta(t, 100, u.others(), 4, "51 of others in half an hour")
	assert.Equal(t, end, u.ends)

	u.begin(20, 0, start)
	u.begin(20, 0, start)
	u.learn(200, 197, 2, end.Add(time.Hour), end)
	assert.Equal(t, 2, u.own, "in the new window, one on its way still")
	assert.InDelta(t, 100, u.previousRate, 4)
	assert.InDelta(t, 100, u.others(), 40, "one more, and what the window before showed")
	u.learn(200, 196, 1, end.Add(time.Hour), end.Add(20*time.Minute))
	assert.Less(t, u.others(), 12.0, "they seem to be gone")

	u.begin(20, 0, start)
	u.learn(200, 150, 1, end.Add(9*time.Hour), end.Add(8*time.Hour))
	assert.Zero(t, u.previousRate, "long ago")
	assert.InDelta(t, 100, u.others(), 0.1, "49 at once, but half of the quota at most")
}

// A sliding window has a later end in each response, and is not a new window.
func TestPaceOfASlidingWindow(t *testing.T) {
	var u usage
	for n := 1; n <= 100; n++ {
		u.begin(20, 0, start)
		now := start.Add(time.Duration(n) * 20 * time.Second)
		u.learn(200, 200-n, 1, now.Add(time.Hour), now)
	}
	assert.Equal(t, 100, u.own)
	assert.Zero(t, u.others())
}

// A response just before a window ends is still of that window.
func TestPaceAtTheEndOfAWindow(t *testing.T) {
	end := start.Add(time.Hour)
	var u usage
	for n := 1; n <= 180; n++ {
		u.begin(20, 0, start)
		u.learn(200, 200-n, 1, end, end.Add(-time.Second))
	}
	assert.Equal(t, 180, u.own)
	u.begin(20, 0, start)
	u.learn(200, 199, 1, end.Add(time.Hour), end)
	assert.Equal(t, 1, u.own)
	assert.Zero(t, u.previousRate, "nobody else")
}
