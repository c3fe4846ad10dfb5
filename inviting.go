package hiring

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"
)

// settleDelay is how long an invitation whose reply was lost may take to appear
// in the listing.
const settleDelay = 10 * time.Second

// InviteOutcome is what became of a candidate's invitation.
type InviteOutcome string

// The outcomes of [InvitationService.Ensure] and [InvitationService.SendAll].
const (
	InviteSent     InviteOutcome = "sent"     // By this call.
	InviteExisting InviteOutcome = "existing" // The address had one already; nothing was sent.
	InviteNotSent  InviteOutcome = "not sent" // Certainly.
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
// sends again only when the invitation is not there.
//
// This protects against lost replies, not against two processes that invite the
// same address in the same second. Scope write; costs one write and one read for
// each 100 invitations of the assessment, more only when replies are lost. It
// waits for quota windows like any other call.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (Invited, error) {
	r := roster{service: s, assessmentID: assessmentID}
	if err := r.refuse(in); err != nil {
		return Invited{Candidate: in, Outcome: InviteNotSent}, err
	}
	if err := r.look(ctx); err != nil {
		return Invited{Candidate: in, Outcome: InviteNotSent}, err
	}
	return r.ensure(ctx, in)
}

// SendAll invites every candidate whose address has no invitation in the
// assessment yet, each with the care of [InvitationService.Ensure], and can be
// run again after a crash without a second mail to anybody.
//
// each is called once for every candidate, in order, in the goroutine of the
// call, with its error beside it; nil means not interested. A candidate that the
// service refuses with 400 or 409 concerns nobody else. After any other error
// the remaining candidates are reported as not sent and SendAll returns the
// error. When each returns false, SendAll ends with nil.
//
// Scope write; costs one write a candidate, and the reads of one listing. When
// the write quota is used up it waits for the next window, whatever
// RetryPolicy.MaxWait says, unless the context's deadline comes first.
func (s *InvitationService) SendAll(ctx context.Context, assessmentID string, candidates iter.Seq[NewInvitation], each func(Invited, error) bool) error {
	if candidates == nil {
		return nil
	}
	r := roster{service: &InvitationService{s.core.patient()}, assessmentID: assessmentID, patient: true}
	var stopped error
	for in := range candidates {
		if stopped == nil && r.known == nil {
			stopped = r.look(ctx)
		}
		result, err := Invited{Candidate: in, Outcome: InviteNotSent}, stopped
		if stopped == nil {
			if err = r.refuse(in); err == nil {
				result, err = r.ensure(ctx, in)
			}
			if err != nil && !concernsOne(err) {
				stopped = err
			}
		}
		if each != nil && !each(result, err) {
			return nil
		}
	}
	return stopped
}

// concernsOne tells a candidate that is refused from a service that refuses.
func concernsOne(err error) bool {
	return errors.Is(err, ErrInvalidInput) || errors.Is(err, ErrConflict)
}

// roster is what is known of an assessment's invitations.
type roster struct {
	service      *InvitationService
	assessmentID string
	known        map[string]Invitation // By address as in addressKey; nil before the first look.
	patient      bool                  // Wait for quota windows, however many it takes.
}

func addressKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// refuse judges a candidate before anything is looked up for it.
func (r *roster) refuse(in NewInvitation) error {
	k := r.service.core
	return in.apply(newRequest("Invitations.Ensure", "POST /assessments/{id}/invitations", r.assessmentID), k.dialect).err
}

// look reads the whole listing. It does not stop at what it knows already: the
// order of a listing is no reason to mail somebody twice.
func (r *roster) look(ctx context.Context) error {
	known := make(map[string]Invitation)
	for invitation, err := range r.service.List(r.assessmentID).All(WithResponse(ctx, nil)) {
		if err != nil {
			return err
		}
		key := addressKey(invitation.CandidateEmail)
		if _, newer := known[key]; !newer {
			known[key] = invitation
		}
	}
	r.known = known
	return nil
}

// lookAgain reads the listing once what was sent must have arrived. A look that
// fails for a passing reason is repeated, since all hangs on it.
func (r *roster) lookAgain(ctx context.Context, wait time.Duration) error {
	for n := 1; ; n++ {
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		err := r.look(ctx)
		if err == nil || n >= r.service.core.config.retry.MaxAttempts || !passes(err) {
			return err
		}
		wait = max(settleDelay, retryAfter(err))
	}
}

// ensure sends unless the address is known, and finds out what a lost reply
// meant before it sends again.
func (r *roster) ensure(ctx context.Context, in NewInvitation) (Invited, error) {
	result := Invited{Candidate: in, Outcome: InviteExisting}
	key, found := addressKey(in.Email), false
	if result.Invitation, found = r.known[key]; found {
		return result, nil
	}
	for n := 1; ; n++ {
		sent, err := r.service.Send(ctx, r.assessmentID, in)
		failure, _ := errors.AsType[*Error](err)
		switch {
		case err == nil:
			r.known[key] = sent
			result.Invitation, result.Outcome = sent, InviteSent
			return result, nil
		case r.patient && failure != nil && failure.Code == ErrRateLimited && !failure.throttled && ctx.Err() == nil:
			// Others use the same key: its window was used up before we came.
			if sleepErr := sleep(ctx, max(settleDelay, retryAfter(err))); sleepErr != nil {
				return result.not(), errors.Join(sleepErr, err)
			}
			n--
			continue
		case failure == nil || failure.Outcome == NotDone:
			return result.not(), err
		}
		wait := settleDelay
		if failure.Outcome == Done {
			wait = 0
		}
		if lookErr := r.lookAgain(ctx, wait); lookErr != nil {
			result.Outcome = InviteUnknown
			return result, errors.Join(err, lookErr)
		}
		if result.Invitation, found = r.known[key]; found {
			result.Outcome = InviteSent
			return result, nil
		}
		if failure.Outcome == Done {
			result.Outcome = InviteSent
			return result, err
		}
		if n >= r.service.core.config.retry.MaxAttempts {
			settled := *failure
			settled.Outcome = NotDone
			return result.not(), &settled
		}
	}
}

func (i Invited) not() Invited {
	i.Outcome = InviteNotSent
	return i
}

// patient is a core that waits for quota windows however long they take.
func (k *core) patient() *core {
	p := *k
	p.config.retry.MaxWait = 1<<63 - 1
	return &p
}
