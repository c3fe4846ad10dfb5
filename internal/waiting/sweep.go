package waiting

import (
	"math/bits"
	"time"
)

const (
	sweepEvery = 10 * time.Minute
	sweepUnit  = time.Hour
	sweepPages = 3 // A round,
	sweepMany  = 10
	longBehind = 6 * time.Hour // and this many when nothing was swept for so long.
)

// The depths of sweeps where the set does not work: what was created recently is
// listed often, all of Lookback seldom.
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
	mostCredit   = 30.0
	firstCredit  = 3.0
	longestGrant = 5 * time.Minute
	manySamples  = 100
)

var (
	shares    = [levels]float64{common: 0.6, late: 0.12, deepest: 0.12}
	quantiles = [levels]float64{common: 0.98, late: 0.997}
	usualAges = [levels]time.Duration{common: 48 * time.Hour, late: 7 * 24 * time.Hour}
	restFor   = [levels]int64{late: 5, deepest: 15} // Longest pauses.
)

// planSweep goes on with the sweep, or begins one: each second one looks back
// twice as far as the one before.
func (m *Machine) planSweep(now time.Time) {
	most, hurry := sweepPages, false
	if now.Sub(m.Mark) > longBehind {
		most, hurry = sweepMany, m.Window.Left > m.Window.Whole/2
	}
	if m.goOn(common, most) {
		m.Hurry = hurry
		return
	}
	if age := now.Sub(m.Levels[common].Began); age >= 0 && age < sweepEvery {
		return // There is nothing to hurry for, however old the newest is that was seen.
	}
	m.Hurry = hurry
	m.Turn++
	from := m.horizon()
	unwatched := m.Turn == 1 && m.Begin.Before(m.Opened.Add(-margin)) // Nobody saw who was unfinished then.
	reach := sweepUnit << min(bits.TrailingZeros(uint(m.Turn)), 12)
	if m.Turn <= 2 { // Who was nearly done at the beginning may never have been seen unfinished.
		reach = usualAges[common]
	}
	if !unwatched && reach < m.Lookback {
		from = later(from, earlier(m.Mark, now).Add(-reach))
	}
	m.sweep(now, common, from, most)
}

// planLevels sweeps in three depths. The deepest that fits on one page is listed
// in each round, and the others not at all.
func (m *Machine) planLevels(now time.Time) {
	idle := min(max(now.Sub(m.GrantAt), 0), longestGrant)
	m.GrantAt = now
	covered := -1
	for l := range m.Levels {
		level := &m.Levels[l]
		level.Credit = min(level.Credit+shares[l]*idle.Seconds()*m.Window.Rate(m.Window.Length), mostCredit)
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
		m.sweep(now, l, m.reach(now, l), max(1, int(level.Credit)))
	}
}

func (m *Machine) sweep(now time.Time, l int, from time.Time, most int) {
	m.Levels[l].Began = now
	m.add(walk{For: sweep, Level: l, Status: m.evaluated(), Since: m.since(from), Stop: from, Most: most, Behind: true})
}

// goOn lets the sweep of a level read so many pages, if there is one. One that
// lost its cursor does not rest.
func (m *Machine) goOn(l, most int) bool {
	for i := range m.Walks {
		if w := &m.Walks[i]; w.For == sweep && w.Level == l && !w.Over {
			if w.Lost == 0 {
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
	m.Mark = later(m.Mark, saw)
	m.prove(w.Since.Add(rounding), saw)
}
