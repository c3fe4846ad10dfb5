package hiring

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
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
			err = r.look(ctx, inviting.Address(in.Email), false)
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
		if stopped == nil && r.Known == nil {
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

// freshness is how old the knowledge of a roster may be when something is sent.
const freshness = time.Minute

// roster is what is known of an assessment's invitations.
type roster struct {
	inviting.Listing[Invitation]

	service      *InvitationService
	assessmentID string
	patient      bool // Wait for quota windows, however many it takes.
	waited       bool // For a window, since the last look.
}

// refuse judges a candidate before anything is looked up for it.
func (r *roster) refuse(in NewInvitation) error {
	k := r.service.core
	return in.apply(newRequest("Invitations.Ensure", "POST /assessments/{id}/invitations", pathID{"assessmentID", r.assessmentID}), k.dialect).err
}

// find returns the invitation of an addressee, as far as it is known.
func (r *roster) find(who inviting.Addressee) (invitation Invitation, found bool) {
	if invitation, found = r.Known[who.Address]; found {
		return invitation, true
	}
	return r.service.sent.Invitation(who)
}

// refresh looks if what is known is too old to send by. A look that itself had
// to wait for a window is followed by another.
func (r *roster) refresh(ctx context.Context) error {
	for stale := r.waited || time.Since(r.Looked) > freshness; stale; stale = r.waited {
		if err := r.look(ctx, "", false); err != nil {
			return err
		}
	}
	return nil
}

// look reads the listing as far as it must: see [inviting.Listing]. When items
// leave while it reads, it begins again.
func (r *roster) look(ctx context.Context, wanted string, whole bool) error {
	ctx = WithResponse(ctx, nil)
	for n := 0; ; n++ {
		moved, err := r.walk(ctx, wanted, whole || n > 0)
		if err != nil || !moved {
			return err
		}
		if n >= r.service.core.config.retry.MaxAttempts {
			return errMoved
		}
	}
}

// errMoved says that no walk has seen all of a listing for certain.
var errMoved = errors.New("hiring: items left the listing of invitations each time it was read")

// walk is one look. When it moved, the wanted address may have been missed.
func (r *roster) walk(ctx context.Context, wanted string, whole bool) (moved bool, err error) {
	facts := func(i *Invitation) inviting.Facts {
		return inviting.Facts{ID: i.ID, Email: i.CandidateEmail, Created: i.CreatedAt}
	}
	own := func(address string) string {
		sent, _ := r.service.sent.Invitation(inviting.To(r.assessmentID, address))
		return sent.ID
	}
	look, token, waited := r.Begin(facts, own, wanted, whole, time.Now()), "", r.waited
	r.waited = false
	err = r.patiently(ctx, func() error {
		for page, err := range r.service.List(r.assessmentID).From(token).Pages(ctx) {
			if err != nil {
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
	}
	r.waited = r.waited || waited && (err != nil || !look.Enough)
	return look.Moved, err
}

// patiently makes a call, again in the next window when this one is used up.
func (r *roster) patiently(ctx context.Context, call func() error) error {
	for {
		err := call()
		wait := r.nextWindow(ctx, err)
		if wait == 0 {
			return err
		}
		if waitErr := r.outlast(ctx, wait); waitErr != nil {
			return &endedError{waitErr, err}
		}
	}
}

// nextWindow returns how long the next window is away for a patient roster whose
// quota is used up: others with the same key may have used it up too. It is 0
// for any other error, the throttle for failed authentications among them, which
// is never waited out so.
func (r *roster) nextWindow(ctx context.Context, err error) time.Duration {
	failure, ok := errors.AsType[*Error](err)
	if _, look := errors.AsType[*lookError](err); look {
		return 0 // Which was as patient.
	}
	if !ok || !r.patient || ctx.Err() != nil || failure.throttled || !errors.Is(failure, ErrQuotaExhausted) && !failure.usedUp() {
		return 0
	}
	if failure.RetryAfter > longestWindow {
		return 0 // No window ends so.
	}
	return max(0, failure.RetryAfter)
}

// outlast waits for a window.
func (r *roster) outlast(ctx context.Context, wait time.Duration) error {
	r.waited = true
	return sleep(ctx, wait, PauseQuota)
}
