package world

import "slices"

// Attempt is a submission with its log and report.
type Attempt struct {
	Record[Submission]

	log       []Event
	candidate *candidate
}

// Events returns the log, oldest first.
func (a *Attempt) Events() []Event { return a.log }

// Report returns the report without its rank.
func (a *Attempt) Report() Report { return a.candidate.report() }

// Rank returns the rank among evaluated submissions. Later evaluations may change it. ok
// is false before evaluation.
func (a *Attempt) Rank() (rank Rank, ok bool) { return a.candidate.rank() }

// Extra returns Result.Extra; nil without one.
func (a *Attempt) Extra() map[string]RawJSON { return a.candidate.result.Extra }

// HasArchive reports whether a workspace was stored. In test mode none is.
func (a *Attempt) HasArchive() bool { return a.candidate.stage >= submitted && !a.candidate.noArchive }

// AttemptList holds submissions.
type AttemptList struct{ Collection[*Attempt] }

func newAttemptList(size int) *AttemptList { return &AttemptList{*newCollection[*Attempt](size)} }

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
	for i := end - 1; i >= 0 && !filter.excludesOlder(l.list[i]); i-- {
		a := filter.visible(l.list[i])
		if !filter.matches(a) {
			continue
		}
		if len(page) == size {
			return page, &page[size-1].Position
		}
		page = append(page, a)
	}
	return page, nil
}

// pageBy is like Page with another order. It sorts all selected submissions for each
// page.
func (l *AttemptList) pageBy(from *Position, size int, filter *Filter) (page []*Attempt, next *Position) {
	type entry struct {
		at      Position
		attempt *Attempt
	}
	var all []entry
	for _, a := range l.list {
		if a = filter.visible(a); !filter.matches(a) {
			continue
		}
		at := a.Position
		for _, milestone := range []Milestone{Submitted, filter.OrderBy} {
			if reached := a.reached(milestone); reached != nil {
				at.Created = max(at.Created, *reached)
			}
		}
		if from == nil || at.compare(*from) < 0 {
			all = append(all, entry{at, a})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.at.compare(a.at) })
	if len(all) > size {
		all, next = all[:size], &all[size-1].at
	}
	page = make([]*Attempt, len(all))
	for i := range all {
		page[i] = all[i].attempt
	}
	return page, next
}

// reached returns when a submission reached a milestone, or nil.
func (a *Attempt) reached(m Milestone) *Moment {
	switch m {
	case Submitted:
		return a.Value.SubmittedAt
	case Evaluated:
		return a.Value.EvaluatedAt
	case Created:
	}
	return &a.Created
}

// visible returns a submission as a lagging listing shows it.
func (f *Filter) visible(a *Attempt) *Attempt {
	if at := a.Value.EvaluatedAt; f.Lagging && !a.candidate.organization.sample && at != nil && *at > f.ListedUntil {
		return a.candidate.unevaluated()
	}
	return a
}

// excludesOlder reports whether the filter excludes a submission and all older ones.
func (f *Filter) excludesOlder(a *Attempt) bool {
	return f.BySince && f.SinceMilestone == Created && a.Created < f.Since
}

// matches reports whether the filter selects a submission.
func (f *Filter) matches(a *Attempt) bool {
	at := a.reached(f.SinceMilestone)
	return (!f.BySince || at != nil && *at >= f.Since) && (!f.ByStatus || a.Value.Status == f.Status) &&
		(!f.ByAssessment || a.Value.AssessmentID == f.AssessmentID)
}
