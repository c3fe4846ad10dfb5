package waiting

import (
	"math"
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

// newEvaluations is the part that knows up to where the evaluated submissions were listed. Where since
// filters on the evaluation, or on the submission, it lists what is new.
type newEvaluations struct {
	Newest         time.Time     // Latest evaluation seen.
	Cutoff         time.Time     // Every evaluation before this time has been listed, if the since meaning is right.
	NextCutoff     time.Time     `json:",omitzero"` // The cutoff once the running listing has ended.
	LongestGrading time.Duration // From the submission to the evaluation; it falls by a thousandth a minute.
	Pages          float64       // Pages of the last listing.
	ListedAt       time.Time     `json:",omitzero"` // When it began.
	Listed         bool          `json:",omitzero"` // Where since filters on the submission: new evaluations were listed later than the waiting set.

	// Cutoff after the last listing of more than one page. While it stays, such a
	// listing is not repeated.
	LongListingCutoff time.Time `json:",omitzero"`

	// When a listing last looked back 10 min, 20 min, 40 min and so on.
	Depths depths `json:",omitzero"`
}

// listNewEvaluations lists the evaluations since the cutoff, of submissions created since from. It looks
// back twice as far when twice the time has passed since it last looked back as far. It reports false if such a
// listing of an earlier poll runs: its first pages say nothing about what is evaluated now.
func (m *Machine) listNewEvaluations(now, from time.Time) bool {
	if m.Poll.findListing(fresh, "") != nil {
		return false
	}
	n, longest := &m.News, maxLateness
	l := listing{Purpose: fresh, Status: m.Poll.evaluatedFilter(), Since: n.Cutoff.Add(-showMargin), CreatedSince: from}
	if m.Since.Meaning == Evaluation && n.LongListingCutoff.Equal(n.Cutoff) { // Without new evaluations, the same pages need not be read again.
		l.Since = n.Cutoff.Add(rounding + time.Millisecond)
	}
	if m.Since.Meaning == Submission {
		l.Since, longest = l.Since.Add(-2*n.LongestGrading), m.Lookback
	}
	if k := n.Depths.due(now, min(lookBackPolls*m.Max, maxLookBackWait), lookBackDepths); k >= 0 {
		l.Depth = k + 1
		reach := lookBackUnit << k
		l.Since = l.Since.Add(-min(reach, longest))
		if m.Since.Meaning == Submission && reach >= longest {
			l.Since = m.planner.oldest()
		}
	}
	l.Since = filterTime(later(l.Since, from))
	m.Poll.addListing(l)
	return true
}

// start sets the time from which evaluations are delivered.
func (n *newEvaluations) start(at time.Time) { n.Newest, n.Cutoff = at, at }

// saw records an evaluation.
func (n *newEvaluations) saw(evaluated time.Time) { n.Newest = later(n.Newest, evaluated) }

// beginListing records the cutoff that a listing sets when it has ended.
func (n *newEvaluations) beginListing(now time.Time) { n.NextCutoff = earlier(n.Newest, now) }

// repeatFrom lists all evaluations since a time again.
func (n *newEvaluations) repeatFrom(start time.Time) {
	n.Pages, n.Cutoff = 1, earlier(n.Cutoff, start)
}

// expectedPages returns the estimated pages of a listing. The estimate falls with the time since the last one,
// by a hundredth a minute, so that listing new evaluations is tried again.
func (n *newEvaluations) expectedPages(now time.Time) float64 {
	return max(1, n.Pages*math.Pow(0.99, max(0, now.Sub(n.ListedAt).Minutes())))
}

// listed updates the part after a listing was read, completely or not.
func (n *newEvaluations) listed(l *listing, complete bool) {
	minutes := 0.0
	if !n.ListedAt.IsZero() {
		minutes = max(0, l.StartedAt.Sub(n.ListedAt).Minutes())
	}
	n.ListedAt = l.StartedAt
	if l.Depth == 0 { // The pages of a look-back say nothing about an ordinary listing.
		n.Pages = float64(l.Pages)
	}
	if !complete {
		return
	}
	n.Depths.reached(l)
	n.Cutoff = later(n.Cutoff, n.NextCutoff)
	if l.Depth == 0 && l.Pages > 1 {
		n.LongListingCutoff = n.Cutoff
	}
	n.LongestGrading = max(time.Duration(float64(n.LongestGrading)*math.Pow(0.999, minutes)), minGrading)
}

// learnGrading updates the longest grading time.
func (n *newEvaluations) learnGrading(it *Item, longest time.Duration) {
	if !it.Submitted.IsZero() {
		n.LongestGrading = max(n.LongestGrading, min(it.Evaluated.Sub(it.Submitted), longest))
	}
}

// clockPutBack moves times in the future to now.
func (n *newEvaluations) clockPutBack(now time.Time) {
	n.ListedAt = earlier(n.ListedAt, now)
	notAfter(n.Depths, now)
}

// filterTime returns t less the rounding of the API, for the filter since; zero if that is too early for one.
func filterTime(t time.Time) time.Time {
	t = t.Add(-rounding)
	if t.Unix() < 1 {
		return time.Time{}
	}
	return t.Truncate(time.Millisecond)
}

// depths holds when a listing that has ended last looked back one unit, two, four and so on.
type depths []time.Time

// due returns the greatest k for which the time since the k-th depth was reached is at least
// unit * 2^k, or -1. It begins with n depths, which count as reached.
func (d *depths) due(now time.Time, unit time.Duration, n int) int {
	for len(*d) < n {
		*d = append(*d, now)
	}
	due := -1
	for k, at := range *d {
		if now.Sub(at) >= unit<<k {
			due = k
		}
	}
	return due
}

// reached records that a listing was read to its end.
func (d depths) reached(l *listing) {
	for k := range min(l.Depth, len(d)) {
		d[k] = l.StartedAt
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

// notAfter moves times after now to now.
func notAfter(times []time.Time, now time.Time) {
	for i := range times {
		times[i] = earlier(times[i], now)
	}
}
