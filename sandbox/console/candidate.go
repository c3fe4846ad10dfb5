package console

import (
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// eventsShown is the number of log entries on the page of a candidate.
const eventsShown = 20

type candidatePage struct {
	card

	Organization string
	Invitation   world.Invitation
	Status       string // Of the submission.
	Steps        []step
	Coming       []world.Upcoming
	Events       []world.Event
	AllEvents    int
	Report       *report
	Pillars      []choice
}

// step is a stage of a candidate and its time.
type step struct {
	What string
	At   time.Time
}

func (c *console) candidate(r *http.Request) (page, error) {
	var p candidatePage
	var raw []byte
	err := errNotFound
	c.server.Live(func(l *world.Live, now time.Time) {
		a, org, ok := l.Applicant(r.PathValue("id"))
		if !ok {
			return
		}
		err = nil
		p.card, p.Organization, p.Invitation = cardOf(a, now), org, a.Invitation
		p.Steps = stepsOf(a)
		for _, next := range l.Organization(org, now).Upcoming(world.MomentOf(now.AddDate(0, 1, 1))) {
			if next.Who.ID == a.Invitation.ID {
				p.Coming = append(p.Coming, next)
			}
		}
		if a.Attempt == nil {
			return
		}
		log := a.Attempt.Events()
		p.Status, p.AllEvents = a.Attempt.Value.Status, len(log)
		p.Events = append(p.Events, log[max(len(log)-eventsShown, 0):]...)
		raw = server.Report(a.Attempt)
	})
	if raw != nil {
		p.Report = reportOf(raw)
	}
	p.Pillars = pillars
	return page{Template: "candidate", Data: p}, err
}

func stepsOf(a world.Applicant) []step {
	i := a.Invitation
	steps := []step{{"sent", i.CreatedAt.Time()}}
	tell := func(what string, at *world.Moment) {
		if at != nil {
			steps = append(steps, step{what, at.Time()})
		}
	}
	if i.SentAt != nil && *i.SentAt != i.CreatedAt {
		tell("resent", i.SentAt)
	}
	tell("opened", i.OpenedAt)
	tell("started", i.StartedAt)
	tell("submitted", i.SubmittedAt)
	if a.Attempt != nil {
		tell("evaluated", a.Attempt.Value.EvaluatedAt)
	}
	return steps
}

func (c *console) open(r *http.Request) (string, error) {
	return next(r, "opened"), c.server.Open(r.PathValue("id"))
}

func (c *console) begin(r *http.Request) (string, error) {
	_, err := c.server.Begin(r.PathValue("id"))
	return next(r, "started"), err
}

func (c *console) revokeInvitation(r *http.Request) (string, error) {
	return next(r, "invitation"), c.server.RevokeInvitation(r.PathValue("id"))
}

func (c *console) submit(r *http.Request) (string, error) {
	return next(r, "submitted"), c.server.Submit(r.PostForm.Get("submission"))
}

// next returns the address of the page that had the button: the board or the candidate.
func next(r *http.Request, done string) string {
	if r.PostForm.Has("board") {
		return at("/pipeline", done, "org", r.PostForm.Get("org"), "assessment", r.PostForm.Get("assessment"), "stage", r.PostForm.Get("stage"))
	}
	return at("/candidates/"+r.PathValue("id"), done)
}

func (c *console) appendEvents(r *http.Request) (string, error) {
	form := r.PostForm
	return next(r, "events"), c.server.AppendEvents(form.Get("submission"), form.Get("kind"), form.Get("payload"))
}
