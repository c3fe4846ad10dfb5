package waiting

import (
	"cmp"
	"slices"
	"time"
)

// Meaning is the time of a submission that the filter since compares with.
type Meaning int

// The meanings. Other covers creation, a filter without effect and anything else:
// distinguishing these has no benefit.
const (
	Unknown Meaning = iota
	Evaluation
	Submission
	Other
)

func (m Meaning) String() string {
	return [...]string{"", "evaluation", "submission", "other"}[m]
}

// sinceMeaning is the part that knows which time since filters on, by an experiment that
// determines the meaning. It lists evaluated submissions since a moment before the evaluation of
// an item, and since a moment after it. If only the first listing shows the item, since filters
// on the evaluation. If the first does not show it, a listing since a moment before its
// submission decides.
type sinceMeaning struct {
	Meaning  Meaning   `json:",omitzero"`
	Item     Item      `json:",omitzero"` // The item of the running experiment.
	NextItem Item      `json:",omitzero"` // The item of the next experiment.
	Step     int       `json:",omitzero"`
	NextAt   time.Time `json:",omitzero"`
	LateAt   time.Time `json:",omitzero"` // When an evaluation last came later than the meaning allows.
}

const (
	noExperiment = iota
	beforeEvaluation
	afterEvaluation
	beforeSubmission
)

const (
	experimentPages = 5
	maxGap          = 3 * time.Minute // Longer gaps between two times are equally good.
	minGap          = 4 * time.Second // Shorter gaps may vanish where the API rounds times.
	maxDistance     = 10 * time.Minute
	repeatSoon      = 15 * time.Minute
	repeatDaily     = 24 * time.Hour
	repeatLate      = time.Hour
	repeatFailed    = 5 * time.Minute
)

// smallestGap returns the smaller of the gaps between an item's times, maxGap at most.
func smallestGap(it *Item) time.Duration {
	return min(it.Submitted.Sub(it.Created), it.Evaluated.Sub(it.Submitted), maxGap)
}

// consider keeps the item for the next experiment that separates the meanings best.
func (s *sinceMeaning) consider(it *Item) {
	if it.Status != Evaluated || it.Created.IsZero() || it.Submitted.IsZero() || smallestGap(it) < minGap || len(it.ID) > 64 {
		return
	}
	best := &s.NextItem
	better := cmp.Or(
		cmp.Compare(smallestGap(it), smallestGap(best)),
		cmp.Compare(certainty(it), certainty(best)),
		it.Created.Compare(best.Created),
	)
	if best.ID == "" || better > 0 {
		*best = *it
	}
}

// certainty returns 1 if an experiment with the item is right also where the API truncates
// since to the hour or to the day, else 0. It is right if the item was created before
// the hour in which the listings begin, or if they all begin in the same hour.
func certainty(it *Item) int {
	first := it.Submitted.Add(-min(it.Submitted.Sub(it.Created)/2, maxDistance))
	last := it.Evaluated.Add(min(it.Evaluated.Sub(it.Submitted)/2, maxDistance))
	for _, unit := range []time.Duration{time.Hour, 24 * time.Hour} {
		if begins := first.Truncate(unit); !begins.Equal(last.Truncate(unit)) && !it.Created.Before(begins) {
			return 0
		}
	}
	return 1
}

// begin begins an experiment when it is due, and reports whether one runs.
func (s *sinceMeaning) begin(now time.Time) bool {
	if s.Step == noExperiment && s.NextItem.ID != "" && (!now.Before(s.NextAt) || s.NextAt.After(now.Add(2*repeatDaily))) {
		s.Item, s.NextItem, s.Step = s.NextItem, Item{}, beforeEvaluation
	}
	return s.Step != noExperiment
}

// since returns the time since which the running step lists.
func (s *sinceMeaning) since() time.Time {
	x := &s.Item
	graded := min(x.Evaluated.Sub(x.Submitted)/2, maxDistance)
	switch s.Step {
	case afterEvaluation:
		return x.Evaluated.Add(graded)
	case beforeSubmission:
		return x.Submitted.Add(-min(x.Submitted.Sub(x.Created)/2, maxDistance))
	}
	return x.Evaluated.Add(-graded)
}

// step takes the response to the running step. It returns the meaning when that is the last step, else Unknown.
func (s *sinceMeaning) step(now time.Time, answered, shown bool) Meaning {
	step := s.Step
	s.Step = noExperiment
	switch {
	case !answered:
		s.NextAt = now.Add(repeatFailed)
	case step == beforeEvaluation && shown:
		s.Step = afterEvaluation
	case step == beforeEvaluation:
		s.Step = beforeSubmission
	case step == afterEvaluation && !shown:
		return Evaluation
	case step == beforeSubmission && shown:
		return Submission
	default:
		return Other
	}
	return Unknown
}

// set sets the meaning, and when to determine it again. It reports whether it has changed.
func (s *sinceMeaning) set(now time.Time, meaning Meaning) bool {
	if meaning == s.Meaning {
		s.NextAt = now.Add(repeatDaily)
		return false
	}
	s.Meaning, s.NextAt = meaning, now.Add(repeatSoon)
	return true
}

// noteLate lets an experiment begin, once an hour, because an evaluation came later than the meaning allows.
func (s *sinceMeaning) noteLate(now time.Time) {
	if now.Sub(s.LateAt) >= repeatLate {
		s.LateAt, s.NextAt = now, earlier(s.NextAt, now)
	}
}

// continueExperiment begins an experiment when it is due, or continues one.
func (m *Machine) continueExperiment(now time.Time) {
	if m.Since.begin(now) && m.Poll.findListing(experiment, "") == nil {
		m.addExperimentListing()
	}
}

// addExperimentListing adds the listing of the running step.
func (m *Machine) addExperimentListing() {
	m.Poll.addListing(listing{Purpose: experiment, Status: m.Poll.evaluatedFilter(), Since: m.Since.since(), MaxPollPages: experimentPages})
}

// readExperiment updates the experiment with a page of its listing.
func (m *Machine) readExperiment(now time.Time, l *listing, items []Item, complete bool) {
	x := &m.Since.Item
	shown := slices.ContainsFunc(items, func(it Item) bool { return it.ID == x.ID })
	answered := shown || complete || l.isPast(x.Created)
	if !answered && l.Pages < experimentPages {
		return
	}
	l.end()
	if meaning := m.Since.step(now, answered, shown); meaning != Unknown {
		m.setMeaning(now, meaning)
	}
	if m.Since.Step != noExperiment {
		m.addExperimentListing()
	}
}

// setMeaning records the result of an experiment. After a change the last two days are listed
// again, because the old meaning may have hidden evaluations.
func (m *Machine) setMeaning(now time.Time, meaning Meaning) {
	was := m.Since.Meaning
	if !m.Since.set(now, meaning) {
		return
	}
	if was == Evaluation { // No waiting set was listed.
		m.Set.listUntil(now)
	}
	m.News.repeatFrom(m.startOfRepeat(now))
	m.Poll.endListings(fresh)
	m.planner.meaningChanged(now)
	m.Poll.repeat()
}

// startOfRepeat returns the time from which evaluations are listed again after a change of the meaning.
func (m *Machine) startOfRepeat(now time.Time) time.Time {
	return later(m.WatchStart, now.Add(-2*repeatDaily))
}

// clockPutBack moves times in the future to now.
func (s *sinceMeaning) clockPutBack(now time.Time) { s.LateAt = earlier(s.LateAt, now) }
