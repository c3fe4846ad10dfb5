package world

import "strings"

// planLimitEmail is the address for which the plan has no invitations left.
const planLimitEmail = "plan-limit@sandbox.test"

// Sample is the data of test mode. Writes change nothing.
type Sample struct{ records }

// NewSample returns the sample data, which is always the same.
func NewSample() *Sample {
	w := &Sample{records{
		account:     newRecord(data.Account.ID, data.Account.CreatedAt, data.Account),
		members:     newCollectionOf(data.Members, func(m *Member) Position { return Position{m.CreatedAt, m.ID} }),
		challenges:  newCollectionOf(data.Challenges, func(c *Challenge) Position { return Position{c.CreatedAt, c.ID} }),
		assessments: newCollectionOf(data.Assessments, func(a *Assessment) Position { return Position{a.CreatedAt, a.ID} }),
		invitations: make(map[string]*Collection[*Record[Invitation]]),
	}}
	var drafts []*draft
	for _, p := range data.Plans {
		invitations, begun := p.expand(w)
		w.invitations[p.Assessment] = newCollectionOf(invitations, func(i *Invitation) Position { return Position{i.CreatedAt, i.ID} })
		drafts = append(drafts, begun...)
	}
	for _, d := range drafts {
		d.writeLog()
		d.finish()
	}
	w.attempts = newAttemptList(len(drafts))
	for _, a := range gradeDrafts(drafts) {
		w.attempts.add(a)
	}
	return w
}

// newCollectionOf sorts values into a collection.
func newCollectionOf[T any](values []T, position func(*T) Position) *Collection[*Record[T]] {
	c := newCollection[*Record[T]](len(values))
	for _, value := range values {
		c.add(&Record[T]{Position: position(&value), Value: value})
	}
	return c
}

// AnyAssessment returns an assessment.
func (w *Sample) AnyAssessment(id string) *Record[Assessment] { return w.assessments.Find(id) }

// CountPoll has no effect.
func (*Sample) CountPoll(*Attempt) {}

// CountListing has no effect.
func (*Sample) CountListing(string) {}

// MayInvite returns false for one address.
func (*Sample) MayInvite(email string) bool { return !strings.EqualFold(email, planLimitEmail) }

// MayChange returns true for any status, because nothing is stored.
func (*Sample) MayChange(*Record[Invitation]) bool { return true }

// SaveAssessment returns the record without storing it.
func (*Sample) SaveAssessment(a Assessment) *Record[Assessment] {
	return newRecord(a.ID, a.CreatedAt, a)
}

// DeleteAssessment has no effect.
func (*Sample) DeleteAssessment(*Record[Assessment]) {}

// SaveInvitation returns the record without storing or sending it.
func (*Sample) SaveInvitation(i Invitation) *Record[Invitation] {
	return newRecord(i.ID, i.CreatedAt, i)
}

// ResendInvitation returns the record without storing or sending it.
func (*Sample) ResendInvitation(i *Record[Invitation], at Moment) *Record[Invitation] {
	return newRecord(i.ID, i.Created, i.Value.resent(at))
}

// RevokeInvitation returns the record without storing it.
func (*Sample) RevokeInvitation(i *Record[Invitation]) *Record[Invitation] {
	revoked := i.Value
	revoked.Status = "revoked"
	return newRecord(i.ID, i.Created, revoked)
}
