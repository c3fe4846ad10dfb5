package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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
	r := inviteRun{service: s, assessmentID: assessmentID}
	v := r.newInvite(in)
	v.err = s.use().traced(ctx, TraceCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		v = r.ensure(ctx, v)
		return v.err
	})
	return v.result, v.err
}

// inviteRun is one call of Ensure or SendAll: what it knows of an assessment's
// invitations, and how it reads and sends.
type inviteRun struct {
	service      *InvitationService
	assessmentID string
	patience     time.Duration // The longest wait for a window beyond RetryPolicy.MaxWait. 0, as in Ensure: none.
	log          *inviteLog    // Nil: nothing is recorded.

	known    map[string]Invitation // By [inviting.Address]; nil before the first scan.
	scans    inviting.Scans
	windowAt time.Time // When the run last waited for a window of the rate limit.
}

// invite is the invitation of one candidate by one call. Methods of a run take it and
// return it one step further, until the result is known.
type invite struct {
	to      inviting.Addressee
	last    lastSend         // The last request to the address, by any call.
	lookups inviting.Lookups // While the outcome of last is unknown.
	sends   int              // Requests of this call whose outcome was unknown.
	failure *Error           // The error of the last of them.

	done   bool // The result is final.
	result InviteResult
	err    error
}

func (r *inviteRun) newInvite(in NewInvitation) invite {
	return invite{to: inviting.To(r.assessmentID, in.Email), result: InviteResult{Candidate: in, Outcome: InviteNotSent}}
}

// pending reports whether the next step is a lookup, and not a request.
func (v invite) pending() bool { return v.last.lost != nil }

func (v invite) found(invitation Invitation) invite {
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

// ensure invites one candidate. From its first request until the result is known it keeps
// other calls away from the address.
func (r *inviteRun) ensure(ctx context.Context, v invite) invite {
	err := r.check(v)
	if err == nil {
		err = r.scan(ctx, v.to.Address, false)
	}
	if err != nil {
		return v.end(InviteNotSent, err)
	}
	if invitation, found := r.find(v.to); found {
		return v.found(invitation)
	}
	ctx, last, err := r.claim(ctx, v.to)
	if err != nil {
		return v.end(InviteNotSent, err)
	}
	defer r.service.sent.release(v.to)
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

// takeOver returns v with the last request to its address, which any call may have sent. It may
// still take effect. Lookups that count from an earlier request end too soon, and the next
// request is a second e-mail. So lookups begin anew when v did not know the request.
func (r *inviteRun) takeOver(v invite, last lastSend) invite {
	if last.lost != nil && last != v.last {
		v.lookups = r.lookupsAfter(last)
	}
	v.last = last
	if last.invitation != nil {
		return v.found(*last.invitation)
	}
	return v
}

// lookupsAfter returns the lookups of a request whose outcome is unknown.
func (r *inviteRun) lookupsAfter(last lastSend) inviting.Lookups {
	if last.lost.Outcome == OutcomeDone {
		return inviting.Lookups{At: r.now()} // It is processed already, so a later lookup would show no more.
	}
	retryAfter := last.lost.RetryAfter
	if retryAfter > r.policy().MaxWait { // Too long to wait for: lookups come on time, and missed sends nothing again.
		retryAfter = 0
	}
	return inviting.After(last.at, retryAfter, r.now())
}

// send sends one request to a claimed address.
func (r *inviteRun) send(ctx context.Context, v invite) invite {
	var err error
	v.last, err = r.service.post(ctx, r.assessmentID, v.result.Candidate, func(waited bool) error { return r.beforeAttempt(ctx, v.to, waited) })
	switch {
	case v.last.invitation != nil:
		v.result.Invitation = *v.last.invitation
		r.known[v.to.Address] = v.result.Invitation
		return v.end(InviteSent, nil)
	case v.pending():
		v.sends++
		v.failure = v.last.lost
		v.lookups = r.lookupsAfter(v.last)
		return v
	case errors.Is(err, errListed):
		return v.found(r.known[v.to.Address])
	}
	return v.end(InviteNotSent, err)
}

func newInviteRequest(operation, assessmentID string) request {
	return newRequest(operation, "POST /assessments/{id}/invitations", pathID{"assessmentID", assessmentID})
}

// post sends an invitation and records the request if it may have sent an e-mail, also when a
// panic ends the call.
func (s *InvitationService) post(ctx context.Context, assessmentID string, in NewInvitation, admitted func(waited bool) error) (last lastSend, err error) {
	to, clock := inviting.To(assessmentID, in.Email), &s.core.shared.clock
	last = lastSend{at: clock.Now(), lost: errNotReturned}
	defer func() {
		if last != (lastSend{}) {
			s.sent.record(to, last, clock.Now())
		}
	}()
	r := newInviteRequest("Invitations.Send", assessmentID)
	r.admitted = admitted
	invitation, err := do[Invitation](ctx, s.core, in.apply(r, s.core.dialect))
	failure, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		last = lastSend{at: clock.Now(), invitation: &invitation}
	case ok && (failure.Outcome == OutcomeDone || failure.Outcome == OutcomeUnknown):
		last = lastSend{at: clock.Now(), lost: failure}
	default:
		last = lastSend{}
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
	stale := scanned.Before(v.lookups.At) || v.last.lost.Outcome == OutcomeDone
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
	v.last.invitation, v.last.lost = &invitation, nil
	r.service.sent.record(v.to, v.last, r.now())
	return v.found(invitation)
}

// missed follows a lookup that did not show the invitation.
func (r *inviteRun) missed(v invite) invite {
	lost := v.last.lost
	next, decided := v.lookups.Missed()
	switch {
	case lost.Outcome == OutcomeDone:
		return v.end(InviteUnknown, &unlistedError{lost}) // The POST is processed; whether it sent an e-mail is not known.
	case !decided:
		v.lookups = next
		return v
	}
	r.service.sent.settle(v.to, v.last)
	v.last = lastSend{}
	if v.sends > 0 && (v.sends >= r.policy().MaxAttempts || lost.RetryAfter > r.policy().MaxWait) {
		return v.end(InviteNotSent, asNotDone(lost))
	}
	return v
}

// lookUpAgain schedules another lookup after one that failed, or gives up.
func (r *inviteRun) lookUpAgain(ctx context.Context, v invite, err error) invite {
	failure, ok := errors.AsType[*Error](err)
	if ok && !failure.throttled && failure.RetryAfter <= r.policy().MaxWait && IsTransient(err) {
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
	_, listed := errors.AsType[*Error](err)
	switch {
	case v.sends == 0 && !listed: // The wait for the lookup ended.
		return v.end(InviteNotSent, err)
	case v.sends == 0:
		return v.end(InviteNotSent, &listingError{err})
	case ctx.Err() != nil:
		return v.end(InviteUnknown, join(ctx, v.last.lost))
	}
	return v.end(InviteUnknown, fmt.Errorf("%w; the lookup of the invitation failed: %w", v.last.lost, err))
}

// asNotDone returns the error of a request that the lookups have shown not to be done.
func asNotDone(lost *Error) *Error {
	settled := *lost
	settled.Outcome = OutcomeNotDone
	return &settled
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

// check rejects an invalid candidate before anything is sent.
func (r *inviteRun) check(v invite) error {
	return v.result.Candidate.apply(newInviteRequest("Invitations.Ensure", r.assessmentID), r.service.core.dialect).err
}

// find returns the known invitation of an addressee.
func (r *inviteRun) find(to inviting.Addressee) (invitation Invitation, found bool) {
	if invitation, found = r.known[to.Address]; found {
		return invitation, true
	}
	return r.service.sent.invitation(to)
}

// addressClaim is the claim of an address by a call, in the context of that call.
type addressClaim struct {
	sent  *sentInvitations
	to    inviting.Addressee
	outer *addressClaim // Of the call whose function made the call.
}

type addressClaimKey struct{}

// claim excludes other calls from an address until it is released in service.sent. It waits
// for the end of another call that has the address. claim returns the context to use until
// then, by which a call for the same address is refused that this one would wait for.
func (r *inviteRun) claim(ctx context.Context, to inviting.Addressee) (context.Context, lastSend, error) {
	outer, _ := ctx.Value(addressClaimKey{}).(*addressClaim)
	for held := outer; held != nil; held = held.outer {
		if held.sent == r.service.sent && held.to == to {
			return ctx, lastSend{}, errOwnAddress
		}
	}
	announce := time.NewTimer(time.Second)
	defer announce.Stop()
	for {
		last, busy := r.service.sent.claim(to, r.now())
		if busy == nil {
			return context.WithValue(ctx, addressClaimKey{}, &addressClaim{r.service.sent, to, outer}), last, nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return ctx, last, fmt.Errorf("hiring: Invitations.Ensure: not sent: another call is inviting the same address: %w", contextError(ctx))
		case <-announce.C:
			announceWait(ctx, time.Minute, PauseSettle) // The end of the other call is not known.
			announce.Reset(time.Minute)
		}
	}
}

// beforeAttempt is called just before each attempt of a request. It prevents the attempt when
// the listing, read again if it is old, shows the address, or when the address cannot be
// recorded in the checkpoint.
func (r *inviteRun) beforeAttempt(ctx context.Context, to inviting.Addressee, waited bool) error {
	if waited && r.patience > 0 { // A window may be an hour long, and others may have invited meanwhile.
		r.windowAt = r.now()
	}
	if err := r.refresh(ctx); err != nil {
		return err
	}
	if _, found := r.known[to.Address]; found {
		return errListed
	}
	return r.log.sending(ctx, to)
}

// maxListingAge is how old the listing may be when something is sent.
const maxListingAge = time.Minute

// refresh scans the listing when it is too old to send by. A scan that had to wait for a
// window is followed by another, because others may have invited during the wait.
func (r *inviteRun) refresh(ctx context.Context) error {
	stale := r.now().Sub(r.scans.LatestAt) > maxListingAge
	for stale || r.scans.LatestAt.Before(r.windowAt) {
		if err := r.scan(ctx, "", false); err != nil {
			return &listingError{err}
		}
		stale = false
	}
	return nil
}

// scan reads the listing until [inviting.Scan] needs no further page. It starts over when
// items left the listing meanwhile.
func (r *inviteRun) scan(ctx context.Context, wanted string, whole bool) error {
	ctx = WithResponse(ctx, nil) // The caller's is for the response to the POST.
	for n := 0; ; n++ {
		conclusive, err := r.scanOnce(ctx, wanted, whole || n > 0)
		if err != nil || conclusive {
			return err
		}
		if n >= r.policy().MaxAttempts {
			return errInconclusive
		}
	}
}

// scanOnce makes one scan. It resumes at the page at which the rate limit ended a request.
func (r *inviteRun) scanOnce(ctx context.Context, wanted string, whole bool) (conclusive bool, err error) {
	scan := r.scans.Begin(func(address string) string {
		invitation, _ := r.find(inviting.To(r.assessmentID, address))
		return invitation.ID
	}, wanted, whole, r.now())
	pages, decoding := r.service.List(r.assessmentID), new(readableInvitations)
	pages.list.request.leniency = decoding
	found, token := make(map[string]Invitation), ""
	err = r.patiently(ctx, func() error {
		for page, err := range pages.From(token).Pages(ctx) {
			if err = cmp.Or(err, decoding.unreadable); err != nil {
				return err
			}
			if scan.Page(addItems(found, page.Items), page.Meta.Total, page.Next == "") {
				return nil
			}
			token = page.Next
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if r.known == nil {
		r.known = make(map[string]Invitation)
	}
	maps.Copy(r.known, found)
	return scan.End(), nil
}

// addItems adds invitations by address, newest first, and returns their facts. An invitation
// without an id is replaced by an older one that has one.
func addItems(found map[string]Invitation, listed []Invitation) []inviting.Item {
	items := make([]inviting.Item, len(listed))
	for i := range listed {
		v := &listed[i]
		items[i] = inviting.Item{ID: v.ID, Address: inviting.Address(v.CandidateEmail), Created: v.CreatedAt}
		if newest, ok := found[items[i].Address]; !ok || newest.ID == "" {
			found[items[i].Address] = *v
		}
	}
	return items
}

// patiently makes a call. When the rate limit ended it, patiently makes it again in the next
// window, within the patience of the run.
func (r *inviteRun) patiently(ctx context.Context, call func() error) error {
	for {
		err := call()
		wait := r.nextWindow(ctx, err)
		if wait == 0 {
			return err
		}
		if waitErr := sleep(ctx, wait, PauseQuota); waitErr != nil {
			return &endedError{waitErr, err}
		}
		r.windowAt = r.now()
	}
}

// nextWindow returns the time until the next window when the rate limit ended a call, and 0
// for any other error and beyond the patience of the run. Other users of the key may use up
// the next window too. The throttle for failed authentication is another error: a run never
// waits for it.
func (r *inviteRun) nextWindow(ctx context.Context, err error) time.Duration {
	if _, listing := errors.AsType[*listingError](err); listing {
		return 0 // The scan has waited already.
	}
	failure, ok := errors.AsType[*Error](err)
	limited := ok && !failure.throttled && (errors.Is(failure, ErrQuotaExhausted) || failure.usedUp())
	if !limited || ctx.Err() != nil || failure.RetryAfter > r.patience {
		return 0
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
