package console

import (
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	cardsPerStage      = 8  // Per stage, if all stages are shown.
	candidatesPerPage  = 50 // If one stage is shown.
	assessmentsPerPage = 20 // In the list of assessments.
)

type pipelinePage struct {
	Now              time.Time
	Organizations    []organization
	Organization     organization
	Challenges       []choice
	Assessments      []assessment
	Assessment       assessment // The selected assessment; without an ID for all.
	AssessmentCount  int
	OlderAssessments int // The next page of assessments; 0 for none.
	Stages           []column
	Stage            *column // The only stage that is shown, or nil for all stages.
	Older, Newer     int     // Pages of Stage; 0 for none.
	LiveURL          string
}

// organization is an organization in a list.
type organization struct {
	Key, Name   string // Key is the organization of live keys.
	Candidates  int
	Used, Limit int // Invitations of the plan.
}

// choice is an option of a form.
type choice struct{ ID, Name string }

// assessment is an assessment in a list.
type assessment struct {
	ID, Name, Status string
	StageCounts      [len(world.Stages)]int
}

// column is the candidates at one stage.
type column struct {
	Number int    // Index in world.Stages.
	Count  int    // Of all candidates at the stage.
	Cards  []card // The candidates that are shown.
}

// card is a candidate in a list.
type card struct {
	ID, Name, Email, Assessment string
	Stage                       int
	At                          time.Time // Of the last step.
	Submission                  string
	EndReason                   string // Why there is no next step: revoked, expired or closed. Empty if there is a next step.
}

// cardOf returns the card of a candidate.
func cardOf(a world.CandidateInfo, now time.Time) card {
	i := a.Invitation
	c := card{ID: i.ID, Name: i.CandidateName, Email: i.CandidateEmail, Assessment: a.Assessment, Stage: a.Stage, At: i.CreatedAt.Time()}
	for _, at := range []*world.Moment{i.SentAt, i.OpenedAt, i.StartedAt, i.SubmittedAt} {
		if at != nil && at.Time().After(c.At) {
			c.At = at.Time()
		}
	}
	if a.Attempt != nil {
		c.Submission = a.Attempt.ID
		if a.Attempt.Value.EvaluatedAt != nil {
			c.At = a.Attempt.Value.EvaluatedAt.Time()
		}
		return c
	}
	switch {
	case a.Revoked:
		c.EndReason = "revoked"
	case !now.Before(i.ExpiresAt.Time()):
		c.EndReason = "expired"
	case a.Closed && a.Stage > 0:
		c.EndReason = "closed"
	}
	return c
}

func (c *console) pipeline(r *http.Request) (page, error) {
	query := r.URL.Query()
	p := pipelinePage{LiveURL: consolePath + "/live/pipeline?" + r.URL.RawQuery}
	err := errNotFound
	c.server.VisitLive(func(l *world.Live, now time.Time) {
		p.Now = now
		for _, name := range l.Names() {
			o := l.Organization(name, now)
			shown := organizationOf(name, o)
			p.Organizations = append(p.Organizations, shown)
			if name == query.Get("org") {
				p.Organization, err = shown, nil
				p.listAssessments(o, query.Get("assessment"), parseNumber(query.Get("postings")))
				p.listCandidates(o, p.Assessment.ID, query.Get("stage"), parseNumber(query.Get("page")))
			}
		}
	})
	return page{Template: "pipeline", Data: p}, err
}

// organizationOf returns an organization with its counts.
func organizationOf(name string, o *world.Organization) organization {
	shown := organization{Key: name, Name: o.Account().Value.Name}
	for _, n := range o.CountStages("") {
		shown.Candidates += n
	}
	usage := o.Account().Value.Usage
	shown.Used, shown.Limit = usage.AssessmentsUsed, usage.AssessmentsLimit
	return shown
}

// listAssessments lists the organization's challenges and a page of its assessments, and
// selects one assessment.
func (p *pipelinePage) listAssessments(o *world.Organization, assessmentID string, pageNumber int) {
	for challenge := range o.Challenges().All() {
		p.Challenges = append(p.Challenges, choice{challenge.ID, challenge.Value.Name})
	}
	all := o.Assessments()
	p.AssessmentCount = all.Len()
	for i := pageNumber * assessmentsPerPage; i < min(all.Len(), (pageNumber+1)*assessmentsPerPage); i++ {
		p.Assessments = append(p.Assessments, assessmentOf(o, all.Newest(i)))
	}
	if all.Len() > (pageNumber+1)*assessmentsPerPage {
		p.OlderAssessments = pageNumber + 1
	}
	if a := o.AnyAssessment(assessmentID); a != nil {
		p.Assessment = assessmentOf(o, a)
	}
}

func assessmentOf(o *world.Organization, a *world.Record[world.Assessment]) assessment {
	return assessment{a.ID, a.Value.Name, a.Value.Status, o.CountStages(a.ID)}
}

// listCandidates lists the candidates of an assessment, or of all assessments if its id
// is empty: the newest of each stage, or a page of one stage.
func (p *pipelinePage) listCandidates(o *world.Organization, assessmentID, stage string, pageNumber int) {
	for n, count := range o.CountStages(assessmentID) {
		col := column{Number: n, Count: count}
		size, skip := cardsPerStage, 0
		if stage != "" {
			size, skip = candidatesPerPage, pageNumber*candidatesPerPage
		}
		if stage == "" || stage == world.Stages[n] {
			for _, a := range candidatesAt(o, assessmentID, n, skip, size) {
				col.Cards = append(col.Cards, cardOf(a, p.Now))
			}
		}
		p.Stages = append(p.Stages, col)
		if stage == world.Stages[n] {
			p.Stage = &p.Stages[n]
			p.Newer = pageNumber
			if count > skip+size {
				p.Older = pageNumber + 1
			}
		}
	}
}

func (c *console) addAssessment(r *http.Request) (string, error) {
	org := r.PostForm.Get("org")
	id, err := c.server.AddAssessment(org, r.PostForm.Get("name"), r.PostForm.Get("challenge"))
	return pageURL("/pipeline", "added", "org", org, "assessment", id), err
}

func (c *console) closeAssessment(r *http.Request) (string, error) {
	id := r.PathValue("id")
	return pageURL("/pipeline", "closed", "org", r.PostForm.Get("org"), "assessment", id), c.server.CloseAssessment(id)
}

func (c *console) invite(r *http.Request) (string, error) {
	assessmentID := r.PostForm.Get("assessment")
	_, err := c.server.Invite(assessmentID, r.PostForm.Get("email"), r.PostForm.Get("name"))
	return pageURL("/pipeline", "invited", "org", r.PostForm.Get("org"), "assessment", assessmentID), err
}

func candidatesAt(o *world.Organization, assessmentID string, stage, skip, size int) (page []world.CandidateInfo) {
	all := slices.Collect(o.Candidates())
	for _, c := range slices.Backward(all) {
		if c.Stage != stage || assessmentID != "" && c.Invitation.AssessmentID != assessmentID {
			continue
		}
		if skip--; skip < 0 && len(page) < size {
			page = append(page, c)
		}
	}
	return page
}
