package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// inviteTask is one candidate's invitation in progress.
type inviteTask struct {
	id        string // Random: everybody logs URLs, and an address does not belong there.
	candidate hiring.NewInvitation
	cancel    context.CancelFunc
	done      chan struct{} // Closed when what follows is known.
	invited   hiring.InviteResult
	err       error
}

// inviteTasks are the invitations that this process is sending.
//
// They are kept in memory and lost at a restart. No candidate receives two e-mails,
// because Ensure checks before it sends. The list of candidates to invite is lost too: a
// real service first writes the candidate to its database, or uses module jobs.
type inviteTasks struct {
	client     *hiring.Client
	assessment string
	log        *slog.Logger
	invited    func(hiring.Invitation) // Called for each.
	running    sync.WaitGroup

	mu    sync.Mutex
	all   map[string]*inviteTask
	ended bool // No more are begun.
}

const (
	retryInterval = time.Minute // After an unknown outcome.
	maxRetries    = 10          // Then a person must decide.
	rememberFor   = time.Hour   // Of the result.
)

// begin invites a candidate in the background. The request's values go along, a
// trace for example, but not its end: a browser that is closed in the middle of
// a send would make its outcome unknown.
func (o *inviteTasks) begin(ctx context.Context, candidate hiring.NewInvitation) *inviteTask {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e := &inviteTask{id: rand.Text(), candidate: candidate, cancel: cancel, done: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		cancel()
		e.err = errStopping
		close(e.done)
		return e
	}
	o.all[e.id] = e
	o.running.Go(func() {
		defer cancel()
		o.run(ctx, e)
		close(e.done)
		time.AfterFunc(rememberFor, func() { o.forget(e.id) })
	})
	return e
}

var errStopping = errors.New("the program is stopping")

// run invites once. Ensure sends nothing to an address that has an invitation, so
// a form that is sent twice mails once; and after a lost response it looks before it
// sends again, which takes a minute. What even it cannot find out is left for a
// minute and asked again, never sent blindly.
func (o *inviteTasks) run(ctx context.Context, e *inviteTask) {
	for range maxRetries {
		invited, err := o.client.Invitations.Ensure(ctx, o.assessment, e.candidate)
		if err == nil {
			e.invited, e.err = invited, nil
			o.invited(invited.Invitation)
			return
		}
		report(ctx, o.log, "an invitation failed", err)
		if e.err == nil || ofSending(err) {
			e.invited, e.err = invited, err
		} // Else only the look failed: what was unknown before is so still.
		if e.invited.Outcome != hiring.InviteUnknown || !pause(ctx, retryInterval) {
			return
		}
	}
}

// ofSending reports whether an error says what became of a request.
func ofSending(err error) bool {
	failure, ok := errors.AsType[*hiring.Error](err)
	return ok && failure.Outcome != ""
}

func (o *inviteTasks) find(id string) (*inviteTask, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.all[id]
	return e, ok
}

func (o *inviteTasks) forget(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, id)
}

// end gives those that are on their way some time, then stops them.
func (o *inviteTasks) end(grace time.Duration) {
	timer := time.AfterFunc(grace, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, e := range o.all {
			e.cancel()
		}
	})
	defer timer.Stop()
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.running.Wait()
}

// pause reports false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
