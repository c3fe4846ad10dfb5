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

// sinceMeaning is the part that knows which time since filters on, by an experiment that determines the meaning. It lists evaluated
// submissions since a moment before the evaluation of an item, and since a moment after
// it. If only the first listing shows the item, since filters on the evaluation. If the
// first does not show it, a listing since a moment before its submission decides.
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

// continueExperiment begins an experiment when it is due, or continues one.
func (m *Machine) continueExperiment(now time.Time) {
	p := &m.Since
	if p.Step == noExperiment && p.NextItem.ID != "" && (!now.Before(p.NextAt) || p.NextAt.After(now.Add(2*repeatDaily))) {
		p.Item, p.NextItem, p.Step = p.NextItem, Item{}, beforeEvaluation
	}
	if p.Step != noExperiment && m.Poll.findListing(experiment, m.Poll.evaluatedFilter()) == nil {
		m.addExperimentListing()
	}
}

// addExperimentListing adds the listing of the next step, before all others.
func (m *Machine) addExperimentListing() {
	x := &m.Since.Item
	graded := min(x.Evaluated.Sub(x.Submitted)/2, maxDistance)
	since := x.Evaluated.Add(-graded)
	switch m.Since.Step {
	case afterEvaluation:
		since = x.Evaluated.Add(graded)
	case beforeSubmission:
		since = x.Submitted.Add(-min(x.Submitted.Sub(x.Created)/2, maxDistance))
	}
	l := listing{Purpose: experiment, Status: m.Poll.evaluatedFilter(), Since: since, MaxPollPages: experimentPages}
	m.Poll.Listings = slices.Insert(m.Poll.Listings, 0, l)
}

// readExperiment updates the experiment with a page of its listing.
func (m *Machine) readExperiment(now time.Time, l *listing, items []Item, complete bool) {
	p := &m.Since
	shown := slices.ContainsFunc(items, func(it Item) bool { return it.ID == p.Item.ID })
	answered := shown || complete || l.isPast(p.Item.Created)
	if !answered && l.Pages < experimentPages {
		return
	}
	step := p.Step
	l.Ended, p.Step = true, noExperiment
	switch {
	case !answered:
		p.NextAt = now.Add(repeatFailed)
	case step == beforeEvaluation && shown:
		p.Step = afterEvaluation
	case step == beforeEvaluation:
		p.Step = beforeSubmission
	case step == afterEvaluation && !shown:
		m.setMeaning(now, Evaluation)
	case step == beforeSubmission && shown:
		m.setMeaning(now, Submission)
	default:
		m.setMeaning(now, Other)
	}
	if p.Step != noExperiment {
		m.addExperimentListing()
	}
}

// setMeaning records the result of an experiment. After a change the last days are listed
// again, because the old meaning may have hidden evaluations.
func (m *Machine) setMeaning(now time.Time, meaning Meaning) {
	m.Since.NextAt = now.Add(repeatDaily)
	if meaning == m.Since.Meaning {
		return
	}
	m.Since.NextAt = now.Add(repeatSoon)
	if m.Since.Meaning == Evaluation { // No waiting set was listed.
		m.Set.UnlistedUntil = now
	}
	m.Since.Meaning, m.News.Pages = meaning, 1
	m.News.Cutoff = earlier(m.News.Cutoff, m.startOfRepeat(now))
	m.Poll.endListings(fresh)
	m.planner.meaningChanged(now)
	m.Poll.Again = true
}

// startOfRepeat returns the time from which evaluations are listed again after a change of the meaning.
func (m *Machine) startOfRepeat(now time.Time) time.Time {
	return later(m.WatchStart, now.Add(-2*repeatDaily))
}

// clockPutBack moves times in the future to now.
func (s *sinceMeaning) clockPutBack(now time.Time) { s.LateAt = earlier(s.LateAt, now) }
