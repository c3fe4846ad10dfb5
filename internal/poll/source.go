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
	Depth   Time     `json:"depth,omitempty"` // A depth, newestPage or knownIDs, if Status is empty.
	Status  string   `json:"status,omitempty"`
	Members set      `json:"members,omitempty"` // The submissions with Status at the last listing.
	Began   Time     `json:"began"`             // When the last complete listing began, or one that includes it.
	Cost    float64  `json:"cost"`              // Requests of the last listing, or of the open one if that has more.
	Found   float64  `json:"found"`             // Recent replies that showed results first.
	Open    *listing `json:"open,omitempty"`
}

const (
	newestPage Time = 0
	knownIDs   Time = 1 << 62
)

// listing is a listing that is in progress.
type listing struct {
	Began  Time   `json:"began"`
	Since  Time   `json:"since"`
	Cursor string `json:"cursor,omitempty"` // Of the next page; for known ids the last one that was read.
	Pages  int    `json:"pages"`
	Seen   set    `json:"seen,omitzero"` // Submissions with the source's status.
}

// depths returns the newest page, and the sources that list evaluated submissions.
func depths(lookback, began Time) []*source {
	sources := []*source{{Depth: newestPage, Began: began, Cost: 4}, {Depth: lookback, Began: began, Cost: 4}}
	for depth := lookback / 4; depth > 10*time.Minute; depth /= 4 {
		sources = append(sources, &source{Depth: depth, Began: began, Cost: 4})
	}
	return sources
}

// nextSource returns the source to list now, or nil and when one is due. Of depths that are equally due, the shallowest
// comes first: it costs least, and shows whether the deeper ones are needed.
func (m *Machine) nextSource() (next *source, _ Time) {
	base, credits := m.Sources[0], 0.0
	for _, s := range m.Sources {
		credits += s.Found + initialCredit
		if s.Cost <= 1 && s.Depth > base.Depth {
			base = s
		}
	}
	until, latest := Time(math.MaxInt64), 0.0
	for _, s := range m.Sources {
		period := m.period(s, credits)
		due := m.due(s, s.Began+period, base)
		if due > m.now {
			until = min(until, due)
			continue
		}
		late := float64(m.now-s.Began) / float64(period)
		if next == nil || cmp.Or(cmp.Compare(s.rank(), next.rank()), cmp.Compare(latest, late)) <= 0 {
			next, latest = s, late
		}
	}
	return next, until
}

// rank returns the cost by which due sources are ordered. Long listings rank the same.
func (s *source) rank() float64 { return min(s.Cost, cheapRequests+1) }

// period returns the time between two listings of a source.
func (m *Machine) period(s *source, credits float64) Time {
	if s == m.Sources[0] {
		return newestPeriod
	}
	share := (s.Found + initialCredit) / credits
	period := Time(float64(m.options.Interval/2) * math.Sqrt(s.Cost/share))
	if s.Depth >= m.options.Lookback {
		period = min(period, longestPeriod)
	}
	return period
}

// due returns when the next request of a source is due. at is the end of its period.
func (m *Machine) due(s *source, at Time, base *source) Time {
	switch {
	case s.Open != nil && s.Open.Pages >= cheapRequests && !m.hasSpareReads():
		return m.now + m.options.Interval
	case s.Open != nil:
		return min(at, m.now)
	case s == base && m.begin:
		return m.now
	case s == base:
		return s.Began + m.options.ShortestPause
	case at > base.Began:
		return m.now + m.options.Interval // In a later poll.
	}
	return at
}

// hasSpareReads reports whether a long listing may continue.
func (m *Machine) hasSpareReads() bool {
	return float64(m.Left)/float64(m.Limit) > (1+(m.Reset-m.now).Hours())/3
}

// nextPage returns the next request of a source.
func (m *Machine) nextPage(s *source) Request {
	if s.Open == nil {
		s.Open = &listing{Began: m.now, Since: max(1, s.Began-s.Depth)}
		if s.Status != "" {
			s.Open.Since, s.Open.Seen = m.now-m.options.Lookback, set{}
		}
	}
	switch {
	case s.Depth == knownIDs:
		id, _ := m.knownAfter(s.Open.Cursor)
		return Request{ID: id}
	case s.Status != "" || s.Depth == newestPage:
		return Request{Status: s.Status, Cursor: s.Open.Cursor}
	}
	return Request{Status: evaluated, Since: s.Open.Since, Cursor: s.Open.Cursor}
}

// knownAfter returns the known id to be read after id, and whether there is one.
func (m *Machine) knownAfter(id string) (next string, more bool) {
	ids := slices.Sorted(maps.Keys(m.Known))
	k, found := slices.BinarySearch(ids, id)
	if found {
		k++
	}
	return ids[min(k, len(ids)-1)], k < len(ids)
}

// gotPage takes a page of a source.
func (m *Machine) gotPage(r Reply) (results []Item) {
	s := m.from
	allOld := len(r.Items) > 0
	for _, it := range r.Items {
		m.learnStatus(it.Status)
		if m.see(it, s) {
			results = append(results, it)
		}
		if s.Status != "" && it.Status == s.Status && m.isWanted(it.ID, m.now) {
			s.Open.Seen[it.ID] = true
		}
		allOld = allOld && max(it.Created, it.Submitted, it.Evaluated) < s.Open.Since
	}
	s.Open.Cursor = r.Next
	m.turn(s, r.Next == "" || allOld || s.Depth == newestPage && s.Status == "")
	if len(results) > 0 {
		m.credit(s)
	}
	return results
}

// turn counts a request of a source. last: it completes the listing.
func (m *Machine) turn(s *source, last bool) {
	l := s.Open
	l.Pages++
	if !last {
		s.Cost = max(s.Cost, float64(l.Pages))
		return
	}
	s.Began, s.Cost, s.Open = min(l.Began, m.now), float64(l.Pages), nil
	if s.Status != "" {
		m.compare(s, l.Seen)
		return
	}
	for _, other := range m.Sources { // The listing includes the shallower depths, but shows no unfinished status. Known ids include all.
		if other.Status == "" && other.Depth > newestPage && other.Depth <= s.Depth || s.Depth == knownIDs {
			other.Began = max(other.Began, s.Began)
		}
	}
	if s.Depth == m.options.Lookback {
		m.DoneTo = max(m.DoneTo, s.Began-rememberFor)
		maps.DeleteFunc(m.Done, func(_ string, evaluated Time) bool { return evaluated < m.DoneTo })
	}
}

// compare has members that left the listing of a status read singly, ten at most. The others stay members.
func (m *Machine) compare(s *source, seen set) {
	reads := 0
	for _, id := range slices.Sorted(maps.Keys(s.Members)) {
		if _, reading := m.Reads[id]; seen[id] || reading || !m.isWanted(id, m.now) {
			continue
		}
		if reads++; reads <= cheapRequests {
			m.Reads[id] = read{Source: slices.Index(m.Sources, s), Due: m.now}
		} else {
			seen[id] = true
		}
	}
	s.Members = seen
}

// learnStatus makes an unfinished status a source.
func (m *Machine) learnStatus(status string) {
	known := func(s *source) bool { return s.Status == status }
	if status != evaluated && status != "" && len(m.Sources) < maxSources && !slices.ContainsFunc(m.Sources, known) {
		m.Sources = append(m.Sources, &source{Status: status, Cost: 1, Found: 1})
	}
}
