package waiting

import (
	"math/bits"
	"slices"
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
	quantiles = [levels]float64{common: 0.98, late: 0.997, deepest: 1}
	usualAges = [levels]time.Duration{common: 48 * time.Hour, late: 7 * 24 * time.Hour}
	restFor   = [levels]int64{late: 5, deepest: 15} // Longest pauses.
)

// planSweep goes on with the sweep, or begins one.
func (m *Machine) planSweep(now time.Time) {
	most := sweepPages
	if now.Sub(m.Mark) > longBehind {
		most = sweepMany
	}
	for i := range m.Walks {
		if w := &m.Walks[i]; w.For == sweep {
			if w.Most > 0 {
				w.Most = most
			}
			return
		}
	}
	if age := now.Sub(m.SweepAt); age < sweepEvery && age >= 0 {
		return
	}
	m.SweepAt = now
	m.Turn++
	reach := m.Lookback
	if k := bits.TrailingZeros(uint(m.Turn)); k < 20 {
		reach = min(sweepUnit<<k, m.Lookback)
	}
	from := later(earlier(m.Mark, now).Add(-reach), now.Add(-m.Lookback))
	m.add(walk{For: sweep, Status: m.evaluatedFilter(), Since: m.since(from), Stop: from, Most: most, Behind: true})
}

// planLevels sweeps in three depths.
func (m *Machine) planLevels(now time.Time) {
	idle := min(max(now.Sub(m.GrantAt), 0), longestGrant)
	m.GrantAt = now
	for l := range m.Levels {
		m.Levels[l].Credit = min(m.Levels[l].Credit+shares[l]*idle.Seconds()*m.rate(), mostCredit)
	}
	covered := -1 // The deepest that fits on one page is listed in each round.
	for l := range m.Levels {
		if m.Levels[l].Pages == 1 {
			covered = l
		}
	}
	for l := range m.Levels {
		level := &m.Levels[l]
		rest := time.Duration(restFor[l] * int64(m.Max))
		age := now.Sub(level.Began)
		if i := slices.IndexFunc(m.Walks, func(w walk) bool { return w.For == sweep && w.Level == l }); i >= 0 {
			if w := &m.Walks[i]; w.Most > 0 {
				w.Most, w.Rests = int(level.Credit), level.Credit < 1
			}
			continue
		}
		if l < covered || l != covered && (level.Credit < 1 || age >= 0 && age < rest) {
			continue
		}
		level.Began = now
		from := now.Add(-m.reach(l))
		m.add(walk{For: sweep, Level: l, Status: m.evaluatedFilter(), Since: m.since(from), Stop: from, Most: max(1, int(level.Credit)), Behind: true})
	}
}

// reach is how far back a level looks: as far as the known ages tell.
func (m *Machine) reach(l int) time.Duration {
	if l == deepest {
		return m.Lookback
	}
	ages := m.Delivered.ages()
	if len(ages) < manySamples {
		return min(usualAges[l], m.Lookback)
	}
	return min(max(10*time.Minute, ages[int(quantiles[l]*float64(len(ages)))]), m.Lookback)
}

// swept follows a sweep that is through.
func (m *Machine) swept(w *walk) {
	m.Levels[w.Level].Pages = w.Pages
	m.Mark = later(m.Mark, w.Began)
	m.prove(w.Since.Add(rounding), earlier(m.Newest, w.Began))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func deleteWalks(walks []walk, purposes ...purpose) []walk {
	return slices.DeleteFunc(walks, func(w walk) bool { return slices.Contains(purposes, w.For) })
}
