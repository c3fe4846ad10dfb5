package waiting

import (
	"cmp"
	"strings"
	"time"
)

const (
	maxSingleReads      = 50 // In a poll. Where polls are rare, a share of what the rate limit allows in the time between two.
	maxReadsAfterSearch = 5  // Single reads after a search, of submissions that probably have another status.
	leaversForSearch    = 12 // A search replaces the single reads of so many submissions. It may cost a quarter of them, or of maxSingleReads,
	maxSearchPages      = 60 // and so many pages a poll.
	confirmAfter        = 40 * time.Minute
	reportTimeout       = time.Hour
	maxReadInterval     = 9 * time.Minute // Of a submission whose report is late.
	notFoundFor         = 3 * time.Hour   // So long, single reads with a 404 do not show that a submission is gone which listings show as evaluated.
)

// planSingleReads lets the poll read singly what is due now. For many submissions it adds a
// search first: a listing of evaluated submissions.
func (m *Machine) planSingleReads(now time.Time) {
	leavers, oldestLeaver, oldestWithout := 0, now, now
	for _, it := range m.Set.Items {
		if it.WithoutReport && !it.Unreadable { // Sweeps list what cannot be decoded and is evaluated, as this is.
			oldestWithout = earlier(oldestWithout, it.Created)
		}
		if it.readIsDue(now) && it.LeftListing && it.Misses == 0 {
			leavers++
			oldestLeaver = earlier(oldestLeaver, it.Created)
		}
	}
	if oldestWithout.Before(now) && !m.listingsWait() && m.Set.withoutReportAreDue(now) { // The page of a listing delivers them without their reports.
		m.searchEvaluated(oldestWithout, maxSearchPages)
		return
	}
	// In a burst more may have left: submissions that were dropped or never listed.
	burst := max(m.Poll.UsualDeliveries, float64(leavers)) > float64(m.Poll.MaxSingleReads)
	if (leavers >= leaversForSearch || burst) && !m.Poll.SearchBegan && !m.Poll.Bare {
		if burst {
			oldestLeaver = oldestLeaver.Add(-time.Hour)
		}
		pages := min(max(leavers, maxSingleReads)/4, maxSearchPages)
		if burst && now.Sub(m.Set.TruncatedAt) < time.Hour { // The search also finds dropped submissions.
			pages = maxSearchPages
		}
		m.Poll.beginSearch()
		m.searchEvaluated(oldestLeaver, pages)
		return
	}
	m.Poll.readFrom(now)
}

// nextRead returns the ID of the submission to read singly next, or "". Those whose last reads failed
// come last: a read that fails ends the poll.
func (m *Machine) nextRead() (next string) {
	if m.Poll.ReadsFrom.IsZero() || m.Poll.ReadsEnded || m.Poll.SingleReads >= m.Poll.MaxSingleReads {
		return ""
	}
	for id, it := range m.Set.Items {
		if !m.Poll.readsNow(it) {
			continue
		}
		if first := m.Set.Items[next]; first == nil || cmp.Or(cmp.Compare(it.Misses, first.Misses), it.ReadAt.Compare(first.ReadAt), it.AwaitedSince.Compare(first.AwaitedSince), strings.Compare(id, next)) < 0 {
			next = id
		}
	}
	return next
}

// isShownUnfinished reports whether a search of this poll has shown that a submission which left its listing is
// unfinished: it has another status, whose listing shows it.
func (p *poll) isShownUnfinished(it *pendingItem) bool {
	return !p.SearchedFrom.IsZero() && !it.Created.Before(p.SearchedFrom) && it.LeftListing && it.Misses == 0 && it.AwaitedSince.IsZero()
}

// readsNow reports whether to read an item singly in this poll. Of the submissions that a search has shown
// unfinished, a few are read all the same.
func (p *poll) readsNow(it *pendingItem) bool {
	return it.readIsDue(p.ReadsFrom) && (p.ReadsAfterSearch < maxReadsAfterSearch || !p.isShownUnfinished(it))
}

// ReadsAreDue reports whether the last poll could not read all that was due.
func (m *Machine) ReadsAreDue() bool {
	if m.Poll.ReadsFrom.IsZero() || m.Poll.SingleReads < m.Poll.MaxSingleReads {
		return false
	}
	for _, it := range m.Set.Items {
		if m.Poll.readsNow(it) {
			return true
		}
	}
	return false
}

// readIsDue reports whether to read the item singly now. A read that is more than a day
// away is due too: the server's clock was put back.
func (it *pendingItem) readIsDue(now time.Time) bool {
	return !it.ReadAt.IsZero() && (!it.ReadAt.After(now) || it.ReadAt.After(now.Add(24*time.Hour)))
}

// searchEvaluated adds a listing of the evaluated submissions that were created since
// oldest, of so many pages at most.
func (m *Machine) searchEvaluated(oldest time.Time, most int) {
	m.Poll.addListing(listing{Purpose: search, Status: m.Poll.evaluatedFilter(), Since: filterTime(oldest), CreatedSince: oldest, MaxPollPages: most})
}

// handleSingleRead updates the state with the response to a single read.
func (m *Machine) handleSingleRead(now time.Time, id string, a Response) ([]int, error) {
	pending := m.Set.Items[id]
	m.Poll.countRead(pending)
	switch {
	case pending == nil:
	case a.Rejected:
		return nil, ErrRejected
	case a.NotFound && pending.Unreadable && !pending.LeftListing: // A listing shows that it exists.
		pending.unschedule()
	case a.NotFound && m.planner.isGone(id, pending):
		m.Set.remove(id)
	case a.NotFound: // A listing shows it as evaluated, so it exists, or the response may be from a stale replica.
		if !pending.AwaitedSince.IsZero() {
			m.foundNoReport(now, a.localTime(now), pending)
		}
		pending.notFound(now.Add(backoff(m.Max, pending.Misses+1, maxReadInterval)))
	case a.Failed || len(a.Items) != 1:
		pending.missed(now.Add(backoff(m.Max, max(pending.Misses-1, 0), maxReadInterval)))
		m.Poll.endSingleReads() // Else the poll would list nothing until its reads that fail are made.
		if m.Poll.currentListing(m.listingsWait()) == nil {
			m.Poll.end()
		}
		m.interruptPoll(now, a.RetryAfter)
	default:
		it := a.Items[0]
		it.ID = id
		if m.handleRead(now, a.localTime(now), pending, &it) {
			return []int{0}, nil
		}
	}
	return nil, nil
}

// handleRead updates the state with the item of a single read, and reports whether to
// deliver it.
func (m *Machine) handleRead(now, local time.Time, pending *pendingItem, it *Item) (ready bool) {
	left, before := pending.LeftListing, pending.Status
	pending.wasRead(now)
	if !it.Ready && (it.isEvaluated() && !it.Unreadable || !pending.AwaitedSince.IsZero()) {
		m.foundNoReport(now, local, pending)
	}
	if it.Unreadable && m.planner.unreadable(now, it.ID, it, nil) {
		if left && pending.Status == before {
			pending.Misses++
		}
		return false
	}
	if s := m.Set.Statuses[before]; it.isEvaluated() && left && s != nil {
		m.Set.countFilterEvidence(1, 0)
		if !m.Pace.RegularSince.After(it.Evaluated) {
			s.countLeavers(1, 0)
		}
	}
	ready = m.handleItem(now, it, nil)
	if !pending.AwaitedSince.IsZero() {
		pending.ReadAt = pending.nextReportRead(now)
	}
	if it.isEvaluated() || before != it.Status {
		pending.Misses = 0
	} else if left { // The listing of its status should have shown it.
		pending.Misses++
		if m.planner.blamesFilter(pending) {
			m.Set.countFilterEvidence(0, 1)
		}
	}
	return ready
}

// backoff returns the delay before the next read of an item. It doubles from unit with each
// miss.
func backoff(unit time.Duration, misses int, longest time.Duration) time.Duration {
	if misses == 0 {
		return 0
	}
	return min(unit<<min(misses-1, 10), longest)
}

// awaitReport keeps an evaluated item without a report pending. It returns false for an item that single reads have
// shown without a report for so long that it is delivered without one: see foundNoReport.
func (m *Machine) awaitReport(now time.Time, id string, it *Item) bool {
	pending := m.Set.add(id, it.Created)
	pending.awaitReport(now)
	return !pending.WithoutReport
}

// foundNoReport records that a single read found no report. A watch delivers the item without one
// after an hour.
func (m *Machine) foundNoReport(now, local time.Time, pending *pendingItem) {
	pending.WithoutReport = pending.foundNoReport(now, local) && m.planner.givesUp()
}
