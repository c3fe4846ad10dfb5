package world

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
)

// CandidateInfo is a copy of a candidate of the live data.
type CandidateInfo struct {
	Invitation
	SubmissionID *string `json:"submission_id"`
	Assessment   string  `json:"assessment"` // Name, also of a deleted assessment.
	Organization string  `json:"organization"`
	Stage        string  `json:"stage"`
	Expired      bool    `json:"expired"` // The invitation expired unused.
	Closed       bool    `json:"closed"`  // The assessment is closed.
	EvaluatedAt  *Moment `json:"evaluated_at"`
	Grade
	Invitations int      `json:"invitations"` // Of the address to the assessment.
	Steps       []string `json:"steps"`       // Operations that are possible now.
	Attempt     *Attempt `json:"-"`           // Nil until it begins. Read it only under the lock.
}

// Grade is the short form of a report.
type Grade struct {
	ShipScore       *int   `json:"ship_score"`
	Verdict         string `json:"verdict"`
	Confidence      string `json:"confidence"`
	IntegrityStatus string `json:"integrity_status"`
}

// Grade returns the grade, which is zero until the report is ready.
func (c Candidate) Grade() Grade {
	if c.attempt == nil {
		return Grade{}
	}
	r := c.report()
	return Grade{r.ShipScore, r.Verdict, r.Confidence, r.IntegrityStatus}
}

// Candidate is a candidate of the live data. Its methods Matches and Compare
// need no lock.
type Candidate struct{ *candidate }

// Matches reports whether the candidate was invited to an assessment, and whether the name or
// the address contains a text in lower case. Empty means any.
func (c Candidate) Matches(assessmentID, text string) bool {
	return (assessmentID == "" || c.assessment.ID == assessmentID) &&
		(text == "" || strings.Contains(strings.ToLower(c.person.Name+" "+c.person.Email), text))
}

// Compare compares the order of two candidates: by the time of the invitation, then by its id.
func (c Candidate) Compare(d Candidate) int { return c.invitation.compare(d.invitation.Position) }

// Stage returns the name of the stage.
func (c Candidate) Stage() string { return Stages[c.candidate.stage] }

// Revision returns the number of the last change.
func (c Candidate) Revision() int { return c.revision }

// Info returns a copy of the candidate.
func (c Candidate) Info() CandidateInfo {
	i, now := c.invitation.Value, c.organization.now
	info := CandidateInfo{
		Invitation: i, Assessment: c.assessment.Value.Name, Organization: c.organization.name, Stage: c.Stage(),
		Expired: c.checkUnused() == nil && now >= i.ExpiresAt, Closed: c.assessment.Value.Status == "closed",
		Invitations: c.organization.invitationCounts[c.addressKey()], Attempt: c.attempt,
	}
	if a := c.attempt; a != nil {
		info.SubmissionID, info.EvaluatedAt, info.Grade = &a.ID, a.Value.EvaluatedAt, c.Grade()
	}
	for _, step := range steps {
		if step.check(c.candidate) == nil {
			info.Steps = append(info.Steps, step.name)
		}
	}
	return info
}

// Candidate returns the candidate with an invitation or a submission at the given time.
func (l *Live) Candidate(id string, now time.Time) (CandidateInfo, error) {
	found := l.find(id)
	if found == nil {
		return CandidateInfo{}, ErrUnknown
	}
	found.organization.advance(now)
	return Candidate{found}.Info(), nil
}

// Candidates returns the candidates in the order in which they were added. The caller must
// not change the list.
func (o *Organization) Candidates() []Candidate { return o.candidatesInOrder }

// Upcoming is a change at a future time.
type Upcoming struct {
	At           Moment  `json:"at"`
	Kind         string  `json:"kind"`    // A stage, expires, or another kind of callers.
	Subject      string  `json:"subject"` // Name of the candidate.
	InvitationID *string `json:"invitation_id"`
}

// Upcoming returns the changes until a time, in order: steps of the timeline and
// invitations that expire unused.
func (o *Organization) Upcoming(until Moment) []Upcoming {
	var all []Upcoming
	next := make(map[*candidate]step) // The first of the timeline's step and the time limit.
	for _, s := range o.dueSteps {
		if first, ok := next[s.candidate]; s.candidate.stage+1 == s.stage && (!ok || s.at < first.at) {
			next[s.candidate] = s
		}
	}
	for _, one := range o.candidatesInOrder {
		c := one.candidate
		reached, i := c.stage, &c.invitation.Value
		if first, ok := next[c]; ok {
			for s := range c.comingSteps(first) {
				if s.at > until {
					break
				}
				reached = s.stage
				all = append(all, Upcoming{s.at, Stages[s.stage], i.CandidateName, new(i.ID)})
			}
		}
		if reached < Started && i.Status != statusRevoked && i.ExpiresAt > o.now && i.ExpiresAt <= until {
			all = append(all, Upcoming{i.ExpiresAt, "expires", i.CandidateName, new(i.ID)})
		}
	}
	slices.SortStableFunc(all, func(a, b Upcoming) int { return cmp.Compare(a.At, b.At) })
	return all
}

// comingSteps returns an iterator over the future steps of one candidate, up to the first that
// the state does not allow.
func (c *candidate) comingSteps(next step) iter.Seq[step] {
	return func(yield func(step) bool) {
		t := c.organization.live.timeline
		for next.stage <= Evaluated {
			if next.stage <= Started && c.check(next.stage, next.at) != nil || !yield(next) {
				return
			}
			limit := next.at.plus(time.Duration(c.assessment.Value.TimeLimitMinutes) * time.Minute)
			next.stage++
			switch {
			case next.stage <= Evaluated && t.includes(next.stage):
				next.at = next.at.plus(t[next.stage])
				if next.stage == Submitted {
					next.at = min(next.at, limit)
				}
			case next.stage == Submitted:
				next.at = limit
			default:
				return
			}
		}
	}
}
