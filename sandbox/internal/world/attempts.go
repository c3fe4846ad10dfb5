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

// Coming returns the report that a late evaluation will show. It returns nil if the report is ready or never will be, and before the
// evaluation.
func (a *Attempt) Coming() *Report {
	if c := a.candidate; c.reportAt() != nil && !c.ready() {
		return new(c.withAttempt(c.graded))
	}
	return nil
}

// Rank returns the rank among evaluated submissions. Later evaluations may change it. ok
// is false before evaluation.
func (a *Attempt) Rank() (rank Rank, ok bool) { return a.candidate.rank() }

// Extra returns Result.Extra; nil without one.
func (a *Attempt) Extra() map[string]RawJSON { return a.candidate.result.Extra }

// HasArchive reports whether a workspace was stored. In test mode none is.
func (a *Attempt) HasArchive() bool {
	return a.candidate.stage >= Submitted && !a.candidate.organization.sample
}

// AttemptList holds submissions.
type AttemptList struct{ Collection[*Attempt] }

// Filter selects submissions for a listing. Nil means any. An unknown status is valid and
// selects nothing, because the set of values is open.
type Filter struct {
	AssessmentID, Status *string
	Since                *Moment
	SinceOn              string // The time that Since is compared with: created, submitted or evaluated.
}

// Page returns up to size submissions that the filter selects, newest first, after the
// position from if it is not nil. next is the position of the last one if there are more.
func (l *AttemptList) Page(from *Position, size int, filter Filter) (page []*Attempt, next *Position) {
	end := l.Len()
	if from != nil {
		end = l.countBefore(*from)
	}
	page = make([]*Attempt, 0, size)
	for i := end - 1; i >= 0; i-- {
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

// matches reports whether the filter selects a submission. A time that is not set yet is
// before every Since.
func (f *Filter) matches(a *Attempt) bool {
	at := &a.Created
	switch f.SinceOn {
	case Stages[Submitted]:
		at = a.Value.SubmittedAt
	case Stages[Evaluated]:
		at = a.Value.EvaluatedAt
	}
	return (f.Since == nil || at != nil && *at >= *f.Since) && (f.Status == nil || a.Value.Status == *f.Status) &&
		(f.AssessmentID == nil || a.Value.AssessmentID == *f.AssessmentID)
}
