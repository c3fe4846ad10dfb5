package world

import (
	"cmp"
	"maps"
	"slices"
)

// Stages are the stages of a candidate, in order.
var Stages = [...]string{sent: "sent", opened: "opened", started: "started", submitted: "submitted", evaluated: "evaluated"}

// CandidateInfo is a copy of a candidate of the live data, for the web page.
type CandidateInfo struct {
	Invitation Invitation
	Assessment string   // Name, also of a deleted assessment.
	Stage      int      // Index in Stages.
	Revoked    bool     // The invitation was revoked.
	Closed     bool     // The assessment is closed.
	Attempt    *Attempt // Nil until it begins. Read it only under the lock.
}

// info returns a copy of the candidate.
func (c *candidate) info() CandidateInfo {
	return CandidateInfo{
		Invitation: c.invitation.Value, Assessment: c.assessment.Value.Name, Stage: int(c.stage),
		Revoked: c.revoked, Closed: c.assessment.Value.Status == "closed", Attempt: c.attempt,
	}
}

// Names returns the sorted names of the organizations.
func (l *Live) Names() []string { return slices.Sorted(maps.Keys(l.organizations)) }

// Candidate returns the candidate with an invitation, and the organization's name.
func (l *Live) Candidate(invitationID string) (found CandidateInfo, organization string, ok bool) {
	for name, o := range l.organizations {
		if c := o.candidates[invitationID]; c != nil {
			return c.info(), name, true
		}
	}
	return CandidateInfo{}, "", false
}

// CountStages returns the number of candidates of an assessment at each stage. "" means
// all assessments.
func (o *Organization) CountStages(assessmentID string) (counts [len(Stages)]int) {
	for _, c := range o.candidatesInOrder {
		if assessmentID == "" || c.assessment.ID == assessmentID {
			counts[c.stage]++
		}
	}
	return counts
}

// Candidates returns the candidates of an assessment ("" for all) at a stage, newest
// first: at most size after skipping skip.
func (o *Organization) Candidates(assessmentID string, at, skip, size int) []CandidateInfo {
	var found []CandidateInfo
	for _, c := range slices.Backward(o.candidatesInOrder) {
		if int(c.stage) != at || assessmentID != "" && c.assessment.ID != assessmentID {
			continue
		}
		skip--
		if skip >= 0 {
			continue
		}
		if len(found) == size {
			break
		}
		found = append(found, c.info())
	}
	return found
}

// Upcoming is a future change of a candidate.
type Upcoming struct {
	At         Moment
	Stage      int // Index in Stages of the next stage, or -1 if the invitation expires.
	Invitation Invitation
}

// Upcoming returns the changes until a time, in order: steps of the timeline and
// invitations that expire unused.
func (o *Organization) Upcoming(until Moment) []Upcoming {
	var all []Upcoming
	for _, s := range o.dueSteps.list {
		if s.candidate.stage+1 == s.stage {
			all = s.candidate.upcoming(all, s, until)
		}
	}
	begun := make(map[string]bool) // Invitations whose attempt begins before until.
	for _, next := range all {
		begun[next.Invitation.ID] = begun[next.Invitation.ID] || next.Stage == int(started)
	}
	for _, c := range o.candidatesInOrder {
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
	t := c.organization.live.timeline
	for at := next.at; ; at = at.Add(t.delay(next.stage)) {
		now := MomentOf(at)
		if now > until || next.stage <= started && (c.checkUsable(now) != nil || next.stage == started && c.assessment.Value.Status == "closed") {
			return all
		}
		all = append(all, Upcoming{now, int(next.stage), c.invitation.Value})
		next.stage++
		if next.stage > evaluated || !t.includes(next.stage) {
			return all
		}
	}
}
