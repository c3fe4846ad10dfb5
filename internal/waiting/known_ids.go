package waiting

import (
	"math"
	"slices"
	"time"
)

// planKnown plans a poll for known ids, in the way that costs the fewest reads: single
// reads, new evaluations, a search or the waiting set.
func (m *Machine) planKnown(now time.Time) {
	n, oldest := 0, m.oldestWatched()
	for _, it := range m.Items {
		if !it.ConfirmedAt.IsZero() && it.LateSince.IsZero() {
			n++
		}
	}
	find, set, list := max(1, m.SearchPages), math.Inf(1), math.Inf(1)
	if m.reviewStatusFilter(now) && len(m.Statuses) > 0 {
		set = m.waitingSetCost()
	}
	switch m.Meaning {
	case Evaluation:
		list = 1
	case Submission:
		list = m.NewPages
	}
	m.NewPages = max(1, m.NewPages*0.99)
	bySet := m.ListedUnfinished
	m.ListedUnfinished = false
	switch least := min(find, set, list); {
	case n == 0:
	case float64(n) <= least:
		for _, it := range m.Items {
			if it.ReadAt.IsZero() {
				it.ReadAt = second(now)
			}
		}
	case list == least:
		m.listNewEvaluations(now)
	case find == least:
		m.searchEvaluated(oldest, int(find)+2)
	default:
		m.ListedUnfinished = true
		if m.listWaitingSet(now, false); !bySet { // No listing of the waiting set precedes those that have left it.
			m.searchEvaluated(oldest, int(find)+2)
		}
	}
	m.confirmKnown(now)
}

// confirmKnown confirms each known id within the hour.
func (m *Machine) confirmKnown(now time.Time) {
	var stale []string
	for _, it := range m.sorted(nil) {
		if !it.ConfirmedAt.IsZero() && now.Sub(it.ConfirmedAt) >= confirmAfter {
			stale = append(stale, it.id)
		}
	}
	pages := 0
	for _, s := range m.Statuses {
		pages += s.Pages
	}
	switch works := m.reviewStatusFilter(now); {
	case works && pages > 0 && pages < len(stale):
		m.listWaitingSet(now, true)
	case !works && m.OpeningPages < len(stale) && m.findListing(unfinished, "") == nil && now.Sub(m.ConfirmedAt) >= confirmAfter:
		m.ConfirmedAt = now
		m.addUnfinishedListing(listing{Purpose: unfinished, MaxPollPages: maxStatusPages, Resumes: true})
	}
	stale = slices.DeleteFunc(stale, func(id string) bool { // A read or a listing is planned for these.
		it := m.Items[id]
		return !it.ReadAt.IsZero() || m.findListing(unfinished, it.Status) != nil || m.findListing(unfinished, "") != nil
	})
	for _, id := range stale[:min(len(stale), max(5, len(stale)/10))] {
		m.Items[id].ReadAt = second(now)
	}
}

// oldestWatched returns the creation of the oldest pending known id that was seen, or the
// earliest creation of a watch.
func (m *Machine) oldestWatched() time.Time {
	if !m.forKnownIDs {
		return m.watchedSince()
	}
	var oldest time.Time
	for _, it := range m.Items {
		if !it.Created.IsZero() && it.LateSince.IsZero() && (oldest.IsZero() || it.Created.Before(oldest)) {
			oldest = it.Created
		}
	}
	return oldest
}

// watchedSince returns the earliest creation that a watch considers: Lookback before the
// last evaluation that a sweep of all of Lookback has seen.
func (m *Machine) watchedSince() time.Time { return m.LookbackReadAt.Add(-m.Lookback) }

// countUnconfirmed returns the number of known ids that no response has shown.
func (m *Machine) countUnconfirmed() (n int) {
	for _, it := range m.Items {
		if it.ConfirmedAt.IsZero() {
			n++
		}
	}
	return n
}

// readUnconfirmed schedules single reads of the known ids that no listing showed.
func (m *Machine) readUnconfirmed() {
	for _, it := range m.Items {
		if it.ConfirmedAt.IsZero() {
			it.ReadAt = second(m.PollStart)
		}
	}
}
