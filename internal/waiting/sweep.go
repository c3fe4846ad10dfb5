package waiting

import (
	"time"
)

const (
	rareAfter      = 5 * time.Minute
	sweepEvery     = 10 * time.Minute // The interval between two sweeps: at most this long,
	sweepIntervals = 10               // and at most as many of the longest intervals between two polls.
	sweepUnit      = time.Hour
	sweepPages     = 3 // Pages a poll,
	minSweepPages  = 1 // when the rate limit allows only rare polls, or
	maxSweepPages  = 10
	farBehind      = 6 * time.Hour // when nothing was swept for so long.
	deepSweepEvery = 75 * time.Minute
	sweepDepths    = 12  // Of sweeps: an hour, two hours, ..., 85 days.
	spareShare     = 0.8 // The share of the rate limit that a sweep over all of Lookback may use.
)

// The levels of sweeps. Where the status filter does not work, all three are used:
// recently created submissions are listed often, all of Lookback rarely. Otherwise
// planSweep uses the first and planDeepSweep the last.
const (
	recent = iota // Reaches back to the age at which nearly all submissions are evaluated,
	slow          // and nearly all of the rest.
	deepest
	sweepLevels
)

// sweepLevel is the state of the sweeps of one level.
type sweepLevel struct {
	Credit    float64   `json:",omitzero"` // Pages that its sweeps may read.
	Pages     int       `json:",omitzero"` // Pages of its last sweep.
	StartedAt time.Time `json:",omitzero"`
}

const (
	maxCredit   = 30.0
	firstCredit = 3.0
	minSamples  = 100
)

var (
	levelShares    = [sweepLevels]float64{recent: 0.6, slow: 0.12, deepest: 0.16}
	levelQuantiles = [sweepLevels]float64{recent: 0.98, slow: 0.997}
	levelAges      = [sweepLevels]time.Duration{recent: 48 * time.Hour, slow: 7 * 24 * time.Hour}
	levelIntervals = [sweepLevels]int64{slow: 5, deepest: 15} // In minutes, or in longest intervals between two polls if these are shorter.
)

// spareReads returns how many pages of this poll a sweep over all of Lookback may read:
// the reads beyond an even use of the window, after its first tenth. Where polls are
// rare, it is a share of what the rate limit allows in the time between two polls.
func (m *Machine) spareReads() int {
	if m.isRare() {
		return int(spareShare * m.Window.Rate(m.Window.Length) * m.Scheduled.Seconds())
	}
	if m.Window.Ends.Seconds() > (1-aheadShare)*m.Window.Length.Seconds() { // The regular polls may need them.
		return min(maxSweepPages, m.Window.Whole/100)
	}
	return int(float64(m.Window.Left) - (1-aheadShare/2)*m.Window.evenRemaining(m.Window.Length))
}

// scaleToPollInterval scales a number of pages a poll to the time since the last poll, so that
// rare polls read as much in an hour as frequent ones.
func (m *Machine) scaleToPollInterval(pages int) int {
	scaled := float64(pages) * m.Scheduled.Seconds() / usualInterval.Seconds()
	return max(pages, min(int(scaled), m.spareReads()))
}

// isRare reports whether polls are rare, by the caller's schedule or the options.
func (m *Machine) isRare() bool { return m.Scheduled > rareAfter }

// reachDepth returns the greatest k for which the time since times[k] is at least
// unit * 2^k, or -1, and notes that depths up to k are reached now.
func reachDepth(times *[]time.Time, now time.Time, unit time.Duration, n int) int {
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

// planSweep continues the sweep of recently created submissions, or begins one. It looks
// back twice as far when twice the time has passed since it last looked back as far.
func (m *Machine) planSweep(now time.Time) {
	most := m.scaleToPollInterval(sweepPages)
	if m.Interval > 2*m.Max { // The rate limit allows only rare polls.
		most = min(most, minSweepPages)
	}
	if now.Sub(m.SweptUntil) > farBehind {
		most = max(most, maxSweepPages)
	}
	if m.continueSweep(recent, most) {
		return
	}
	rest := m.sweepInterval()
	if age := now.Sub(m.Levels[recent].StartedAt); age >= 0 && age < rest {
		return
	}
	reach := sweepUnit << max(reachDepth(&m.SweepDepths, now, sweepEvery, sweepDepths), 0)
	m.addSweep(now, recent, m.evaluatedFilter(), later(m.watchedSince(), earlier(m.SweptUntil, now).Add(-reach)), most)
}

// sweepInterval returns the interval between two sweeps. It halves with each sweep that
// finds an evaluation that the waiting set missed, and doubles with each other sweep.
func (m *Machine) sweepInterval() time.Duration {
	longest := min(sweepEvery, sweepIntervals*m.Max)
	return max(min(m.Max, longest), longest>>m.SweepHalvings)
}

const maxSweepHalvings = 6

// adaptSweepInterval adapts the interval to what the last sweep found.
func (m *Machine) adaptSweepInterval() {
	if m.UnexpectedEvaluations > 0 {
		m.SweepHalvings = min(m.SweepHalvings+1, maxSweepHalvings)
	} else {
		m.SweepHalvings = max(m.SweepHalvings-1, 0)
	}
	m.UnexpectedEvaluations = 0
}

// planDeepSweep continues or begins a sweep over all of Lookback: without a filter when
// some unfinished submissions may never have been listed, and of what is evaluated
// as long as the set is truncated.
func (m *Machine) planDeepSweep(now time.Time) {
	works := m.reviewStatusFilter(now)
	snapshot := works && m.AllListedAt.Before(m.UnlistedUntil)
	most := m.spareReads()
	if m.LookbackPageAt.After(now) || now.Sub(m.LookbackPageAt) >= time.Hour {
		most = max(most, 1)
	}
	age := now.Sub(m.Levels[deepest].StartedAt)
	switch {
	case m.continueSweep(deepest, most):
	case most < 1, age >= 0 && age < sweepEvery:
	case snapshot && m.Unordered: // An item that moves during an interval would be missed.
		m.addSweep(now, deepest, "", m.watchedSince(), 0)
		m.Listings[len(m.Listings)-1].AtOnce = true
	case snapshot:
		m.addSweep(now, deepest, "", m.watchedSince(), most)
	case (!works || m.isTruncated()) && (age < 0 || age >= deepSweepEvery):
		m.addSweep(now, deepest, m.evaluatedFilter(), m.watchedSince(), most)
	}
}

// planSweepLevels sweeps at three levels. The deepest level that fits on one page is
// listed in each poll, and the levels below it are skipped. While no unfinished
// submission is known, the listings have no status filter, so that the first one shows.
func (m *Machine) planSweepLevels(now time.Time) {
	idle := min(max(now.Sub(m.CreditedAt), 0), longestGap)
	m.CreditedAt = now
	filter := m.evaluatedFilter()
	if len(m.Statuses) == 0 && m.reviewStatusFilter(now) {
		filter = ""
	}
	covered := -1
	for level := range m.Levels {
		sweeps := &m.Levels[level]
		grant := levelShares[level] * idle.Seconds() * m.Window.Rate(m.Window.Length)
		sweeps.Credit = min(sweeps.Credit+grant, max(maxCredit, grant))
		if sweeps.Pages == 1 {
			covered = level
		}
	}
	for level := range m.Levels {
		sweeps := &m.Levels[level]
		age := now.Sub(sweeps.StartedAt)
		rests := sweeps.Credit < 1 || age >= 0 && age < time.Duration(levelIntervals[level]*int64(min(m.Max, usualInterval)))
		if m.continueSweep(level, int(sweeps.Credit)) || level < covered || level > covered && rests {
			continue
		}
		m.addSweep(now, level, filter, m.levelStart(now, level), max(1, int(sweeps.Credit)))
	}
}

// addSweep begins a sweep of the submissions created since from. Without a status filter
// it uses no since, because since may exclude unfinished submissions.
func (m *Machine) addSweep(now time.Time, level int, status string, from time.Time, most int) {
	m.Levels[level].StartedAt = now
	l := listing{Purpose: sweep, Level: level, Status: status, CreatedSince: from, MaxPollPages: most, Resumes: true}
	if status != "" || m.EvaluatedFilterRejected || m.Meaning == Other {
		l.Since = m.filterTime(from)
	}
	m.addListing(l)
}

// continueSweep lets the running sweep of a level read so many pages, and reports
// whether there is one. A sweep whose cursor failed is read without pauses.
func (m *Machine) continueSweep(level, most int) bool {
	for i := range m.Listings {
		if l := &m.Listings[i]; l.Purpose == sweep && l.Level == level && !l.Ended {
			if l.Restarts == 0 && !l.AtOnce {
				l.MaxPollPages, l.Paused = most, most < 1
			}
			return true
		}
	}
	return false
}

// levelStart returns the creation time from which a level lists. The ages of delivered
// submissions decide it.
func (m *Machine) levelStart(now time.Time, level int) time.Time {
	if level == deepest {
		return m.watchedSince()
	}
	age := levelAges[level]
	if ages := m.Delivered.ages(); len(ages) >= minSamples {
		age = max(lookBackUnit, ages[int(levelQuantiles[level]*float64(len(ages)))])
	}
	return later(m.watchedSince(), earlier(now, m.NewestEvaluation).Add(-age))
}

// sweepEnded updates the state after a sweep was read to its end.
func (m *Machine) sweepEnded(l *listing) {
	m.Levels[l.Level].Pages = l.Pages
	saw := earlier(m.NewestEvaluation, l.StartedAt)
	m.SweptUntil = later(m.SweptUntil, saw)
	from := l.CreatedSince
	if !l.Since.IsZero() {
		from = l.Since.Add(rounding)
	}
	switch {
	case l.Level == recent:
		m.adaptSweepInterval()
	case l.Level == deepest && l.Status == "":
		m.Unordered = l.Unordered && l.Pages > 1
		if !m.Unordered || l.AtOnce {
			m.AllListedAt = l.StartedAt
		}
	}
	m.addCoverage(from, saw)
}
