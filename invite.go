package hiring

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

// InviteOutcome is the outcome of inviting one candidate.
type InviteOutcome string

// The outcomes of [InvitationService.Ensure] and [InvitationService.SendAll].
const (
	InviteSent     InviteOutcome = "sent"     // Sent by this call, or by another one while the response was lost.
	InviteExisting InviteOutcome = "existing" // The address had an invitation already; nothing was sent.
	InviteNotSent  InviteOutcome = "not sent" // This call sent no e-mail: nothing was sent, or no lookup found the invitation.
	InviteUnknown  InviteOutcome = "unknown"  // An e-mail may have been sent. Run again later: the new run looks for it first.
)

// InviteResult is the result of inviting one candidate.
type InviteResult struct {
	Candidate  NewInvitation
	Invitation Invitation // Zero unless Outcome is InviteSent or InviteExisting.
	Outcome    InviteOutcome
}

// Ensure sends an invitation to an address without an invitation of any status in the
// assessment. The error is nil exactly when the outcome is InviteSent or InviteExisting.
//
//   - Case, surrounding white space and zero-width characters of an address do not
//     matter.
//   - After an unknown outcome Ensure lists the invitations 10 s and 60 s after the attempt
//     ended. It sends again only if neither shows the address, at most
//     RetryPolicy.MaxAttempts requests in all.
//   - After a 2xx response without a readable invitation it lists once and never sends again.
//   - Calls of one client and its variants for the same address wait for each other.
//
// Ensure blocks for about 6 minutes after lost responses with the default options: 4
// attempts of 30 s, and a minute after each. Waits for the rate limit, each up to
// RetryPolicy.MaxWait, a long listing and another call for the same address come on top.
// Only the context is a hard limit. It ends the call with InviteUnknown if a request may
// have been processed.
//
// Ensure does not protect against two processes that invite one address in the same
// second, nor against a restart within a minute after a crash.
// [InvitationService.SendAll] with a Checkpoint allows that restart.
//
// Scope write; costs one write and up to one read for each 100 invitations of the
// assessment. Each unknown outcome costs up to two such listings more, and another write if
// neither shows the address.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (InviteResult, error) {
	k := s.use()
	r := inviteRun{inviteListing: inviteListing{service: s, assessmentID: assessmentID}}
	v := r.newInvite(in)
	v.err = k.traced(ctx, TraceCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		v = r.ensure(ctx, v)
		return v.err
	})
	return v.result, v.err
}

// inviteRun is one call of Ensure or SendAll.
type inviteRun struct {
	inviteListing

	checkpoint *inviteCheckpoint // Nil: nothing is saved.
}

// invite is the invitation of one candidate by one call. Methods of a run take it and
// return it one step further, until the result is known.
type invite struct {
	to      inviting.Addressee
	request request          // With the error of an invalid candidate.
	last    lastRequest      // The last request to the address, by any call.
	lookups inviting.Lookups // While it is not clear whether last sent an e-mail.
	sends   int              // Requests of this call whose outcome was unknown.
	failure *Error           // The error of the last of them.

	done   bool // The result is final.
	result InviteResult
	err    error
	alone  bool // The error concerns this candidate alone, so that SendAll continues.
}

func (r *inviteRun) newInvite(in NewInvitation) invite {
	return invite{
		to: inviting.To(r.assessmentID, in.Email), request: newInviteRequest(r.service.core, r.assessmentID, in),
		result: InviteResult{Candidate: in, Outcome: InviteNotSent},
	}
}

// pending reports whether the next step is a lookup, and not a request.
func (v invite) pending() bool { return !v.done && v.last.unclear != nil }

// ready reports whether the next step is a request.
func (v invite) ready() bool { return !v.done && !v.pending() }

func (v invite) endFound(invitation Invitation) invite {
	v.result.Invitation = invitation
	if v.sends > 0 {
		return v.end(InviteSent, nil)
	}
	return v.end(InviteExisting, nil)
}

func (v invite) end(outcome InviteOutcome, err error) invite {
	v.done, v.result.Outcome, v.err = true, outcome, err
	return v
}

// endAlone ends an invitation with an error that concerns its candidate alone.
func (v invite) endAlone(outcome InviteOutcome, err error) invite {
	v.alone = true
	return v.end(outcome, err)
}

// ensure invites one candidate. From its claim until the result is known it keeps other calls of
// Ensure and SendAll away from the address.
func (r *inviteRun) ensure(ctx context.Context, v invite) invite {
	if v.request.err != nil {
		return v.endAlone(InviteNotSent, v.request.err)
	}
	if err := r.scan(ctx, v.to.Address, false); err != nil {
		return v.end(InviteNotSent, err)
	}
	if invitation, found := r.find(v.to); found {
		return v.endFound(invitation)
	}
	ctx, last, err := r.claim(ctx, v.to)
	if err != nil {
		return v.end(InviteNotSent, err)
	}
	defer r.service.requests.release(v.to)
	for v = r.takeOver(v, last); !v.done; {
		if !v.pending() {
			v = r.send(ctx, v)
		} else if err := r.awaitDue(ctx, v.lookups.At); err != nil {
			v = v.lookupFailed(ctx, err)
		} else {
			v = r.lookUp(ctx, v)
		}
	}
	return v
}

// heldAddress is the key of a value in the context of a call that has claimed an address.
type heldAddress struct {
	requests *requestMemory
	key      string
}

// claim excludes other calls from an address until it is released in service.requests. It
// waits for the end of another call that has the address. claim returns the context to use
// until then, by which a call for the same address is refused that this one would wait for.
func (r *inviteRun) claim(ctx context.Context, to inviting.Addressee) (context.Context, lastRequest, error) {
	held := heldAddress{r.service.requests, to.Key}
	if ctx.Value(held) != nil {
		return ctx, lastRequest{}, errOwnAddress
	}
	announce := time.NewTimer(time.Second)
	defer announce.Stop()
	for {
		last, busy := r.service.requests.claim(to, r.now())
		if busy == nil {
			return context.WithValue(ctx, held, true), last, nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return ctx, last, fmt.Errorf("hiring: Invitations.Ensure: not sent: another call is inviting the same address: %w", contextError(ctx))
		case <-announce.C:
			announceWait(ctx, time.Minute, PauseLookup) // The end of the other call is not known.
			announce.Reset(time.Minute)
		}
	}
}

// takeOver returns v with the last request to its address, which any call may have sent. It may
// still take effect. Lookups that count from an earlier request end too soon, and the next
// request is a second e-mail. So lookups begin anew when v did not know the request.
func (r *inviteRun) takeOver(v invite, last lastRequest) invite {
	if last.unclear != nil && last != v.last {
		v.lookups = r.lookupsAfter(last)
	}
	v.last = last
	if last.invitation != nil {
		return v.endFound(*last.invitation)
	}
	return v
}

// lookupsAfter returns the lookups of a request whose outcome is unknown.
func (r *inviteRun) lookupsAfter(last lastRequest) inviting.Lookups {
	if last.processed() {
		return inviting.Lookups{At: r.now()} // A later lookup would show no more.
	}
	retryAfter := last.unclear.RetryAfter
	if retryAfter > r.policy().MaxWait { // Too long to wait for: lookups come on time, and missed sends nothing again.
		retryAfter = 0
	}
	return inviting.After(last.at, retryAfter, r.now())
}

// send sends one request to a claimed address.
func (r *inviteRun) send(ctx context.Context, v invite) invite {
	if err := r.refresh(ctx); err != nil { // Here too, so that no place in the rate limit is held while it waits.
		return v.end(InviteNotSent, err)
	}
	var prevented, err error
	v.request.beforeAttempt = func() error {
		prevented = r.beforeAttempt(ctx, v.to, false)
		return prevented
	}
	v.last, err = r.service.post(ctx, v.to, v.request)
	failure, _ := errors.AsType[*Error](err)
	switch {
	case v.last.invitation != nil:
		v.result.Invitation = *v.last.invitation
		r.listed[v.to.Address] = v.result.Invitation
		return v.end(InviteSent, nil)
	case v.pending():
		v.sends++
		v.failure = v.last.unclear
		v.lookups = r.lookupsAfter(v.last)
		return v
	case errors.Is(prevented, errListed):
		return v.endFound(r.listed[v.to.Address])
	case prevented != nil:
		return v.end(InviteNotSent, prevented)
	case failure != nil && (failure.Status == http.StatusBadRequest || failure.Status == http.StatusConflict):
		return v.endAlone(InviteNotSent, err) // The API rejected the input.
	}
	return v.end(InviteNotSent, err)
}

// beforeAttempt is called just before each attempt of a request. It prevents the attempt when
// the listing, read again if it is old, shows the address, or when the checkpoint cannot be
// saved.
func (r *inviteRun) beforeAttempt(ctx context.Context, to inviting.Addressee, waited bool) error {
	if waited && r.patience > 0 { // A window may be an hour long, and others may have invited meanwhile.
		r.windowAt = r.now()
	}
	if err := r.refresh(ctx); err != nil {
		return err
	}
	if _, listed := r.listed[to.Address]; listed {
		return errListed
	}
	return r.checkpoint.sending(ctx, to)
}

// post sends an invitation and records the request if it may have sent an e-mail, also when a
// panic ends the call.
func (s *InvitationService) post(ctx context.Context, to inviting.Addressee, r request) (last lastRequest, err error) {
	last.unclear = errNotReturned
	defer func() {
		if last != (lastRequest{}) {
			last.at = s.core.shared.clock.Now()
			s.requests.record(to, last, last.at)
		}
	}()
	invitation, err := do[Invitation](ctx, s.core, r)
	failure, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		last = lastRequest{invitation: &invitation}
	case ok && (failure.Outcome == OutcomeDone || failure.Outcome == OutcomeUnknown):
		last = lastRequest{unclear: failure}
	default:
		last = lastRequest{}
	}
	return last, err
}

// lookUp makes the lookup that is due, unless a scan since then has shown what it would show.
// Afterwards the result is known, or another lookup follows, or the next step is a request.
//
// The final lookup decides to send again, so it reads the whole listing: newest first is
// documented, but a listing in another order must not cause a second e-mail.
func (r *inviteRun) lookUp(ctx context.Context, v invite) invite {
	scanned := r.scans.LatestAt
	if v.lookups.Final {
		scanned = r.scans.WholeAt
	}
	// After a 2xx the lookup is due at once, when a scan of the same moment preceded the request.
	stale := scanned.Before(v.lookups.At) || v.last.processed()
	invitation, found := r.find(v.to) // A lookup for another candidate may have shown it.
	if !found && stale {
		if err := r.scan(ctx, v.to.Address, v.lookups.Final); err != nil {
			return r.lookUpAgain(ctx, v, err)
		}
		invitation, found = r.find(v.to)
	}
	if !found {
		return r.missed(v)
	}
	v.last.invitation, v.last.unclear = &invitation, nil
	r.service.requests.record(v.to, v.last, r.now())
	return v.endFound(invitation)
}

// missed follows a lookup that did not show the invitation.
func (r *inviteRun) missed(v invite) invite {
	unclear := v.last.unclear
	next, decided := v.lookups.Missed()
	switch {
	case v.last.processed(): // Whether it sent an e-mail is not known.
		return v.endAlone(InviteUnknown, fmt.Errorf("%w; the listing does not show the invitation", unclear))
	case !decided:
		v.lookups = next
		return v
	}
	r.service.requests.settle(v.to, v.last)
	v.last = lastRequest{}
	if v.sends > 0 && (v.sends >= r.policy().MaxAttempts || unclear.RetryAfter > r.policy().MaxWait) {
		return v.end(InviteNotSent, asNotDone(unclear))
	}
	return v
}

// lookUpAgain schedules another lookup after one that failed, or gives up.
func (r *inviteRun) lookUpAgain(ctx context.Context, v invite, err error) invite {
	failure, ok := errors.AsType[*Error](err)
	if ok && failure.RetryAfter <= r.policy().MaxWait && IsTransient(err) {
		if next, again := v.lookups.Failed(r.now(), failure.RetryAfter, r.policy().MaxAttempts); again {
			v.lookups = next
			return v
		}
	}
	return v.lookupFailed(ctx, err)
}

// lookupFailed ends an invitation whose lookups an error prevents. A call that sent nothing
// itself certainly did not invite the candidate.
func (v invite) lookupFailed(ctx context.Context, err error) invite {
	_, listing := errors.AsType[*Error](err)
	switch {
	case v.sends == 0 && !listing: // The wait for the lookup ended.
		return v.end(InviteNotSent, err)
	case v.sends == 0:
		return v.end(InviteNotSent, listingFailure(err))
	case ctx.Err() != nil:
		return v.end(InviteUnknown, join(ctx, v.last.unclear))
	}
	return v.end(InviteUnknown, fmt.Errorf("%w; the lookup of the invitation failed: %w", v.last.unclear, err))
}

// asNotDone returns the error of a request that the lookups have shown not to be done.
func asNotDone(unclear *Error) *Error {
	settled := *unclear
	settled.Outcome = OutcomeNotDone
	return &settled
}

// awaitDue waits until a lookup is due. When a test advances the clock of its own
// server, the wait is shorter.
func (r *inviteRun) awaitDue(ctx context.Context, due time.Time) error {
	for {
		moved := r.service.core.shared.clock.Moved()
		err := sleepUntilMoved(ctx, due.Sub(r.now()), PauseLookup, moved)
		if err != nil || !r.now().Before(due) {
			return err
		}
	}
}

var (
	// errListed prevents an attempt when the listing shows the address by now.
	errListed = errors.New("hiring: the address has an invitation by now")

	// errOwnAddress is returned when a function that a call waits for invites the address of
	// that call.
	errOwnAddress = &Error{Operation: "Invitations.Ensure", Outcome: OutcomeNotDone, Message: "not sent, because a function that the invitation of the same " +
		"address waits for made the call: make it after that invitation"}

	// errNotReturned is the error of a call that a panic ended.
	errNotReturned = &Error{Operation: "Invitations.Send", Message: "the call did not return", Outcome: OutcomeUnknown}

	// errEarlierRun is the error of a request that a checkpoint has saved.
	errEarlierRun = &Error{Operation: "Invitations.Send", Message: "an earlier run ended before it had the response", Outcome: OutcomeUnknown}
)
