package world

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"
)

// CandidateInfo is a copy of a candidate of the live data.
type CandidateInfo struct {
	Invitation       Invitation
	Assessment       string // Name, also of a deleted assessment.
	Stage            int    // Index in Stages.
	Revoked          bool   // The invitation was revoked.
	Expired          bool   // The invitation expired unused.
	Closed           bool   // The assessment is closed.
	Resent           bool
	TimeLimitMinutes int      // Of the attempt; 0 until it begins.
	Steps            []string // What is possible now.
	Attempt          *Attempt // Nil until it begins. Read it only under the lock.
}

// info returns a copy of the candidate.
func (c *candidate) info() CandidateInfo {
	usable, now := c.stage < started && !c.revoked, MomentOf(c.organization.now)
	info := CandidateInfo{
		Invitation: c.invitation.Value, Assessment: c.assessment.Value.Name, Stage: int(c.stage), Revoked: c.revoked,
		Expired: usable && c.checkUsable(now) != nil, Closed: c.assessment.Value.Status == "closed", Resent: c.resent,
		TimeLimitMinutes: c.timeLimitMinutes, Attempt: c.attempt,
	}
	for _, step := range []struct {
		name     string
		possible bool
	}{
		{"open", c.stage == sent && usable && !info.Expired},
		{"begin", usable && !info.Expired && !info.Closed},
		{"submit", c.stage == started},
		{"events", c.stage == started},
		{"pause", c.stage == started},
		{"evaluate", c.stage == started || c.stage == submitted},
		{"regrade", c.stage == evaluated},
		{"resend", usable},
		{"revoke", usable},
		{"decision", true},
	} {
		if step.possible {
			info.Steps = append(info.Steps, step.name)
		}
	}
	return info
}

// Names returns the sorted names of the organizations.
func (l *Live) Names() []string { return slices.Sorted(maps.Keys(l.organizations)) }

// Candidate returns the candidate with an invitation or a submission.
func (o *Organization) Candidate(id string) (found CandidateInfo, ok bool) {
	if a := o.attempts.Find(id); a != nil {
		return a.grading.(*candidate).info(), true
	}
	if c := o.candidates[id]; c != nil {
		return c.info(), true
	}
	return CandidateInfo{}, false
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

// Candidates returns an iterator over the candidates, in the order in which they were
// added.
func (o *Organization) Candidates() iter.Seq[CandidateInfo] {
	return func(yield func(CandidateInfo) bool) {
		for _, c := range o.candidatesInOrder {
			if !yield(c.info()) {
				return
			}
		}
	}
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
	next := make(map[*candidate]step) // The first of the timeline's step and the time limit.
	for _, s := range o.dueSteps {
		if s.limit {
			s.at = s.candidate.deadline().Time()
		}
		if first, ok := next[s.candidate]; s.candidate.stage+1 == s.stage && (!ok || s.at.Before(first.at)) {
			next[s.candidate] = s
		}
	}
	for _, c := range o.candidatesInOrder {
		if s, ok := next[c]; ok {
			all = c.upcoming(all, s, until)
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
	for {
		now := MomentOf(next.at)
		if now > until || next.stage <= started && (c.checkUsable(now) != nil || next.stage == started && c.assessment.Value.Status == "closed") {
			return all
		}
		all = append(all, Upcoming{now, int(next.stage), c.invitation.Value})
		limit := next.at.Add(time.Duration(c.assessment.Value.TimeLimitMinutes) * time.Minute)
		next.stage++
		switch {
		case next.stage > evaluated:
			return all
		case t.includes(next.stage):
			next.at = next.at.Add(t.delay(next.stage))
			if next.stage == submitted && limit.Before(next.at) {
				next.at = limit
			}
		case next.stage == submitted:
			next.at = limit
		default:
			return all
		}
	}
}
