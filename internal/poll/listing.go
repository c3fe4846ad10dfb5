package poll

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// listing is a listing of a source that is in progress.
type listing struct {
	Began    Local  `json:"began"`
	Since    Server `json:"since"`
	Cursor   string `json:"cursor,omitempty"`   // Cursor of the next page; for given ids the last one that was read. Empty: from the beginning.
	Pages    int    `json:"pages"`              // Pages that were read.
	Position int    `json:"position"`           // The position of the last page in the list, from 1.
	First    string `json:"first,omitempty"`    // The first id of the last page.
	Again    bool   `json:"again,omitempty"`    // It began again: a page repeated the one before it, or a cursor expired.
	Failures int    `json:"failures,omitempty"` // How often its next page has failed.
	Due      Local  `json:"due,omitempty"`      // When a page that failed is asked again.
	Seen     set    `json:"seen,omitzero"`      // Submissions with the source's status.
}

// hasFailed reports whether the next page has failed.
func (l *listing) hasFailed() bool { return l != nil && l.Failures > 0 }

// mayContinue reports whether the next page may be requested: that of a long listing only while
// reads are to spare, which are more than two thirds of the window at its start and a third at its end.
func (l *listing) mayContinue(b Budget) bool {
	spare := float64(b.Left)/float64(b.Limit) > (1+b.Ends.Hours())/3
	return l.Pages < cheapRequests || spare
}

// openPage returns the next request of a source, whose listing it opens if none is in progress.
func (m *Machine) openPage(s *source) Request {
	if s.Open == nil {
		s.Open = new(listing)
	}
	if s.Open.Cursor == "" {
		m.begin(s)
	}
	switch s.Kind {
	case givenIDs:
		id, _ := m.awaitedAfter(s.Open.Cursor)
		return Request{ID: id, source: s}
	case allOfLookback, lately:
		return Request{Status: Finished, Since: s.Open.Since, Cursor: s.Open.Cursor, source: s}
	}
	return Request{Status: s.Status, Cursor: s.Open.Cursor, source: s}
}

// begin has the listing of a source begin now.
func (m *Machine) begin(s *source) {
	l := s.Open
	l.Began, l.Since = m.Now, m.serverAt(s.Began).Add(-s.Depth)
	switch s.Kind {
	case ofStatus:
		l.Since, l.Seen = cmp.Or(m.options.CreatedSince, m.server().Add(-m.options.Lookback)), set{}
	case allOfLookback:
		l.Since = cmp.Or(m.options.CreatedSince, l.Since)
	}
	l.Since = max(1, l.Since)
}

// awaitedAfter returns the awaited id to be read after id, and whether there is one.
func (m *Machine) awaitedAfter(id string) (next string, more bool) {
	ids := slices.Sorted(maps.Keys(m.Awaited))
	k, found := slices.BinarySearch(ids, id)
	if found {
		k++
	}
	return ids[min(k, len(ids)-1)], k < len(ids)
}

// receivePage takes a page of a source.
func (m *Machine) receivePage(r Reply, s *source) (results []Item, ignoresCursors bool) {
	l, allOld, first := s.Open, len(r.Items) > 0, ""
	for _, it := range r.Items {
		first = cmp.Or(first, it.ID)
		m.addStatus(it.Status)
		if m.receiveItem(it, s) {
			results = append(results, it)
		}
		if s.Kind == ofStatus && it.Status == s.Status {
			l.Seen[it.ID] = true
		}
		m.Latest = max(m.Latest, it.latest())
		allOld = allOld && !it.Undated && it.latest() < l.Since
	}
	if len(results) > 0 {
		m.credit(s)
	}
	l.Pages, l.Position = l.Pages+1, l.Position+1
	if first != "" && first == l.First && r.Next != "" {
		again := m.beginAgain(s)
		return results, !again && l.Position == 2
	}
	l.Cursor, l.First, l.Failures = r.Next, first, 0
	m.endRequest(s, r.Next == "" || allOld || s.Kind == newestPage)
	return results, false
}

// beginAgain has a listing continue with its first page, because a cursor has expired, or because a
// page repeated the one before it: the list may have grown by a page. The second time its source has
// failed, and again is false.
func (m *Machine) beginAgain(s *source) (again bool) {
	l := s.Open
	if l.Again {
		m.abandon(s)
		return false
	}
	l.Again, l.Cursor, l.Position, l.First, l.Failures = true, "", 0, "", 0
	return true
}

// failPage takes the failure of a page, which is asked again by the next poll, after what the API
// asked for. After the third time the source has failed.
func (m *Machine) failPage(s *source, retryAfter time.Duration) {
	if s.Open.Failures++; s.Open.Failures == maxPageFailures {
		m.abandon(s)
		return
	}
	s.Open.Due = m.Now.Add(max(min(retryAfter, LongestRetryAfter), min(time.Minute, m.options.ShortestPause)/2))
}

// abandon ends the listing of a source without a result. The source is listed again after its period.
func (m *Machine) abandon(s *source) { s.Open, s.FailedAt = nil, m.Now }

// endRequest updates the cost of a source after a request. last: it completes the listing.
func (m *Machine) endRequest(s *source, last bool) {
	s.Cost = max(s.cost(), float64(s.Open.Pages))
	if last {
		m.complete(s)
	}
}

// complete ends the listing of a source, which has shown all that it covers.
func (m *Machine) complete(s *source) {
	l := s.Open
	s.Listed, s.Began, s.FailedAt, s.Cost, s.Open = true, l.Began, 0, float64(l.Pages), nil
	if s.Kind == ofStatus {
		m.readWhatLeft(s, l.Seen)
		return
	}
	if _, failing := m.Failing(); s.Kind == givenIDs && len(failing) > 0 {
		return // A listing may show what the API does not show singly.
	}
	for _, other := range m.Sources { // Otherwise a wait that begins with all of Lookback would never learn that less is enough.
		if s.covers(other) {
			other.Began = max(other.Began, s.Began)
		}
	}
	if s.Kind == allOfLookback {
		m.forget()
		m.Complete = m.serverAt(s.Began)
	}
}

// readWhatLeft has members that left the listing of a status read singly, ten at most. The others
// stay members.
func (m *Machine) readWhatLeft(s *source, seen set) {
	reads := 0
	for _, id := range slices.Sorted(maps.Keys(s.Members)) {
		if _, reading := m.Reads[id]; seen[id] || reading || !m.IsAwaited(id) {
			continue
		}
		if reads++; reads <= cheapRequests {
			m.Reads[id] = read{Source: slices.Index(m.Sources, s), Due: m.Now}
		} else {
			seen[id] = true
		}
	}
	s.Members = seen
}
