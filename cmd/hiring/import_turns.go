package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
)

// Two imports of the same people, on two machines, know nothing of each other but
// what the listing of invitations shows, and SendAll looks there once a minute: in
// that minute both would mail the same people. So they take turns, as stations on
// one wire do. Whoever is about to send listens first: while somebody else has
// invited one of its people lately, it waits, some time by chance more than needed.
// Then it invites one person, which is how it makes itself heard, and listens once
// more, before it invites the others. After a long pause, such as for the quota's
// next window, it begins with listening again.

const (
	// quiet is how long nobody else must have invited any of the people. A run that
	// has its turn pauses for less, or gives it up.
	quiet = 2 * time.Minute
	// chance is how much longer some wait than others, at most.
	chance = 30 * time.Second
)

// turns is an importer's part in this.
type turns struct {
	people map[string]bool // Whom it is about, by address.
	ours   map[string]bool // The invitations that this run and those before it sent.
	heard  time.Time       // When it listened last, by the service's clock.
	paused bool            // For long, since then.
}

func newTurns(people []hiring.NewInvitation, results *candidates.Results) *turns {
	t := &turns{people: make(map[string]bool, len(people)), ours: results.SentIDs()}
	for _, person := range people {
		t.people[candidates.Key(person.Email)] = true
	}
	return t
}

// probe notices long pauses.
func (t *turns) probe() hiring.Probe {
	return hiring.Probe{Pause: func(_ context.Context, pause hiring.ProbePause) {
		t.paused = t.paused || time.Until(pause.Until) >= quiet
	}}
}

// listen waits until nobody else has invited any of the people for a while. It
// costs one read each time that it looks.
func (t *turns) listen(ctx context.Context, client *hiring.Client, assessment string, say func(string)) error {
	for {
		var reply hiring.Response
		page, err := client.Invitations.List(assessment).Page(hiring.WithResponse(ctx, &reply))
		if err != nil {
			return err
		}
		t.heard, t.paused = serverTime(reply), false
		wait := quiet - t.silence(page.Items)
		if wait <= 0 {
			return nil
		}
		wait += rand.N(chance) //nolint:gosec // a pause, no secret
		say("somebody else is inviting the same people, or was a moment ago; looking again at " + time.Now().Add(wait).Format("15:04:05"))
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// silence is how long ago somebody else invited one of the people. The newest
// invitations come first, and a page is more than are sent in that time.
func (t *turns) silence(newest []hiring.Invitation) time.Duration {
	shortest := quiet
	for _, invitation := range newest {
		if t.people[candidates.Key(invitation.CandidateEmail)] && !t.ours[invitation.ID] {
			shortest = min(shortest, max(t.heard.Sub(invitation.CreatedAt), 0))
		}
	}
	return shortest
}

// clash tells whether somebody else invited a person since it was quiet.
func (t *turns) clash(invited hiring.Invited) bool {
	return invited.Outcome == hiring.InviteExisting && !t.ours[invited.Invitation.ID] && invited.Invitation.CreatedAt.After(t.heard)
}

// serverTime is that of a reply, for the service's times are compared with it.
func serverTime(reply hiring.Response) time.Time {
	at, err := http.ParseTime(reply.Header.Get("Date"))
	if err != nil {
		return time.Now()
	}
	return at
}

// sleep ends with the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
