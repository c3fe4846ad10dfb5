package waiting

import (
	"time"
)

const (
	sweepEvery = 10 * time.Minute // The interval between two sweeps, at most
	sweepRests = 10               // and as many longest intervals between two polls.
	sweepUnit  = time.Hour
	sweepPages = 3 // Pages a poll,
	sweepFew   = 1 // when the rate limit allows only rare polls, or
	sweepMany  = 10
	longBehind = 6 * time.Hour // when nothing was swept for so long.
	deepEvery  = 75 * time.Minute
	depths     = 12  // Of sweeps: an hour, two hours, ..., 85 days.
	spareShare = 0.8 // The share of the rate limit that a sweep over all of Lookback may use.
)

// The depths of sweeps where the set does not work: what was created recently is
// listed often, all of Lookback seldom. Where the set works, sweeps of what was
// created recently use the first, sweeps over all of Lookback the last.
const (
	common = iota // The age at which nearly all are evaluated,
	late          // and nearly all of the rest.
	deepest
	levels
)

// level is what is known of one of them.
type level struct {
	Credit float64   `json:"credit,omitzero"` // Pages that it may read.
	Pages  int       `json:"pages,omitzero"`  // Of its last sweep.
	Began  time.Time `json:"began,omitzero"`
}

const (
	mostCredit  = 30.0
	firstCredit = 3.0
	manySamples = 100
)

var (
	shares    = [levels]float64{common: 0.6, late: 0.12, deepest: 0.16}
	quantiles = [levels]float64{common: 0.98, late: 0.997}
	usualAges = [levels]time.Duration{common: 48 * time.Hour, late: 7 * 24 * time.Hour}
	restFor   = [levels]int64{late: 5, deepest: 15} // Longest pauses.
)

// spare returns how many pages of this poll a sweep over all of Lookback may read:
// what is left beyond an even use of the window after its first tenth, and where polls are rare a share
// of the reads since the last one.
func (m *Machine) spare() int {
	if m.rare {
		return int(spareShare * m.Window.Rate(m.Window.Length) * m.idle.Seconds())
	}
	if m.Window.Ends.Seconds() > (1-ahead)*m.Window.Length.Seconds() { // The regular polls may need them.
		return min(sweepMany, m.Window.Whole/100)
	}
	return int(float64(m.Window.Left) - (1-ahead/2)*m.Window.even(m.Window.Length))
}

// slowly scales a number of pages a poll to the time since the last poll, so that
// rare polls read as much in an hour as frequent ones.
func (m *Machine) slowly(pages int) int {
	scaled := float64(pages) * m.idle.Seconds() / max(m.Max, time.Second).Seconds()
	return max(pages, min(int(scaled), m.spare()))
}

// due returns the greatest k for which the time since times[k] is at least
// unit * 2^k, or -1, and notes that depths up to k are reached now.
func due(times *[]time.Time, now time.Time, unit time.Duration, n int) int {
	for len(*times) < n {
		*times = append(*times, now)
	}
	reached := -1
	for k := range n {
		if age := now.Sub((*times)[k]); age >= unit<<k || age < 0 {
			reached = k
		}
	}
	for k := range reached + 1 {
		(*times)[k] = now
	}
	return reached
}

// planSweep continues the sweep of what was created recently, or begins one. It
// looks back twice as far when twice the time has passed since it last did.
func (m *Machine) planSweep(now time.Time) {
	most := m.slowly(sweepPages)
	if m.Rest > 2*m.Max { // The rate limit allows only rare polls.
		most = min(most, sweepFew)
	}
	if now.Sub(m.SweptUntil) > longBehind {
		most = max(most, sweepMany)
	}
	if m.goOn(common, most) {
		return
	}
	rest := m.sweepRest()
	if age := now.Sub(m.Levels[common].Began); age >= 0 && age < rest {
		return
	}
	reach := sweepUnit << max(due(&m.SweepDepths, now, sweepEvery, depths), 0)
	m.sweep(now, common, m.evaluated(), later(m.horizon(), earlier(m.SweptUntil, now).Add(-reach)), most)
}

// sweepRest is the interval between two sweeps. It halves with each that finds an
// evaluation that the set did not show before, and doubles again.
func (m *Machine) sweepRest() time.Duration {
	longest := min(sweepEvery, sweepRests*m.Max)
	return max(min(m.Max, longest), longest>>m.SweepHalvings)
}

const mostStrayed = 6

// strayed adapts the interval to what a sweep has found.
func (m *Machine) strayed() {
	if m.UnexpectedEvaluations > 0 {
		m.SweepHalvings = min(m.SweepHalvings+1, mostStrayed)
	} else {
		m.SweepHalvings = max(m.SweepHalvings-1, 0)
	}
	m.UnexpectedEvaluations = 0
}

// planDepth continues or begins a sweep over all of Lookback: without a filter when
// some unfinished submissions may never have been listed, and of what is evaluated
// as long as the set is truncated.
func (m *Machine) planDepth(now time.Time) {
	works := m.setWorks(now)
	snapshot := works && m.AllListedAt.Before(m.UnlistedUntil)
	most := m.spare()
	if m.LookbackPageAt.After(now) || now.Sub(m.LookbackPageAt) >= time.Hour {
		most = max(most, 1)
	}
	age := now.Sub(m.Levels[deepest].Began)
	switch {
	case m.goOn(deepest, most):
	case most < 1, age >= 0 && age < sweepEvery:
	case snapshot && m.Unordered: // What changes its place during an interval would not be seen.
		m.sweep(now, deepest, "", m.horizon(), 0)
		m.Walks[len(m.Walks)-1].AtOnce = true
	case snapshot:
		m.sweep(now, deepest, "", m.horizon(), most)
	case (!works || m.TruncatedAt.After(m.Levels[deepest].Began)) && (age < 0 || age >= deepEvery):
		m.sweep(now, deepest, m.evaluated(), m.horizon(), most)
	}
}

// planLevels sweeps in three depths. The deepest that fits on one page is listed
// in each round, and the others not at all. Without any unfinished submission no
// status is known: then nothing is filtered, so that the first one shows.
func (m *Machine) planLevels(now time.Time) {
	idle := min(max(now.Sub(m.GrantAt), 0), max(m.Window.Length, time.Hour))
	m.GrantAt = now
	filter := m.evaluated()
	if len(m.Statuses) == 0 && m.setWorks(now) {
		filter = ""
	}
	covered := -1
	for l := range m.Levels {
		level := &m.Levels[l]
		grant := shares[l] * idle.Seconds() * m.Window.Rate(m.Window.Length)
		level.Credit = min(level.Credit+grant, max(mostCredit, grant))
		if level.Pages == 1 {
			covered = l
		}
	}
	for l := range m.Levels {
		level := &m.Levels[l]
		age := now.Sub(level.Began)
		rests := level.Credit < 1 || age >= 0 && age < time.Duration(restFor[l]*int64(m.Max))
		if m.goOn(l, int(level.Credit)) || l < covered || l > covered && rests {
			continue
		}
		m.sweep(now, l, filter, m.reach(now, l), max(1, int(level.Credit)))
	}
}

// sweep begins a sweep of what was created since a time. Without a filter it has
// no since either, unless that is known to be about creation: unfinished
// submissions may not pass it.
func (m *Machine) sweep(now time.Time, l int, status string, from time.Time, most int) {
	m.Levels[l].Began = now
	w := walk{For: sweep, Level: l, Status: status, Stop: from, Most: most, Behind: true}
	if status != "" || m.Unfiltered || m.Meaning == Other {
		w.Since = m.since(from)
	}
	m.add(w)
}

// goOn lets the sweep of a level read so many pages, if there is one. One that
// lost its cursor does not rest.
func (m *Machine) goOn(l, most int) bool {
	for i := range m.Walks {
		if w := &m.Walks[i]; w.For == sweep && w.Level == l && !w.Over {
			if w.Lost == 0 && !w.AtOnce {
				w.Most, w.Rests = most, most < 1
			}
			return true
		}
	}
	return false
}

// reach is how far back a level looks: as far as the known ages tell.
func (m *Machine) reach(now time.Time, l int) time.Time {
	if l == deepest {
		return m.horizon()
	}
	age := usualAges[l]
	if ages := m.Delivered.ages(); len(ages) >= manySamples {
		age = max(ruler, ages[int(quantiles[l]*float64(len(ages)))])
	}
	return later(m.horizon(), earlier(now, m.Newest).Add(-age))
}

// swept follows a sweep that is through.
func (m *Machine) swept(w *walk) {
	m.Levels[w.Level].Pages = w.Pages
	saw := earlier(m.Newest, w.Began)
	m.SweptUntil = later(m.SweptUntil, saw)
	from := w.Stop
	if !w.Since.IsZero() {
		from = w.Since.Add(rounding)
	}
	switch {
	case w.Level == common:
		m.strayed()
	case w.Level == deepest && w.Status == "":
		if m.Unordered = w.Mixed && w.Pages > 1; !m.Unordered || w.AtOnce {
			m.AllListedAt = w.Began
		}
	}
	m.prove(from, saw)
}
