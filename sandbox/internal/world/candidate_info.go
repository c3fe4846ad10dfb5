package world

import (
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
	Ended        string  `json:"ended"` // Why the attempt cannot begin: revoked, expired or closed.
	EvaluatedAt  *Moment `json:"evaluated_at"`
	ReportAt     *Moment `json:"report_at"` // When the report is ready; null before the evaluation, and for never.
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

// Candidate is a candidate of the live data. Its methods Matches, Compare and Name
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

// Name returns the name.
func (c Candidate) Name() string { return c.person.Name }

// Stage returns the name of the stage.
func (c Candidate) Stage() string { return Stages[c.candidate.stage] }

// Revision returns the number of the last change.
func (c Candidate) Revision() int { return c.revision }

// endedBy names what keeps a candidate from beginning.
var endedBy = map[error]string{errRevoked: statusRevoked, errExpired: "expired", errClosed: "closed"}

// Info returns a copy of the candidate.
func (c Candidate) Info() CandidateInfo {
	info := CandidateInfo{
		Invitation: c.invitation.Value, Ended: endedBy[c.check(Started, c.organization.now)], Assessment: c.assessment.Value.Name, Organization: c.organization.name, Stage: c.Stage(),
		Invitations: c.organization.invitationCounts[c.addressKey()], Attempt: c.attempt,
	}
	if a := c.attempt; a != nil {
		info.SubmissionID, info.EvaluatedAt, info.ReportAt, info.Grade = &a.ID, a.Value.EvaluatedAt, c.reportAt(), c.Grade()
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
	Kind         string  `json:"kind"`    // A stage, report, expires, or another kind of callers.
	Subject      string  `json:"subject"` // Name of the candidate.
	InvitationID *string `json:"invitation_id"`
}

// LetPass lets the time pass until then, and returns the changes: steps of the timeline, time limits,
// late reports that become ready, and invitations that expire unused. The caller uses it on a Clone, to see the future.
func (l *Live) LetPass(until Moment) (all []Upcoming) {
	l.revise = func() int { return 0 }
	for _, o := range l.organizations {
		o.live = l
		from := o.now
		for len(o.dueSteps) > 0 && o.dueSteps[0].at <= until {
			next := o.dueSteps[0]
			if o.runNext() {
				all = append(all, next.candidate.upcoming(next.at, Stages[next.stage]))
			}
		}
		for _, one := range o.candidatesInOrder {
			if at := one.invitation.Value.ExpiresAt; one.checkUnused() == nil && at > from && at <= until {
				all = append(all, one.upcoming(at, "expires"))
			}
			if at := one.reportAt(); at != nil && *at > max(from, *one.attempt.Value.EvaluatedAt) && *at <= until {
				all = append(all, one.upcoming(*at, "report"))
			}
		}
	}
	return all
}

func (c *candidate) upcoming(at Moment, kind string) Upcoming {
	return Upcoming{at, kind, c.person.Name, &c.invitation.ID}
}
