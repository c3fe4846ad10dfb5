package waiting

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

const (
	minGrading      = 15 * time.Minute // LongestGrading is at least this long.
	showMargin      = 5 * time.Minute  // A listing shows nearly all evaluations within this time.
	lookBackPolls   = 6                // Intervals until a poll looks back further,
	maxLookBackWait = 6 * time.Minute  // at most this long.
	lookBackUnit    = 10 * time.Minute
	lookBackDepths  = 14          // Look-backs of 10 min, 20 min and so on, up to 57 days.
	rounding        = time.Minute // The API may round since by this much.
	longestGap      = 24 * time.Hour
	sampleEvery     = time.Hour
	sampleBack      = 3 * time.Hour // Submissions created since then are probably unfinished, in any order of the listing.
)

// beginPoll resets what belongs to the last poll.
func (m *Machine) beginPoll(now time.Time) {
	if now.Before(m.RespondedAt.Add(-clockError)) {
		m.clockPutBack(now)
	}
	m.Gap = m.Max
	if !m.PollStart.IsZero() {
		m.Gap = min(max(now.Sub(m.PollStart), 0), longestGap)
	}
	m.Scheduled, m.Paced = max(m.Gap-m.Paced, 0), 0
	m.DeliveredPerPoll += (float64(m.DeliveredInPoll) - m.DeliveredPerPoll) / 8
	if m.Searched && m.DeliveredInPoll == 0 { // The burst has ended.
		m.DeliveredPerPoll = 0
	}
	m.Polling, m.PollAgain, m.PollStart, m.Polls = true, false, now, m.Polls+1
	m.pollCounts = pollCounts{MaxSingleReads: maxSingleReads}
	if m.isRare() {
		m.MaxSingleReads = max(maxSingleReads, m.spareReads())
	}
	m.Listings = slices.DeleteFunc(m.Listings, func(l listing) bool { return l.Ended })
	for i := range m.Listings {
		m.Listings[i].Paused, m.Listings[i].PollPages = false, 0
	}
}

// clockPutBack moves all times in the future to now, after the server's clock was put
// back. Otherwise nothing would be due until the clock reaches them again.
func (m *Machine) clockPutBack(now time.Time) {
	gap := m.AllListedAt.Before(m.UnlistedUntil)
	times := []*time.Time{
		&m.RespondedAt, &m.PollStart, &m.RegularSince, &m.HourStart, &m.CreditedAt, &m.Probe.LateAt,
		&m.SampledAt, &m.HandedInListedAt, &m.LateReportsListedAt, &m.ConfirmedAt, &m.TruncatedAt,
		&m.LookbackPageAt, &m.UnlistedUntil, &m.AllListedAt,
	}
	for i := range m.Levels {
		times = append(times, &m.Levels[i].StartedAt)
	}
	for _, s := range m.Statuses {
		times = append(times, &s.ListedAt)
	}
	for i := range m.SweepDepths {
		times = append(times, &m.SweepDepths[i])
	}
	for i := range m.LookBackDepths {
		times = append(times, &m.LookBackDepths[i])
	}
	for _, t := range times {
		*t = earlier(*t, now)
	}
	if gap && !m.AllListedAt.Before(m.UnlistedUntil) {
		m.AllListedAt = time.Time{}
	}
}

// plan begins a poll and decides what it lists.
func (m *Machine) plan(now time.Time) {
	m.beginPoll(now)
	if m.OpenedAt.IsZero() {
		m.planOpening()
		return
	}
	m.continueExperiment(now)
	switch {
	case m.Meaning == Unknown && m.Probe.Step != noExperiment: // The other listings depend on the result.
		m.PollAgain = true
	case m.forKnownIDs:
		m.planKnown(now)
	case m.Meaning == Evaluation:
		m.listNewEvaluations(now)
	case m.Meaning == Submission && (m.NewPages <= m.waitingSetCost()+m.waitingSetExtraCost() || !m.reviewStatusFilter(now)):
		m.ListedNew = true
		m.listNewEvaluations(now)
		m.planHandedIn(now)
		m.planDeepSweep(now)
	case m.reviewStatusFilter(now) && len(m.Statuses) > 0:
		m.NewPages *= 0.99 // The estimate falls, so that listing new evaluations is tried again.
		m.sampleUnfiltered(now)
		if m.Meaning == Submission { // One page shows evaluations of submissions that were handed in lately.
			m.addListing(listing{Purpose: sample, Status: m.evaluatedFilter(), Since: m.filterTime(now.Add(-minGrading)), MaxPollPages: 1})
			if m.ListedNew { // No listing of the waiting set preceded the evaluations since the last poll.
				m.listNewEvaluations(now)
			}
			m.ListedNew = false
		}
		m.listWaitingSet(now, false)
		m.planSweep(now)
		m.planDeepSweep(now)
	default:
		m.planSweepLevels(now)
	}
	slices.SortStableFunc(m.Listings, func(a, b listing) int { return cmp.Compare(a.rank(), b.rank()) })
}

// sampleUnfiltered lists a page without a status filter once an hour, because it may show
// a new status.
func (m *Machine) sampleUnfiltered(now time.Time) {
	if age := now.Sub(m.SampledAt); age >= 0 && age < sampleEvery {
		return
	}
	m.SampledAt = now
	m.Samples++
	l := listing{Purpose: sample, MaxPollPages: 1}
	if m.Samples%2 == 0 {
		l.Since = m.filterTime(now.Add(-sampleBack))
	}
	m.addListing(l)
}

// planHandedIn lists the submissions that are handed in and unfinished, so that the machine
// knows those whose grading takes longer than the listing of new evaluations reaches back.
func (m *Machine) planHandedIn(now time.Time) {
	if age := now.Sub(m.HandedInListedAt); !m.reviewStatusFilter(now) || age >= 0 && age < confirmAfter {
		return
	}
	m.HandedInListedAt = now
	m.sampleUnfiltered(now)
	for _, name := range slices.Sorted(maps.Keys(m.Statuses)) {
		if s := m.Statuses[name]; s.HandedIn && m.findListing(unfinished, name) == nil {
			m.addUnfinishedListing(listing{Purpose: unfinished, Status: name, MaxPollPages: m.scaleToPollInterval(maxStatusPages), Resumes: true})
		}
	}
}

// planOpening plans the first poll.
func (m *Machine) planOpening() {
	switch {
	case m.findListing(opening, "") != nil:
	case !m.forKnownIDs:
		m.addListing(listing{Purpose: opening, MaxPollPages: 1})
	case len(m.Items) > 1:
		m.addListing(listing{Purpose: opening, CreatedSince: m.Start})
	default: // One id needs no listing: a single read finds it.
		m.openingEnded(&listing{StartedAt: m.PollStart})
	}
}

// openingEnded updates the state after the first listing.
func (m *Machine) openingEnded(l *listing) {
	m.OpenedAt, m.LastDelivery, m.OpeningPages = l.StartedAt, l.StartedAt, l.Pages
	if m.forKnownIDs {
		m.Cutoff = l.StartedAt
		m.readUnconfirmed()
		return
	}
	m.PollAgain = true // The unfinished are listed before the first pause.
	m.UnlistedUntil = later(m.UnlistedUntil, l.StartedAt)
	if m.Probe.NextItem.ID == "" { // An evaluated submission is needed for the experiment.
		m.addListing(listing{Purpose: sample, Status: m.evaluatedFilter(), MaxPollPages: 1})
	}
}

// listNewEvaluations lists the evaluations since the cutoff. It looks back twice as far
// when twice the time has passed since it last looked back as far.
func (m *Machine) listNewEvaluations(now time.Time) {
	l := listing{Purpose: newEvaluations, Status: m.evaluatedFilter(), Since: m.Cutoff.Add(-showMargin)}
	longest := m.MaxLateness
	if m.Meaning == Evaluation && m.LongListingCutoff.Equal(m.Cutoff) { // Without new evaluations, the same pages need not be read again.
		l.Since = m.Cutoff.Add(rounding + time.Millisecond)
	}
	if m.Meaning == Submission {
		l.Since, longest = l.Since.Add(-2*m.LongestGrading), m.Lookback
	}
	if k := reachDepth(&m.LookBackDepths, now, min(lookBackPolls*m.Max, maxLookBackWait), lookBackDepths); k >= 0 {
		l.Level = 1
		reach := lookBackUnit << k
		l.Since = l.Since.Add(-min(reach, longest))
		if m.Meaning == Submission && reach >= longest {
			l.Since = m.watchedSince()
		}
	}
	if m.forKnownIDs {
		l.CreatedSince = m.oldestWatched()
		l.Since = later(l.Since, l.CreatedSince)
	}
	l.Since = m.filterTime(l.Since)
	if m.findListing(newEvaluations, l.Status) == nil {
		m.addListing(l)
	}
}

// filterTime returns a time for the filter since, zero if it is too early for one.
func (m *Machine) filterTime(t time.Time) time.Time {
	t = t.Add(-rounding)
	if t.Unix() < 1 {
		return time.Time{}
	}
	return t.Truncate(time.Millisecond)
}

// advanceCutoff advances the cutoff after a listing of new evaluations was read to its end.
func (m *Machine) advanceCutoff(l *listing) {
	m.Cutoff = later(m.Cutoff, m.NextCutoff)
	if l.Level == 0 && l.Pages > 1 {
		m.LongListingCutoff = m.Cutoff
	}
	m.LongestGrading = max(m.LongestGrading-m.LongestGrading/1000, minGrading)
	if m.Meaning == Evaluation {
		m.addCoverage(time.Time{}, m.Cutoff)
	} else {
		m.addCoverage(l.Since.Add(rounding), m.Cutoff)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
