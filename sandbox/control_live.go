package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// visitOrganizations calls visit with the organizations of a scope. Every live key has an
// organization by then.
func (s *Server) visitOrganizations(of scope, visit func(name string, o *world.Organization)) error {
	now, unlock := s.lock()
	defer unlock()
	selected, err := s.scope(of)
	if err != nil {
		return err
	}
	for _, key := range s.keys {
		if key.live() {
			s.live.Organization(key.Organization, now)
		}
	}
	for _, name := range s.live.Names() {
		if selected.includes(name) {
			visit(name, s.live.Organization(name, now))
		}
	}
	return nil
}

// counts is the number of candidates at each stage.
type counts map[string]int

func newCounts(o *world.Organization, assessmentID string) counts {
	all := make(counts)
	for stage, count := range o.CountStages(assessmentID) {
		all[world.Stages[stage]] = count
	}
	return all
}

type organizationJSON struct {
	Name       string    `json:"name"`
	Title      string    `json:"title"`
	Candidates int       `json:"candidates"`
	Counts     counts    `json:"counts"`
	Plan       *planJSON `json:"plan"`
}

func (s *Server) readOrganizations(_ string, _ none) (out struct {
	Organizations []organizationJSON `json:"organizations"`
}, err error) {
	err = s.visitOrganizations(scope{}, func(name string, o *world.Organization) {
		shown := organizationJSON{Name: name, Title: o.Account().Value.Name, Counts: newCounts(o, ""), Plan: newPlanJSON(o)}
		for _, count := range shown.Counts {
			shown.Candidates += count
		}
		out.Organizations = append(out.Organizations, shown)
	})
	return out, err
}

type assessmentJSON struct {
	ID           string       `json:"assessment_id"`
	Name         string       `json:"name"`
	Status       string       `json:"status"`
	Organization string       `json:"organization"`
	ChallengeID  string       `json:"challenge_id"`
	Challenge    string       `json:"challenge"`
	CreatedAt    world.Moment `json:"created_at"`
	Counts       counts       `json:"counts"`
}

func (s *Server) readAssessments(_ string, of scope) (out struct {
	Assessments []assessmentJSON `json:"assessments"`
}, err error) {
	err = s.visitOrganizations(of, func(name string, o *world.Organization) {
		for a := range o.Assessments().All() {
			shown := assessmentJSON{a.ID, a.Value.Name, a.Value.Status, name, a.Value.ChallengeID, "", a.Value.CreatedAt, newCounts(o, a.ID)}
			if challenge := o.Challenges().Find(a.Value.ChallengeID); challenge != nil {
				shown.Challenge = challenge.Value.Name
			}
			out.Assessments = append(out.Assessments, shown)
		}
	})
	slices.SortStableFunc(out.Assessments, func(a, b assessmentJSON) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return out, err
}

type challengeJSON struct {
	ID               string `json:"challenge_id"`
	Name             string `json:"name"`
	IsMultiTask      bool   `json:"is_multi_task"`
	TimeLimitMinutes int    `json:"time_limit_minutes"`
}

func (s *Server) readChallenges(_ string, of scope) (out struct {
	Challenges []challengeJSON `json:"challenges"`
}, err error) {
	err = s.visitOrganizations(ofOne(of), func(_ string, o *world.Organization) {
		for c := range o.Challenges().All() {
			out.Challenges = append(out.Challenges, challengeJSON{c.ID, c.Value.Name, c.Value.IsMultiTask, c.Value.TimeLimitMinutes})
		}
	})
	return out, err
}

type memberJSON struct {
	ID    string `json:"member_id"`
	Email string `json:"email"`
	Name  string `json:"name"`
	Role  string `json:"role"`
}

func (s *Server) readMembers(_ string, of scope) (out struct {
	Members []memberJSON `json:"members"`
}, err error) {
	err = s.visitOrganizations(ofOne(of), func(_ string, o *world.Organization) {
		for m := range o.Members().All() {
			out.Members = append(out.Members, memberJSON{m.ID, m.Value.Email, m.Value.Name, m.Value.Role})
		}
	})
	return out, err
}

// ofOne returns the scope of one organization: by default the one without a name.
func ofOne(of scope) scope {
	if of.Key == "" && of.Organization == nil {
		of.Organization = new("")
	}
	return of
}

type mailJSON struct {
	InvitationID string       `json:"invitation_id"`
	AssessmentID string       `json:"assessment_id"`
	Organization string       `json:"organization"`
	Email        string       `json:"email"`
	Name         string       `json:"name"`
	Resent       bool         `json:"resent"`
	At           world.Moment `json:"at"`
}

func (s *Server) readMails(_ string, of scope) (out struct {
	Mails []mailJSON `json:"mails"`
}, err error) {
	all, err := s.mails(of)
	for _, m := range all {
		out.Mails = append(out.Mails, mailJSON{m.InvitationID, m.AssessmentID, m.Organization, m.Email, m.Name, m.Resent, world.MomentOf(m.At)})
	}
	return out, err
}

func (s *Server) closeAssessment(id string) error {
	return s.changeLive("CloseAssessment", id, s.live.Close)
}

func (s *Server) revokeInvitation(id string) error {
	return s.changeLive("RevokeInvitation", id, s.live.Revoke)
}

func (s *Server) resendInvitation(id string) error {
	return s.changeLive("ResendInvitation", id, s.live.Resend)
}

// maxSeed is the maximum number of candidates that seed adds.
const maxSeed = 1000

func (s *Server) seed(organization, assessmentID string, count int) (id string, err error) {
	err = s.changeOrganization(organization, func(o *world.Organization) (err error) {
		if count < 1 || count > maxSeed {
			return inputError{"count", fmt.Sprintf("must be from 1 to %d", maxSeed)}
		}
		id, err = o.Seed(canonicalID(assessmentID), count)
		return err
	})
	return id, err
}

// candidateJSON is a candidate of the live data.
type candidateJSON struct {
	InvitationID     string        `json:"invitation_id"`
	SubmissionID     *string       `json:"submission_id"`
	AssessmentID     string        `json:"assessment_id"`
	Assessment       string        `json:"assessment"`
	Organization     string        `json:"organization"`
	Name             string        `json:"name"`
	Email            string        `json:"email"`
	Stage            string        `json:"stage"`
	InvitationStatus string        `json:"invitation_status"`
	Revoked          bool          `json:"revoked"`
	Expired          bool          `json:"expired"`
	Closed           bool          `json:"closed"` // The assessment.
	Decision         string        `json:"decision"`
	CreatedAt        world.Moment  `json:"created_at"`
	SentAt           *world.Moment `json:"sent_at"`
	OpenedAt         *world.Moment `json:"opened_at"`
	StartedAt        *world.Moment `json:"started_at"`
	SubmittedAt      *world.Moment `json:"submitted_at"`
	EvaluatedAt      *world.Moment `json:"evaluated_at"`
	ExpiresAt        world.Moment  `json:"expires_at"`
	Resent           bool          `json:"resent"`
	ShipScore        *int          `json:"ship_score"`
	PausedSeconds    int           `json:"paused_seconds"`
	Steps            []string      `json:"steps"` // Operations that are possible now.
}

func newCandidateJSON(organization string, c *world.CandidateInfo) candidateJSON {
	i := &c.Invitation
	out := candidateJSON{
		InvitationID: i.ID, AssessmentID: i.AssessmentID, Assessment: c.Assessment, Organization: organization,
		Name: i.CandidateName, Email: i.CandidateEmail, Stage: world.Stages[c.Stage], InvitationStatus: i.Status,
		Revoked: c.Revoked, Expired: c.Expired, Closed: c.Closed, Decision: i.RecruiterDecision, CreatedAt: i.CreatedAt, SentAt: i.SentAt,
		OpenedAt: i.OpenedAt, StartedAt: i.StartedAt, SubmittedAt: i.SubmittedAt, ExpiresAt: i.ExpiresAt, Resent: c.Resent, Steps: c.Steps,
	}
	if a := c.Attempt; a != nil {
		out.SubmissionID, out.EvaluatedAt, out.PausedSeconds = &a.ID, a.Value.EvaluatedAt, a.Value.PausedTotalSeconds
		if a.Extra()["ship_score"] != "null" {
			out.ShipScore = a.Report().ShipScore
		}
	}
	return out
}

const defaultCandidates = 100

func (s *Server) readCandidates(_ string, in struct {
	scope

	AssessmentID string `json:"assessment_id"`
	Stage        string `json:"stage"`
	Text         string `json:"text"`
	Before       string `json:"before"` // Id of an invitation.
	Limit        *int   `json:"limit"`
}) (out struct {
	Candidates []candidateJSON `json:"candidates"`
	Counts     counts          `json:"counts"`
	More       bool            `json:"more"`
}, err error) {
	limit, text := *cmp.Or(in.Limit, new(defaultCandidates)), strings.ToLower(in.Text)
	switch {
	case limit < 1 || limit > maxSeed:
		return out, inputError{"limit", fmt.Sprintf("must be from 1 to %d", maxSeed)}
	case in.Stage != "" && !slices.Contains(world.Stages[:], in.Stage):
		return out, inputError{"stage", "must be " + strings.Join(world.Stages[:], ", ")}
	}
	out.Counts = make(counts)
	var found []candidateJSON
	err = s.visitOrganizations(in.scope, func(name string, o *world.Organization) {
		for c := range o.Candidates() {
			if in.AssessmentID != "" && c.Invitation.AssessmentID != canonicalID(in.AssessmentID) ||
				text != "" && !strings.Contains(strings.ToLower(c.Invitation.CandidateName+" "+c.Invitation.CandidateEmail), text) {
				continue
			}
			out.Counts[world.Stages[c.Stage]]++
			if in.Stage == "" || in.Stage == world.Stages[c.Stage] {
				found = append(found, newCandidateJSON(name, &c))
			}
		}
	})
	slices.SortStableFunc(found, func(a, b candidateJSON) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.InvitationID, a.InvitationID))
	})
	if i := slices.IndexFunc(found, func(c candidateJSON) bool { return c.InvitationID == in.Before }); i >= 0 {
		found = found[i+1:]
	}
	out.More = len(found) > limit
	out.Candidates = found[:min(len(found), limit)]
	return out, err
}

// maxEvents is the number of log entries of a candidate.
const maxEvents = 100

type fullCandidateJSON struct {
	candidateJSON

	Report           jsontext.Value `json:"report"`
	Events           []eventJSON    `json:"events"` // The newest, oldest first.
	EventCount       int            `json:"event_count"`
	Upcoming         []upcomingJSON `json:"upcoming"`
	TimeLimitMinutes int            `json:"time_limit_minutes"`
}

func (s *Server) readCandidate(id string, _ none) (out fullCandidateJSON, err error) {
	found := false
	err = s.visitOrganizations(scope{}, func(name string, o *world.Organization) {
		c, ok := o.Candidate(canonicalID(id))
		if !ok {
			return
		}
		found = true
		out = fullCandidateJSON{candidateJSON: newCandidateJSON(name, &c), Report: jsontext.Value("null"), TimeLimitMinutes: c.TimeLimitMinutes}
		month := world.MomentOf(s.now().AddDate(0, 1, 1))
		out.Upcoming = newUpcoming(slices.DeleteFunc(o.Upcoming(month), func(next world.Upcoming) bool { return next.Invitation.ID != c.Invitation.ID }))
		if c.Attempt == nil {
			return
		}
		log := c.Attempt.Events()
		out.EventCount, out.Report = len(log), encodeJSON(reportOf(c.Attempt))
		out.Events = newEvents(log[max(len(log)-maxEvents, 0):])
	})
	if err == nil && !found {
		err = world.ErrUnknown
	}
	return out, err
}

func (s *Server) postEvents(id string, in struct {
	Kind     string           `json:"kind"`
	Payloads []jsontext.Value `json:"payloads"`
}) (none, error) {
	payloads := make([]string, len(in.Payloads))
	for i, p := range in.Payloads {
		payloads[i] = string(p)
	}
	return none{}, s.AppendEvents(id, in.Kind, payloads...)
}

func (s *Server) postEvaluation(id string, in resultJSON) (none, error) {
	return none{}, s.postGrade(id, in, s.Evaluate)
}

func (s *Server) postRegrade(id string, in resultJSON) (none, error) {
	return none{}, s.postGrade(id, in, s.Regrade)
}

func (s *Server) postGrade(id string, in resultJSON, grade func(id string, r Result) error) error {
	s.mu.Lock()
	number := s.live.Number(canonicalID(id))
	s.mu.Unlock()
	r, err := in.result(world.InventedScore(number))
	if err != nil {
		return err
	}
	return grade(id, r)
}

func (s *Server) postResult(_ string, in struct {
	AssessmentID string `json:"assessment_id"`
	Email        string `json:"email"`
	Name         string `json:"name"`
	resultJSON
}) (created, error) {
	local, _, _ := strings.Cut(in.Email, "@")
	r, err := in.result(world.InventedScore(len(s.Mails()) + 1))
	if err != nil {
		return nil, err
	}
	id, err := s.addResult(in.AssessmentID, in.Email, cmp.Or(in.Name, nameOf(local)), r)
	return created{"submission_id": id}, err
}
