package world

import (
	"math"
	"slices"
)

// Attempt is a submission with its log and report.
type Attempt struct {
	Record[Submission]

	index   int // In its AttemptList.
	log     []Event
	grading grading
}

// grading provides what the grading of an attempt found. It is implemented by candidate
// and by sampleGrading.
type grading interface {
	report() Report
	rank() (rank Rank, ok bool)
	extra() map[string]RawJSON
	hasArchive() bool
	unevaluated() *Attempt // The attempt as it was before the evaluation.
}

// Events returns the log, oldest first.
func (a *Attempt) Events() []Event { return a.log }

// Report returns the report without its rank.
func (a *Attempt) Report() Report { return a.grading.report() }

// Rank returns the rank among evaluated submissions. Later evaluations may change it. ok
// is false before evaluation.
func (a *Attempt) Rank() (rank Rank, ok bool) { return a.grading.rank() }

// Extra returns Result.Extra; nil without one.
func (a *Attempt) Extra() map[string]RawJSON { return a.grading.extra() }

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

// filterFacts returns the facts of a submission.
func (a *Attempt) filterFacts() filterFacts {
	facts := filterFacts{created: a.Created, submitted: never, evaluated: never, status: a.Value.Status, assessmentID: a.Value.AssessmentID}
	if a.Value.SubmittedAt != nil {
		facts.submitted = *a.Value.SubmittedAt
	}
	if a.Value.EvaluatedAt != nil {
		facts.evaluated = *a.Value.EvaluatedAt
	}
	return facts
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
	Lagging     bool      // The listing omits evaluations after ListedUntil.
	ListedUntil Moment
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
		facts := l.visibleFacts(i, filter)
		if !filter.matches(facts) {
			continue
		}
		at := Position{max(facts.created, facts.submitted), l.list[i].ID}
		if filter.OrderBy == Evaluated {
			at.Created = max(at.Created, facts.evaluated)
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
	facts := &l.facts[i]
	if filter.hidesEvaluation(facts) {
		before := *facts
		before.evaluated, before.status = never, l.visibleAttempt(i, filter).Value.Status
		return &before
	}
	return facts
}

// visibleAttempt returns a submission as a lagging listing shows it.
func (l *AttemptList) visibleAttempt(i int, filter *Filter) *Attempt {
	if filter.hidesEvaluation(&l.facts[i]) {
		return l.list[i].grading.unevaluated()
	}
	return l.list[i]
}

// hidesEvaluation reports whether a lagging listing omits the evaluation of a submission.
func (f *Filter) hidesEvaluation(facts *filterFacts) bool {
	return f.Lagging && facts.evaluated > f.ListedUntil
}

// excludesOlder reports whether the filter excludes all older submissions.
func (f *Filter) excludesOlder(facts *filterFacts) bool {
	return f.BySince && f.SinceMilestone == Created && facts.created < f.Since
}

// matches reports whether the filter selects a submission.
func (f *Filter) matches(facts *filterFacts) bool {
	if f.BySince {
		at := facts.created
		switch f.SinceMilestone {
		case Submitted:
			at = facts.submitted
		case Evaluated:
			at = facts.evaluated
		case Created:
		}
		if at < f.Since || at == never {
			return false
		}
	}
	return (!f.ByStatus || facts.status == f.Status) && (!f.ByAssessment || facts.assessmentID == f.AssessmentID)
}
