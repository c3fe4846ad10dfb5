package hiring

import (
	"cmp"
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
	InviteSent     InviteOutcome = "sent"     // By this call.
	InviteExisting InviteOutcome = "existing" // The address had an invitation already; nothing was sent.
	InviteNotSent  InviteOutcome = "not sent" // Certainly not by this call, which may have ended before it listed what exists.
	InviteUnknown  InviteOutcome = "unknown"  // An e-mail may have been sent. Run again later, which looks first.
)

// InviteResult is the result of inviting one candidate.
type InviteResult struct {
	Candidate  NewInvitation
	Invitation Invitation // Zero when it is not known.
	Outcome    InviteOutcome
}

// Ensure sends an invitation to an address that has no invitation of any status in the
// assessment. The error is nil exactly when the outcome is InviteSent or InviteExisting.
//
//   - Addresses are compared without regard to case, surrounding white space and
//     zero-width characters.
//   - After an unknown outcome Ensure lists the invitations 10 s and 60 s after the attempt
//     ended, and sends again only if neither shows the address, at most
//     RetryPolicy.MaxAttempts times.
//   - After a 2xx response without a readable invitation it lists once and never sends again.
//   - Calls of one client and its variants for the same address wait for each other.
//
// Ensure does not protect against two processes that invite one address in the same
// second, nor against a restart within a minute after a crash:
// [InvitationService.SendAll] with a Checkpoint does.
//
// Scope write; costs one write and up to one read for each 100 invitations of the
// assessment.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (InviteResult, error) {
	out := verdict{result: InviteResult{Candidate: in, Outcome: InviteNotSent}}
	out.err = s.use().traced(ctx, TraceCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		r := inviteRun{service: s, assessmentID: assessmentID}
		err := r.check(in)
		if err == nil {
			err = r.look(ctx, inviting.Address(in.Email), false)
		}
		if err != nil {
			return err
		}
		out = r.ensure(ctx, r.newInvite(in))
		return out.err
	})
	return out.result, out.err
}

// ensure invites one candidate. From its first request on it keeps other calls
// away from the address until the outcome is known.
func (r *inviteRun) ensure(ctx context.Context, v invite) verdict {
	for {
		if invitation, found := r.find(v.who); found {
			return v.found(invitation)
		}
		last, claimed, err := r.claim(ctx, v.who)
		if err != nil {
			return v.notSent(err)
		}
		if claimed {
			return r.finish(ctx, r.follow(v, last))
		}
	}
}

// finish looks and sends until the outcome of a claimed address is known, and
// releases the address.
func (r *inviteRun) finish(ctx context.Context, v invite) (out verdict) {
	defer func() { r.release(v) }()
	if v.last.Invited() {
		return v.found(v.last.Invitation)
	}
	for {
		if v.last.Lost != nil {
			if err := r.awaitDue(ctx, v.lookups.At); err != nil {
				return v.lookupFailed(ctx, err)
			}
			v, out = r.settle(ctx, v)
		} else {
			v.last = lastSend{At: r.now(), Lost: unreturned}
			v, out = r.send(ctx, v)
		}
		if out.known {
			return out
		}
	}
}

// lastSend is how the last request ended that may have sent an e-mail to an
// addressee. Lost is its error when the outcome is OutcomeUnknown, or OutcomeDone
// without a readable body.
type (
	lastSend        = inviting.Request[Invitation, *Error]
	sentInvitations = inviting.Sent[Invitation, *Error]
)

// invite is the invitation of one candidate by one call, until its outcome is known.
type invite struct {
	candidate NewInvitation
	who       inviting.Addressee
	sends     int              // Requests of this call whose outcome was unknown.
	failure   *Error           // The error of the last of them.
	last      lastSend         // How the last request to the address ended, by any call of this client.
	lookups   inviting.Lookups // While last has an unknown outcome.
}

// verdict is the outcome for one candidate, once it is known.
type verdict struct {
	known  bool
	result InviteResult
	err    error
}

func (r *inviteRun) newInvite(in NewInvitation) invite {
	return invite{candidate: in, who: inviting.To(r.assessmentID, in.Email)}
}

func (v invite) found(invitation Invitation) verdict {
	outcome := InviteExisting
	if v.sends > 0 {
		outcome = InviteSent
	}
	return verdict{known: true, result: InviteResult{v.candidate, invitation, outcome}}
}

func (v invite) notSent(err error) verdict {
	return verdict{true, InviteResult{Candidate: v.candidate, Outcome: InviteNotSent}, err}
}

func (v invite) unknown(err error) verdict {
	return verdict{true, InviteResult{Candidate: v.candidate, Outcome: InviteUnknown}, err}
}

// lookupFailed is the verdict when an error prevents the lookups.
func (v invite) lookupFailed(ctx context.Context, err error) verdict {
	switch {
	case v.sends == 0:
		return v.notSent(&lookError{err}) // By this call.
	case ctx.Err() != nil:
		return v.unknown(join(ctx, v.last.Lost))
	}
	return v.unknown(fmt.Errorf("%w; looking for it failed: %w", v.last.Lost, err))
}

// send sends one request to a claimed address. The verdict is not known when the
// outcome of the request is unknown.
func (r *inviteRun) send(ctx context.Context, v invite) (invite, verdict) {
	invitation, err := r.service.post(ctx, r.assessmentID, v.candidate, requestHooks{
		before:   func(waited bool) error { return r.stillMissing(ctx, v.who, waited) },
		admitted: func() error { return r.log.sending(ctx, v.who) },
	})
	v.last = lastSend{}
	if last := endedAs(invitation, err, r.now()); last != nil {
		v.last = *last
	}
	switch {
	case err == nil:
		r.Known[v.who.Address] = invitation
		r.log.sent(v.who)
		return v, verdict{known: true, result: InviteResult{v.candidate, invitation, InviteSent}}
	case v.last.Lost != nil:
		v.sends++
		v.failure = v.last.Lost
		v.lookups = r.lookupsAfter(v.last)
		return v, verdict{}
	}
	r.log.resolved(v.who)
	if errors.Is(err, errListed) {
		return v, v.found(r.Known[v.who.Address])
	}
	return v, v.notSent(err)
}

// follow returns v with the last request to its address, and with the lookups that
// follow it unless they have begun.
func (r *inviteRun) follow(v invite, last lastSend) invite {
	if last.At.IsZero() {
		if ended, found := r.log.unresolved(v.who); found {
			last = lastSend{At: ended, Lost: earlierRun}
		}
	}
	if last.Lost != nil && (v.last.Lost != last.Lost || !v.last.At.Equal(last.At)) {
		v.lookups = r.lookupsAfter(last)
	}
	v.last = last
	return v
}

func (r *inviteRun) lookupsAfter(last lastSend) inviting.Lookups {
	if last.Lost.Outcome == OutcomeDone {
		return inviting.Once(r.now())
	}
	retryAfter := last.Lost.RetryAfter
	if retryAfter > r.policy().MaxWait {
		retryAfter = 0
	}
	return inviting.After(last.At, retryAfter, r.now())
}

// settle makes the due lookup. When the verdict is still unknown, either another lookup
// follows, or v.last is zero and the caller sends the request again.
func (r *inviteRun) settle(ctx context.Context, v invite) (invite, verdict) {
	lost := v.last.Lost
	invitation, found := r.find(v.who) // A lookup for another candidate may have shown it.
	if !found {
		if err := r.lookup(ctx, v); err != nil {
			return r.retryLookup(ctx, v, err)
		}
		invitation, found = r.find(v.who)
	}
	if found {
		v.last = lastSend{At: v.last.At, Invitation: invitation}
		r.log.resolved(v.who)
		return v, v.found(invitation)
	}
	next, decided := v.lookups.Missed()
	switch {
	case !decided:
		v.lookups = next
		return v, verdict{}
	case lost.Outcome == OutcomeDone:
		return v, v.unknown(&unlistedError{lost})
	}
	v.last = lastSend{}
	r.log.resolved(v.who)
	if v.sends > 0 && (v.sends >= r.policy().MaxAttempts || lost.RetryAfter > r.policy().MaxWait) {
		return v, v.notSent(settledAs(lost))
	}
	return v, verdict{}
}

// retryLookup schedules another lookup after one that failed, or gives up.
func (r *inviteRun) retryLookup(ctx context.Context, v invite, err error) (invite, verdict) {
	failure, ok := errors.AsType[*Error](err)
	if ok && !failure.throttled && failure.RetryAfter <= r.policy().MaxWait && IsTransient(err) {
		if next, given := v.lookups.Failed(r.now(), failure.RetryAfter, r.policy().MaxAttempts); given {
			v.lookups = next
			return v, verdict{}
		}
	}
	return v, v.lookupFailed(ctx, err)
}

// settledAs returns the error of a request that turned out not to have been done.
func settledAs(lost *Error) *Error {
	settled := *lost
	settled.Outcome = OutcomeNotDone
	return &settled
}

// lookup looks for the address, unless a reading of the listing since the lookup
// was due has shown what it would show. The final one reads the whole listing: its
// order is no reason to send a second e-mail.
func (r *inviteRun) lookup(ctx context.Context, v invite) error {
	whole := v.lookups.Final && v.last.Lost.Outcome != OutcomeDone
	seen := r.Looked
	if whole {
		seen = r.LookedWhole
	}
	if !seen.Before(v.lookups.At) && v.last.Lost.Outcome != OutcomeDone {
		return nil
	}
	wanted := v.who.Address
	if r.shared {
		wanted = ""
	}
	return r.look(ctx, wanted, whole)
}

// endedAs returns how a send ended at a time, for other calls; nil when nothing was sent.
func endedAs(invitation Invitation, err error, now time.Time) *lastSend {
	if err == nil {
		return &lastSend{At: now, Invitation: invitation}
	}
	if failure, ok := errors.AsType[*Error](err); ok && (failure.Outcome == OutcomeDone || failure.Outcome == OutcomeUnknown) {
		return &lastSend{At: now, Lost: failure}
	}
	return nil
}

// freshness is how old the listing may be when something is sent.
const freshness = time.Minute

// inviteRun is one call of Ensure or SendAll: what it knows of an assessment's
// invitations, and how it reads and sends.
type inviteRun struct {
	inviting.Listing[Invitation]

	service      *InvitationService
	assessmentID string
	patient      bool       // Wait for rate-limit windows, however many it takes.
	shared       bool       // More than one candidate awaits a lookup.
	waited       bool       // For a window, since the last reading of the listing.
	log          *inviteLog // Nil: nothing is recorded.
}

func (r *inviteRun) policy() RetryPolicy { return r.service.core.config.retry }

// now returns the local time by which lookups are due.
func (r *inviteRun) now() time.Time { return r.service.core.shared.clock.Now() }

// awaitDue waits until a lookup is due. When a test advances the clock of its own
// server, the wait is shorter.
func (r *inviteRun) awaitDue(ctx context.Context, due time.Time) error {
	for {
		moved := r.service.core.shared.clock.Moved()
		err := sleepUntilMoved(ctx, due.Sub(r.now()), PauseSettle, moved)
		if err != nil || !r.now().Before(due) {
			return err
		}
	}
}

// check rejects an invalid candidate before anything is looked up.
func (r *inviteRun) check(in NewInvitation) error {
	return in.apply(newRequest("Invitations.Ensure", "POST /assessments/{id}/invitations", pathID{"assessmentID", r.assessmentID}), r.service.core.dialect).err
}

// find returns the known invitation of an addressee.
func (r *inviteRun) find(who inviting.Addressee) (invitation Invitation, found bool) {
	if invitation, found = r.Known[who.Address]; found {
		return invitation, true
	}
	return r.service.sent.Invitation(who)
}

// claim waits for its turn at the address. When claimed is false, another call had
// the address meanwhile.
func (r *inviteRun) claim(ctx context.Context, who inviting.Addressee) (last lastSend, claimed bool, err error) {
	last, busy := r.service.sent.Claim(who, r.now())
	if busy == nil {
		return last, true, nil
	}
	listen, _ := ctx.Value(pauseListenerKey{}).(pauseListener)
	report := time.NewTimer(time.Second)
	defer report.Stop()
	for {
		select {
		case <-busy:
			return last, false, nil
		case <-ctx.Done():
			return last, false, fmt.Errorf("hiring: Invitations.Ensure: not sent: another call is inviting the same address: %w", contextError(ctx))
		case <-report.C:
			if listen != nil {
				listen(PauseSettle, time.Now().Add(time.Minute)) // The end of the other call is not known.
			}
			report.Reset(time.Minute)
		}
	}
}

func (r *inviteRun) release(v invite) { r.service.sent.Release(v.who, &v.last) }

// stillMissing is called before each attempt. It returns an error when the attempt
// must not be made.
func (r *inviteRun) stillMissing(ctx context.Context, who inviting.Addressee, waited bool) error {
	r.waited = r.waited || waited && r.patient
	if err := r.refresh(ctx); err != nil {
		return &lookError{err}
	}
	if _, found := r.Known[who.Address]; found {
		return errListed
	}
	return nil
}

// refresh updates the listing when it is too old to send by. A reading that had to
// wait for a window is followed by another.
func (r *inviteRun) refresh(ctx context.Context) error {
	for stale := r.waited || r.now().Sub(r.Looked) > freshness; stale; stale = r.waited {
		if err := r.look(ctx, "", false); err != nil {
			return err
		}
	}
	return nil
}

// look reads the listing until [inviting.Listing] needs no further page. It starts over
// when items leave the listing meanwhile.
func (r *inviteRun) look(ctx context.Context, wanted string, whole bool) error {
	ctx = WithResponse(ctx, nil)
	for n := 0; ; n++ {
		moved, err := r.readListing(ctx, wanted, whole || n > 0)
		if err != nil || !moved {
			return err
		}
		if n >= r.policy().MaxAttempts {
			return errMoved
		}
	}
}

// readListing reads the listing once. When items moved, the wanted address may
// have been missed.
func (r *inviteRun) readListing(ctx context.Context, wanted string, whole bool) (moved bool, err error) {
	facts := func(i *Invitation) inviting.Facts {
		return inviting.Facts{ID: i.ID, Email: i.CandidateEmail, Created: i.CreatedAt}
	}
	own := func(address string) string {
		sent, _ := r.service.sent.Invitation(inviting.To(r.assessmentID, address))
		return sent.ID
	}
	look, token, waited := r.Begin(facts, own, wanted, whole, r.now()), "", r.waited
	r.waited = false
	listing, decoding := r.service.List(r.assessmentID), new(readableInvitations)
	listing.list.request.leniency = decoding
	err = r.patiently(ctx, func() error {
		for page, err := range listing.From(token).Pages(ctx) {
			if err = cmp.Or(err, decoding.unreadable); err != nil {
				return err
			}
			if look.Page(page.Items, page.Meta.Total, page.Next == "") {
				return nil
			}
			token = page.Next
		}
		return nil
	})
	if err == nil {
		look.End()
		r.log.looked(r.LookedWhole)
	}
	r.waited = r.waited || waited && (err != nil || !look.Enough)
	return look.Moved, err
}

// patiently makes a call, again in the next window when this one has nothing left.
func (r *inviteRun) patiently(ctx context.Context, call func() error) error {
	for {
		err := call()
		wait := r.nextWindow(ctx, err)
		if wait == 0 {
			return err
		}
		r.waited = true
		if waitErr := sleep(ctx, wait, PauseQuota); waitErr != nil {
			return &endedError{waitErr, err}
		}
	}
}

// nextWindow returns how long the next window is away when the rate limit ended a
// call of a patient run: others with the same key may have used it up, too. It
// returns 0 for any other error, also for the throttle for failed authentication,
// which a run never waits for.
func (r *inviteRun) nextWindow(ctx context.Context, err error) time.Duration {
	failure, ok := errors.AsType[*Error](err)
	if _, look := errors.AsType[*lookError](err); look {
		return 0 // The lookup was as patient.
	}
	if !ok || !r.patient || ctx.Err() != nil || failure.throttled || !errors.Is(failure, ErrQuotaExhausted) && !failure.usedUp() {
		return 0
	}
	if failure.RetryAfter > longestWindow {
		return 0 // No window ends so late.
	}
	return max(0, failure.RetryAfter)
}

var (
	// errListed is returned when the address got an invitation before the request was sent.
	errListed = errors.New("hiring: the address has an invitation by now")

	// errMoved is returned when no reading of a listing has certainly seen all of it.
	errMoved = errors.New("hiring: items left the listing of invitations each time it was read")

	// unreturned is the error of a call that a panic ended.
	unreturned = &Error{Operation: "Invitations.Send", Message: "the call did not return", Outcome: OutcomeUnknown}

	// earlierRun is the error of a request that a checkpoint records.
	earlierRun = &Error{Operation: "Invitations.Send", Message: "an earlier run ended before it had the response", Outcome: OutcomeUnknown}
)

// lookError is returned when a send was not made because a lookup before it failed.
type lookError struct{ err error }

func (e *lookError) Error() string {
	return "hiring: Invitations.Ensure: not sent, because looking failed: " + e.err.Error()
}

func (e *lookError) Unwrap() error { return e.err }

// unlistedError is returned when the listing does not show an invitation for which
// the API returned a 2xx.
type unlistedError struct{ failure *Error }

func (e *unlistedError) Error() string {
	return e.failure.Error() + "; but the listing does not show it"
}

func (e *unlistedError) Unwrap() error { return e.failure }

// concernsOne reports whether err concerns this candidate alone. An outcome that
// stays unknown concerns all, unless the API said that the write was done.
func (i InviteResult) concernsOne(err error) bool {
	if i.Outcome != InviteNotSent {
		_, done := errors.AsType[*unlistedError](err)
		return done
	}
	if _, looking := errors.AsType[*lookError](err); looking {
		return false
	}
	if _, saving := errors.AsType[*checkpointFailure](err); saving {
		return false
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Status == http.StatusBadRequest || failure.Status == http.StatusConflict
	}
	return errors.Is(err, ErrInvalidInput) // Rejected before it was sent.
}
