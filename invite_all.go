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

	// Progress is called after each candidate, before each wait of more than a
	// second, and every minute of such a wait. It must not invite: a call for the address
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
//   - A 400, a 409 and a 2xx without an invitation concern one candidate. Any other error
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
		r := bulkRun{inviteRun: inviteRun{service: s, assessmentID: assessmentID, patient: true}, options: o}
		return r.run(r.listen(ctx), candidates)
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
	queue    []queued // In order: Each receives the result of the first one next.
	reported int      // Candidates that have left the queue.
	progress InviteProgress
	failures failures // Of single candidates, without Each.
	unknowns int      // Requests in a row whose outcome was unknown.
	blocked  blockade // By the rate limit.
	cause    error    // The error that ended the run. Nothing is sent any more.
	stopped  bool     // Each returned false.
}

// queued is a candidate whose result Each has not received yet.
type queued struct {
	invite
	conclusion
}

// pending reports whether the candidate waits for a lookup.
func (q *queued) pending() bool { return !q.known && q.last.Lost != nil }

// ready reports whether the candidate's request is the next step.
func (q *queued) ready() bool { return !q.known && q.last.Lost == nil }

// blockade is the time before which the rate limit admits no request, and the error of the
// request that it refused.
type blockade struct {
	until time.Time
	err   error
}

func (r *bulkRun) run(ctx context.Context, candidates iter.Seq[NewInvitation]) error {
	for in := range candidates {
		r.enqueue(ctx, in)
		for r.advance(ctx); r.mustAwaitLookup(); r.advance(ctx) {
			r.awaitLookup(ctx)
		}
		if r.stopped {
			break
		}
	}
	for !r.stopped && len(r.queue) > 0 {
		r.awaitLookup(ctx)
		r.advance(ctx)
	}
	err := r.log.close(ctx)
	switch {
	case r.stopped:
		return nil // An address that could not be removed stays recorded, which costs a lookup.
	case r.cause != nil:
		err = r.cause
	}
	return r.failures.join(err)
}

// enqueue adds a candidate to the queue. The first candidate starts the run.
func (r *bulkRun) enqueue(ctx context.Context, in NewInvitation) {
	r.queue = append(r.queue, queued{invite: r.newInvite(in)})
	q := &r.queue[len(r.queue)-1]
	if r.cause != nil {
		return
	}
	if err := r.start(ctx); err != nil {
		r.cause = err
		r.conclude(q, q.notSent(err))
	} else if err := r.check(in); err != nil {
		r.conclude(q, q.notSent(err))
	} else if _, found := r.find(q.to); !found {
		q.invite = r.withLast(q.invite, lastSend{}) // An earlier run may have sent to it.
	}
}

// start loads the checkpoint and lists the existing invitations, once.
func (r *bulkRun) start(ctx context.Context) (err error) {
	if r.listing.Known != nil {
		return nil
	}
	if r.options.Checkpoint != nil {
		if r.log, err = openInviteLog(ctx, r.service.core, r.options.Checkpoint, r.assessmentID); err != nil {
			return err
		}
	}
	return r.refresh(ctx)
}

// mustAwaitLookup reports whether the run must wait for a lookup before it takes another
// candidate from the sequence.
func (r *bulkRun) mustAwaitLookup() bool {
	return !r.stopped && (len(r.queue) >= maxQueue || slices.ContainsFunc(r.queue, func(q queued) bool { return q.ready() }))
}

// advance makes all steps that are possible without waiting for a lookup.
func (r *bulkRun) advance(ctx context.Context) {
	for !r.stopped {
		q := r.next(ctx, r.now())
		if q == nil {
			return
		}
		if end := r.step(ctx, q); end.known {
			r.conclude(q, end)
		}
	}
}

// next returns the first candidate of the queue for which a lookup is due, or else
// the first whose request may be sent.
func (r *bulkRun) next(ctx context.Context, now time.Time) *queued {
	_, pending := r.nextLookup()
	r.shared = pending > 1
	impossible := r.lookupsImpossible(ctx) != nil
	for i := range r.queue {
		q := &r.queue[i]
		if q.pending() && (impossible || r.due(q, now) || r.cause != nil && q.sends == 0) {
			return q
		}
	}
	if pending > 0 && r.unknowns >= maxUnknown && r.cause == nil {
		return nil
	}
	for i := range r.queue {
		if r.queue[i].ready() {
			return &r.queue[i]
		}
	}
	return nil
}

// lookupsImpossible returns the error that prevents all further lookups, or nil.
func (r *bulkRun) lookupsImpossible(ctx context.Context) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	failure, ok := errors.AsType[*Error](r.cause)
	if ok && (failure.throttled || failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden) {
		return r.cause
	}
	return nil
}

// due reports whether a pending candidate needs no further wait: its lookup is due, or its
// invitation is known already.
func (r *bulkRun) due(q *queued, now time.Time) bool {
	_, found := r.find(q.to)
	return found || !now.Before(q.lookups.At)
}

// nextLookup returns when the next lookup is due, and the number of pending candidates.
func (r *bulkRun) nextLookup() (due time.Time, pending int) {
	for i := range r.queue {
		if q := &r.queue[i]; q.pending() {
			pending++
			if pending == 1 || q.lookups.At.Before(due) {
				due = q.lookups.At
			}
		}
	}
	return due, pending
}

// step advances one candidate by a request or a lookup, or waits until the rate limit
// admits a request.
func (r *bulkRun) step(ctx context.Context, q *queued) conclusion {
	switch {
	case r.cause != nil && q.sends == 0:
		return q.notSent(&RunEndedError{r.cause})
	case r.cause != nil && q.ready():
		return q.notSent(asNotDone(q.failure)) // The lookups did not find it, and nothing is sent any more.
	case q.pending():
		if err := r.lookupsImpossible(ctx); err != nil {
			return q.lookupFailed(ctx, err)
		}
	}
	if q.ready() {
		if invitation, found := r.find(q.to); found {
			r.log.resolved(q.to)
			return q.found(invitation)
		}
		if waits, err := r.awaitTurn(ctx); err != nil {
			return q.notSent(err)
		} else if waits {
			return conclusion{} // Another candidate may be next by now.
		}
	}
	return r.claimAndStep(ctx, q)
}

// claimAndStep makes the request or the lookup of a candidate while no other call uses its
// address.
func (r *bulkRun) claimAndStep(ctx context.Context, q *queued) (end conclusion) {
	last, claimed, err := r.claim(ctx, q.to)
	switch {
	case err != nil && q.pending():
		return q.lookupFailed(ctx, err)
	case err != nil:
		return q.notSent(err)
	case !claimed:
		return conclusion{}
	}
	defer func() { r.release(q.invite) }()
	ctx = r.withClaim(ctx, q.to)
	if last.Invited() && !last.At.Equal(q.last.At) {
		q.sends = 0 // Another call sent the invitation.
	}
	q.invite = r.withLast(q.invite, last)
	switch {
	case q.last.Invited():
		r.log.resolved(q.to)
		return q.found(q.last.Invitation)
	case q.last.Lost == nil:
		return r.sendQueued(ctx, q)
	case !r.due(q, r.now()): // The request of another call is the last one now.
		return conclusion{}
	}
	q.invite, end = r.settle(ctx, q.invite)
	if q.last.Invited() {
		r.unknowns = 0
	}
	return end
}

// sendQueued sends the request of a claimed candidate. The conclusion is not known when the
// outcome is unknown, and when the rate limit blocks the request.
func (r *bulkRun) sendQueued(ctx context.Context, q *queued) (end conclusion) {
	q.last = r.inFlight()
	q.invite, end = r.send(ctx, q.invite)
	if q.pending() {
		r.unknowns++
		return conclusion{}
	}
	r.unknowns = 0
	if wait := r.nextWindow(ctx, end.err); wait > 0 && end.result.Outcome == InviteNotSent {
		r.blocked = blockade{time.Now().Add(wait), end.err}
		return conclusion{}
	}
	return end
}

// awaitTurn waits until the rate limit admits a request or the next lookup is due. waits is
// false when a request may be sent at once.
func (r *bulkRun) awaitTurn(ctx context.Context) (waits bool, err error) {
	k := r.service.core
	wait, nextWindow, window := k.shared.quotas.Pace(k.keys.lastUsed().id, k.config.reserveShare, time.Now())
	reason := error(paceError(wait, window))
	if until := time.Until(r.blocked.until); until > wait {
		wait, nextWindow, reason = until, true, r.blocked.err
	}
	if wait <= 0 {
		return false, nil
	}
	why, moved := PauseQuota, k.shared.clock.Moved()
	if due, pending := r.nextLookup(); pending > 0 && due.Sub(r.now()) < wait {
		wait, nextWindow, why = due.Sub(r.now()), false, PauseSettle
	}
	if err := sleepUntilMoved(ctx, wait, why, moved); err != nil {
		return false, &endedError{err, reason}
	}
	r.waited = r.waited || nextWindow
	return true, nil
}

// awaitLookup waits until the next lookup is due.
func (r *bulkRun) awaitLookup(ctx context.Context) {
	due, _ := r.nextLookup()
	err := r.awaitDue(ctx, due)
	if err == nil {
		return
	}
	// The error ends the run, and advance concludes the others.
	if i := slices.IndexFunc(r.queue, func(q queued) bool { return q.pending() }); i >= 0 {
		r.conclude(&r.queue[i], r.queue[i].lookupFailed(ctx, err))
	}
}

// conclude keeps the conclusion of a candidate and passes results to Each, in order, as far
// as they are known.
func (r *bulkRun) conclude(q *queued, end conclusion) {
	q.conclusion = end
	r.progress.count(end.result.Outcome)
	if end.err != nil && r.cause == nil && !end.result.concernsOne(end.err) {
		r.cause = end.err
	}
	for len(r.queue) > 0 && r.queue[0].known {
		first := r.queue[0]
		r.queue = r.queue[1:]
		r.reported++
		if r.options.Each == nil {
			if first.result.Outcome == InviteUnknown || first.err != nil && first.result.concernsOne(first.err) {
				r.failures.add(r.reported, first.result.Candidate.Email, first.err)
			}
		} else if !r.options.Each(first.result, first.err) {
			r.stopped = true
			break
		}
	}
	if r.options.Progress != nil {
		r.options.Progress(r.progress)
	}
}

// listen returns a context under which waits are reported to Progress.
func (r *bulkRun) listen(ctx context.Context) context.Context {
	if r.options.Progress == nil {
		return ctx
	}
	return context.WithValue(ctx, pauseListenerKey{}, pauseListener(func(reason PauseReason, until time.Time) {
		p := r.progress
		p.Reason, p.WaitUntil = reason, until
		r.options.Progress(p)
	}))
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
	e := &Error{
		Code: ErrRateLimited,
		Message: fmt.Sprintf("not sent, because the rest of the write rate limit of %d an hour is shared with others and "+
			"spread until %s", window.Limit, window.Reset.Format(time.RFC3339)),
		Method:     http.MethodPost,
		Route:      "/assessments/{id}/invitations",
		Outcome:    OutcomeNotDone,
		RetryAfter: wait,
		RateLimit:  RateLimit(window),
		Operation:  "Invitations.Send",
	}
	e.causedBy(ErrQuotaExhausted)
	return e
}
