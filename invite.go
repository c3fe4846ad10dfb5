package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
	"github.com/hiring-assessment/hiring-go/internal/quota"
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

// concernsOne reports whether err concerns this candidate alone. An outcome that
// stays unknown concerns the whole run, unless the response was a 2xx.
func (i InviteResult) concernsOne(err error) bool {
	if i.Outcome != InviteNotSent {
		_, done := errors.AsType[*unlistedError](err)
		return done
	}
	if _, ok := errors.AsType[*listingError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*checkpointFailure](err); ok {
		return false
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Status == http.StatusBadRequest || failure.Status == http.StatusConflict
	}
	return errors.Is(err, ErrInvalidInput) // Rejected before it was sent.
}

// Ensure sends an invitation to an address without an invitation of any status in the
// assessment. The error is nil exactly when the outcome is InviteSent or InviteExisting.
//
//   - Case, surrounding white space and zero-width characters of an address do not
//     matter.
//   - After an unknown outcome Ensure lists the invitations 10 s and 60 s after the attempt
//     ended. It sends again only if neither shows the address, at most
//     RetryPolicy.MaxAttempts times.
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
// assessment.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (InviteResult, error) {
	end := conclusion{result: InviteResult{Candidate: in, Outcome: InviteNotSent}}
	end.err = s.use().traced(ctx, TraceCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		r := inviteRun{service: s, assessmentID: assessmentID}
		err := r.check(in)
		if err == nil {
			err = r.scan(ctx, inviting.Address(in.Email), false)
		}
		if err != nil {
			return err
		}
		end = r.ensure(ctx, r.newInvite(in))
		return end.err
	})
	return end.result, end.err
}

// inviteRun is one call of Ensure or SendAll: what it knows of an assessment's
// invitations, and how it reads and sends.
type inviteRun struct {
	service      *InvitationService
	assessmentID string
	listing      inviting.Listing[Invitation]
	patient      bool       // Wait for windows of the rate limit, however many there are.
	shared       bool       // More than one candidate waits for a lookup.
	waited       bool       // The run has waited for a window since the last scan of the listing.
	log          *inviteLog // Nil: nothing is recorded.
}

// invite is the invitation of one candidate by one call, until its outcome is known.
type invite struct {
	candidate NewInvitation
	to        inviting.Addressee
	sends     int              // Requests of this call whose outcome was unknown.
	failure   *Error           // The error of the last of them.
	last      lastSend         // The last request to the address, by any call of this client.
	lookups   inviting.Lookups // While the outcome of last is unknown.
}

// lastSend is the last request that may have sent an e-mail to an address. Lost is its
// error when the outcome is OutcomeUnknown, or OutcomeDone without a readable body.
type (
	lastSend        = inviting.Request[Invitation, *Error]
	sentInvitations = inviting.Sent[Invitation, *Error]
)

// conclusion is the result of one candidate. The zero value means that it is not known
// yet.
type conclusion struct {
	known  bool
	result InviteResult
	err    error
}

// ensure invites one candidate. From its first request until the outcome is known it
// keeps other calls away from the address.
func (r *inviteRun) ensure(ctx context.Context, v invite) conclusion {
	for {
		if invitation, found := r.find(v.to); found {
			return v.found(invitation)
		}
		last, claimed, err := r.claim(ctx, v.to)
		if err != nil {
			return v.notSent(err)
		}
		if claimed {
			return r.finish(ctx, r.withLast(v, last))
		}
	}
}

// finish sends and looks until the outcome of a claimed address is known, and
// releases the address.
func (r *inviteRun) finish(ctx context.Context, v invite) (end conclusion) {
	defer func() { r.release(v) }()
	ctx = r.withClaim(ctx, v.to)
	if v.last.Invited() {
		return v.found(v.last.Invitation)
	}
	for !end.known {
		if v.last.Lost == nil {
			v.last = r.inFlight()
			v, end = r.send(ctx, v)
			continue
		}
		if err := r.awaitDue(ctx, v.lookups.At); err != nil {
			return v.lookupFailed(ctx, err)
		}
		v, end = r.settle(ctx, v)
	}
	return end
}

func (r *inviteRun) newInvite(in NewInvitation) invite {
	return invite{candidate: in, to: inviting.To(r.assessmentID, in.Email)}
}

func (v invite) found(invitation Invitation) conclusion {
	outcome := InviteExisting
	if v.sends > 0 {
		outcome = InviteSent
	}
	return conclusion{known: true, result: InviteResult{v.candidate, invitation, outcome}}
}

func (v invite) notSent(err error) conclusion {
	return conclusion{true, InviteResult{Candidate: v.candidate, Outcome: InviteNotSent}, err}
}

func (v invite) unknown(err error) conclusion {
	return conclusion{true, InviteResult{Candidate: v.candidate, Outcome: InviteUnknown}, err}
}

// lookupFailed is the conclusion when an error prevents the lookups. A call that sent
// nothing itself certainly did not invite the candidate.
func (v invite) lookupFailed(ctx context.Context, err error) conclusion {
	_, listed := errors.AsType[*Error](err)
	switch {
	case v.sends == 0 && !listed: // The wait for the lookup ended.
		return v.notSent(err)
	case v.sends == 0:
		return v.notSent(&listingError{err})
	case ctx.Err() != nil:
		return v.unknown(join(ctx, v.last.Lost))
	}
	return v.unknown(fmt.Errorf("%w; the lookup of the invitation failed: %w", v.last.Lost, err))
}

// send sends one request to a claimed address. The conclusion is not known when the
// outcome of the request is unknown.
func (r *inviteRun) send(ctx context.Context, v invite) (invite, conclusion) {
	invitation, err := r.service.post(ctx, r.assessmentID, v.candidate, requestHooks{
		before:   func(waited bool) error { return r.checkMissing(ctx, v.to, waited) },
		admitted: func() error { return r.log.sending(ctx, v.to) },
	})
	v.last = lastSend{}
	if last := newLastSend(invitation, err, r.now()); last != nil {
		v.last = *last
	}
	switch {
	case err == nil:
		r.listing.Known[v.to.Address] = invitation
		r.log.sent(v.to)
		return v, conclusion{known: true, result: InviteResult{v.candidate, invitation, InviteSent}}
	case v.last.Lost != nil:
		v.sends++
		v.failure = v.last.Lost
		v.lookups = r.lookupsAfter(v.last)
		return v, conclusion{}
	}
	r.log.resolved(v.to)
	if errors.Is(err, errListed) {
		return v, v.found(r.listing.Known[v.to.Address])
	}
	return v, v.notSent(err)
}

// newLastSend returns the request of a send that ended at the given time, or nil when
// nothing was sent.
func newLastSend(invitation Invitation, err error, ended time.Time) *lastSend {
	if err == nil {
		return &lastSend{At: ended, Invitation: invitation}
	}
	if failure, ok := errors.AsType[*Error](err); ok && (failure.Outcome == OutcomeDone || failure.Outcome == OutcomeUnknown) {
		return &lastSend{At: ended, Lost: failure}
	}
	return nil
}

// inFlight is the last request while a request is in flight. It remains when a panic ends
// the call.
func (r *inviteRun) inFlight() lastSend { return lastSend{At: r.now(), Lost: errNotReturned} }

// withLast returns v with the last request to its address: the later one of what the client
// remembers and of what the checkpoint records. If the outcome of that request
// is unknown and v does not know the request yet, the lookups begin.
func (r *inviteRun) withLast(v invite, last lastSend) invite {
	known := last.Lost == nil && !last.At.IsZero() || last.Lost != nil && last.Lost.Outcome == OutcomeDone
	if ended, found := r.log.unresolved(v.to); found && !known && ended.After(last.At) {
		last = lastSend{At: ended, Lost: errEarlierRun} // Another process may have sent a request since.
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

// settle makes the lookup that is due. When the conclusion is not known, either another
// lookup follows, or v.last is zero and the caller sends the request again.
func (r *inviteRun) settle(ctx context.Context, v invite) (invite, conclusion) {
	invitation, found := r.find(v.to) // A lookup for another candidate may have shown it.
	if !found {
		if err := r.lookup(ctx, v); err != nil {
			return r.retryLookup(ctx, v, err)
		}
		invitation, found = r.find(v.to)
	}
	if found {
		v.last = lastSend{At: v.last.At, Invitation: invitation}
		r.log.resolved(v.to)
		return v, v.found(invitation)
	}
	return r.missed(v)
}

// missed follows a lookup that did not show the invitation.
func (r *inviteRun) missed(v invite) (invite, conclusion) {
	lost := v.last.Lost
	next, decided := v.lookups.Missed()
	switch {
	case !decided:
		v.lookups = next
		return v, conclusion{}
	case lost.Outcome == OutcomeDone:
		return v, v.unknown(&unlistedError{lost})
	}
	v.last = lastSend{}
	r.log.resolved(v.to)
	if v.sends > 0 && (v.sends >= r.policy().MaxAttempts || lost.RetryAfter > r.policy().MaxWait) {
		return v, v.notSent(asNotDone(lost))
	}
	return v, conclusion{}
}

// retryLookup schedules another lookup after one that failed, or gives up.
func (r *inviteRun) retryLookup(ctx context.Context, v invite, err error) (invite, conclusion) {
	failure, ok := errors.AsType[*Error](err)
	if ok && !failure.throttled && failure.RetryAfter <= r.policy().MaxWait && IsTransient(err) {
		if next, again := v.lookups.Failed(r.now(), failure.RetryAfter, r.policy().MaxAttempts); again {
			v.lookups = next
			return v, conclusion{}
		}
	}
	return v, v.lookupFailed(ctx, err)
}

// asNotDone returns the error of a request that the lookups have shown not to be done.
func asNotDone(lost *Error) *Error {
	settled := *lost
	settled.Outcome = OutcomeNotDone
	return &settled
}

// lookup looks for the invitation, unless a scan since the lookup was due has shown what
// it would show. The final lookup scans the whole listing: a listing that is not in order
// must not cause a second e-mail.
func (r *inviteRun) lookup(ctx context.Context, v invite) error {
	whole := v.lookups.Final && v.last.Lost.Outcome != OutcomeDone
	scanned := r.listing.ScannedAt
	if whole {
		scanned = r.listing.WholeAt
	}
	if !scanned.Before(v.lookups.At) && v.last.Lost.Outcome != OutcomeDone {
		return nil
	}
	wanted := v.to.Address
	if r.shared {
		wanted = ""
	}
	return r.scan(ctx, wanted, whole)
}

// maxListingAge is how old the listing may be when something is sent.
const maxListingAge = time.Minute

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

// check rejects an invalid candidate before anything is sent.
func (r *inviteRun) check(in NewInvitation) error {
	return in.apply(newRequest("Invitations.Ensure", "POST /assessments/{id}/invitations",
		pathID{"assessmentID", r.assessmentID}), r.service.core.dialect).err
}

// find returns the known invitation of an addressee.
func (r *inviteRun) find(to inviting.Addressee) (invitation Invitation, found bool) {
	invitation, found = r.listing.Known[to.Address]
	if found {
		return invitation, true
	}
	return r.service.sent.Invitation(to)
}

// addressClaim is the claim of an address by a call, in the context of that call.
type addressClaim struct {
	sent  *sentInvitations
	to    inviting.Addressee
	outer *addressClaim // Of the call whose function made the call.
}

type addressClaimKey struct{}

func claimOf(ctx context.Context) *addressClaim {
	claim, _ := ctx.Value(addressClaimKey{}).(*addressClaim)
	return claim
}

// withClaim returns the context of a call that has claimed an address.
func (r *inviteRun) withClaim(ctx context.Context, to inviting.Addressee) context.Context {
	return context.WithValue(ctx, addressClaimKey{}, &addressClaim{r.service.sent, to, claimOf(ctx)})
}

// claim excludes other calls from an address until release. When another call has the
// address, claim waits until that call ends and returns false.
func (r *inviteRun) claim(ctx context.Context, to inviting.Addressee) (last lastSend, claimed bool, err error) {
	for outer := claimOf(ctx); outer != nil; outer = outer.outer {
		if outer.sent == r.service.sent && outer.to == to {
			return last, false, errOwnAddress
		}
	}
	last, busy := r.service.sent.Claim(to, r.now())
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

func (r *inviteRun) release(v invite) { r.service.sent.Release(v.to, &v.last) }

// checkMissing is called before each attempt. It returns an error when the attempt must
// not be made.
func (r *inviteRun) checkMissing(ctx context.Context, to inviting.Addressee, waited bool) error {
	r.waited = r.waited || waited && r.patient
	if err := r.refresh(ctx); err != nil {
		return &listingError{err}
	}
	if _, found := r.listing.Known[to.Address]; found {
		return errListed
	}
	return nil
}

// refresh scans the listing when it is too old to send by. A scan that had to wait for a
// window is followed by another.
func (r *inviteRun) refresh(ctx context.Context) error {
	for stale := r.waited || r.now().Sub(r.listing.ScannedAt) > maxListingAge; stale; stale = r.waited {
		if err := r.scan(ctx, "", false); err != nil {
			return err
		}
	}
	return nil
}

// scan reads the listing until [inviting.Scan] needs no further page. It starts over when
// items left the listing meanwhile.
func (r *inviteRun) scan(ctx context.Context, wanted string, whole bool) error {
	ctx = WithResponse(ctx, nil)
	for n := 0; ; n++ {
		inconclusive, err := r.scanOnce(ctx, wanted, whole || n > 0)
		if err != nil || !inconclusive {
			return err
		}
		if n >= r.policy().MaxAttempts {
			return errInconclusive
		}
	}
}

// scanOnce makes one scan. It resumes at the page at which the rate limit ended a request.
func (r *inviteRun) scanOnce(ctx context.Context, wanted string, whole bool) (inconclusive bool, err error) {
	waited := r.waited
	r.waited = false
	scan := r.listing.Scan(factsOf, r.sentID, wanted, whole, r.now())
	pages, decoding := r.service.List(r.assessmentID), new(readableInvitations)
	pages.list.request.leniency = decoding
	token := ""
	err = r.patiently(ctx, func() error {
		for page, err := range pages.From(token).Pages(ctx) {
			if err = cmp.Or(err, decoding.unreadable); err != nil {
				return err
			}
			if scan.Page(page.Items, page.Meta.Total, page.Next == "") {
				return nil
			}
			token = page.Next
		}
		return nil
	})
	if err == nil {
		scan.End()
		r.log.scanned(r.listing.WholeAt)
	}
	r.waited = r.waited || waited && (err != nil || !scan.CaughtUp)
	return scan.Inconclusive, err
}

func factsOf(i *Invitation) inviting.Facts {
	return inviting.Facts{ID: i.ID, Email: i.CandidateEmail, Created: i.CreatedAt}
}

// sentID returns the id of the invitation that this client sent to an address.
func (r *inviteRun) sentID(address string) string {
	sent, _ := r.service.sent.Invitation(inviting.To(r.assessmentID, address))
	return sent.ID
}

// patiently makes a call. In a patient run it makes the call again in the next window
// when the rate limit ended it.
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

// nextWindow returns the time until the next window when the rate limit ended a call of a
// patient run, and 0 for any other error. Other users of the key may use up the next
// window too. The throttle for failed authentication is another error: a run never waits
// for it.
func (r *inviteRun) nextWindow(ctx context.Context, err error) time.Duration {
	if _, listing := errors.AsType[*listingError](err); listing {
		return 0 // The scan has waited already.
	}
	failure, ok := errors.AsType[*Error](err)
	if !ok || !r.patient || ctx.Err() != nil || failure.throttled || !errors.Is(failure, ErrQuotaExhausted) && !failure.usedUp() {
		return 0
	}
	if failure.RetryAfter > quota.Longest {
		return 0 // No window ends so late.
	}
	return max(0, failure.RetryAfter)
}

var (
	// errListed is returned when the address got an invitation before the request was sent.
	errListed = errors.New("hiring: the address has an invitation by now")

	// errOwnAddress is returned when a function that a call waits for invites the address of
	// that call.
	errOwnAddress = &Error{Operation: "Invitations.Ensure", Outcome: OutcomeNotDone, Message: "not sent, because a function that the invitation of the same " +
		"address waits for made the call: make it after that invitation"}

	// errInconclusive is returned when every scan of a listing may have missed an item.
	errInconclusive = errors.New("hiring: items left the listing of invitations each time it was read")

	// errNotReturned is the error of a call that a panic ended.
	errNotReturned = &Error{Operation: "Invitations.Send", Message: "the call did not return", Outcome: OutcomeUnknown}

	// errEarlierRun is the error of a request that a checkpoint records.
	errEarlierRun = &Error{Operation: "Invitations.Send", Message: "an earlier run ended before it had the response", Outcome: OutcomeUnknown}
)

// listingError is returned when nothing was sent because the listing could not be read.
type listingError struct{ err error }

func (e *listingError) Error() string {
	return "hiring: Invitations.Ensure: not sent, because the listing of invitations could not be read: " + e.err.Error()
}

func (e *listingError) Unwrap() error { return e.err }

// unlistedError is returned when the listing does not show an invitation for which
// the API returned a 2xx.
type unlistedError struct{ failure *Error }

func (e *unlistedError) Error() string {
	return e.failure.Error() + "; the listing does not show the invitation"
}

func (e *unlistedError) Unwrap() error { return e.failure }
