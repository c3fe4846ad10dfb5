package world

import (
	"cmp"
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
	RevokedAt    *Moment `json:"revoked_at"`
	ReportAt     *Moment `json:"report_at"` // When the report is ready; null before the evaluation, and for never.
	// Of the next report, after its evaluation; below zero: never.
	ReportDelay time.Duration `json:"report_delay,omitzero"`
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

	LowConfidence []string `json:"low_confidence,omitzero"` // Pillars whose score has low confidence.
}

// Grade returns the grade of the report, also while it is late. It is zero before the evaluation. If the
// report is never ready, the grade has at most a verdict.
func (c Candidate) Grade() Grade {
	if c.attempt == nil {
		return Grade{}
	}
	r := *cmp.Or(c.attempt.Coming(), new(c.report()))
	g := Grade{ShipScore: r.ShipScore, Verdict: r.Verdict, Confidence: r.Confidence, IntegrityStatus: r.IntegrityStatus}
	for _, p := range r.Pillars {
		if p.LowConfidence && p.Score != nil {
			g.LowConfidence = append(g.LowConfidence, p.ID)
		}
	}
	return g
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

// StepAt returns when the candidate reached the stage. It needs the lock.
func (c Candidate) StepAt() Moment {
	i := c.invitation.Value
	times := [...]*Moment{i.SentAt, i.OpenedAt, i.StartedAt, i.SubmittedAt, nil}
	if c.stage == Evaluated {
		times[Evaluated] = c.attempt.Value.EvaluatedAt
	}
	return *cmp.Or(times[c.stage], &c.invitation.Created)
}

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
		Invitations: c.organization.invitationCounts[c.addressKey()], Attempt: c.attempt, ReportDelay: c.reportDelay, RevokedAt: c.revokedAt,
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
	Kind         string  `json:"kind"`    // A stage, report, expires, plan, or another kind of callers.
	Subject      string  `json:"subject"` // Name of the candidate, or of the organization of a plan.
	InvitationID *string `json:"invitation_id"`
}

// Upcoming returns what happens from now until then, without changing anything: steps of the timeline, time limits,
// late reports that become ready, invitations that expire unused, and the next reset of a plan's used invitations.
func (l *Live) Upcoming(now time.Time, until Moment) (all []Upcoming) {
	for _, o := range l.organizations {
		o.advance(now)
		steps := make(map[*candidate][]step)
		for _, due := range o.dueSteps {
			steps[due.candidate] = append(steps[due.candidate], due)
		}
		for _, one := range o.candidatesInOrder {
			all = append(all, one.candidate.upcoming(steps[one.candidate], until)...)
		}
		if at := monthOf(now, 1); at <= until && o.Account.Value.Usage.AssessmentsUsed > 0 {
			all = append(all, Upcoming{At: at, Kind: "plan", Subject: o.name})
		}
	}
	return all
}

// upcoming returns what happens to a candidate until then, whose steps are due.
func (c *candidate) upcoming(due []step, until Moment) (all []Upcoming) {
	now, later := c.organization.now, *c // A copy, whose stage changes.
	add := func(at Moment, kind string) {
		if at > now && at <= until {
			all = append(all, Upcoming{at, kind, c.person.Name, &c.invitation.ID})
		}
	}
	if at := c.reportAt(); at != nil && c.result.ReportDelay > 0 {
		add(*at, "report")
	}
	for len(due) > 0 && due[0].at <= until {
		next := due[0]
		due = due[1:]
		if !later.follows(next) {
			continue
		}
		later.stage = next.stage
		add(next.at, Stages[next.stage])
		if due = later.scheduled(due, next.stage, next.at); next.stage == Evaluated && c.reportDelay > 0 {
			add(next.at.plus(c.reportDelay), "report")
		}
	}
	if later.checkUnused() == nil {
		add(c.invitation.Value.ExpiresAt, "expires")
	}
	return all
}
