package poll_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

var fullWindow = poll.Budget{Left: 1000, Limit: 1000, Ends: time.Hour}

// TestMembersThatLeaveTogether are found within minutes, although each comparison reads ten at most. Since filters on
// the creation, so that of the short listings only that of their status shows the evaluation of an old submission.
func TestMembersThatLeaveTogether(t *testing.T) {
	const together = begin + 5*time.Hour
	w := &world{api: &emulator.API{Since: "created", OneStatus: true}, interval: 45 * time.Second, lookback: 30 * day, from: begin, longer: never, end: together + 4*time.Hour}
	add := func(created, evaluated time.Duration) {
		w.subs = append(w.subs, &emulator.Submission{ID: fmt.Sprint(len(w.subs)), Created: created, Submitted: evaluated - time.Minute, Evaluated: evaluated})
	}
	for i := range 2000 {
		later := time.Duration(i) * 20 * time.Minute
		add(begin-30*day+later, begin-29*day+later-12*time.Hour)
	}
	add(begin-time.Minute, never) // The newest page shows the status.
	for i := range 50 {           // They show that the status pays.
		add(begin-20*day, begin+time.Duration(i)*5*time.Minute)
	}
	for range 35 {
		add(begin-20*day, together)
	}
	w.api.Add(w.subs)
	o := w.run()
	assert.Empty(t, o.problems)
	latest := time.Duration(0)
	for _, s := range w.subs[len(w.subs)-35:] {
		assert.Contains(t, o.at, s.ID)
		latest = max(latest, o.at[s.ID]-together)
	}
	assert.InDelta(t, 3*time.Minute, latest, float64(time.Minute), "ten at a time")
	assert.Less(t, w.api.Reads, 9*400, "listings of all of Lookback would show them too")
}

// TestStatusesOfAnEmptyOrganizationAreLearned has the first submission when listings of evaluated ones, which show no
// unfinished status, have been cheap for hours.
func TestStatusesOfAnEmptyOrganizationAreLearned(t *testing.T) {
	const first = begin + 8*time.Hour
	w := &world{api: &emulator.API{Since: "created", OneStatus: true}, interval: 45 * time.Second, lookback: 30 * day, from: begin, longer: never, end: first + 70*time.Minute}
	w.subs = append(w.subs, &emulator.Submission{ID: "first", Created: first, Submitted: never, Evaluated: never})
	w.api.Add(w.subs)
	o := w.run()
	assert.Empty(t, o.problems)
	status := ""
	for _, s := range o.machine.Sources {
		status = cmp.Or(status, s.Status)
	}
	assert.NotEmpty(t, status)
}

// TestAllIsListedWithinSixHours has sources that cost 500 requests and have shown nothing, beside a short listing that
// shows all results. They are read within six hours nevertheless.
func TestAllIsListedWithinSixHours(t *testing.T) {
	source := func(kind string, depth time.Duration, cost, found int) string {
		return fmt.Sprintf(`{"kind": %q, "depth": %d, "began": %d, "cost": %d, "found": %d, "listed": true}`, kind, depth, begin, cost, found)
	}
	newest, short, lookback := source("newest", 0, 1, 0), source("lately", time.Hour, 1, 300), source("lookback", 30*day, 500, 0)
	given := source("ids", math.MaxInt64, 500, 0) // Single reads of all given ids.
	for name, c := range map[string]struct {
		state     string
		want      func(poll.Request) bool
		forgetOld bool // A listing of all of Lookback shows no result again that was delivered more than a day before it.
	}{
		"all of Lookback": {
			`{"sources": [` + newest + `, ` + lookback + `, ` + short + `]`,
			func(r poll.Request) bool { return r.Since == poll.Server(begin-30*day) }, true,
		},
		"given ids": {
			`{"awaited": {"x": true}, "sources": [` + newest + `, ` + lookback + `, ` + short + `, ` + given + `]`,
			func(r poll.Request) bool { return r.ID == "x" }, false,
		},
	} {
		var m poll.Machine
		require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `%s, "reads": {}, "done": {"old": %d}, "clock": %d, "latest": %[3]d, "complete": %[3]d}`, c.state, begin-day-1, begin), &m))
		m.Resume(poll.Options{Interval: 45 * time.Second, ShortestPause: 30 * time.Second, Lookback: 30 * day}, poll.Caller(begin))
		found := false
		for now := begin; now < begin+5*time.Hour+32*time.Minute; {
			r, wait := m.Next(poll.Caller(now), fullWindow)
			if now += wait; wait > 0 {
				continue
			}
			reply := poll.Reply{Kind: poll.Answered, At: poll.Caller(now), Server: poll.Server(now)}
			if r.ID != "" {
				reply.Items = []poll.Item{{ID: r.ID, Status: "grading"}}
			}
			m.Receive(r, reply)
			found = found || c.want(r)
		}
		assert.True(t, found, name)
		assert.Equal(t, c.forgetOld, len(m.Done) == 0, name)
	}
}

// TestAnUndatedResultOfAWatchFromLaterComesOnce: the API is a day ahead, sends no Date, and shows no times.
func TestAnUndatedResultOfAWatchFromLaterComesOnce(t *testing.T) {
	const now = poll.Server(begin)
	m := poll.NewWatch(poll.Options{Interval: time.Minute, ShortestPause: time.Minute, Lookback: day}, 0, now, now.Add(day), false)
	found := 0
	for at := poll.Caller(0); at < poll.Caller(day); {
		r, wait := m.Next(at, fullWindow)
		if at += poll.Caller(wait); wait > 0 {
			continue
		}
		results, _ := m.Receive(r, poll.Reply{
			Kind: poll.Answered, Items: []poll.Item{{ID: "a", Status: poll.Finished, Undated: true, Ready: true}}, At: at, Server: now.Add(time.Duration(at)),
		})
		for _, it := range results {
			m.Delivered(it)
			found++
		}
	}
	assert.Equal(t, 1, found)
}

// TestAReadThatFailsOnceIsNoLateReport: the single read of a submission that left the listing of its status fails, and
// the next one shows it in another unfinished status.
func TestAReadThatFailsOnceIsNoLateReport(t *testing.T) {
	const now = poll.Server(begin)
	m := poll.NewWatch(poll.Options{Interval: time.Minute, ShortestPause: time.Minute, Lookback: day}, 0, now, now, false)
	reads, listed := 0, true
	for at := poll.Caller(0); at < poll.Caller(3*time.Hour); {
		r, wait := m.Next(at, fullWindow)
		if at += poll.Caller(wait); wait > 0 {
			continue
		}
		reply := poll.Reply{Kind: poll.Answered, At: at, Server: now.Add(time.Duration(at))}
		grading := poll.Item{ID: "a", Status: "grading", Created: now}
		switch {
		case r.ID != "":
			if reads++; reads == 1 {
				reply.Kind = poll.Failed
			} else {
				reply.Items = []poll.Item{{ID: "a", Status: "review", Created: now}}
			}
			listed = false
		case r.Status == "" && listed, r.Status == "grading" && at < poll.Caller(time.Hour):
			reply.Items = []poll.Item{grading}
		}
		m.Receive(r, reply)
	}
	assert.Equal(t, 2, reads)
	assert.Zero(t, m.Late(0))
}

// TestCreatedSinceHoldsThroughAWait: hours into a wait, the listing of all of Lookback still begins there.
func TestCreatedSinceHoldsThroughAWait(t *testing.T) {
	const now, created = poll.Server(begin), poll.Server(begin - 2*time.Hour)
	ids := make([]string, 20)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	o := poll.Options{Interval: time.Minute, ShortestPause: time.Minute, Lookback: 2 * time.Hour, CreatedSince: created}
	m := poll.NewWait(o, 0, now, ids)
	earliest := now
	for at := poll.Caller(0); at < poll.Caller(12*time.Hour); {
		r, wait := m.Next(at, fullWindow)
		if at += poll.Caller(wait); wait > 0 {
			continue
		}
		if at > poll.Caller(3*time.Hour) && r.Since > 0 {
			earliest = min(earliest, r.Since)
		}
		reply := poll.Reply{Kind: poll.Answered, At: at, Server: now.Add(time.Duration(at))}
		if r.Status != poll.Finished {
			reply.Items = []poll.Item{{ID: cmp.Or(r.ID, "0"), Status: "grading", Created: now}}
		}
		m.Receive(r, reply)
	}
	assert.Equal(t, created, earliest)
}

// TestAResultThatIsLateForDaysIsNotLost: a submission leaves the listing of its status, and for two days the API cannot show it,
// or its report is not ready, until what was evaluated with it counts as delivered. One of before the watch is no result.
func TestAResultThatIsLateForDaysIsNotLost(t *testing.T) {
	const now = poll.Server(begin)
	for evaluated, want := range map[poll.Server]int{now.Add(5 * time.Minute): 1, now.Add(-5 * time.Minute): 0} {
		assert.Equal(t, want, foundAfterDays(t, now, evaluated, poll.Failed))
		assert.Equal(t, want, foundAfterDays(t, now, evaluated, poll.Answered))
	}
}

// foundAfterDays returns how often a result is found whose reads fail, or show no ready report, for two days.
func foundAfterDays(t *testing.T, now, evaluated poll.Server, until poll.ReplyKind) (found int) {
	t.Helper()
	m := poll.NewWatch(poll.Options{Interval: 10 * time.Minute, ShortestPause: 10 * time.Minute, Lookback: 3 * day}, 0, now, now, false)
	for at := poll.Caller(0); at < poll.Caller(60*time.Hour); {
		r, wait := m.Next(at, fullWindow)
		if at += poll.Caller(wait); wait > 0 {
			continue
		}
		server := now.Add(time.Duration(at))
		reply := poll.Reply{Kind: poll.Answered, At: at, Server: server}
		switch {
		case r.ID == "a" && at < poll.Caller(50*time.Hour):
			reply.Kind = until
			reply.Items = []poll.Item{{ID: "a", Status: poll.Finished, Created: now.Add(-day), Evaluated: evaluated}}
		case r.ID == "a":
			reply.Items = []poll.Item{{ID: "a", Status: poll.Finished, Created: now.Add(-day), Evaluated: evaluated, Ready: true}}
		case r.Status != poll.Finished && at < poll.Caller(10*time.Minute):
			reply.Items = []poll.Item{{ID: "a", Status: "grading", Created: now.Add(-day)}}
		case r.Status != "grading":
			reply.Items = []poll.Item{{ID: fmt.Sprint(server), Status: poll.Finished, Created: server, Evaluated: server, Ready: true}}
		}
		results, _ := m.Receive(r, reply)
		for _, it := range results {
			m.Delivered(it)
			if it.ID == "a" {
				found++
			}
		}
	}
	assert.Greater(t, m.DoneTo, evaluated)
	return found
}

// TestReadItem has what is wrong with a submission, and what it shows nevertheless.
func TestReadItem(t *testing.T) {
	at := poll.TimeOf(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC))
	for raw, want := range map[string]poll.Item{
		`{"id":"s","status":"grading","created_at":"2026-01-02T15:04:05Z","report":null}`:                      {ID: "s", Status: "grading", Created: at},
		`{"id":"s","status":"grading","created_at":"2026-01-02T15:04:05Z","report":{"evaluated":false}}`:       {ID: "s", Status: "grading", Created: at},
		`{"id":"s","status":"graded","evaluated_at":"2026-01-02T15:04:05Z","report":{"evaluated":true}}`:       {ID: "s", Status: poll.Finished, Evaluated: at, Ready: true},
		`{"id":"s","status":"x","created_at":"2026-01-02T15:04:05Z","submitted_at":null,"evaluated_at":"now"}`: {ID: "s", Status: "x", Created: at, Undated: true},
		`{"id":"s","status":"x","created_at":"0001-01-02T15:04:05Z"}`:                                          {ID: "s", Status: "x", Undated: true},
		`{"id":"s","status":"x","report":"A"}`:                                                                 {ID: "s", Status: poll.Finished, Undated: true, Ready: true},
		`{"id":"s","status":"x","report":{"evaluated":"yes"}}`:                                                 {ID: "s", Status: poll.Finished, Undated: true, Ready: true},
		`{"id":"s","id":"t","status":"x\ud800"}`:                                                               {ID: "t", Status: "x\uFFFD", Undated: true},
		`{"id":7,"status":null}`:                                                                               {Undated: true},
		`[]`:                                                                                                   {Status: poll.Finished, Undated: true, Ready: true},
	} {
		want.JSON = []byte(raw)
		assert.Equal(t, want, poll.ReadItem([]byte(raw)), raw)
	}
}

// TestOutage has polls that fail, each after the pause that the one before asked for, and whether they are redirected.
func TestOutage(t *testing.T) {
	const n, r = false, true
	for _, c := range []struct {
		redirected []bool
		pauses     []int // In minutes; the longest is 40.
		news       []bool
		ended      bool // The last poll ends the call.
	}{
		{[]bool{n, n, n, n, n, n, n}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, false},
		{[]bool{r, r, r, r, r, r, r}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, true},
		{[]bool{r, r, r, r, n, r, r}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, false},
	} {
		var o poll.Outage
		now := time.Unix(1, 0)
		for i, redirected := range c.redirected {
			assert.Equal(t, c.ended && i == len(c.redirected)-1, o.Add(now, redirected), "%d", i)
			pause := o.Pause(40 * time.Minute)
			assert.Equal(t, time.Duration(c.pauses[i])*time.Minute, pause)
			assert.Equal(t, c.news[i], o.ShouldLog(now), "%d", i)
			now = now.Add(pause)
		}
		assert.Equal(t, time.Unix(1, 0), o.Began)
	}
}
