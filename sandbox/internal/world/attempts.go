package world

import (
	"math"
	"slices"
)

// Attempt is a submission, its log and its report.
type Attempt struct {
	Record[Submission]

	index int // in its list
	log   []Event
	of    grading
}

// grading is what there is to know of an attempt besides itself.
type grading interface {
	report() Report
	rank() (rank Rank, ok bool)
	extra() map[string]any
	stored() bool
	before() *Attempt
}

// Events is the log, oldest first.
func (a *Attempt) Events() []Event { return a.log }

// Report is what is found about it, without its rank.
func (a *Attempt) Report() Report { return a.of.report() }

// Rank is its place among those evaluated, which others can change; false before
// it is evaluated.
func (a *Attempt) Rank() (rank Rank, ok bool) { return a.of.rank() }

// Extra are the members that a test gave the report; nil for none.
func (a *Attempt) Extra() map[string]any { return a.of.extra() }

// HasArchive reports whether its files were stored: test mode has none.
func (a *Attempt) HasArchive() bool { return a.of.stored() }

// AttemptList has beside each submission what filters ask for: a page can be
// worth a look at every submission, and the marks lie close together.
type AttemptList struct {
	Collection[*Attempt]

	marks []mark
}

func newAttemptList(size int) *AttemptList {
	return &AttemptList{*newCollection[*Attempt](size), make([]mark, 0, size)}
}

// notYet is the time of what has not come.
const notYet Moment = math.MinInt64

// mark is a submission's times and what else can be filtered.
type mark struct {
	created, submitted, evaluated Moment
	status, assessmentID          string
}

func (a *Attempt) mark() mark {
	m := mark{created: a.Created, submitted: notYet, evaluated: notYet, status: a.Value.Status, assessmentID: a.Value.AssessmentID}
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
	l.marks = slices.Insert(l.marks, at, a.mark())
	for i := at; i < len(l.list); i++ {
		l.list[i].index = i
	}
}

// changed takes note of what filters must know of a submission.
func (l *AttemptList) changed(a *Attempt) { l.marks[a.index] = a.mark() }

// Milestone is a time of a submission that a filter can be about.
type Milestone string

// The milestones. One that has not come yet matches no filter.
const (
	Created   Milestone = "created"
	Submitted Milestone = "submitted"
	Evaluated Milestone = "evaluated"
)

// Filter is what a listing asks for. A status that nothing has is no mistake:
// the list of values is open, and the answer is an empty list.
type Filter struct {
	ByAssessment, ByStatus, BySince bool
	AssessmentID, Status            string
	Since                           Moment
	On                              Milestone // What Since is about.

	Newest Milestone // What the order goes by; empty: Created.
	Behind bool      // Listings lag:
	Known  Moment    // evaluations after it are not listed yet.
}

// Page returns the newest submissions that pass the filter, at most size of
// them and, when from is not nil, only those that come after it in the list;
// and the place of the last one when there are more.
func (l *AttemptList) Page(from *Position, size int, filter Filter) (page []*Attempt, next *Position) {
	if filter.Newest != "" && filter.Newest != Created {
		return l.pageBy(from, size, &filter)
	}
	end := l.Len()
	if from != nil {
		end = l.older(*from)
	}
	page = make([]*Attempt, 0, size)
	for i := end - 1; i >= 0 && !filter.ends(&l.marks[i]); i-- {
		if !filter.passes(l.seen(i, &filter)) {
			continue
		}
		if len(page) == size {
			return page, &page[size-1].Position
		}
		page = append(page, l.shown(i, &filter))
	}
	return page, nil
}

// pageBy is Page by another order. It sorts all that passes, at each page.
func (l *AttemptList) pageBy(from *Position, size int, filter *Filter) (page []*Attempt, next *Position) {
	type entry struct {
		at    Position
		index int
	}
	var all []entry
	for i := range l.list {
		m := l.seen(i, filter)
		if !filter.passes(m) {
			continue
		}
		at := Position{max(m.created, m.submitted), l.list[i].ID}
		if filter.Newest == Evaluated {
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
		page[i] = l.shown(all[i].index, filter)
	}
	return page, next
}

// seen is what a listing knows of a submission.
func (l *AttemptList) seen(i int, filter *Filter) *mark {
	m := &l.marks[i]
	if filter.late(m) {
		before := *m
		before.evaluated, before.status = notYet, l.shown(i, filter).Value.Status
		return &before
	}
	return m
}

// shown is a submission as a listing shows it.
func (l *AttemptList) shown(i int, filter *Filter) *Attempt {
	if filter.late(&l.marks[i]) {
		return l.list[i].of.before()
	}
	return l.list[i]
}

func (f *Filter) late(m *mark) bool { return f.Behind && m.evaluated > f.Known }

// ends reports that no older record passes either.
func (f *Filter) ends(m *mark) bool {
	return f.BySince && f.On == Created && m.created < f.Since
}

func (f *Filter) passes(m *mark) bool {
	if f.BySince {
		at := m.created
		switch f.On {
		case Submitted:
			at = m.submitted
		case Evaluated:
			at = m.evaluated
		case Created:
		}
		if at < f.Since || at == notYet {
			return false
		}
	}
	return (!f.ByStatus || m.status == f.Status) && (!f.ByAssessment || m.assessmentID == f.AssessmentID)
}
