package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// visitOrganizations calls visit with the organizations of a scope, at the present time.
// Every live key has an organization by then.
func (c *control) visitOrganizations(of scope, visit func(name string, o *world.Organization)) error {
	selected, err := c.scope(of)
	if err != nil {
		return err
	}
	for _, key := range c.keys {
		if key.live() {
			c.live.Organization(key.Organization, c.now)
		}
	}
	for _, name := range c.live.Names() {
		if selected.includes(name) {
			visit(name, c.live.Organization(name, c.now))
		}
	}
	return nil
}

type assessmentJSON struct {
	ID           string       `json:"assessment_id"`
	Name         string       `json:"name"`
	Status       string       `json:"status"`
	Organization string       `json:"organization"`
	CreatedAt    world.Moment `json:"created_at"`
}

func (c *control) readAssessments(of scope) (all []assessmentJSON, err error) {
	err = c.visitOrganizations(of, func(name string, o *world.Organization) {
		for a := range o.Assessments.All() {
			all = append(all, assessmentJSON{a.ID, a.Value.Name, a.Value.Status, name, a.Value.CreatedAt})
		}
	})
	slices.SortStableFunc(all, func(a, b assessmentJSON) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return all, err
}

// mailJSON is an e-mail with what a candidate would see of it.
type mailJSON struct {
	world.Mail

	Sender  string `json:"sender"`
	Subject string `json:"subject"`
	Text    string `json:"text"`   // Made by the sandbox: the service's own text is not known.
	Opened  bool   `json:"opened"` // The candidate has opened the invitation.
	Ended   string `json:"ended"`  // Why the attempt cannot begin: revoked, expired or closed.
}

// readMails returns the mails of a scope, or those of one invitation.
func (c *control) readMails(in struct {
	scope

	InvitationID string `json:"invitation_id"`
},
) (shown []mailJSON, err error) {
	selected, err := c.scope(in.scope)
	for _, m := range c.live.Mails() {
		if selected.includes(m.Organization) && (in.InvitationID == "" || m.InvitationID == canonicalID(in.InvitationID)) {
			o := c.live.Organization(m.Organization, c.now)
			account, assessment := o.Account.Value, o.AnyAssessment(m.AssessmentID).Value.Name
			sender := *cmp.Or(account.Branding.SenderName, &account.Name)
			text := fmt.Sprintf("Hello %s,\n%s invites you to the assessment %q. Open the link in this e-mail by %s.",
				m.Name, sender, assessment, m.At.Add(world.InvitationLifetime).Format("2 January 2006, 15:04 UTC"))
			one, _ := c.live.Candidate(m.InvitationID, c.now) // It exists.
			shown = append(shown, mailJSON{m, sender, "Invitation: " + assessment, text, one.OpenedAt != nil, one.Ended})
		}
	}
	return shown, err
}

type newAssessment struct {
	scope

	Name string `json:"name"`
}

func (c *control) addAssessment(in newAssessment) (id string, err error) {
	selected, err := c.scope(in.scope)
	switch {
	case err != nil:
		return "", err
	case in.Name == "":
		return "", inputError{"name", "must not be empty"}
	}
	c.notify(topicAssessments)
	return c.live.Organization(selected.organization, c.now).AddAssessment(in.Name), nil
}

const defaultCandidates = 100

// graded is a candidate with the grade and the last step at the time of a search.
type graded struct {
	world.Candidate

	grade  world.Grade
	stepAt world.Moment
}

// orders are the orders of candidates. Those that are equal are in the order of their invitations, newest first.
var orders = map[string]func(a, b graded) int{
	"":       func(a, b graded) int { return cmp.Compare(b.stepAt, a.stepAt) },
	"oldest": func(a, b graded) int { return a.Compare(b.Candidate) },
	"name":   func(a, b graded) int { return strings.Compare(a.Name(), b.Name()) },
	"score": func(a, b graded) int {
		return cmp.Compare(*cmp.Or(b.grade.ShipScore, new(-1)), *cmp.Or(a.grade.ShipScore, new(-1)))
	},
}

// readCandidates searches without the lock.
func (s *Server) readCandidates(_ string, in struct {
	scope

	AssessmentID string `json:"assessment_id"`
	Stage        string `json:"stage"`
	Text         string `json:"text"`
	Verdict      string `json:"verdict"` // Or a status of integrity.
	Sort         string `json:"sort"`
	Limit        *int   `json:"limit"`
},
) (out struct {
	Candidates []world.CandidateInfo `json:"candidates"`
	Counts     map[string]int        `json:"counts"`
}, err error,
) {
	limit := *cmp.Or(in.Limit, new(defaultCandidates))
	switch {
	case limit < 1:
		return out, inputError{"limit", "must be at least 1"}
	case in.Stage != "" && !slices.Contains(world.Stages[:], in.Stage):
		return out, inputError{"stage", "must be " + strings.Join(world.Stages[:], ", ")}
	case orders[in.Sort] == nil:
		return out, inputError{"sort", "must be oldest, name or score"}
	}
	var found []graded
	err = s.withLock("", func(c *control) error {
		return c.visitOrganizations(in.scope, func(_ string, o *world.Organization) {
			for _, one := range o.Candidates() {
				found = append(found, graded{one, one.Grade(), one.StepAt()})
			}
		})
	})
	assessmentID, text := canonicalID(in.AssessmentID), strings.ToLower(in.Text)
	found = slices.DeleteFunc(found, func(one graded) bool {
		return !one.Matches(assessmentID, text) || !slices.Contains([]string{"", one.grade.Verdict, one.grade.IntegrityStatus}, in.Verdict)
	})
	slices.SortFunc(found, func(a, b graded) int { return cmp.Or(orders[in.Sort](a, b), b.Compare(a.Candidate)) })
	out.Counts = make(map[string]int)
	for _, stage := range world.Stages {
		out.Counts[stage] = 0
	}
	_, unlock := s.lock()
	defer unlock()
	for _, one := range found {
		stage := one.Stage()
		out.Counts[stage]++
		if (in.Stage == "" || in.Stage == stage) && len(out.Candidates) < limit {
			out.Candidates = append(out.Candidates, one.Info())
		}
	}
	return out, err
}

type fullCandidateJSON struct {
	world.CandidateInfo

	Report jsontext.Value `json:"report"`
	Coming jsontext.Value `json:"coming,omitzero"` // The report that is late. The API does not show it yet.
	Events []eventJSON    `json:"events"`          // The newest of the log of the attempt.
}

const maxCandidateEvents = 200

func (c *control) readCandidate(none) (out fullCandidateJSON, err error) {
	one, err := c.live.Candidate(c.id, c.now)
	if err != nil {
		return out, err
	}
	out = fullCandidateJSON{CandidateInfo: one, Report: jsontext.Value("null")}
	if out.Attempt != nil {
		out.Report = encodeJSON(reportOf(out.Attempt))
		if late := out.Attempt.Coming(); late != nil {
			out.Coming = encodeJSON(late)
		}
		log := out.Attempt.Events()
		out.Events = newEvents(log[max(0, len(log)-maxCandidateEvents):])
	}
	return out, nil
}
