package world

import (
	"cmp"
	"maps"
	"slices"
)

// Stages are the stages of a candidate, in order.
var Stages = [...]string{sent: "sent", opened: "opened", started: "started", submitted: "submitted", evaluated: "evaluated"}

// Applicant is a copy of a candidate of the live data.
type Applicant struct {
	Invitation Invitation
	Assessment string   // Name, also of a deleted assessment.
	Stage      int      // Index in Stages.
	Revoked    bool     // The invitation was revoked.
	Closed     bool     // The assessment is closed.
	Attempt    *Attempt // Nil until it begins. Read it only under the lock.
}

func (c *candidate) seen() Applicant {
	return Applicant{
		Invitation: c.invitation.Value, Assessment: c.posting.Value.Name, Stage: int(c.stage),
		Revoked: c.revoked, Closed: c.posting.Value.Status == "closed", Attempt: c.attempt,
	}
}

// Names returns the sorted names of the organizations.
func (l *Live) Names() []string { return slices.Sorted(maps.Keys(l.organizations)) }

// Applicant returns the candidate with an invitation, and the organization's name.
func (l *Live) Applicant(invitationID string) (who Applicant, organization string, ok bool) {
	for name, o := range l.organizations {
		if c := o.invitees[invitationID]; c != nil {
			return c.seen(), name, true
		}
	}
	return Applicant{}, "", false
}

// CountStages returns the number of candidates of an assessment at each stage. "" means
// all assessments.
func (o *Organization) CountStages(assessmentID string) (counts [len(Stages)]int) {
	for _, c := range o.order {
		if assessmentID == "" || c.posting.ID == assessmentID {
			counts[c.stage]++
		}
	}
	return counts
}

// Applicants returns the candidates of an assessment ("" for all) at a stage, newest
// first: at most size after skipping skip.
func (o *Organization) Applicants(assessmentID string, at, skip, size int) []Applicant {
	var found []Applicant
	for _, c := range slices.Backward(o.order) {
		if int(c.stage) != at || assessmentID != "" && c.posting.ID != assessmentID {
			continue
		}
		skip--
		if skip >= 0 {
			continue
		}
		if len(found) == size {
			break
		}
		found = append(found, c.seen())
	}
	return found
}

// Upcoming is a future change of a candidate.
type Upcoming struct {
	At    Moment
	Stage int // Index in Stages that the change leads to, or -1 if the invitation expires.
	Who   Invitation
}

// Upcoming returns the changes until a time, in order: steps of the timeline and
// invitations that expire unused.
func (o *Organization) Upcoming(until Moment) []Upcoming {
	var all []Upcoming
	for _, s := range o.due.list {
		if s.of.stage+1 == s.to {
			all = s.of.upcoming(all, s, until)
		}
	}
	begun := make(map[string]bool)
	for _, next := range all {
		begun[next.Who.ID] = begun[next.Who.ID] || next.Stage == int(started)
	}
	for _, c := range o.order {
		if i := &c.invitation.Value; c.stage < started && !c.revoked && !begun[i.ID] && i.ExpiresAt > MomentOf(o.now) && i.ExpiresAt <= until {
			all = append(all, Upcoming{i.ExpiresAt, -1, *i})
		}
	}
	slices.SortStableFunc(all, func(a, b Upcoming) int { return cmp.Compare(a.At, b.At) })
	return all
}

// upcoming appends the future steps of one candidate, up to the first that cannot be
// made.
func (c *candidate) upcoming(all []Upcoming, next step, until Moment) []Upcoming {
	t := c.o.l.timeline
	for at := next.at; ; at = at.Add(t.delay(next.to)) {
		now := MomentOf(at)
		if now > until || next.to <= started && (c.mayEnter(now) != nil || next.to == started && c.posting.Value.Status == "closed") {
			return all
		}
		all = append(all, Upcoming{now, int(next.to), c.invitation.Value})
		next.to++
		if next.to > evaluated || !t.includes(next.to) {
			return all
		}
	}
}
