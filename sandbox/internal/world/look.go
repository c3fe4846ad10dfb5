package world

import (
	"cmp"
	"maps"
	"slices"
)

// Stages are how far a candidate can come, in order.
var Stages = [...]string{sent: "sent", opened: "opened", started: "started", submitted: "submitted", evaluated: "evaluated"}

// Applicant is what there is to see of a candidate of the live world: a copy.
type Applicant struct {
	Invitation Invitation
	Assessment string   // Its name, also of a deleted one.
	Stage      int      // An index of Stages.
	Revoked    bool     // The invitation leads nowhere any more.
	Closed     bool     // The assessment takes no new work.
	Attempt    *Attempt // Nil before it begins; to be read under the lock alone.
}

func (c *candidate) seen() Applicant {
	return Applicant{
		Invitation: c.invitation.Value, Assessment: c.posting.Value.Name, Stage: int(c.stage),
		Revoked: c.revoked, Closed: c.posting.Value.Status == "closed", Attempt: c.attempt,
	}
}

// Names are those of the organizations there are, sorted.
func (l *Live) Names() []string { return slices.Sorted(maps.Keys(l.organizations)) }

// Applicant finds a candidate of any organization by the invitation.
func (l *Live) Applicant(invitationID string) (who Applicant, organization string, ok bool) {
	for name, o := range l.organizations {
		if c := o.invitees[invitationID]; c != nil {
			return c.seen(), name, true
		}
	}
	return Applicant{}, "", false
}

// Crowd counts the candidates of an assessment, with "" of all, at each stage.
func (o *Organization) Crowd(assessmentID string) (counts [len(Stages)]int) {
	for _, c := range o.order {
		if assessmentID == "" || c.posting.ID == assessmentID {
			counts[c.stage]++
		}
	}
	return counts
}

// Applicants are candidates of an assessment, with "" of all, at a stage, newest
// first: at most size of them after the first skip ones.
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

// Coming is a change that will happen in time.
type Coming struct {
	At    Moment
	Stage int // What it makes of a candidate, an index of Stages; -1: the invitation expires.
	Who   Invitation
}

// Coming is what candidates will do by themselves until a time, and whose
// invitations will expire unused, in order.
func (o *Organization) Coming(until Moment) []Coming {
	var all []Coming
	for _, s := range o.due.list {
		if s.of.stage+1 == s.to {
			all = s.of.coming(all, s, until)
		}
	}
	begun := make(map[string]bool)
	for _, next := range all {
		begun[next.Who.ID] = begun[next.Who.ID] || next.Stage == int(started)
	}
	for _, c := range o.order {
		if i := &c.invitation.Value; c.stage < started && !c.revoked && !begun[i.ID] && i.ExpiresAt > MomentOf(o.now) && i.ExpiresAt <= until {
			all = append(all, Coming{i.ExpiresAt, -1, *i})
		}
	}
	slices.SortStableFunc(all, func(a, b Coming) int { return cmp.Compare(a.At, b.At) })
	return all
}

// coming follows the steps of one candidate, up to the one that cannot be taken.
func (c *candidate) coming(all []Coming, next step, until Moment) []Coming {
	t := c.o.l.timeline
	for at := next.at; ; at = at.Add(t.before(next.to)) {
		now := MomentOf(at)
		if now > until || next.to <= started && (c.mayEnter(now) != nil || next.to == started && c.posting.Value.Status == "closed") {
			return all
		}
		all = append(all, Coming{now, int(next.to), c.invitation.Value})
		next.to++
		if next.to > evaluated || !t.goes(next.to) {
			return all
		}
	}
}
