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

type organizationJSON struct {
	Name       string         `json:"name"`
	Title      string         `json:"title"`
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts"`
	Plan       *planJSON      `json:"plan"`
}

func (c *control) readOrganizations(none) (all []organizationJSON, err error) {
	err = c.visitOrganizations(scope{}, func(name string, o *world.Organization) {
		shown := organizationJSON{Name: name, Title: o.Account().Value.Name, Counts: o.CountStages(""), Plan: newPlanJSON(o)}
		for _, count := range shown.Counts {
			shown.Candidates += count
		}
		all = append(all, shown)
	})
	return all, err
}

type assessmentJSON struct {
	ID           string         `json:"assessment_id"`
	Name         string         `json:"name"`
	Status       string         `json:"status"`
	Organization string         `json:"organization"`
	ChallengeID  string         `json:"challenge_id"`
	Challenge    string         `json:"challenge"`
	CreatedAt    world.Moment   `json:"created_at"`
	Counts       map[string]int `json:"counts"`
}

func (c *control) readAssessments(of scope) (all []assessmentJSON, err error) {
	err = c.visitOrganizations(of, func(name string, o *world.Organization) {
		for a := range o.Assessments().All() {
			shown := assessmentJSON{a.ID, a.Value.Name, a.Value.Status, name, a.Value.ChallengeID, "", a.Value.CreatedAt, o.CountStages(a.ID)}
			if challenge := o.Challenges().Find(a.Value.ChallengeID); challenge != nil {
				shown.Challenge = challenge.Value.Name
			}
			all = append(all, shown)
		}
	})
	slices.SortStableFunc(all, func(a, b assessmentJSON) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return all, err
}

type challengeJSON struct {
	ID               string `json:"challenge_id"`
	Name             string `json:"name"`
	IsMultiTask      bool   `json:"is_multi_task"`
	TimeLimitMinutes int    `json:"time_limit_minutes"`
}

func (c *control) readChallenges(of scope) (all []challengeJSON, err error) {
	err = c.visitOrganizations(ofOne(of), func(_ string, o *world.Organization) {
		for r := range o.Challenges().All() {
			all = append(all, challengeJSON{r.ID, r.Value.Name, r.Value.IsMultiTask, r.Value.TimeLimitMinutes})
		}
	})
	return all, err
}

type memberJSON struct {
	ID    string `json:"member_id"`
	Email string `json:"email"`
	Name  string `json:"name"`
	Role  string `json:"role"`
}

func (c *control) readMembers(of scope) (all []memberJSON, err error) {
	err = c.visitOrganizations(ofOne(of), func(_ string, o *world.Organization) {
		for m := range o.Members().All() {
			all = append(all, memberJSON{m.ID, m.Value.Email, m.Value.Name, m.Value.Role})
		}
	})
	return all, err
}

// ofOne returns the scope of one organization: by default the one without a name.
func ofOne(of scope) scope {
	if of.Key == "" && of.Organization == nil {
		of.Organization = new("")
	}
	return of
}

func (c *control) readMails(of scope) ([]world.Mail, error) {
	selected, err := c.scope(of)
	return slices.DeleteFunc(c.live.Mails(), func(m world.Mail) bool { return !selected.includes(m.Organization) }), err
}

// maxSeed is the maximum number of candidates that seed adds.
const maxSeed = 1000

type seeded struct {
	Count        int    `json:"count"`
	AssessmentID string `json:"assessment_id"`
	Organization string `json:"organization"`
}

func (c *control) seed(in seeded) (assessmentID string, err error) {
	o, err := c.organization(in.Organization)
	switch {
	case err != nil:
		return "", err
	case in.Count < 1 || in.Count > maxSeed:
		return "", inputError{"count", fmt.Sprintf("must be from 1 to %d", maxSeed)}
	}
	return o.Seed(canonicalID(in.AssessmentID), in.Count)
}

const defaultCandidates = 100

func (c *control) readCandidates(in struct {
	scope

	AssessmentID string `json:"assessment_id"`
	Stage        string `json:"stage"`
	Text         string `json:"text"`
	Before       string `json:"before"` // Id of an invitation.
	Limit        *int   `json:"limit"`
}) (out struct {
	Candidates []world.CandidateInfo `json:"candidates"`
	Counts     map[string]int        `json:"counts"`
	More       bool                  `json:"more"`
}, err error) {
	limit, text := *cmp.Or(in.Limit, new(defaultCandidates)), strings.ToLower(in.Text)
	switch {
	case limit < 1 || limit > maxSeed:
		return out, inputError{"limit", fmt.Sprintf("must be from 1 to %d", maxSeed)}
	case in.Stage != "" && !slices.Contains(world.Stages[:], in.Stage):
		return out, inputError{"stage", "must be " + strings.Join(world.Stages[:], ", ")}
	}
	out.Counts = make(map[string]int)
	var found []world.CandidateInfo
	err = c.visitOrganizations(in.scope, func(_ string, o *world.Organization) {
		for one := range o.Candidates() {
			if in.AssessmentID != "" && one.AssessmentID != canonicalID(in.AssessmentID) ||
				text != "" && !strings.Contains(strings.ToLower(one.Name+" "+one.Email), text) {
				continue
			}
			out.Counts[one.Stage]++
			if in.Stage == "" || in.Stage == one.Stage {
				found = append(found, one)
			}
		}
	})
	slices.SortStableFunc(found, func(a, b world.CandidateInfo) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.InvitationID, a.InvitationID))
	})
	if i := slices.IndexFunc(found, func(c world.CandidateInfo) bool { return c.InvitationID == in.Before }); i >= 0 {
		found = found[i+1:]
	}
	out.More = len(found) > limit
	out.Candidates = found[:min(len(found), limit)]
	return out, err
}

// maxEvents is the number of log entries of a candidate.
const maxEvents = 100

type fullCandidateJSON struct {
	world.CandidateInfo

	Report           jsontext.Value   `json:"report"`
	Events           []eventJSON      `json:"events"` // The newest, oldest first.
	EventCount       int              `json:"event_count"`
	Upcoming         []world.Upcoming `json:"upcoming"`
	TimeLimitMinutes int              `json:"time_limit_minutes"`
}

func (c *control) readCandidate(none) (out fullCandidateJSON, err error) {
	err = world.ErrUnknown
	_ = c.visitOrganizations(scope{}, func(_ string, o *world.Organization) {
		found, ok := o.Candidate(c.id)
		if !ok {
			return
		}
		err = nil
		out = fullCandidateJSON{CandidateInfo: found, Report: jsontext.Value("null"), TimeLimitMinutes: found.TimeLimitMinutes}
		month := world.MomentOf(c.now.AddDate(0, 1, 1))
		out.Upcoming = slices.DeleteFunc(o.Upcoming(month), func(next world.Upcoming) bool { return *next.InvitationID != found.InvitationID })
		if found.Attempt == nil {
			return
		}
		log := found.Attempt.Events()
		out.EventCount, out.Report = len(log), encodeJSON(reportOf(found.Attempt))
		out.Events = newEvents(log[max(len(log)-maxEvents, 0):])
	})
	return out, err
}
