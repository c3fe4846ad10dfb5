package hiring

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// When to look for an invitation whose reply was lost, counted from the end of
// the attempt. What does not show by the second look was not done and will not be
// (assumed: settling).
const (
	firstLook = 10 * time.Second
	lastLook  = time.Minute
)

// errListed says that an address turned out to be invited when the request was
// about to go.
var errListed = errors.New("hiring: the address has an invitation by now")

// lookError says that a send was not made because a look before it failed.
type lookError struct{ err error }

func (e *lookError) Error() string {
	return "hiring: Invitations.Ensure: not sent, because looking failed: " + e.err.Error()
}

func (e *lookError) Unwrap() error { return e.err }

// unreturned is what is known of a call that a panic ended.
var unreturned = &Error{operation: "Invitations.Send", Message: "the call did not return", Outcome: OutcomeUnknown}

// unlistedError says that an invitation is not where the service's 2xx should
// have put it.
type unlistedError struct{ failure *Error }

func (e *unlistedError) Error() string {
	return e.failure.Error() + "; but the listing does not show it"
}

func (e *unlistedError) Unwrap() error { return e.failure }

// lastSend is how the last request ended that may have mailed an addressee. Lost is
// its error when its outcome is Unknown, or Done without a readable body.
type (
	lastSend = inviting.Send[Invitation, *Error]
	ledger   = inviting.Ledger[Invitation, *Error]
)

// errand is inviting one candidate.
type errand struct {
	*roster

	in    NewInvitation
	who   inviting.Addressee
	sends int      // Whose outcome was unknown.
	last  lastSend // For the ledger.
}

// ensure sends unless the address is known, and finds out what a lost reply
// meant before it sends again.
func (r *roster) ensure(ctx context.Context, in NewInvitation) (Invited, error) {
	e := errand{roster: r, in: in, who: inviting.To(r.assessmentID, in.Email)}
	for {
		if invitation, found := r.find(e.who); found {
			return e.found(invitation)
		}
		if err := r.pace(ctx); err != nil {
			return e.notSent(err)
		}
		claimed, err := e.claim(ctx)
		if err != nil {
			return e.notSent(err)
		}
		if !claimed {
			continue // Another call has just ended that may have sent it.
		}
		result, err := e.run(ctx)
		wait := r.nextWindow(ctx, err)
		if wait == 0 || result.Outcome != InviteNotSent {
			return result, err
		}
		if waitErr := r.outlast(ctx, wait); waitErr != nil {
			return result, &endedError{waitErr, err}
		}
	}
}

func (e *errand) found(invitation Invitation) (Invited, error) {
	if e.sends > 0 {
		return Invited{e.in, invitation, InviteSent}, nil
	}
	return Invited{e.in, invitation, InviteExisting}, nil
}

func (e *errand) notSent(err error) (Invited, error) {
	return Invited{Candidate: e.in, Outcome: InviteNotSent}, err
}

func (e *errand) unknown(err error) (Invited, error) {
	return Invited{Candidate: e.in, Outcome: InviteUnknown}, err
}

// claim waits for its turn at the address. Unless it is claimed, another call had
// it meanwhile.
func (e *errand) claim(ctx context.Context) (claimed bool, err error) {
	last, busy := e.service.sent.Claim(e.who, time.Now())
	if busy == nil {
		e.last = last
		return true, nil
	}
	select {
	case <-busy:
		return false, nil
	case <-ctx.Done():
		return false, fmt.Errorf("hiring: Invitations.Ensure: not sent: another call is inviting the same address: %w", contextError(ctx))
	}
}

// run sends to an address that is claimed, and releases it.
func (e *errand) run(ctx context.Context) (Invited, error) {
	defer func() { e.service.sent.Release(e.who, &e.last) }()
	if e.last.Invited() {
		return e.found(e.last.Invitation)
	}
	if e.last.Lost != nil { // By an earlier call.
		if result, done, err := e.settle(ctx); done {
			return result, err
		}
	}
	for {
		if result, done, err := e.send(ctx); done {
			return result, err
		}
		if result, done, err := e.settle(ctx); done {
			return result, err
		}
		if err := e.pace(ctx); err != nil {
			return e.notSent(err)
		}
	}
}

// send sends once. It is done unless the invitation may be out.
func (e *errand) send(ctx context.Context) (result Invited, done bool, err error) {
	e.last = lastSend{At: time.Now(), Lost: unreturned}
	invitation, err := e.service.post(ctx, e.assessmentID, e.in, func(waited bool) error { return e.stillMissing(ctx, waited) })
	e.last = lastSend{}
	if last := endedAs(invitation, err); last != nil {
		e.last = *last
	}
	switch {
	case err == nil:
		e.Known[e.who.Address] = invitation
		return Invited{e.in, invitation, InviteSent}, true, nil
	case errors.Is(err, errListed):
		result, err = e.found(e.Known[e.who.Address])
		return result, true, err
	case e.last.Lost == nil:
		result, err = e.notSent(err)
		return result, true, err
	}
	e.sends++
	return Invited{}, false, err
}

// stillMissing is asked before each attempt.
func (e *errand) stillMissing(ctx context.Context, waited bool) error {
	e.waited = e.waited || waited && e.patient
	if err := e.refresh(ctx); err != nil {
		return &lookError{err}
	}
	if _, found := e.Known[e.who.Address]; found {
		return errListed
	}
	return nil
}

// settle finds out what became of a send whose reply was lost. It is done unless
// the send shall be repeated.
func (e *errand) settle(ctx context.Context) (result Invited, done bool, err error) {
	lost, policy := e.last.Lost, e.service.core.config.retry
	lookErr := e.await(ctx)
	invitation, found := e.Known[e.who.Address]
	switch {
	case lookErr != nil && e.sends == 0:
		result, err = e.notSent(&lookError{lookErr}) // By this call.
	case lookErr != nil && ctx.Err() != nil:
		result, err = e.unknown(join(ctx, lost))
	case lookErr != nil:
		result, err = e.unknown(fmt.Errorf("%w; looking for it failed: %w", lost, lookErr))
	case found:
		e.last = lastSend{At: e.last.At, Invitation: invitation}
		result, err = e.found(invitation)
	case lost.Outcome == OutcomeDone:
		result, err = e.unknown(&unlistedError{lost})
	case e.sends > 0 && (e.sends >= policy.MaxAttempts || lost.RetryAfter > policy.MaxWait):
		settled := *lost
		settled.Outcome = OutcomeNotDone
		e.last = lastSend{}
		result, err = e.notSent(&settled)
	default:
		e.last = lastSend{}
		return Invited{}, false, nil
	}
	return result, true, err
}

// await looks until it is certain what became of a send.
func (e *errand) await(ctx context.Context) error {
	lost, policy := e.last.Lost, e.service.core.config.retry
	if lost.Outcome == OutcomeDone {
		return e.search(ctx, false)
	}
	after := firstLook
	if lost.RetryAfter <= policy.MaxWait {
		after = max(after, lost.RetryAfter)
	}
	if time.Since(e.last.At) >= lastLook {
		after = max(after, lastLook)
	}
	for ; ; after = lastLook {
		if err := sleep(ctx, time.Until(e.last.At.Add(after)), PauseSettle); err != nil {
			return err
		}
		if err := e.search(ctx, after >= lastLook); err != nil {
			return err
		}
		if _, found := e.Known[e.who.Address]; found || after >= lastLook {
			return nil
		}
	}
}

// search looks for the address. A look that fails for a passing reason is
// repeated, since all hangs on it. The last one reads the whole listing: its
// order is no reason to mail somebody twice.
func (e *errand) search(ctx context.Context, whole bool) error {
	policy := e.service.core.config.retry
	for n := 1; ; n++ {
		err := e.look(ctx, e.who.Address, whole)
		failure, ok := errors.AsType[*Error](err)
		if !ok || failure.throttled || failure.RetryAfter > policy.MaxWait || n >= policy.MaxAttempts || !passes(err) {
			return err
		}
		if err := sleep(ctx, max(firstLook, failure.RetryAfter), PauseSettle); err != nil {
			return err
		}
	}
}

// endedAs is how a send ended, for the ledger; nil when nothing was sent.
func endedAs(invitation Invitation, err error) *lastSend {
	if err == nil {
		return &lastSend{At: time.Now(), Invitation: invitation}
	}
	if failure, ok := errors.AsType[*Error](err); ok && (failure.Outcome == OutcomeDone || failure.Outcome == OutcomeUnknown) {
		return &lastSend{At: time.Now(), Lost: failure}
	}
	return nil
}

// pace waits until a patient roster may make another write, so that others with
// the key are left their share.
func (r *roster) pace(ctx context.Context) error {
	k := r.service.core
	for r.patient {
		wait, wholly, said := k.family.quotas.Pace(k.keys.lastUsed().id, k.config.reserve, time.Now())
		if wait == 0 {
			return nil
		}
		if err := sleep(ctx, wait, PauseQuota); err != nil {
			return &endedError{err, tooSoon(wait, said)}
		}
		r.waited = r.waited || wholly
	}
	return nil
}

// tooSoon is the error of a run that ends while it leaves the quota to others.
func tooSoon(wait time.Duration, said quota.Window) *Error {
	e := &Error{
		Code:       ErrRateLimited,
		Message:    fmt.Sprintf("not sent, because the rest of the write quota of %d an hour is shared with others and spread until %s", said.Limit, said.Reset.Format(time.RFC3339)),
		Method:     http.MethodPost,
		Route:      "/assessments/{id}/invitations",
		Outcome:    OutcomeNotDone,
		RetryAfter: wait,
		RateLimit:  RateLimit(said),
		operation:  "Invitations.Send",
	}
	e.causedBy(ErrQuotaExhausted)
	return e
}
