package poll

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// source is a listing that can show an evaluation first.
type source struct {
	Kind     kind          `json:"kind"`
	Depth    time.Duration `json:"depth,omitempty"`   // How far back the source lists evaluated submissions. 0: it lists others. Given ids: without limit.
	Status   string        `json:"status,omitempty"`  // The status that a source of the kind ofStatus lists.
	Members  set           `json:"members,omitempty"` // The submissions with Status at the last listing.
	Listed   bool          `json:"listed,omitempty"`  // A listing was complete.
	Began    Local         `json:"began"`             // When the last complete listing began, or that of a source that covers this one.
	FailedAt Local         `json:"failed,omitempty"`  // When the last listing failed. 0: it did not.
	Cost     float64       `json:"cost"`              // Requests of the last listing, or of the open one if that has more. 0: none yet.
	Found    float64       `json:"found"`             // Recent replies that showed results first.
	Open     *listing      `json:"open,omitempty"`
}

// kind is what a source lists.
type kind string

const (
	newestPage    kind = "newest"   // The newest page of all submissions.
	allOfLookback kind = "lookback" // The evaluated submissions of all of Lookback.
	lately        kind = "lately"   // The evaluated submissions since the last listing, and of Depth before it.
	ofStatus      kind = "status"   // The submissions with an unfinished status.
	givenIDs      kind = "ids"      // The given ids, which are read singly.
)

// firstSources returns the newest page, and the sources that list evaluated submissions.
func firstSources(lookback time.Duration, began Local) []*source {
	sources := []*source{{Kind: newestPage, Began: began, Cost: 1}, {Kind: allOfLookback, Depth: lookback, Began: began}}
	for depth := lookback / 4; depth > 10*time.Minute; depth /= 4 {
		sources = append(sources, &source{Kind: lately, Depth: depth, Began: began})
	}
	return sources
}

// sourceOf returns the first source of a kind.
func (m *Machine) sourceOf(k kind) *source {
	return m.Sources[slices.IndexFunc(m.Sources, func(s *source) bool { return s.Kind == k })]
}

// addStatus makes an unfinished status a source.
func (m *Machine) addStatus(status string) {
	listed := func(s *source) bool { return s.Status == status }
	if status != Finished && status != "" && !slices.ContainsFunc(m.Sources, listed) {
		m.Sources = append(m.Sources, &source{Kind: ofStatus, Status: status, Cost: 1, Found: 1})
	}
}

// name returns what the source asks the API for.
func (s *source) name() string {
	if s.Depth > 0 {
		return "status=" + Finished + " since " + s.Depth.String() + " ago"
	}
	return "status=" + cmp.Or(s.Status, "any")
}

// covers reports whether a complete listing of s counts as one of other too: other is shallower and
// was listed before. Given ids count as a listing of every source.
func (s *source) covers(other *source) bool {
	return s.Kind == givenIDs || other.Depth > 0 && other.Listed && other.Depth <= s.Depth
}

func (s *source) cost() float64 { return cmp.Or(s.Cost, initialCost) }

// makeDue makes a source that was not listed yet due in the first poll, whatever its period is. Its first
// listing goes back so much further, which does no harm.
func (s *source) makeDue() { s.Began -= Local(longestPeriod) }

// tried returns when the last listing began, or failed.
func (s *source) tried() Local { return max(s.Began, s.FailedAt) }

// failing returns 1 if the last listing, or the last page, failed, otherwise 0.
func (s *source) failing() int {
	if s.FailedAt > 0 || s.Open.hasFailed() {
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

// nextPoll returns when the next poll begins: when the opener's next request is due, which is the
// shortest pause after its last listing began. While a page of another source has failed, the poll
// begins when that page is due, but at least a minute after the last poll.
func (m *Machine) nextPoll(opener *source, b Budget) Local {
	switch {
	case opener.Open.hasFailed(): // No source works.
		return opener.Open.Due
	case opener.Open != nil && opener.Open.mayContinue(b):
		return m.Now
	case opener.Open != nil:
		return m.Now.Add(m.options.Interval)
	}
	begins := opener.tried().Add(m.options.ShortestPause)
	for _, s := range m.Sources {
		if s.Open.hasFailed() {
			begins = min(begins, max(s.Open.Due, opener.tried().Add(time.Minute)))
		}
	}
	return begins
}

// nextSource returns the source to list now after the opener, nil if there is none: of those that
// are due the cheapest, so that it has the credit for what it shows, and of equals the one that has
// waited for the most periods.
func (m *Machine) nextSource(opener *source, b Budget) (next *source) {
	most := 0.0
	for _, s := range m.Sources {
		if s == opener || !m.isDue(s, opener, b) {
			continue
		}
		periods := float64(m.Now.Sub(s.tried())) / float64(m.period(s))
		if next == nil || cmp.Or(cmp.Compare(s.rank(), next.rank()), cmp.Compare(most, periods)) <= 0 {
			next, most = s, periods
		}
	}
	return next
}

// rank returns the cost by which due sources are ordered. Long listings rank the same.
func (s *source) rank() float64 { return min(s.cost(), cheapRequests+1) }

// isDue reports whether the next request of a source is due in the poll that the opener began. A
// source that becomes due later waits for the next poll.
func (m *Machine) isDue(s, opener *source, b Budget) bool {
	switch {
	case s.Open.hasFailed():
		return s.Open.Due <= opener.tried()
	case s.Open != nil:
		return s.Open.mayContinue(b)
	}
	return s.tried().Add(m.period(s)) <= opener.tried()
}

// period returns the time between two listings of a source.
func (m *Machine) period(s *source) time.Duration {
	period := time.Duration(float64(m.options.Interval/2) * math.Sqrt(s.cost()/m.share(s)))
	switch s.Kind {
	case newestPage:
		return newestPeriod
	case allOfLookback, givenIDs:
		return min(period, longestPeriod)
	}
	return period
}

// share returns a source's part of the recent replies that showed results first.
func (m *Machine) share(s *source) float64 {
	all := 0.0
	for _, other := range m.Sources {
		all += other.Found + initialCredit
	}
	return (s.Found + initialCredit) / all
}

// credit counts a reply of a source that showed results first.
func (m *Machine) credit(s *source) {
	for _, other := range m.Sources {
		other.Found *= 1 - 1.0/sharedReplies
	}
	s.Found++
}
