package console

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/oldpage"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// maxUpcoming is the number of future events on the page.
const maxUpcoming = 25

// event is a change that happens at a future time.
type event struct {
	At      time.Time
	Kind    string // A stage, or expires, late, reads, writes, key, throttle or period.
	Subject string // The candidate, key or organization.
	ID      string // Of the candidate.
}

func (c *console) advance(r *http.Request) (string, error) {
	by, err := parseDuration(r.PostForm.Get("by"))
	if err == nil && by == 0 {
		err = errors.New("give the time by which the clock moves forward")
	}
	if err != nil {
		return "", err
	}
	if err := c.server.Advance(by); err != nil {
		return "", err
	}
	return pageURL("/trouble", "advanced", "by", by.String()) + "#clock", nil
}

// upcoming returns the changes within a duration, in order.
func (c *console) upcoming(s oldpage.Conditions, keys []oldpage.KeyInfo, by time.Duration) []event {
	until := s.Now.Add(by)
	var events []event
	add := func(at time.Time, kind, subject string) {
		if at.After(s.Now) && !at.After(until) {
			events = append(events, event{At: at, Kind: kind, Subject: subject})
		}
	}
	add(s.ThrottledUntil, "throttle", "")
	for _, at := range s.LateCalls {
		add(at, "late", "")
	}
	for _, key := range keys {
		add(key.Expires, "key", key.Redacted)
		add(key.Read.Reset, "reads", key.Redacted)
		add(key.Write.Reset, "writes", key.Redacted)
	}
	c.server.VisitLive(func(l *world.Live, now time.Time) {
		for _, name := range l.Names() {
			o := l.Organization(name, now)
			for _, next := range o.Upcoming(world.MomentOf(until)) {
				kind := "expires"
				if next.Stage >= 0 {
					kind = world.Stages[next.Stage]
				}
				events = append(events, event{next.At.Time(), kind, next.Invitation.CandidateName, next.Invitation.ID})
			}
			day := now.UTC()
			add(time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC), "period", o.Account().Value.Name)
		}
	})
	slices.SortStableFunc(events, func(a, b event) int { return a.At.Compare(b.At) })
	return events
}
