package waiting

import (
	"cmp"
	"slices"
	"time"
)

// Meaning is which of a submission's times since is about.
type Meaning int

// Creation, no time at all and whatever else there may be are Other: there is
// nothing to gain from telling them apart.
const (
	Unknown Meaning = iota
	Evaluation
	Submission
	Other
)

func (m Meaning) String() string {
	return [...]string{"", "evaluation", "submission", "other"}[m]
}

// probe is the experiment that finds out. It lists what is evaluated since a
// moment before X was evaluated, and since a moment after: if X shows in the first
// alone, since is about that. If in neither, the same moment before its submission
// decides.
type probe struct {
	X     Item      `json:"x,omitzero"`    // Stays the same for the whole experiment.
	Best  Item      `json:"best,omitzero"` // For the next one.
	Step  int       `json:"step,omitzero"`
	Again time.Time `json:"again,omitzero"`
	Late  time.Time `json:"late,omitzero"` // When an evaluation last came later than the meaning allows.
}

const (
	notProbing = iota
	beforeEvaluation
	afterEvaluation
	beforeSubmission
)

const (
	probePages  = 5
	clearGap    = 3 * time.Minute // Between two times: more tells no more.
	leastGap    = 4 * time.Second // Less may be lost where the service rounds.
	mostApart   = 10 * time.Minute
	probeSoon   = 15 * time.Minute
	probeDaily  = 24 * time.Hour
	probeLate   = time.Hour
	probeFailed = 5 * time.Minute
)

// gap is the smaller one between an item's times.
func gap(it *Item) time.Duration {
	return min(it.Submitted.Sub(it.Created), it.Evaluated.Sub(it.Submitted), clearGap)
}

// consider keeps the item that an experiment would tell most by.
func (m *Machine) consider(it *Item) {
	if it.Status != Evaluated || it.Created.IsZero() || it.Submitted.IsZero() || gap(it) < leastGap || len(it.ID) > 64 {
		return
	}
	best := &m.Probe.Best
	if best.ID == "" || cmp.Or(cmp.Compare(gap(it), gap(best)), cmp.Compare(certainty(it), certainty(best)), it.Created.Compare(best.Created)) > 0 {
		*best = *it
	}
}

// certainty is 1 when the experiment with an item cannot be wrong at a service that cuts
// since to the hour or to the day: either the item was created before the hour in
// which the listings begin, or they all begin in the same hour. Else it is 0.
func certainty(it *Item) int {
	first := it.Submitted.Add(-min(it.Submitted.Sub(it.Created)/2, mostApart))
	last := it.Evaluated.Add(min(it.Evaluated.Sub(it.Submitted)/2, mostApart))
	for _, unit := range []time.Duration{time.Hour, 24 * time.Hour} {
		if begins := first.Truncate(unit); !begins.Equal(last.Truncate(unit)) && !it.Created.Before(begins) {
			return 0
		}
	}
	return 1
}

// experiment begins one when it is time, or goes on.
func (m *Machine) experiment(now time.Time) {
	p := &m.Probe
	if p.Step == notProbing && p.Best.ID != "" && (!now.Before(p.Again) || p.Again.After(now.Add(2*probeDaily))) {
		p.X, p.Best, p.Step = p.Best, Item{}, beforeEvaluation
	}
	if p.Step != notProbing && m.walking(probing, m.evaluated()) == nil {
		m.ask()
	}
}

// ask lists around one of X's times, before all else.
func (m *Machine) ask() {
	x := &m.Probe.X
	graded := min(x.Evaluated.Sub(x.Submitted)/2, mostApart)
	since := x.Evaluated.Add(-graded)
	switch m.Probe.Step {
	case afterEvaluation:
		since = x.Evaluated.Add(graded)
	case beforeSubmission:
		since = x.Submitted.Add(-min(x.Submitted.Sub(x.Created)/2, mostApart))
	}
	m.Walks = slices.Insert(m.Walks, 0, walk{For: probing, Status: m.evaluated(), Since: since, Most: probePages})
}

// judge looks whether a page has the answer.
func (m *Machine) judge(now time.Time, w *walk, items []Item, whole bool) {
	p := &m.Probe
	shown := slices.ContainsFunc(items, func(it Item) bool { return it.ID == p.X.ID })
	answered := shown || whole || w.passed(p.X.Created)
	if !answered && w.Pages < probePages {
		return
	}
	step := p.Step
	w.Over, p.Step = true, notProbing
	switch {
	case !answered:
		p.Again = now.Add(probeFailed)
	case step == beforeEvaluation && shown:
		p.Step = afterEvaluation
	case step == beforeEvaluation:
		p.Step = beforeSubmission
	case step == afterEvaluation && !shown:
		m.decide(now, Evaluation)
	case step == beforeSubmission && shown:
		m.decide(now, Submission)
	default:
		m.decide(now, Other)
	}
	if p.Step != notProbing {
		m.ask()
	}
}

// decide draws the conclusions. What was seen by another meaning is looked through
// again, as far as that may have been wrong.
func (m *Machine) decide(now time.Time, meaning Meaning) {
	m.Probe.Again = now.Add(probeDaily)
	if meaning != m.Meaning {
		m.Probe.Again = now.Add(probeSoon)
		again := later(m.Begin, now.Add(-2*probeDaily))
		if m.Meaning == Evaluation { // The unfinished were not listed.
			m.UnlistedUntil = now
		}
		m.Meaning, m.NewsPages = meaning, 1
		m.Base, m.SweptUntil = earlier(m.Base, again), earlier(m.SweptUntil, again)
		m.drop(news, sweep)
		m.Hurry = true
	}
}

// surprise notes what a watch should have found earlier.
func (m *Machine) surprise(now time.Time, it *Item, expected bool) {
	late := it.Evaluated.After(m.RegularSince) && now.Sub(it.Evaluated) > margin+2*m.Max
	trusted := m.Meaning == Evaluation || m.Meaning == Submission
	if trusted && late && now.Sub(m.Probe.Late) >= probeLate {
		m.Probe.Late = now
		m.Probe.Again = earlier(m.Probe.Again, now)
	}
	switch {
	case expected:
		m.trust(1, 0)
	case trusted:
	case len(m.Statuses) == 0 && it.Evaluated.After(m.RegularSince): // Nothing unfinished is listed at all.
		m.trust(0, 2)
	case it.Created.After(m.RegularSince): // It should have been seen unfinished.
		m.trust(0, 1)
	}
}
