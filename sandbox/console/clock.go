package console

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
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
		err = errors.New("give how far the clock is to move")
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
func (c *console) upcoming(s server.Conditions, keys []server.KeyInfo, by time.Duration) []event {
	until := s.Now.Add(by)
	var all []event
	tell := func(at time.Time, what, who string) {
		if at.After(s.Now) && !at.After(until) {
			all = append(all, event{At: at, Kind: what, Subject: who})
		}
	}
	tell(s.ThrottledUntil, "throttle", "")
	for _, at := range s.LateCalls {
		tell(at, "late", "")
	}
	for _, key := range keys {
		tell(key.Expires, "key", key.Redacted)
		tell(key.Read.Reset, "reads", key.Redacted)
		tell(key.Write.Reset, "writes", key.Redacted)
	}
	c.server.VisitLive(func(l *world.Live, now time.Time) {
		for _, name := range l.Names() {
			o := l.Organization(name, now)
			for _, next := range o.Upcoming(world.MomentOf(until)) {
				what := "expires"
				if next.Stage >= 0 {
					what = world.Stages[next.Stage]
				}
				all = append(all, event{next.At.Time(), what, next.Invitation.CandidateName, next.Invitation.ID})
			}
			day := now.UTC()
			tell(time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC), "period", o.Account().Value.Name)
		}
	})
	slices.SortStableFunc(all, func(a, b event) int { return a.At.Compare(b.At) })
	return all
}
