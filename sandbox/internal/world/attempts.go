package world

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
func (a *Attempt) HasArchive() bool {
	return a.candidate.stage >= submitted && !a.candidate.organization.sample
}

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
}

// Page returns up to size submissions that the filter selects, newest first, after the
// position from if it is not nil. next is the position of the last one if there are more.
func (l *AttemptList) Page(from *Position, size int, filter Filter) (page []*Attempt, next *Position) {
	end := l.Len()
	if from != nil {
		end = l.countBefore(*from)
	}
	page = make([]*Attempt, 0, size)
	for i := end - 1; i >= 0 && !filter.excludesOlder(l.list[i]); i-- {
		a := l.list[i]
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
