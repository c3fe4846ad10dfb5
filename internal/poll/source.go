package poll

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// source is a listing that can show an evaluation first: of a depth, or of an unfinished status.
type source struct {
	Depth    time.Duration `json:"depth,omitempty"` // A depth, newestPage or awaitedIDs, if Status is empty.
	Status   string        `json:"status,omitempty"`
	Members  set           `json:"members,omitempty"` // The submissions with Status at the last listing.
	Listed   bool          `json:"listed,omitempty"`  // A listing was complete.
	Began    Local         `json:"began"`             // When the last complete listing began, or one that includes it.
	FailedAt Local         `json:"failed,omitempty"`  // When the last listing failed. 0: it did not.
	Cost     float64       `json:"cost"`              // Requests of the last listing, or of the open one if that has more. 0: none yet.
	Found    float64       `json:"found"`             // Recent replies that showed results first.
	Open     *listing      `json:"open,omitempty"`
}

const (
	newestPage time.Duration = 0 // Also the Depth of a status.
	awaitedIDs time.Duration = 1 << 62
)

// listing is a listing that is in progress.
type listing struct {
	Began    Local  `json:"began"`
	Since    Server `json:"since"`
	Cursor   string `json:"cursor,omitempty"` // Of the next page; for awaited ids the last one that was read.
	Pages    int    `json:"pages"`            // That were read since its first page.
	Earlier  int    `json:"before,omitempty"` // Those that were read before it began again.
	First    string `json:"first,omitempty"`  // The first id of the last page.
	Again    bool   `json:"again,omitempty"`  // It began again, because its cursor had expired.
	Repeat   int    `json:"repeat,omitempty"` // It began again, because this page, from 1, repeated the page before it.
	Failures int    `json:"failed,omitempty"` // How often its next page has failed.
	Due      Local  `json:"due,omitempty"`    // When a page that failed is asked again.
	Seen     set    `json:"seen,omitzero"`    // Submissions with the source's status.
}

// requests returns how many pages were read.
func (l *listing) requests() int { return l.Earlier + l.Pages }

// beginAgain has the listing continue with its first page.
func (l *listing) beginAgain() {
	l.Earlier, l.Pages, l.Cursor, l.First, l.Failures = l.requests(), 0, "", "", 0
}

// depths returns the newest page, and the sources that list evaluated submissions.
func depths(lookback time.Duration, began Local) []*source {
	sources := []*source{{Depth: newestPage, Began: began, Cost: 1}, {Depth: lookback, Began: began}}
	for depth := lookback / 4; depth > 10*time.Minute; depth /= 4 {
		sources = append(sources, &source{Depth: depth, Began: began})
	}
	return sources
}

// name returns what the source asks the API for.
func (s *source) name() string {
	if s.Status == "" && s.Depth > newestPage {
		return "status=" + Finished + " since " + s.Depth.String() + " ago"
	}
	return "status=" + cmp.Or(s.Status, "any")
}

func (s *source) cost() float64 { return cmp.Or(s.Cost, initialCost) }

// tried returns when the last listing began, or failed.
func (s *source) tried() Local { return max(s.Began, s.FailedAt) }

// failing returns 1 if the last listing, or the last page, failed, otherwise 0.
func (s *source) failing() int {
	if s.FailedAt > 0 || s.Open != nil && s.Open.Failures > 0 {
		return 1
	}
	return 0
}

// opener returns the source that a poll begins with: the deepest of the cheapest that are not failing.
func (m *Machine) opener() *source {
	return slices.MinFunc(m.Sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(a.failing(), b.failing()), cmp.Compare(a.cost(), b.cost()), cmp.Compare(b.Depth, a.Depth))
	})
}

// nextSource returns the source to list now, or nil and when one is due. Of depths that are equally due, the shallowest
// comes first: it costs least, and shows whether the deeper ones are needed.
func (m *Machine) nextSource(opener *source, w Window) (next *source, _ Local) {
	credits := 0.0
	for _, s := range m.Sources {
		credits += s.Found + initialCredit
	}
	until, longest := Local(math.MaxInt64), 0.0
	for _, s := range m.Sources {
		period := m.period(s, credits)
		due := m.due(s, s.tried().Add(period), opener, w)
		if due > m.Clock {
			until = min(until, due)
			continue
		}
		periods := float64(m.Clock-s.tried()) / float64(period)
		if next == nil || cmp.Or(cmp.Compare(s.rank(), next.rank()), cmp.Compare(longest, periods)) <= 0 {
			next, longest = s, periods
		}
	}
	return next, until
}

// rank returns the cost by which due sources are ordered. Long listings rank the same.
func (s *source) rank() float64 { return min(s.cost(), cheapRequests+1) }

// period returns the time between two listings of a source.
func (m *Machine) period(s *source, credits float64) time.Duration {
	if s == m.Sources[0] {
		return newestPeriod
	}
	share := (s.Found + initialCredit) / credits
	period := time.Duration(float64(m.options.Interval/2) * math.Sqrt(s.cost()/share))
	if s.Depth >= m.options.Lookback {
		period = min(period, longestPeriod)
	}
	return period
}

// due returns when the next request of a source is due. at is the end of its period.
func (m *Machine) due(s *source, at Local, opener *source, w Window) Local {
	switch l := s.Open; {
	case l != nil && l.Failures > 0 && s == opener: // No source works.
		return l.Due
	case l != nil && l.Failures > 0:
		at = l.Due
	case l != nil && l.requests() >= cheapRequests && !w.hasSpareReads():
		return m.Clock.Add(m.options.Interval)
	case l != nil:
		return min(at, m.Clock)
	case s == opener:
		shortest := m.options.ShortestPause
		return s.tried().Add(min(shortest, max(min(shortest, time.Minute), m.retry().Sub(s.tried()))))
	}
	if at > opener.tried() {
		return m.Clock.Add(m.options.Interval) // In a later poll.
	}
	return at
}

// retry returns when the first page that failed is asked again. A poll for it begins with the opener too, which shows whether
// the API answers.
func (m *Machine) retry() Local {
	first := Local(math.MaxInt64)
	for _, s := range m.Sources {
		if s.Open != nil && s.Open.Failures > 0 {
			first = min(first, s.Open.Due)
		}
	}
	return first
}

// hasSpareReads reports whether a long listing may continue.
func (w Window) hasSpareReads() bool {
	return float64(w.Left)/float64(w.Limit) > (1+w.Ends.Hours())/3
}

// nextPage returns the next request of a source.
func (m *Machine) nextPage(s *source) Request {
	if s.Open == nil {
		s.Open = new(listing)
	}
	if s.Open.Pages == 0 {
		m.beginListing(s)
	}
	switch {
	case s.Depth == awaitedIDs:
		id, _ := m.awaitedAfter(s.Open.Cursor)
		return Request{ID: id}
	case s.Status != "" || s.Depth == newestPage:
		return Request{Status: s.Status, Cursor: s.Open.Cursor}
	}
	return Request{Status: Finished, Since: s.Open.Since, Cursor: s.Open.Cursor}
}

// beginListing has the listing of a source begin now.
func (m *Machine) beginListing(s *source) {
	l := s.Open
	l.Began, l.Since = m.Clock, m.serverAt(s.Began).Add(-s.Depth)
	if s.Status != "" {
		l.Since, l.Seen = m.server().Add(-m.options.Lookback), set{}
	}
	if s.Status != "" || s.Depth == m.options.Lookback {
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
func (m *Machine) receivePage(r Reply) (results []Item, endless bool) {
	s := m.source
	allOld, first := len(r.Items) > 0, ""
	for _, it := range r.Items {
		first = cmp.Or(first, it.ID)
		m.addStatus(it.Status)
		if m.receiveItem(it, s) {
			results = append(results, it)
		}
		if s.Status != "" && it.Status == s.Status && m.isAwaited(it.ID) {
			s.Open.Seen[it.ID] = true
		}
		m.Latest = max(m.Latest, it.latest())
		allOld = allOld && !it.Undated && it.latest() < s.Open.Since
	}
	if len(results) > 0 {
		m.credit(s)
	}
	if first != "" && first == s.Open.First && r.Next != "" {
		return results, m.repeatPage(s)
	}
	s.Open.Cursor, s.Open.First, s.Open.Failures = r.Next, first, 0
	m.countRequest(s, r.Next == "" || allOld || s == m.Sources[0])
	return results, false
}

// repeatPage takes a page that repeats the page before it. The listing begins again, because the list may have grown by a
// page. The second time its source has failed. endless reports that the second page has repeated the first one both times.
func (m *Machine) repeatPage(s *source) (endless bool) {
	l, before := s.Open, s.Open.Repeat
	page := l.Pages + 1
	if before == 0 {
		l.Pages, l.Repeat = page, page
		l.beginAgain()
		return false
	}
	s.Open, s.FailedAt = nil, m.Clock
	return before == 2 && page == 2
}

// failPage takes the failure of a page, which is asked again by the next poll, after what the API asked for. After the third
// time the source has failed.
func (m *Machine) failPage(s *source, retryAfter time.Duration) {
	if s.Open.Failures++; s.Open.Failures == maxFailed {
		s.Open, s.FailedAt = nil, m.Clock
		return
	}
	s.Open.Due = m.Clock.Add(max(min(retryAfter, time.Hour), min(time.Minute, m.options.ShortestPause)/2))
}

// countRequest counts a request of a source. last: it completes the listing.
func (m *Machine) countRequest(s *source, last bool) {
	s.Open.Pages++
	if last {
		m.complete(s)
	} else {
		s.Cost = max(s.cost(), float64(s.Open.requests()))
	}
}

// complete ends the listing of a source, which has shown all that it covers.
func (m *Machine) complete(s *source) {
	l := s.Open
	s.Listed, s.Began, s.FailedAt, s.Cost, s.Open = true, l.Began, 0, float64(l.requests()), nil
	if s.Status != "" {
		m.readWhatLeft(s, l.Seen)
		return
	}
	for _, other := range m.Sources { // The listing includes the shallower depths, but shows no unfinished status. Awaited ids include all.
		if other.Status == "" && other.Depth > newestPage && other.Depth <= s.Depth && other.Listed || s.Depth == awaitedIDs {
			other.Began = max(other.Began, s.Began)
		}
	}
	if s.Depth == m.options.Lookback {
		m.DoneTo = max(m.DoneTo, m.past().Add(-rememberFor))
		m.Complete = m.serverAt(s.Began)
		maps.DeleteFunc(m.Done, func(_ string, evaluated Server) bool { return evaluated < m.DoneTo })
	}
}

// past returns a time of the server's clock that has certainly passed. Neither a submission with a time in the future nor
// a wrong clock makes it too late.
func (m *Machine) past() Server { return min(m.Latest, m.Complete) }

// readWhatLeft has members that left the listing of a status read singly, ten at most. The others stay members.
func (m *Machine) readWhatLeft(s *source, seen set) {
	reads := 0
	for _, id := range slices.Sorted(maps.Keys(s.Members)) {
		if _, reading := m.Reads[id]; seen[id] || reading || !m.isAwaited(id) {
			continue
		}
		if reads++; reads <= cheapRequests {
			m.Reads[id] = read{Source: slices.Index(m.Sources, s), Due: m.Clock}
		} else {
			seen[id] = true
		}
	}
	s.Members = seen
}

// addStatus makes an unfinished status a source.
func (m *Machine) addStatus(status string) {
	listed := func(s *source) bool { return s.Status == status }
	if status != Finished && status != "" && !slices.ContainsFunc(m.Sources, listed) {
		m.Sources = append(m.Sources, &source{Status: status, Cost: 1, Found: 1})
	}
}
