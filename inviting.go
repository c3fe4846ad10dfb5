package hiring

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"strings"
	"time"
)

// settleDelay is how long an invitation whose reply was lost may take to appear
// in the listing (assumed: settling).
const settleDelay = 10 * time.Second

// InviteOutcome is what became of a candidate's invitation.
type InviteOutcome string

// The outcomes of [InvitationService.Ensure] and [InvitationService.SendAll].
const (
	InviteSent     InviteOutcome = "sent"     // By this call.
	InviteExisting InviteOutcome = "existing" // The address had one already; nothing was sent.
	InviteNotSent  InviteOutcome = "not sent" // Certainly not by this call, which may have ended before it knew what exists.
	InviteUnknown  InviteOutcome = "unknown"  // It may be out: run again later, which looks first.
)

// Invited is what became of one candidate.
type Invited struct {
	Candidate  NewInvitation
	Invitation Invitation // Zero when it is not known.
	Outcome    InviteOutcome
}

// Ensure invites a candidate whose address, compared case-insensitively, has no
// invitation of any status in the assessment yet. A lost reply does not lead to
// a second mail: after an unknown outcome it waits ten seconds, looks again, and
// sends again only when the invitation is not there. After a 2xx whose body
// cannot be read it looks once and never sends again. The error is nil exactly
// when the outcome is [InviteSent] or [InviteExisting].
//
// This protects against lost replies, not against two processes that invite the
// same address in the same second. Scope write; costs one write and up to one
// read for each 100 invitations of the assessment, more only when replies are
// lost. It waits for quota windows like any other call.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (Invited, error) {
	r := roster{service: s, assessmentID: assessmentID}
	err := r.refuse(in)
	if err == nil {
		err = r.look(ctx, addressKey(in.Email))
	}
	if err != nil {
		return Invited{Candidate: in, Outcome: InviteNotSent}, err
	}
	return r.ensure(ctx, in)
}

// SendAll invites every candidate whose address has no invitation in the
// assessment yet, each with the care of [InvitationService.Ensure]. It can be
// run again after a crash without a second mail to anybody, once ten seconds
// have passed: a request of the crashed run may still be on its way.
//
// each is called once for every candidate, in order, in the goroutine of the
// call, with its error beside it; nil means not interested. A candidate that the
// service refuses with 400 or 409 concerns nobody else. After any other error
// the remaining candidates are reported as not sent, with that error, and
// SendAll returns it. When each returns false, SendAll ends with nil.
//
// Scope write; costs one write a candidate, and the reads of one listing. When a
// quota is used up it waits for the next window, whatever RetryPolicy.MaxWait
// says, unless the context's deadline comes first: then it ends at once.
func (s *InvitationService) SendAll(ctx context.Context, assessmentID string, candidates iter.Seq[NewInvitation], each func(Invited, error) bool) error {
	if candidates == nil {
		return nil
	}
	r := roster{service: s, assessmentID: assessmentID, patient: true}
	var stopped error
	for in := range candidates {
		if stopped == nil && r.known == nil {
			stopped = r.look(ctx, "")
		}
		result, err := Invited{Candidate: in, Outcome: InviteNotSent}, stopped
		if stopped == nil {
			if err = r.refuse(in); err == nil {
				result, err = r.ensure(ctx, in)
			}
			if err != nil && !result.concernsOne(err) {
				stopped = err
			}
		}
		if each != nil && !each(result, err) {
			return nil
		}
	}
	return stopped
}

// concernsOne tells a candidate that is refused from a service that refuses. An
// outcome that stays unknown concerns all, whatever else was answered.
func (i Invited) concernsOne(err error) bool {
	if i.Outcome != InviteNotSent {
		return false
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Status == http.StatusBadRequest || failure.Status == http.StatusConflict
	}
	return errors.Is(err, ErrInvalidInput) // Refused before it was sent.
}

// roster is what is known of an assessment's invitations.
type roster struct {
	service      *InvitationService
	assessmentID string
	known        map[string]Invitation // By address as in addressKey; nil before the first look.
	patient      bool                  // Wait for quota windows, however many it takes.
}

// addressKey is the same for the spellings of one address (assumed: addresses).
func addressKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// refuse judges a candidate before anything is looked up for it.
func (r *roster) refuse(in NewInvitation) error {
	k := r.service.core
	return in.apply(newRequest("Invitations.Ensure", "POST /assessments/{id}/invitations", r.assessmentID), k.dialect).err
}

// look reads the listing as far as the wanted address, or all of it. It does not
// stop at what it knows already: the order of a listing is no reason to mail
// somebody twice. Nor does it forget what a listing does not show any more.
func (r *roster) look(ctx context.Context, wanted string) error {
	ctx = WithResponse(ctx, nil)
	listed, token := make(map[string]Invitation), ""
	err := r.patiently(ctx, func() error {
		for page, err := range r.service.List(r.assessmentID).From(token).Pages(ctx) {
			if err != nil {
				return err
			}
			for _, invitation := range page.Items {
				key := addressKey(invitation.CandidateEmail)
				if _, newer := listed[key]; !newer {
					listed[key] = invitation
				}
			}
			if _, found := listed[wanted]; found && wanted != "" {
				return nil
			}
			token = page.Next
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.known == nil {
		r.known = listed
	} else {
		maps.Copy(r.known, listed)
	}
	return nil
}

// ensure sends unless the address is known, and finds out what a lost reply
// meant before it sends again.
func (r *roster) ensure(ctx context.Context, in NewInvitation) (Invited, error) {
	result, key := Invited{Candidate: in, Outcome: InviteNotSent}, addressKey(in.Email)
	if invitation, found := r.known[key]; found {
		return Invited{in, invitation, InviteExisting}, nil
	}
	policy := r.service.core.config.retry
	for n := 1; ; n++ {
		sent, err := r.send(ctx, in)
		if err == nil {
			r.known[key] = sent
			return Invited{in, sent, InviteSent}, nil
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok || failure.Outcome == OutcomeNotDone {
			return result, err
		}
		if lookErr := r.settle(ctx, key, failure); lookErr != nil {
			result.Outcome = InviteUnknown
			if ctx.Err() != nil {
				return result, join(ctx, err)
			}
			return result, fmt.Errorf("%w; looking for it failed: %w", err, lookErr)
		}
		if invitation, found := r.known[key]; found {
			return Invited{in, invitation, InviteSent}, nil
		}
		switch {
		case failure.Outcome == OutcomeDone:
			result.Outcome = InviteUnknown
			return result, fmt.Errorf("%w; but the listing does not show it", err)
		case n >= policy.MaxAttempts || failure.RetryAfter > policy.MaxWait:
			settled := *failure
			settled.Outcome = OutcomeNotDone
			return result, &settled
		}
	}
}

func (r *roster) send(ctx context.Context, in NewInvitation) (sent Invitation, err error) {
	err = r.patiently(ctx, func() (err error) {
		sent, err = r.service.Send(ctx, r.assessmentID, in)
		return err
	})
	return sent, err
}

// settle looks for an invitation once it must have arrived, if it was sent. A
// look that fails for a passing reason is repeated, since all hangs on it.
func (r *roster) settle(ctx context.Context, key string, lost *Error) error {
	policy, wait := r.service.core.config.retry, settleDelay
	switch {
	case lost.Outcome == OutcomeDone:
		wait = 0
	case lost.RetryAfter <= policy.MaxWait:
		wait = max(wait, lost.RetryAfter)
	}
	for n := 1; ; n++ {
		if err := pause(ctx, wait); err != nil {
			return err
		}
		err := r.look(ctx, key)
		if err == nil {
			return nil
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok || failure.throttled || failure.RetryAfter > policy.MaxWait || n >= policy.MaxAttempts || !passes(err) {
			return err
		}
		wait = max(settleDelay, failure.RetryAfter)
	}
}

// patiently makes a call. When the roster is patient and the quota is used up,
// it makes it again in the next window: others with the same key may have used
// that up too. The throttle for failed authentications is never waited out so.
func (r *roster) patiently(ctx context.Context, call func() error) error {
	for {
		err := call()
		failure, ok := errors.AsType[*Error](err)
		usedUp := ok && (errors.Is(failure, ErrQuotaExhausted) ||
			failure.Status == http.StatusTooManyRequests && failure.RateLimit.Limit > 0 && failure.RateLimit.Remaining == 0)
		if !r.patient || !usedUp || failure.throttled || ctx.Err() != nil {
			return err
		}
		wait := failure.RetryAfter
		if wait <= 0 || wait > longestWindow {
			return err // No window ends so.
		}
		if waitErr := pause(ctx, wait); waitErr != nil {
			return &endedError{waitErr, err}
		}
	}
}

// pause waits, unless the context ends before the wait does: then it fails at
// once.
func pause(ctx context.Context, d time.Duration) error {
	if outlasts(ctx, d) {
		return context.DeadlineExceeded
	}
	return sleep(ctx, d)
}
