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
// one wire do. Whoever is about to send listens first, invites one person, which is
// how it makes itself heard, and listens once more before it invites the others.
//
// Somebody who was invited is no reason to wait: a colleague may have done that by
// hand. A rival is one whose invitations go on appearing. So a run that has its turn
// goes on at once, or gives its turn up, until it has sent a series: then others
// know it for what it is, and it may pause as the quota demands, for less than they
// stay quiet. Who has not sent a series and is silent has no turn.

const (
	// quiet is how long a rival must not have invited any of the people. A run that
	// has its turn pauses for less, or gives it up.
	quiet = 2 * time.Minute
	// hush is the same for somebody of whom no series was seen.
	hush = 15 * time.Second
	// brief is how long a run pauses in its turn before it has sent a series. The
	// rest of hush is for a request to arrive.
	brief = hush / 3
	// series is how many invitations make a rival.
	series = 3
)

// turns is an importer's part in this.
type turns struct {
	client     *hiring.Client
	assessment string
	people     map[string]bool // Whom it is about, by address.
	ours       map[string]bool // The invitations that this run and those before it sent.
	sent       []time.Time     // When this run sent some, by the local clock.

	heard time.Time       // When it looked last, by the service's clock.
	seen  map[string]bool // The invitations of others that it had seen when its turn began.

	// Of the present turn.
	giveUp    func()
	until     time.Time // When the pause ends that it was given up for.
	stale     bool      // It has paused: the turn ends after this person.
	announced bool      // It has sent one.
	alone     bool      // And nobody else was heard since.
	sign      time.Time // When it sent or listened last, since.
}

func newTurns(im importer, results *candidates.Results) *turns {
	t := &turns{assessment: im.assessment, people: make(map[string]bool, len(im.people)), ours: results.SentIDs()}
	for _, person := range im.people {
		t.people[candidates.Key(person.Email)] = true
	}
	return t
}

// probe notices pauses. One for the quota is not sat through in a turn; one before
// another attempt, or before a look what became of the last, is, or nothing would
// ever fail.
func (t *turns) probe() hiring.Probe {
	return hiring.Probe{Pause: func(_ context.Context, pause hiring.ProbePause) {
		longest := brief
		if goesOn(t.sent, time.Now(), 2*quiet) {
			longest = quiet
		}
		switch wait := time.Until(pause.Until); {
		case wait < longest || t.giveUp == nil:
		case pause.Reason == hiring.PauseQuota || pause.Reason == hiring.PauseThrottle:
			t.until = pause.Until
			t.giveUp()
		default:
			t.stale = true
		}
	}}
}

// goesOn tells whether there is a series in the time before now.
func goesOn(times []time.Time, now time.Time, within time.Duration) bool {
	n := 0
	for _, at := range times {
		if now.Sub(at) < within {
			n++
		}
	}
	return n >= series
}

// toWait is how long somebody who invited some of the people at those times is to
// be waited for, and whether that is a rival.
func toWait(times []time.Time, now time.Time) (wait time.Duration, rival bool) {
	silence := hush
	if rival = goesOn(times, now, 3*quiet); rival {
		silence = quiet
	}
	for _, at := range times {
		wait = max(wait, silence-max(now.Sub(at), 0))
	}
	return wait, rival
}

// listen waits until nobody else is inviting any of the people. It costs one read
// each time that it looks.
func (t *turns) listen(ctx context.Context, say func(string)) error {
	t.giveUp = nil
	for {
		others, err := t.look(ctx)
		if err != nil {
			return err
		}
		times := make([]time.Time, len(others))
		for i, invitation := range others {
			times[i] = invitation.CreatedAt
		}
		wait, rival := toWait(times, t.heard)
		if wait <= 0 {
			t.seen = make(map[string]bool, len(others))
			for _, invitation := range others {
				t.seen[invitation.ID] = true
			}
			return nil
		}
		wait += rand.N(wait/4 + time.Second) //nolint:gosec // a pause, no secret
		at := time.Now().Add(wait).Format("15:04:05")
		if rival {
			say("somebody else is inviting the same people, or was a moment ago; looking again at " + at)
		} else {
			say("one of them was invited a moment ago; looking at " + at + " whether somebody else is at it")
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// look returns what others have invited of the people, of the newest invitations:
// a page is more than are sent in the time that counts.
func (t *turns) look(ctx context.Context) (others []hiring.Invitation, err error) {
	var reply hiring.Response
	page, err := t.client.Invitations.List(t.assessment).Page(hiring.WithResponse(ctx, &reply))
	if err != nil {
		return nil, err
	}
	t.heard = serverTime(reply)
	for _, invitation := range page.Items {
		if t.people[candidates.Key(invitation.CandidateEmail)] && !t.ours[invitation.ID] {
			others = append(others, invitation)
		}
	}
	return others, nil
}

// begin begins a turn, which giveUp ends.
func (t *turns) begin(giveUp func()) {
	t.giveUp, t.until, t.stale, t.announced, t.alone = giveUp, time.Time{}, false, false, false
}

// lasts tells before each person whether the turn goes on. It looks once the run
// has made itself heard, and again if it was silent before it had sent a series.
func (t *turns) lasts(ctx context.Context) (bool, error) {
	switch {
	case t.stale:
		return false, nil
	case !t.announced, t.alone && (goesOn(t.sent, time.Now(), 2*quiet) || time.Since(t.sign) < brief):
		return true, nil
	}
	others, err := t.look(ctx)
	if err != nil {
		return false, err
	}
	for _, invitation := range others {
		if !t.seen[invitation.ID] {
			return false, nil
		}
	}
	t.alone, t.sign = true, time.Now()
	return true, nil
}

// rest waits until the pause is over that the turn was given up for, and a moment
// more or less: others wait for the same window.
func (t *turns) rest(ctx context.Context) error {
	if t.until.IsZero() {
		return nil
	}
	return sleep(ctx, time.Until(t.until)+rand.N(brief)) //nolint:gosec // a pause, no secret
}

// sentOne keeps that this run has invited somebody.
func (t *turns) sentOne(id string) {
	t.ours[id], t.announced, t.sign = true, true, time.Now()
	t.sent = append(t.sent, t.sign)
}

// clash tells whether somebody else invited a person since it was quiet.
func (t *turns) clash(invited hiring.Invited) bool {
	id := invited.Invitation.ID
	return invited.Outcome == hiring.InviteExisting && !t.ours[id] && !t.seen[id] && invited.Invitation.CreatedAt.After(t.heard)
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
