package world

import "strings"

// planLimitEmail is the address for which the plan is used up.
const planLimitEmail = "plan-limit@sandbox.test"

// Sample is the records of test mode. Its writes keep nothing: that is what test
// mode promises.
type Sample struct{ records }

// NewSample makes the sample data, the same each time.
func NewSample() *Sample {
	account := sampleAccount()
	w := &Sample{records{
		account:     newRecord(account.ID, account.CreatedAt, account),
		members:     collect(sampleMembers, func(m *Member) Position { return Position{m.CreatedAt, m.ID} }),
		challenges:  collect(sampleChallenges, func(c *Challenge) Position { return Position{c.CreatedAt, c.ID} }),
		assessments: collect(sampleAssessments, func(a *Assessment) Position { return Position{a.CreatedAt, a.ID} }),
		invitations: make(map[string]*Collection[*Record[Invitation]]),
	}}
	var drafts []*draft
	for _, planned := range plans {
		invitations, begun := planned.expand(w)
		w.invitations[planned.assessment] = collect(invitations, func(i *Invitation) Position { return Position{i.CreatedAt, i.ID} })
		drafts = append(drafts, begun...)
	}
	for _, d := range drafts {
		d.writeLog()
		d.finish()
	}
	w.attempts = newAttemptList(len(drafts))
	for _, a := range graded(drafts) {
		w.attempts.add(a)
	}
	return w
}

// collect puts records in order.
func collect[T any](values []T, place func(*T) Position) *Collection[*Record[T]] {
	c := newCollection[*Record[T]](len(values))
	for _, value := range values {
		c.add(&Record[T]{Position: place(&value), Value: value})
	}
	return c
}

// Posting finds an assessment.
func (w *Sample) Posting(id string) *Record[Assessment] { return w.assessments.Find(id) }

// Polled does nothing: whom grading has left out stays so.
func (*Sample) Polled(*Attempt) {}

// PolledAll does nothing either.
func (*Sample) PolledAll(string) {}

// MayInvite refuses one address.
func (*Sample) MayInvite(email string) bool { return !strings.EqualFold(email, planLimitEmail) }

// MayChange is true whatever the status, because nothing of it stays.
func (*Sample) MayChange(*Record[Invitation]) bool { return true }

// SaveAssessment answers as if it had been kept.
func (*Sample) SaveAssessment(a Assessment) *Record[Assessment] {
	return newRecord(a.ID, a.CreatedAt, a)
}

// DeleteAssessment keeps the assessment.
func (*Sample) DeleteAssessment(*Record[Assessment]) {}

// SaveInvitation answers as if it had been kept, and sent.
func (*Sample) SaveInvitation(i Invitation) *Record[Invitation] {
	return newRecord(i.ID, i.CreatedAt, i)
}

// RevokeInvitation keeps the invitation as it is.
func (*Sample) RevokeInvitation(*Record[Invitation]) {}
