package hiring

import (
	"context"
	"errors"
	"iter"
	"net/http"
)

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
// a second mail: after an unknown outcome it looks ten seconds after the attempt
// ended and, when the invitation is not there, a minute after it, and only then
// sends again, RetryPolicy.MaxAttempts times in all. After a 2xx of the service
// that brings no invitation it looks once and never sends again. The error is nil
// exactly when the outcome is [InviteSent] or [InviteExisting].
//
// What the same client and its variants have sent or are sending is known
// without a look, and calls for one address wait for each other. So Ensure
// protects against lost replies, of a service that acts and lists within a
// minute, but not against two processes that invite the same address in the same
// second.
//
// An invitation that was revoked or has expired is an invitation, too: Ensure
// sends nothing then. To invite again, look at the Status and ExpiresAt of what
// it returns, and call [InvitationService.Send], once.
//
// Scope write; costs one write and up to one read for each 100 invitations of
// the assessment, more only when replies are lost. It waits for quota windows
// like any other call.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (Invited, error) {
	result := Invited{Candidate: in, Outcome: InviteNotSent}
	err := s.core.probed(ctx, ProbeCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		r := roster{service: s, assessmentID: assessmentID}
		err := r.refuse(in)
		if err == nil {
			err = r.look(ctx, addressKey(in.Email), false)
		}
		if err == nil {
			result, err = r.ensure(ctx, in)
		}
		return err
	})
	return result, err
}

// SendAll invites every candidate whose address has no invitation in the
// assessment yet, each with the care of [InvitationService.Ensure]. It can be
// run again after a crash without a second mail to anybody, once a minute has
// passed: a request of the crashed run may still be on its way.
//
// each is called once for every candidate, in order, in the goroutine of the
// call, with its error beside it; nil means not interested. A candidate that the
// service refuses with 400 or 409, or whose 2xx brought no invitation, concerns
// nobody else. After any other error the remaining candidates are reported as not
// sent, with that error, and SendAll returns it. When each returns false, SendAll
// ends with nil. each may invite by itself, with the same client or a variant.
//
// It lists what exists at first. Before it sends it looks again at what is new
// whenever its knowledge is older than a minute, or it has waited for a window:
// so it notices whom other processes have invited, a minute later at most.
//
// It leaves a tenth of the write quota to others, or more with
// [WithQuotaReserve]: half of each window goes without pause, the rest evenly
// over what is left of the window, less what others with the key were seen to
// use. A hundred candidates take no time, a thousand six windows. It waits for
// windows whatever RetryPolicy.MaxWait says, unless the context's deadline comes
// first: then it ends at once.
//
// Scope write; costs one write a candidate, the reads of one listing, and one
// read or two for each minute in which it sends.
func (s *InvitationService) SendAll(ctx context.Context, assessmentID string, candidates iter.Seq[NewInvitation], each func(Invited, error) bool) error {
	return s.core.probed(ctx, ProbeCall{Operation: "Invitations.SendAll"}, func(ctx context.Context) error {
		return s.sendAll(ctx, assessmentID, candidates, each)
	})
}

func (s *InvitationService) sendAll(ctx context.Context, assessmentID string, candidates iter.Seq[NewInvitation], each func(Invited, error) bool) error {
	if candidates == nil {
		return nil
	}
	r := roster{service: s, assessmentID: assessmentID, patient: true}
	var stopped error
	for in := range candidates {
		if stopped == nil && r.known == nil {
			stopped = r.refresh(ctx)
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
// outcome that stays unknown concerns all, whatever else was answered, unless the
// service said that it was done.
func (i Invited) concernsOne(err error) bool {
	if i.Outcome != InviteNotSent {
		_, done := errors.AsType[*unlistedError](err)
		return done
	}
	if _, looking := errors.AsType[*lookError](err); looking {
		return false
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Status == http.StatusBadRequest || failure.Status == http.StatusConflict
	}
	return errors.Is(err, ErrInvalidInput) // Refused before it was sent.
}
