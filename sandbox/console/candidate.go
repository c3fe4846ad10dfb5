package console

import (
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// maxEvents is the number of log entries on the page of a candidate.
const maxEvents = 20

type candidatePage struct {
	card

	Organization string
	Invitation   world.Invitation
	Status       string // Of the submission.
	Steps        []step
	Upcoming     []world.Upcoming
	Events       []world.Event
	EventCount   int
	Report       *report
	Pillars      []choice
}

// step is a past step of a candidate.
type step struct {
	Stage string
	At    time.Time
}

func (c *console) candidate(r *http.Request) (page, error) {
	var p candidatePage
	var raw []byte
	err := errNotFound
	c.server.VisitLive(func(l *world.Live, now time.Time) {
		a, org, ok := candidateIn(l, now, r.PathValue("id"))
		if !ok {
			return
		}
		err = nil
		p.card, p.Organization, p.Invitation = cardOf(a, now), org, a.Invitation
		p.Steps = stepsOf(a)
		all := l.Organization(org, now).Upcoming(world.MomentOf(now.AddDate(0, 1, 1)))
		p.Upcoming = slices.DeleteFunc(all, func(next world.Upcoming) bool { return next.Invitation.ID != a.Invitation.ID })
		if a.Attempt == nil {
			return
		}
		log := a.Attempt.Events()
		p.Status, p.EventCount = a.Attempt.Value.Status, len(log)
		p.Events = append(p.Events, log[max(len(log)-maxEvents, 0):]...)
		raw = c.server.ReportJSON(a.Attempt)
	})
	if raw != nil {
		p.Report = reportOf(raw)
	}
	p.Pillars = pillars
	return page{Template: "candidate", Data: p}, err
}

// stepsOf returns the past steps of a candidate, oldest first.
func stepsOf(a world.CandidateInfo) []step {
	i := a.Invitation
	steps := []step{{"sent", i.CreatedAt.Time()}}
	add := func(stage string, at *world.Moment) {
		if at != nil {
			steps = append(steps, step{stage, at.Time()})
		}
	}
	if i.SentAt != nil && *i.SentAt != i.CreatedAt {
		add("resent", i.SentAt)
	}
	add("opened", i.OpenedAt)
	add("started", i.StartedAt)
	add("submitted", i.SubmittedAt)
	if a.Attempt != nil {
		add("evaluated", a.Attempt.Value.EvaluatedAt)
	}
	return steps
}

func (c *console) open(r *http.Request) (string, error) {
	return nextPage(r, "opened"), c.server.Open(r.PathValue("id"))
}

func (c *console) begin(r *http.Request) (string, error) {
	_, err := c.server.Begin(r.PathValue("id"))
	return nextPage(r, "started"), err
}

func (c *console) revokeInvitation(r *http.Request) (string, error) {
	return nextPage(r, "invitation"), c.server.RevokeInvitation(r.PathValue("id"))
}

func (c *console) submit(r *http.Request) (string, error) {
	return nextPage(r, "submitted"), c.server.Submit(r.PostForm.Get("submission"))
}

// nextPage returns the URL of the page that had the button, with a confirmation: the
// pipeline or the candidate.
func nextPage(r *http.Request, done string) string {
	if r.PostForm.Has("board") {
		form := r.PostForm
		return pageURL("/pipeline", done, "org", form.Get("org"), "assessment", form.Get("assessment"), "stage", form.Get("stage"))
	}
	return pageURL("/candidates/"+r.PathValue("id"), done)
}

func (c *console) appendEvents(r *http.Request) (string, error) {
	form := r.PostForm
	return nextPage(r, "events"), c.server.AppendEvents(form.Get("submission"), form.Get("kind"), form.Get("payload"))
}

func candidateIn(l *world.Live, now time.Time, id string) (world.CandidateInfo, string, bool) {
	for _, name := range l.Names() {
		if found, ok := l.Organization(name, now).Candidate(id); ok {
			return found, name, true
		}
	}
	return world.CandidateInfo{}, "", false
}
