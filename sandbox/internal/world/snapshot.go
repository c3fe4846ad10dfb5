package world

import (
	"maps"
	"slices"
	"time"
)

// Clone returns a copy at the given time, for Restore. It shares what never changes.
func (l *Live) Clone(now time.Time) Live {
	copied := *l
	copied.organizations = make(map[string]*Organization, len(l.organizations))
	for name, o := range l.organizations {
		copied.organizations[name] = o.advance(now).clone()
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
	c := new(*o)
	c.Account, c.invitationCounts, c.mails = new(*o.Account), maps.Clone(o.invitationCounts), slices.Clip(o.mails)
	c.Assessments, c.Submissions = newCollection[*Record[Assessment]](o.Assessments.Len()), &AttemptList{*newCollection[*Attempt](o.Submissions.Len())}
	c.allAssessments = make(map[string]*Record[Assessment], len(o.allAssessments))
	c.invitations = make(map[string]*Collection[*Record[Invitation]], len(o.invitations))
	for id, a := range o.allAssessments {
		c.allAssessments[id], c.invitations[id] = new(*a), newCollection[*Record[Invitation]](o.invitations[id].Len())
	}
	for a := range o.Assessments.All() {
		c.Assessments.add(c.allAssessments[a.ID])
	}
	c.candidates, c.candidatesInOrder = make(map[string]*candidate, len(o.candidates)), nil
	for _, one := range o.candidatesInOrder {
		k := new(*one.candidate)
		k.organization, k.assessment, k.invitation = c, c.allAssessments[k.assessment.ID], new(*k.invitation)
		if k.attempt != nil {
			k.attempt = new(*k.attempt)
			k.attempt.candidate, k.attempt.log = k, slices.Clip(k.attempt.log)
		}
		c.candidates[k.invitation.ID], c.candidatesInOrder = k, append(c.candidatesInOrder, Candidate{k})
		c.invitations[k.assessment.ID].add(k.invitation)
	}
	for a := range o.Submissions.All() {
		c.Submissions.add(c.candidates[a.candidate.invitation.ID].attempt)
	}
	c.dueSteps = slices.Clone(o.dueSteps)
	for i := range c.dueSteps {
		c.dueSteps[i].candidate = c.candidates[c.dueSteps[i].candidate.invitation.ID]
	}
	return c
}
