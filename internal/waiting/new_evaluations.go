package waiting

import "time"

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
	LongestGrading time.Duration // From the submission to the evaluation; it decays.
	Pages          float64       // Pages of a listing, estimated.
	Listed         bool          `json:",omitzero"` // Where since filters on the submission: the last poll listed new evaluations, and not the waiting set.

	// Cutoff after the last listing of more than one page. While it stays, such a
	// listing is not repeated.
	LongListingCutoff time.Time `json:",omitzero"`

	// When a listing last looked back 10 min, 20 min, 40 min and so on.
	Depths []time.Time `json:",omitzero"`
}

// listNewEvaluations lists the evaluations since the cutoff, of submissions created since from. It looks
// back twice as far when twice the time has passed since it last looked back as far, longest at most.
func (m *Machine) listNewEvaluations(now, from time.Time, longest time.Duration) {
	n := &m.News
	l := listing{Purpose: fresh, Status: m.Poll.evaluatedFilter(), Since: n.Cutoff.Add(-showMargin), CreatedSince: from}
	if m.Since.Meaning == Evaluation && n.LongListingCutoff.Equal(n.Cutoff) { // Without new evaluations, the same pages need not be read again.
		l.Since = n.Cutoff.Add(rounding + time.Millisecond)
	}
	if m.Since.Meaning == Submission {
		l.Since, longest = l.Since.Add(-2*n.LongestGrading), m.Lookback
	}
	if k := reachDepth(&n.Depths, now, min(lookBackPolls*m.Max, maxLookBackWait), lookBackDepths); k >= 0 {
		l.Level = 1
		reach := lookBackUnit << k
		l.Since = l.Since.Add(-min(reach, longest))
		if m.Since.Meaning == Submission && reach >= longest {
			l.Since = m.planner.oldest()
		}
	}
	l.Since = filterTime(later(l.Since, from))
	if m.Poll.findListing(fresh, l.Status) == nil {
		m.Poll.addListing(l)
	}
}

// listed updates the part after a listing was read, completely or not.
func (n *newEvaluations) listed(l *listing, complete bool) {
	if l.Level == 0 {
		n.Pages = float64(l.Pages)
	}
	if !complete {
		return
	}
	n.Cutoff = later(n.Cutoff, n.NextCutoff)
	if l.Level == 0 && l.Pages > 1 {
		n.LongListingCutoff = n.Cutoff
	}
	n.LongestGrading = max(n.LongestGrading-n.LongestGrading/1000, minGrading)
}

// learnGrading updates the longest grading time.
func (n *newEvaluations) learnGrading(it *Item, longest time.Duration) {
	if !it.Submitted.IsZero() {
		n.LongestGrading = max(n.LongestGrading, min(it.Evaluated.Sub(it.Submitted), longest))
	}
}

// clockPutBack moves times in the future to now.
func (n *newEvaluations) clockPutBack(now time.Time) { notAfter(n.Depths, now) }

// filterTime returns a time for the filter since, zero if it is too early for one.
func filterTime(t time.Time) time.Time {
	t = t.Add(-rounding)
	if t.Unix() < 1 {
		return time.Time{}
	}
	return t.Truncate(time.Millisecond)
}

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
