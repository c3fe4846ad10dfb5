package world

import (
	"math"
	"slices"
)

// Attempt is a submission with its log and report.
type Attempt struct {
	Record[Submission]

	index   int // In its list.
	log     []Event
	grading grading
}

// grading provides the report of an attempt.
type grading interface {
	report() Report
	rank() (rank Rank, ok bool)
	extra() map[string]any
	hasArchive() bool
	unevaluated() *Attempt
}

// Events returns the log, oldest first.
func (a *Attempt) Events() []Event { return a.log }

// Report returns the report without its rank.
func (a *Attempt) Report() Report { return a.grading.report() }

// Rank returns the rank among evaluated submissions. Later evaluations may change it. ok
// is false before evaluation.
func (a *Attempt) Rank() (rank Rank, ok bool) { return a.grading.rank() }

// Extra returns Result.Extra; nil without one.
func (a *Attempt) Extra() map[string]any { return a.grading.extra() }

// HasArchive reports whether a workspace was stored. In test mode none is.
func (a *Attempt) HasArchive() bool { return a.grading.hasArchive() }

// AttemptList holds submissions and, in a slice of their own, the facts that filters
// need. A page may have to check every submission, which is faster if the facts are
// adjacent in memory.
type AttemptList struct {
	Collection[*Attempt]

	facts []filterFacts
}

func newAttemptList(size int) *AttemptList {
	return &AttemptList{*newCollection[*Attempt](size), make([]filterFacts, 0, size)}
}

// never is the time of a milestone that was not reached.
const never Moment = math.MinInt64

// filterFacts are the properties of a submission that filters use.
type filterFacts struct {
	created, submitted, evaluated Moment
	status, assessmentID          string
}

func (a *Attempt) filterFacts() filterFacts {
	m := filterFacts{created: a.Created, submitted: never, evaluated: never, status: a.Value.Status, assessmentID: a.Value.AssessmentID}
	if a.Value.SubmittedAt != nil {
		m.submitted = *a.Value.SubmittedAt
	}
	if a.Value.EvaluatedAt != nil {
		m.evaluated = *a.Value.EvaluatedAt
	}
	return m
}

func (l *AttemptList) add(a *Attempt) {
	at := l.Collection.add(a)
	l.facts = slices.Insert(l.facts, at, a.filterFacts())
	for i := at; i < len(l.list); i++ {
		l.list[i].index = i
	}
}

// update stores the changed facts of a submission.
func (l *AttemptList) update(a *Attempt) { l.facts[a.index] = a.filterFacts() }

// Milestone is a time of a submission that a filter can use.
type Milestone string

// The milestones. A filter excludes submissions that have not reached its milestone.
const (
	Created   Milestone = "created"
	Submitted Milestone = "submitted"
	Evaluated Milestone = "evaluated"
)

// Filter selects submissions for a listing. An unknown status is valid and selects
// nothing, because the set of values is open.
type Filter struct {
	ByAssessment, ByStatus, BySince bool
	AssessmentID, Status            string
	Since                           Moment
	SinceMilestone                  Milestone // What Since is compared with.

	OrderBy     Milestone // Sort order; Created if empty.
	Lagging     bool      // Listings lag behind:
	ListedUntil Moment    // they do not show evaluations after this time.
}

// Page returns up to size submissions that the filter selects, newest first, after the
// position from if it is not nil. next is the position of the last one if there are more.
func (l *AttemptList) Page(from *Position, size int, filter Filter) (page []*Attempt, next *Position) {
	if filter.OrderBy != "" && filter.OrderBy != Created {
		return l.pageBy(from, size, &filter)
	}
	end := l.Len()
	if from != nil {
		end = l.countBefore(*from)
	}
	page = make([]*Attempt, 0, size)
	for i := end - 1; i >= 0 && !filter.excludesOlder(&l.facts[i]); i-- {
		if !filter.matches(l.visibleFacts(i, &filter)) {
			continue
		}
		if len(page) == size {
			return page, &page[size-1].Position
		}
		page = append(page, l.visibleAttempt(i, &filter))
	}
	return page, nil
}

// pageBy is like Page with another order. It sorts all selected submissions for each
// page.
func (l *AttemptList) pageBy(from *Position, size int, filter *Filter) (page []*Attempt, next *Position) {
	type entry struct {
		at    Position
		index int
	}
	var all []entry
	for i := range l.list {
		m := l.visibleFacts(i, filter)
		if !filter.matches(m) {
			continue
		}
		at := Position{max(m.created, m.submitted), l.list[i].ID}
		if filter.OrderBy == Evaluated {
			at.Created = max(at.Created, m.evaluated)
		}
		if from == nil || at.compare(*from) < 0 {
			all = append(all, entry{at, i})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.at.compare(a.at) })
	if len(all) > size {
		all, next = all[:size], &all[size-1].at
	}
	page = make([]*Attempt, len(all))
	for i := range all {
		page[i] = l.visibleAttempt(all[i].index, filter)
	}
	return page, next
}

// visibleFacts returns the facts of a submission as a lagging listing shows them.
func (l *AttemptList) visibleFacts(i int, filter *Filter) *filterFacts {
	m := &l.facts[i]
	if filter.hidesEvaluation(m) {
		before := *m
		before.evaluated, before.status = never, l.visibleAttempt(i, filter).Value.Status
		return &before
	}
	return m
}

// visibleAttempt returns a submission as a lagging listing shows it.
func (l *AttemptList) visibleAttempt(i int, filter *Filter) *Attempt {
	if filter.hidesEvaluation(&l.facts[i]) {
		return l.list[i].grading.unevaluated()
	}
	return l.list[i]
}

func (f *Filter) hidesEvaluation(m *filterFacts) bool {
	return f.Lagging && m.evaluated > f.ListedUntil
}

// excludesOlder reports whether the filter excludes all older submissions.
func (f *Filter) excludesOlder(m *filterFacts) bool {
	return f.BySince && f.SinceMilestone == Created && m.created < f.Since
}

func (f *Filter) matches(m *filterFacts) bool {
	if f.BySince {
		at := m.created
		switch f.SinceMilestone {
		case Submitted:
			at = m.submitted
		case Evaluated:
			at = m.evaluated
		case Created:
		}
		if at < f.Since || at == never {
			return false
		}
	}
	return (!f.ByStatus || m.status == f.Status) && (!f.ByAssessment || m.assessmentID == f.AssessmentID)
}
