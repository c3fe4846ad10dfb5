package waiting

import (
	"cmp"
	"strings"
	"time"
)

const (
	maxSingleReads      = 50 // In a poll. Where polls are rare, a share of what the rate limit allows in the time between two.
	maxFailedReads      = 3  // Single reads that may fail in a poll.
	maxReadsAfterSearch = 5  // Single reads after a search, of submissions that probably have another status.
	leaversForSearch    = 12 // A search replaces the single reads of so many submissions. It may cost a quarter of them,
	maxSearchPages      = 60 // and so many pages a poll.
	confirmAfter        = 40 * time.Minute
	reportTimeout       = time.Hour
	maxReadInterval     = 9 * time.Minute // Of a submission whose report is late.
	maxNotFound         = 20              // Single reads with a 404 for a submission that listings show as evaluated.
)

// planSingleReads lets the poll read singly what is due now. For many submissions it adds a
// search first: a listing of evaluated submissions.
func (m *Machine) planSingleReads(now time.Time) {
	leavers, oldestLeaver, oldestWithout := 0, now, now
	for _, it := range m.Set.Items {
		if it.WithoutReport {
			oldestWithout = earlier(oldestWithout, it.Created)
		}
		if it.readIsDue(now) && it.LeftListing && it.Misses == 0 {
			leavers++
			oldestLeaver = earlier(oldestLeaver, it.Created)
		}
	}
	if age := now.Sub(m.Set.LateReportsListedAt); oldestWithout.Before(now) && (age < 0 || age >= maxReadInterval) {
		// The page of a listing delivers them without their reports.
		m.Set.LateReportsListedAt = now
		m.searchEvaluated(oldestWithout, maxSearchPages)
		return
	}
	// In a burst more may have left: submissions that were dropped or never listed.
	burst := max(m.Poll.UsualDeliveries, float64(leavers)) > maxSingleReads
	if (leavers >= leaversForSearch || burst) && !m.Poll.Searched {
		if burst {
			oldestLeaver = oldestLeaver.Add(-time.Hour)
		}
		pages := min(max(leavers, maxSingleReads)/4, maxSearchPages)
		if burst && now.Sub(m.Set.TruncatedAt) < time.Hour { // The search also finds dropped submissions.
			pages = maxSearchPages
		}
		m.Poll.Searched = true
		m.searchEvaluated(oldestLeaver, pages)
		return
	}
	m.Poll.ReadsFrom = now
}

// nextRead returns the ID of the submission to read singly next, or "".
func (m *Machine) nextRead() (next string) {
	if m.Poll.ReadsFrom.IsZero() || m.Poll.SingleReads >= m.Poll.MaxSingleReads {
		return ""
	}
	for id, it := range m.Set.Items {
		if !it.readIsDue(m.Poll.ReadsFrom) || m.isShownUnfinished(it) {
			continue
		}
		if first := m.Set.Items[next]; first == nil || cmp.Or(it.ReadAt.Compare(first.ReadAt), it.LateSince.Compare(first.LateSince), strings.Compare(id, next)) < 0 {
			next = id
		}
	}
	return next
}

// isShownUnfinished reports whether the search of this poll has shown that a submission which left its listing is
// unfinished: it has another status, whose listing shows it. A few of them are read all the same.
func (m *Machine) isShownUnfinished(it *pendingItem) bool {
	return m.Poll.SearchedAll && it.LeftListing && it.Misses == 0 && it.LateSince.IsZero() && m.Poll.ReadsAfterSearch >= maxReadsAfterSearch
}

// ReadsAreDue reports whether the last poll could not read all that was due.
func (m *Machine) ReadsAreDue() bool {
	if m.Poll.ReadsFrom.IsZero() || m.Poll.SingleReads < m.Poll.MaxSingleReads {
		return false
	}
	for _, it := range m.Set.Items {
		if it.readIsDue(m.Poll.ReadsFrom) && !m.isShownUnfinished(it) {
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
	m.Poll.SingleReads++
	pending := m.Set.Items[id]
	if pending != nil && m.Poll.SearchedAll && pending.LeftListing && pending.Misses == 0 && pending.LateSince.IsZero() {
		m.Poll.ReadsAfterSearch++
	}
	switch {
	case pending == nil:
	case a.Rejected:
		return nil, ErrRejected
	case a.NotFound && pending.Unreadable && !pending.LeftListing: // A listing shows that it exists.
		pending.ReadAt = time.Time{}
	case a.NotFound && m.planner.isGone(id, pending):
		delete(m.Set.Items, id)
	case a.NotFound: // A listing shows it as evaluated, so it exists.
		pending.WithoutReport = m.reportTimedOut(now, a.localTime(now), pending)
		pending.Misses++
		pending.ReadAt = nextSecond(now.Add(m.backoff(pending.Misses, maxReadInterval)))
	case a.Failed || len(a.Items) != 1:
		pending.Misses++
		pending.ReadAt = nextSecond(now.Add(m.backoff(max(pending.Misses-2, 0), maxReadInterval)))
		m.Poll.FailedReads++
		if m.Poll.FailedReads >= maxFailedReads {
			m.Poll.FailedReads = 0
			m.interruptPoll(now, a.RetryAfter)
		}
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
	pending.LeftListing, pending.ReadAt, pending.ConfirmedAt = false, time.Time{}, now
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
	if !it.Ready && (it.isEvaluated() || !pending.LateSince.IsZero()) {
		pending.WithoutReport = m.reportTimedOut(now, local, pending)
	}
	ready = m.handleItem(now, it, nil)
	if !pending.LateSince.IsZero() {
		rest := min(max(now.Sub(pending.LateSince)/4, 0), maxReadInterval)
		if left := reportTimeout - now.Sub(pending.NoReportAt); left > 0 {
			rest = min(rest, left)
		}
		pending.ReadAt = nextSecond(now.Add(rest))
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

// backoff returns the delay before the next read of an item. It doubles with each
// miss.
func (m *Machine) backoff(misses int, longest time.Duration) time.Duration {
	if misses == 0 {
		return 0
	}
	return min(m.Max<<min(misses-1, 10), longest)
}

// awaitReport keeps an evaluated item without a report pending. It returns false if the
// item is to be delivered without one, which only single reads decide: see reportTimedOut.
func (m *Machine) awaitReport(now time.Time, id string, it *Item) bool {
	pending := m.Set.Items[id]
	if pending == nil {
		pending = &pendingItem{Created: second(it.Created)}
		m.Set.Items[id] = pending
	}
	pending.ConfirmedAt = now
	if pending.LateSince.IsZero() || pending.LateSince.After(now) {
		pending.LateSince = second(now)
		pending.ReadAt = second(now)
	}
	return !pending.WithoutReport
}

// reportTimedOut records that a single read found no report. In a watch it reports whether
// the first such read was an hour ago, by the clocks of the server and of the caller,
// because one of them may be wrong.
func (m *Machine) reportTimedOut(now, local time.Time, pending *pendingItem) bool {
	if pending.NoReportAt.IsZero() || pending.NoReportLocal.IsZero() || pending.NoReportAt.After(now) || pending.NoReportLocal.After(local) {
		pending.NoReportAt, pending.NoReportLocal = second(now), second(local)
	}
	return m.planner.givesUp() && now.Sub(pending.NoReportAt) >= reportTimeout && local.Sub(pending.NoReportLocal) >= reportTimeout
}
