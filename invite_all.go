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
	// Returning false ends the run. Nil: not called.
	Each func(InviteResult, error) bool

	// Progress is called after each candidate, before each wait of more than a
	// second, and every minute of such a wait. Nil: not called.
	Progress func(InviteProgress)

	// Checkpoint records each address before its request is sent, so that the run
	// can be killed and restarted at any moment. Runs must not share it. Nil: a
	// restart must wait for a minute.
	Checkpoint Checkpoint
}

// InviteProgress is the state of a run of [InvitationService.SendAll].
type InviteProgress struct {
	Done, Sent, Existing, Failed int         // Candidates; Done is the sum of the others.
	WaitUntil                    time.Time   // By the local clock; zero when the run is not waiting.
	Reason                       PauseReason // Why the run waits; "" when it is not waiting.
}

// ErrRunEnded is accepted by errors.Is for a candidate that
// [InvitationService.SendAll] did not try because the run had ended before.
// errors.As finds a [*RunEndedError], which holds the cause.
var ErrRunEnded = errors.New("hiring: the run ended before this candidate")

// RunEndedError is the error of a candidate that [InvitationService.SendAll] did
// not try because an error had ended the run.
type RunEndedError struct {
	Cause error // The error that ended the run. It may concern another candidate.
}

// Error returns one line: that the run had ended, and why.
func (e *RunEndedError) Error() string { return ErrRunEnded.Error() + ": " + e.Cause.Error() }

// Is accepts [ErrRunEnded] and what the cause accepts, except [ErrOutcomeUnknown]:
// nothing was sent to this candidate.
func (e *RunEndedError) Is(target error) bool {
	return target == ErrRunEnded || target != ErrOutcomeUnknown && errors.Is(e.Cause, target)
}

// SendAll sends an invitation to every candidate whose address has none in the
// assessment, each with the guarantees of [InvitationService.Ensure].
//
//   - Each is called once for every candidate, in order. It may send invitations itself.
//     When it returns false, SendAll sends nothing more and returns nil.
//   - A 400, a 409 and a 2xx without an invitation concern one candidate. After any other
//     error the remaining candidates are not sent. Their error matches [ErrRunEnded].
//   - With a Checkpoint, SendAll can be killed and called again at any moment. Without one,
//     wait a minute after a crash: a request on its way may cause a second e-mail.
//   - An unknown outcome does not delay the other candidates.
//   - A tenth of the write rate limit is left to others. SendAll waits for windows
//     regardless of RetryPolicy.MaxWait, until the context's deadline.
//
// Scope write; costs one write a candidate, one listing, and up to two reads for each
// minute in which it sends.
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
	// mostAhead is how many candidates are taken from the sequence at most before
	// Each has the result of the first of them.
	mostAhead = 1000

	// mostLost is after how many unknown outcomes in a row a run waits for their
	// lookups: the API is probably down.
	mostLost = 3
)

// bulkRun is one call of SendAll. A step advances one candidate of the queue by
// one request or one lookup. Between two steps the run claims no address, so that
// Each and other calls may invite any of them.
type bulkRun struct {
	inviteRun

	options  SendAllOptions
	queue    []queued // In order; the next result for Each is that of the first.
	progress InviteProgress
	lost     int      // Requests in a row whose outcome was unknown.
	blocked  blockade // By the rate limit.
	cause    error    // The error that ended the run. Nothing is sent any more.
	left     bool     // Each returned false.
}

// queued is a candidate whose result Each has not had yet.
type queued struct {
	invite
	verdict
}

// pending reports whether the candidate waits for a lookup.
func (q *queued) pending() bool { return !q.known && q.last.Lost != nil }

// ready reports whether the candidate's request is to be sent.
func (q *queued) ready() bool { return !q.known && q.last.Lost == nil }

// blockade is the time before which the rate limit admits no request, with the
// error that said so.
type blockade struct {
	until time.Time
	err   error
}

func (r *bulkRun) run(ctx context.Context, candidates iter.Seq[NewInvitation]) error {
	for in := range candidates {
		r.take(ctx, in)
		for r.advance(ctx); r.full(); r.advance(ctx) {
			r.awaitLookup(ctx)
		}
		if r.left {
			break
		}
	}
	for !r.left && len(r.queue) > 0 {
		r.awaitLookup(ctx)
		r.advance(ctx)
	}
	err := r.log.close(ctx)
	switch {
	case r.left:
		return nil // An address that close could not remove stays recorded, which costs a lookup.
	case r.cause != nil:
		return r.cause
	}
	return err
}

// take adds a candidate to the queue. With the first one, the run begins.
func (r *bulkRun) take(ctx context.Context, in NewInvitation) {
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
	} else if _, found := r.find(q.who); !found {
		q.invite = r.follow(q.invite, lastSend{}) // An earlier run may have sent to it.
	}
}

// start loads the checkpoint and lists the existing invitations, once.
func (r *bulkRun) start(ctx context.Context) (err error) {
	if r.Known != nil {
		return nil
	}
	if r.options.Checkpoint != nil {
		if r.log, err = openInviteLog(ctx, r.service.core, r.options.Checkpoint, r.assessmentID); err != nil {
			return err
		}
	}
	return r.refresh(ctx)
}

// full reports whether the run must wait for a lookup before it takes another
// candidate.
func (r *bulkRun) full() bool {
	return !r.left && (len(r.queue) >= mostAhead || slices.ContainsFunc(r.queue, func(q queued) bool { return q.ready() }))
}

// advance makes all steps that are possible without waiting for a lookup.
func (r *bulkRun) advance(ctx context.Context) {
	for !r.left {
		q := r.next(ctx, r.now())
		if q == nil {
			return
		}
		if out := r.step(ctx, q); out.known {
			r.conclude(q, out)
		}
	}
}

// next returns the first candidate of the queue for which a lookup is due, or else
// the first whose request may be sent.
func (r *bulkRun) next(ctx context.Context, now time.Time) *queued {
	_, pending := r.nextLookup()
	r.shared = pending > 1
	over := r.noLookups(ctx) != nil
	for i := range r.queue {
		q := &r.queue[i]
		if q.pending() && (over || r.due(q, now) || r.cause != nil && q.sends == 0) {
			return q
		}
	}
	if pending > 0 && r.lost >= mostLost && r.cause == nil {
		return nil
	}
	for i := range r.queue {
		if r.queue[i].ready() {
			return &r.queue[i]
		}
	}
	return nil
}

// noLookups returns why no lookup can succeed any more, or nil.
func (r *bulkRun) noLookups(ctx context.Context) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	failure, ok := errors.AsType[*Error](r.cause)
	if ok && (failure.throttled || failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden) {
		return r.cause
	}
	return nil
}

// due reports whether a step would tell more about a pending candidate.
func (r *bulkRun) due(q *queued, now time.Time) bool {
	_, found := r.find(q.who)
	return found || !now.Before(q.lookups.At)
}

// nextLookup returns when the next lookup is due, and how many candidates wait for
// one.
func (r *bulkRun) nextLookup() (due time.Time, pending int) {
	for i := range r.queue {
		if q := &r.queue[i]; q.pending() {
			if pending++; pending == 1 || q.lookups.At.Before(due) {
				due = q.lookups.At
			}
		}
	}
	return due, pending
}

// step advances one candidate.
func (r *bulkRun) step(ctx context.Context, q *queued) verdict {
	switch {
	case r.cause != nil && q.sends == 0:
		return q.notSent(&RunEndedError{r.cause})
	case r.cause != nil && q.ready():
		return q.notSent(settledAs(q.failure)) // Looked up, and not to be sent again.
	case q.pending():
		if err := r.noLookups(ctx); err != nil {
			return q.lookupFailed(ctx, err)
		}
	}
	if q.ready() {
		if invitation, found := r.find(q.who); found {
			r.log.resolved(q.who)
			return q.found(invitation)
		}
		if waits, err := r.awaitTurn(ctx); err != nil {
			return q.notSent(err)
		} else if waits {
			return verdict{} // Another candidate may be next by now.
		}
	}
	return r.claimed(ctx, q)
}

// claimed makes the request or the lookup of a candidate while no other call uses
// its address.
func (r *bulkRun) claimed(ctx context.Context, q *queued) (out verdict) {
	last, ok, err := r.claim(ctx, q.who)
	switch {
	case err != nil && q.pending():
		return q.lookupFailed(ctx, err)
	case err != nil:
		return q.notSent(err)
	case !ok:
		return verdict{}
	}
	defer func() { r.release(q.invite) }()
	if last.Invited() && !last.At.Equal(q.last.At) {
		q.sends = 0 // Another call sent it.
	}
	q.invite = r.follow(q.invite, last)
	switch {
	case q.last.Invited():
		r.log.resolved(q.who)
		return q.found(q.last.Invitation)
	case q.last.Lost != nil && !r.due(q, r.now()): // Another call sent it.
		return verdict{}
	case q.last.Lost != nil:
		if q.invite, out = r.settle(ctx, q.invite); q.last.Invited() {
			r.lost = 0
		}
		return out
	}
	q.last = lastSend{At: r.now(), Lost: unreturned}
	if q.invite, out = r.send(ctx, q.invite); q.pending() {
		r.lost++
		return verdict{}
	}
	r.lost = 0
	if wait := r.nextWindow(ctx, out.err); wait > 0 && out.result.Outcome == InviteNotSent {
		r.blocked = blockade{time.Now().Add(wait), out.err}
		return verdict{}
	}
	return out
}

// awaitTurn waits for a moment when the rate limit admits a request, but not longer
// than until the next lookup. It returns false when that moment is now.
func (r *bulkRun) awaitTurn(ctx context.Context) (waits bool, err error) {
	k := r.service.core
	wait, wholly, said := k.shared.quotas.Pace(k.keys.lastUsed().id, k.config.reserve, time.Now())
	reason := error(tooSoon(wait, said))
	if until := time.Until(r.blocked.until); until > wait {
		wait, wholly, reason = until, true, r.blocked.err
	}
	if wait <= 0 {
		return false, nil
	}
	why, moved := PauseQuota, k.shared.clock.Moved()
	if due, pending := r.nextLookup(); pending > 0 && due.Sub(r.now()) < wait {
		wait, wholly, why = due.Sub(r.now()), false, PauseSettle
	}
	if err := sleepUntilMoved(ctx, wait, why, moved); err != nil {
		return false, &endedError{err, reason}
	}
	r.waited = r.waited || wholly
	return true, nil
}

// awaitLookup waits until the next lookup is due.
func (r *bulkRun) awaitLookup(ctx context.Context) {
	due, _ := r.nextLookup()
	err := r.awaitDue(ctx, due)
	for err != nil && !r.left {
		i := slices.IndexFunc(r.queue, func(q queued) bool { return q.pending() })
		if i < 0 {
			return
		}
		r.conclude(&r.queue[i], r.queue[i].lookupFailed(ctx, err))
	}
}

// conclude keeps the verdict of a candidate and passes on all results whose turn
// it is.
func (r *bulkRun) conclude(q *queued, out verdict) {
	q.verdict = out
	r.progress.count(out.result.Outcome)
	if out.err != nil && r.cause == nil && !out.result.concernsOne(out.err) {
		r.cause = out.err
	}
	for len(r.queue) > 0 && r.queue[0].known {
		first := r.queue[0]
		r.queue = r.queue[1:]
		if r.options.Each != nil && !r.options.Each(first.result, first.err) {
			r.left = true
			return
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

// tooSoon is the error of a run that ends while it keeps a reserve for others.
func tooSoon(wait time.Duration, said quota.Window) *Error {
	e := &Error{
		Code:       ErrRateLimited,
		Message:    fmt.Sprintf("not sent, because the rest of the write rate limit of %d an hour is shared with others and spread until %s", said.Limit, said.Reset.Format(time.RFC3339)),
		Method:     http.MethodPost,
		Route:      "/assessments/{id}/invitations",
		Outcome:    OutcomeNotDone,
		RetryAfter: wait,
		RateLimit:  RateLimit(said),
		Operation:  "Invitations.Send",
	}
	e.causedBy(ErrQuotaExhausted)
	return e
}
