package world

import (
	"maps"
	"slices"
)

// Clone returns a copy for Restore. It shares what never changes.
func (l *Live) Clone() Live {
	copied := *l
	copied.organizations = make(map[string]*Organization, len(l.organizations))
	for name, o := range l.organizations {
		copied.organizations[name] = o.clone()
	}
	return copied
}

// Restore replaces the data with that of an earlier Clone, which must not be used afterwards. Later ids are
// not given out again.
func (l *Live) Restore(earlier Live) {
	earlier.lastID = max(earlier.lastID, l.lastID)
	*l = earlier
}

// clone returns a copy of an organization, in which records and candidates point to each other's copies.
func (o *Organization) clone() *Organization {
	copied := *o
	c := &copied
	account := *o.account
	c.account = &account
	assessments := make(map[*Record[Assessment]]*Record[Assessment], len(o.allAssessments))
	c.allAssessments = make(map[string]*Record[Assessment], len(o.allAssessments))
	for id, a := range o.allAssessments {
		assessments[a] = new(*a)
		c.allAssessments[id] = assessments[a]
	}
	// A copy has the index of its candidate, and few allocations make all of them, because the caller holds a lock.
	copies, invitations, attempts := make([]candidate, len(o.candidates)), make([]Record[Invitation], len(o.candidates)), make([]Attempt, len(o.candidates))
	copyOf := func(k *candidate) *candidate { return &copies[k.number-1] }
	c.candidates = make(map[string]*candidate, len(o.candidates))
	c.candidatesInOrder = make([]Candidate, len(o.candidatesInOrder))
	for i, one := range o.candidatesInOrder {
		k := &copies[i]
		*k, invitations[i] = *one.candidate, *one.invitation
		k.organization, k.assessment, k.invitation = c, assessments[k.assessment], &invitations[i]
		if k.attempt != nil {
			attempts[i] = *k.attempt
			k.attempt = &attempts[i]
			k.attempt.candidate, k.attempt.log = k, slices.Clip(k.attempt.log)
		}
		c.candidates[k.invitation.ID], c.candidatesInOrder[i] = k, Candidate{k}
	}
	c.assessments = o.assessments.mapped(func(a *Record[Assessment]) *Record[Assessment] { return assessments[a] })
	c.attempts = &AttemptList{*o.attempts.mapped(func(a *Attempt) *Attempt { return copyOf(a.candidate).attempt })}
	c.invitations = make(map[string]*Collection[*Record[Invitation]], len(o.invitations))
	for id, list := range o.invitations {
		c.invitations[id] = list.mapped(func(i *Record[Invitation]) *Record[Invitation] { return copyOf(o.candidates[i.ID]).invitation })
	}
	c.dueSteps = slices.Clone(o.dueSteps)
	for i := range c.dueSteps {
		c.dueSteps[i].candidate = copyOf(c.dueSteps[i].candidate)
	}
	c.invitationCounts, c.mails = maps.Clone(o.invitationCounts), slices.Clip(o.mails)
	return c
}

// mapped returns the collection with other records in place of its own.
func (c *Collection[R]) mapped(to func(R) R) *Collection[R] {
	copied := newCollection[R](len(c.list))
	for _, r := range c.list {
		other := to(r)
		copied.list = append(copied.list, other)
		copied.byID[r.position().ID] = other
	}
	return copied
}
