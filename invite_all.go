package hiring

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// SendAllOptions configures [InvitationService.SendAll]. A zero field means the
// default. SendAll calls the functions in the goroutine that called it.
type SendAllOptions struct {
	// Each is called once per candidate, in order, with the candidate's error.
	// Returning false ends the run. Nil: SendAll returns the failures of single
	// candidates.
	Each func(InviteResult, error) bool

	// Progress is called after each candidate and before each wait of more than a
	// second. It must not invite: a call for the address
	// in flight would wait for this run. Nil: not called.
	Progress func(InviteProgress)

	// Checkpoint records each address before its request is sent, so that the run
	// can be killed and restarted at any moment. Runs must not share it. Nil: a
	// restart must wait for a minute.
	Checkpoint Checkpoint
}

// InviteProgress reports how many candidates [InvitationService.SendAll] has processed, and
// whether it waits.
type InviteProgress struct {
	Done, Sent, Existing, Failed int         // Numbers of candidates. Failed: not sent or unknown. Done: the sum of the others.
	WaitUntil                    time.Time   // By the local clock; zero when the run is not waiting.
	Reason                       PauseReason // Why the run waits; "" when it is not waiting.
}

// SendAll sends an invitation to every candidate whose address has none in the
// assessment, each with the guarantees of [InvitationService.Ensure].
//
//   - Each is called once per candidate, in order. It may call other methods of the client.
//     When it returns false, SendAll sends nothing more and returns nil.
//   - Invalid input, a 400, a 409 and a 2xx without an invitation concern one candidate. Any other error
//     ends the run: nothing more is sent, the error of the rest matches [ErrRunEnded], and
//     SendAll returns the error that ended the run.
//   - With Each, which receives every failure, SendAll returns nil when it reached the end of
//     candidates, whatever failed on the way.
//   - Without Each, SendAll returns nil only when every candidate has an invitation. The
//     error joins the failures of the first ten candidates, each with its position in
//     candidates, counted from 1, and says how many more failed.
//   - With a Checkpoint, SendAll can be killed and called again at any moment. Without one,
//     wait a minute after a crash: a request in flight may cause a second e-mail.
//   - An unknown outcome does not delay other candidates.
//   - A tenth of the write rate limit is left to others. SendAll waits for windows
//     regardless of RetryPolicy.MaxWait.
//
// Scope write; costs one write a candidate, one read for each 100 invitations of the
// assessment, about one read a minute while it sends, and up to two listings for each
// unknown outcome.
func (s *InvitationService) SendAll(ctx context.Context, assessmentID string, candidates iter.Seq[NewInvitation], o SendAllOptions) error {
	return s.use().traced(ctx, TraceCall{Operation: "Invitations.SendAll"}, func(ctx context.Context) error {
		if candidates == nil {
			return nil
		}
		r := bulkRun{options: o}
		r.service, r.assessmentID, r.patience = s, assessmentID, quota.Longest
		if o.Progress != nil {
			ctx = s.core.withProgress(ctx, "Invitations.SendAll", func(pause TracePause) {
				p := r.progress
				p.Reason, p.WaitUntil = pause.Reason, pause.Until
				o.Progress(p)
			})
		}
		return r.run(ctx, candidates)
	})
}

const (
	// maxQueue is the greatest number of candidates that are taken from the sequence before
	// Each has received the result of the first of them.
	maxQueue = 1000

	// maxUnknown is the number of unknown outcomes in a row after which a run waits for
	// their lookups: the API is probably down.
	maxUnknown = 3
)

// bulkRun is one call of SendAll. A step advances one candidate of the queue by
// one request or one lookup. Between two steps the run claims no address, so that
// Each and other calls may invite any of them.
type bulkRun struct {
	inviteRun

	options  SendAllOptions
	queue    []invite // In order: Each receives the result of the first one next.
	reported int      // Candidates that have left the queue.
	progress InviteProgress
	failures failures // Of single candidates, without Each.
	unknowns int      // Requests in a row whose outcome was unknown.
	cause    error    // The error that ended the run. Nothing is sent any more.
	stopped  bool     // Each returned false.

	refusedUntil time.Time // Before then the rate limit admits no request.
	refused      error     // The error of the request that it refused.
}

func (r *bulkRun) run(ctx context.Context, candidates iter.Seq[NewInvitation]) error {
	for in := range candidates {
		v := r.prepare(ctx, r.newInvite(in))
		r.queue = append(r.queue, v)
		r.put(len(r.queue)-1, v)
		if r.work(ctx, maxQueue); r.stopped {
			break
		}
	}
	r.work(ctx, 1)
	err := r.checkpoint.close(ctx)
	switch {
	case r.stopped:
		return nil // An address that could not be removed stays saved, which costs a lookup.
	case r.cause != nil:
		err = r.cause
	}
	return r.failures.join(err)
}

// work makes steps until fewer than the given number of candidates are left in the queue, and all
// of them wait for lookups that are not due.
func (r *bulkRun) work(ctx context.Context, full int) {
	for !r.stopped && len(r.queue) > 0 {
		if i := r.next(ctx); i >= 0 {
			r.put(i, r.step(ctx, r.queue[i]))
		} else if len(r.queue) < full && !slices.ContainsFunc(r.queue, invite.ready) {
			return
		} else {
			r.awaitLookup(ctx)
		}
	}
}

// prepare checks a candidate and recalls the last request to its address. The first candidate
// starts the run.
func (r *bulkRun) prepare(ctx context.Context, v invite) invite {
	if r.cause != nil {
		return v
	}
	if err := r.start(ctx); err != nil {
		return v.end(InviteNotSent, err)
	}
	if v.request.err != nil {
		return v.endAlone(InviteNotSent, v.request.err)
	}
	return r.takeOver(v, r.service.requests.last(v.to))
}

// start loads the checkpoint and lists the existing invitations, once.
func (r *bulkRun) start(ctx context.Context) (err error) {
	if r.listed != nil {
		return nil
	}
	var checkpoint *inviteCheckpoint
	if r.options.Checkpoint != nil {
		if checkpoint, err = openInviteCheckpoint(ctx, r.service, r.assessmentID, r.options.Checkpoint); err != nil {
			return err
		}
	}
	if err = r.refresh(ctx); err == nil {
		checkpoint.restore(r.scans.WholeAt)
		r.checkpoint = checkpoint // Saved only from here on: it would lose what is not restored.
	}
	return err
}

// next returns the index of the first candidate of the queue for which a lookup is due, or
// else of the first whose request may be sent, or else -1.
//
// A lookup comes first, because a request may wait for an hour. When several outcomes in a row
// are unknown the API is probably down, and each further request may be one more e-mail that
// only lookups can confirm. So no request follows until the lookups of those are made.
func (r *bulkRun) next(ctx context.Context) int {
	now, impossible := r.now(), r.lookupsImpossible(ctx) != nil
	i := slices.IndexFunc(r.queue, func(v invite) bool {
		return v.pending() && (impossible || r.due(v, now) || r.cause != nil && v.sends == 0)
	})
	_, pending := r.nextLookup()
	if i >= 0 || pending > 0 && r.unknowns >= maxUnknown && r.cause == nil {
		return i
	}
	return slices.IndexFunc(r.queue, invite.ready)
}

// lookupsImpossible returns the error that prevents all further lookups, or nil.
func (r *bulkRun) lookupsImpossible(ctx context.Context) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	failure, ok := errors.AsType[*Error](r.cause)
	if ok && (failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden) {
		return r.cause
	}
	return nil
}

// due reports whether a pending candidate needs no further wait: its lookup is due, or its
// invitation is known already.
func (r *bulkRun) due(v invite, now time.Time) bool {
	_, found := r.find(v.to)
	return found || !now.Before(v.lookups.At)
}

// nextLookup returns when the next lookup is due, and the number of pending candidates.
func (r *bulkRun) nextLookup() (due time.Time, pending int) {
	for _, v := range r.queue {
		if v.pending() {
			pending++
			if pending == 1 || v.lookups.At.Before(due) {
				due = v.lookups.At
			}
		}
	}
	return due, pending
}

// step advances one candidate by a request or a lookup, or waits until the rate limit
// admits a request.
func (r *bulkRun) step(ctx context.Context, v invite) invite {
	invitation, found := r.find(v.to)
	switch {
	case r.cause != nil && v.sends == 0:
		return v.end(InviteNotSent, &RunEndedError{r.cause})
	case r.cause != nil && !v.pending():
		return v.end(InviteNotSent, asNotDone(v.failure)) // The lookups did not find it, and nothing is sent any more.
	case v.pending():
		if err := r.lookupsImpossible(ctx); err != nil {
			return v.lookupFailed(ctx, err)
		}
	case found:
		return v.endFound(invitation)
	default:
		if waited, err := r.awaitTurn(ctx); err != nil {
			return v.end(InviteNotSent, err)
		} else if waited {
			return v // Another candidate may be next by now.
		}
	}
	return r.claimAndStep(ctx, v)
}

// claimAndStep makes the request or the lookup of a candidate while no other call uses its
// address. When the rate limit blocks the request, the candidate stays in the queue.
func (r *bulkRun) claimAndStep(ctx context.Context, v invite) invite {
	ctx, last, err := r.claim(ctx, v.to)
	switch {
	case err != nil && v.pending():
		return v.lookupFailed(ctx, err)
	case err != nil:
		return v.end(InviteNotSent, err)
	}
	defer r.service.requests.release(v.to)
	if last.invitation != nil && !last.at.Equal(v.last.at) {
		v.sends = 0 // Another call sent the invitation.
	}
	v = r.takeOver(v, last)
	if v.done || r.cause != nil && !v.pending() || v.pending() && !r.due(v, r.now()) { // The request of another call is the last one now.
		return v
	}
	if v.pending() {
		if v = r.lookUp(ctx, v); v.last.invitation != nil {
			r.unknowns = 0
		}
		return v
	}
	sent := r.send(ctx, v)
	if sent.pending() {
		r.unknowns++
		return sent
	}
	r.unknowns = 0
	if wait := r.nextWindow(ctx, sent.err); wait > 0 {
		r.refusedUntil, r.refused = time.Now().Add(wait), sent.err
		return v
	}
	return sent
}

// awaitTurn waits until the rate limit admits a request or the next lookup is due. waited is
// false when a request may be sent at once.
func (r *bulkRun) awaitTurn(ctx context.Context) (waited bool, err error) {
	k := r.service.core
	barrier := k.shared.quotas.Enter(k.keys.lastUsed().id, quota.Write, max(leftToOthers, k.config.reserveShare), time.Now())
	wait, untilReset, window := barrier.Wait, true, barrier.Window
	until := time.Until(r.refusedUntil)
	if max(wait, until) <= 0 {
		return false, nil
	}
	reason := error(paceError(wait, window))
	if until > wait {
		wait, untilReset, reason = until, true, r.refused
	}
	why, moved := PauseQuota, k.shared.clock.Moved()
	if due, pending := r.nextLookup(); pending > 0 && due.Sub(r.now()) < wait {
		wait, untilReset, why = due.Sub(r.now()), false, PauseLookup
	}
	if err := sleepUntilMoved(ctx, wait, why, moved); err != nil {
		return false, &endedError{err, reason}
	}
	if untilReset {
		r.windowAt = r.now()
	}
	return true, nil
}

// awaitLookup waits until the next lookup is due.
func (r *bulkRun) awaitLookup(ctx context.Context) {
	due, _ := r.nextLookup()
	if err := r.awaitDue(ctx, due); err != nil { // It ends the run, and further steps conclude the others.
		i := slices.IndexFunc(r.queue, invite.pending)
		r.put(i, r.queue[i].lookupFailed(ctx, err))
	}
}

// put replaces a candidate of the queue. When its result is known, put passes results to
// Each in order, up to the first unknown one.
func (r *bulkRun) put(i int, v invite) {
	r.queue[i] = v
	if !v.done {
		return
	}
	r.progress.count(v.result.Outcome)
	if v.err != nil && r.cause == nil && !v.alone {
		r.cause = v.err
	}
	for len(r.queue) > 0 && r.queue[0].done && !r.stopped {
		first := r.queue[0]
		r.queue = r.queue[1:]
		r.reported++
		switch {
		case r.options.Each != nil:
			r.stopped = !r.options.Each(first.result, first.err)
		case first.result.Outcome == InviteUnknown || first.alone:
			r.failures.add(r.reported, first.result.Candidate.Email, first.err)
		}
	}
	if r.options.Progress != nil {
		r.options.Progress(r.progress)
	}
}

func (p *InviteProgress) count(outcome InviteOutcome) {
	p.Done++
	switch outcome {
	case InviteSent:
		p.Sent++
	case InviteExisting:
		p.Existing++
	default:
		p.Failed++
	}
}

// paceError returns the error of a run that ends while it waits to spread its requests over
// the window.
func paceError(wait time.Duration, window quota.Window) *Error {
	c := &call{request: newRequest("Invitations.Send", inviteRoute, pathID{"assessmentID", ""}), key: noKey}
	e := c.fail(fmt.Sprintf("not sent, because the rest of the write rate limit of %d an hour is "+
		"shared with others and spread until %s", window.Limit, window.Reset.Format(time.RFC3339)), ErrQuotaExhausted)
	e.Code, e.RetryAfter, e.RateLimit = ErrRateLimited, wait, RateLimit(window)
	return e
}
