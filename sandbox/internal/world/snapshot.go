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
	candidates := make(map[*candidate]*candidate, len(o.candidates))
	invitations := make(map[*Record[Invitation]]*Record[Invitation], len(o.candidates))
	attempts := make(map[*Attempt]*Attempt)
	c.candidates = make(map[string]*candidate, len(o.candidates))
	c.candidatesInOrder = make([]Candidate, len(o.candidatesInOrder))
	for i, one := range o.candidatesInOrder {
		k := new(*one.candidate)
		k.organization, k.assessment, k.invitation = c, assessments[k.assessment], new(*k.invitation)
		invitations[one.invitation], candidates[one.candidate] = k.invitation, k
		if k.attempt != nil {
			k.attempt = new(*k.attempt)
			k.attempt.candidate, k.attempt.log = k, slices.Clip(k.attempt.log)
			attempts[one.attempt] = k.attempt
		}
		c.candidates[k.invitation.ID], c.candidatesInOrder[i] = k, Candidate{k}
	}
	c.assessments, c.attempts = o.assessments.withCopies(assessments), &AttemptList{*o.attempts.withCopies(attempts)}
	c.invitations = make(map[string]*Collection[*Record[Invitation]], len(o.invitations))
	for id, list := range o.invitations {
		c.invitations[id] = list.withCopies(invitations)
	}
	c.dueSteps = slices.Clone(o.dueSteps)
	for i := range c.dueSteps {
		c.dueSteps[i].candidate = candidates[c.dueSteps[i].candidate]
	}
	c.invitationCounts, c.mails = maps.Clone(o.invitationCounts), slices.Clip(o.mails)
	return c
}

// withCopies returns the collection with copies in place of its records.
func (c *Collection[R]) withCopies(copies map[R]R) *Collection[R] {
	copied := newCollection[R](len(c.list))
	for _, r := range c.list {
		copied.list = append(copied.list, copies[r])
		copied.byID[r.position().ID] = copies[r]
	}
	return copied
}
