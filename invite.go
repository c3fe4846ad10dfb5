package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// InviteOutcome is the outcome of inviting one candidate.
type InviteOutcome string

// The outcomes of [InvitationService.Ensure] and [InvitationService.EnsureAll].
const (
	InviteSent     InviteOutcome = "sent"     // This call sent the invitation.
	InviteExisting InviteOutcome = "existing" // The address had an invitation already; nothing was sent.
	// This candidate cannot be invited as it is, others can: a [ParamError], or a 400 or 409 of the
	// API that is not transient. Nothing was sent. Correct the candidate before you call again.
	InviteRejected InviteOutcome = "rejected"
	InviteNotSent  InviteOutcome = "not_sent" // Nothing was sent. The same call may succeed later.
	// An e-mail may have been sent. Call again later: the next call lists the invitations first.
	InviteUnknown InviteOutcome = "unknown"
)

// InviteResult is the result of inviting one candidate.
type InviteResult struct {
	Candidate  NewInvitation
	Invitation Invitation // Zero unless Outcome is InviteSent or InviteExisting.
	Outcome    InviteOutcome
}

// Ensure sends an invitation to an address that has no invitation of any status in the
// assessment. The error is nil exactly when the outcome is InviteSent or InviteExisting.
//
//  1. Ensure lists the invitations, and sends if the address has none. When the listing began
//     more than a minute ago, Ensure lists again before it sends.
//  2. After an unknown outcome it lists again 10 s and 60 s after the attempt ended. It sends
//     again only if neither listing shows the address, at most RetryPolicy.MaxAttempts
//     requests in all. Then the outcome is InviteUnknown.
//     Ensure assumes that a listing shows an invitation within a minute (assumed: settling).
//  3. After a 2xx response without a readable invitation it lists once and never sends again.
//
// After a 409 Ensure lists once, because the address may have got an invitation since the first
// listing. An invitation that the listing shows is InviteExisting.
//
// Case, surrounding white space and zero-width characters of an address do not matter. Calls
// of one client and its variants for the same address wait for each other. For a minute after
// an invitation was sent, or found after a lost response, the next call returns it as
// InviteExisting, unless this client or a variant has revoked it: then the next call lists.
// After a call that left the outcome open, because its context ended or a listing failed, the
// next call lists no earlier than 60 s after the request ended.
//
// So a double click and a browser that aborts and repeats send one e-mail, also when the
// clock is set or the computer sleeps meanwhile. Two processes that invite one address in the
// same minute may send two. So may a process that is killed, and restarted less than the
// attempt's timeout plus 60 s after its last request.
//
// Ensure blocks for about 6 minutes after lost responses with the default options: 4 attempts
// of 30 s, and a minute after each. Waits for the rate limit, each up to
// RetryPolicy.MaxWait, a long listing and another call for the same address come on top.
// Only the context is a hard limit.
//
// Scope write; costs one write and up to one read for each 100 invitations of the
// assessment, four times as many while invitations disappear from it. Each unknown outcome
// costs two or more reads, and another write if no listing shows the address. A 409 costs a
// second listing.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (result InviteResult, err error) {
	err = s.mustCore().traces.traced(ctx, TraceCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		r := inviteRun{service: s, assessmentID: assessmentID, single: true, invitations: make(map[string]Invitation)}
		result, err = r.invite(ctx, in)
		return err
	})
	return result, err
}

// inviteRun is one call of Ensure or EnsureAll.
type inviteRun struct {
	service      *InvitationService
	assessmentID string
	priority     priority                  // priorityInteractive in Ensure, priorityBulk in EnsureAll.
	single       bool                      // The run invites one address, so that a listing ends at it.
	before       func(NewInvitation) error // Called before each request; may be nil.

	listingBegan instant               // When the last listing began; zero before the first.
	listingDate  time.Time             // The Date of the first response of the last listing; zero if it had none.
	invitations  map[string]Invitation // The invitations that listings have shown or the call has sent, by address.
}

// The times of inviting. After a request whose outcome is unknown:
//
//	10 s    firstLookup      the first listing
//	1 min   settleTime       the second listing, then the next request
//	2 min   addressLifetime  the address is forgotten
const (
	// firstLookup and settleTime are the times after an attempt with an unknown outcome at
	// which the invitations are listed again. An invitation that the second listing does
	// not show was not sent and will not be (assumed: settling).
	firstLookup = 10 * time.Second
	settleTime  = time.Minute

	// rememberedFor is how long an invitation that was sent is returned without a listing, and a
	// revocation known. A listing shows both by then.
	rememberedFor = settleTime

	// maxListingAge is how long ago the listing may have begun when something is sent. Other
	// processes may have invited the address since.
	maxListingAge = time.Minute

	// listedWithin is how long before a listing an invitation may have been created that it does
	// not show yet: twice as long as a lost request takes to settle.
	listedWithin = 2 * settleTime

	// addressLifetime is how long an address is kept after a request: a listing that began before the
	// request has settled may be used for maxListingAge, and does not show the invitation.
	addressLifetime = settleTime + maxListingAge

	// justAfter makes a listing later than a moment: one that began at the same moment may have begun before it.
	justAfter = time.Nanosecond
)

// maxListings is the number of listings in a row that are not usable before a lookup fails.
const maxListings = 4

// invite invites one candidate. Until it returns, other calls wait that invite the address.
func (r *inviteRun) invite(ctx context.Context, in NewInvitation) (InviteResult, error) {
	c := invitee{inviteRun: r, in: in, request: newInviteRequest(r.service.core.dialect, r.assessmentID, in)}
	if err := c.request.err; err != nil {
		outcome := InviteRejected
		if !urls.IsSegment(r.assessmentID) {
			outcome = InviteNotSent // No candidate can be invited.
		}
		return c.result(outcome, Invitation{}), err
	}
	addresses := &r.service.core.shared.invited
	var err error
	if c.address, err = addresses.lock(ctx, r.assessmentID, in.Email); err != nil {
		return c.result(InviteNotSent, Invitation{}), err
	}
	defer addresses.unlock(c.address)
	return c.ensure(ctx)
}

// invitee is one candidate of a call.
type invitee struct {
	*inviteRun

	in        NewInvitation
	address   *address // Locked.
	request   request
	requests  int    // How many were sent.
	unsettled *Error // The error of the last request that may have sent an e-mail. Nil: there was none.
	slow      bool   // The listing was too old once after EnsureAllOptions.Before.
}

// ensure takes the three steps of [InvitationService.Ensure].
func (c *invitee) ensure(ctx context.Context) (InviteResult, error) {
	for !c.address.last.accepted() { // The request may be one of this call or of an earlier one.
		if invitation, err := c.awaitInvitation(ctx, c.due(settleTime)); invitation != nil || err != nil {
			return c.lookedUp(ctx, invitation, err)
		}
		invitation, outcome, err := c.send(ctx)
		cannotSettle := c.unsettled != nil && c.requestsLeft() == 0 // No request is left that could settle an earlier one.
		switch {
		case errors.Is(err, errListingTooOld), c.address.last.accepted():
			continue
		case outcome == InviteRejected:
			return c.afterRejection(ctx, err)
		case outcome == InviteNotSent && cannotSettle && IsTransient(err):
			return c.result(InviteUnknown, Invitation{}), c.unsettled
		case outcome != InviteUnknown:
			return c.result(outcome, invitation), err
		}
		if result, again, err := c.confirmUnknown(ctx); !again {
			return result, err
		}
	}
	return c.confirmAccepted(ctx)
}

// afterRejection returns the result after a request that the API rejected with err. After a 409 it
// lists the invitations once.
func (c *invitee) afterRejection(ctx context.Context, err error) (InviteResult, error) {
	if failureIn(err).Status == http.StatusConflict {
		invitation, listErr := c.awaitInvitation(ctx, c.now().monotonic.Add(justAfter)) // A listing that began before the request does not help.
		if invitation != nil || listErr != nil {
			return c.lookedUp(ctx, invitation, listErr)
		}
	}
	return c.result(InviteRejected, Invitation{}), err
}

// confirmUnknown is step 2, after a request with an unknown outcome. again reports that neither
// listing shows the address, so that the request is sent again.
func (c *invitee) confirmUnknown(ctx context.Context) (result InviteResult, again bool, err error) {
	var failed error
	for _, due := range []time.Time{c.due(firstLookup), c.due(settleTime)} {
		invitation, err := c.awaitInvitation(ctx, due)
		if invitation != nil || err != nil && !IsTransient(err) {
			result, err = c.lookedUp(ctx, invitation, err)
			return result, false, err
		}
		failed = cmp.Or(failed, err)
	}
	switch {
	case failed != nil: // The other listing does not show the address, but two listings are necessary.
		result, err = c.lookupFailed(ctx, failed)
		return result, false, err
	case c.requestsLeft() == 0:
		return c.result(InviteUnknown, Invitation{}), false, c.unsettled
	}
	return InviteResult{}, true, nil
}

// confirmAccepted is step 3, after a request that the API accepted.
func (c *invitee) confirmAccepted(ctx context.Context) (InviteResult, error) {
	invitation, err := c.awaitInvitation(ctx, c.due(justAfter))
	switch {
	case invitation != nil || err != nil:
		return c.lookedUp(ctx, invitation, err)
	case c.unsettled != nil:
		err = fmt.Errorf("%w; the listing does not show the invitation", c.unsettled)
	default:
		const why = "not sent, because the API accepted an earlier request to this address, whose invitation the listing does not show"
		err = ensureError(OutcomeDone, why, nil)
	}
	return c.result(InviteUnknown, Invitation{}), err
}

// requestsLeft returns how many of RetryPolicy.MaxAttempts requests the candidate has left.
func (c *invitee) requestsLeft() int { return c.service.core.config.retry.MaxAttempts - c.requests }

func (c *invitee) result(outcome InviteOutcome, invitation Invitation) InviteResult {
	return InviteResult{c.in, invitation, outcome}
}

// lookedUp returns the result after a lookup that found an invitation, or failed with err.
func (c *invitee) lookedUp(ctx context.Context, found *Invitation, err error) (InviteResult, error) {
	if found != nil {
		return c.found(*found), nil
	}
	return c.lookupFailed(ctx, err)
}

// found returns the result when the address has an invitation, and remembers it. The call has sent
// the invitation if a request of it is unsettled.
func (c *invitee) found(invitation Invitation) InviteResult {
	if last := &c.address.last; last.outcome != "" && last.invitation == nil {
		*last = lastRequest{c.now(), OutcomeDone, &invitation}
	}
	if c.unsettled != nil {
		return c.result(InviteSent, invitation)
	}
	return c.result(InviteExisting, invitation)
}

// lookupFailed returns the result when a listing failed, or the wait for it.
func (c *invitee) lookupFailed(ctx context.Context, err error) (InviteResult, error) {
	why := "the invitations could not be listed: " + strings.TrimPrefix(err.Error(), "hiring: ")
	switch {
	case c.unsettled == nil:
		return c.result(InviteNotSent, Invitation{}), &describedError{"hiring: not sent, because " + why, []error{err}}
	case ctx.Err() != nil:
		return c.result(InviteUnknown, Invitation{}), join(ctx, c.unsettled)
	}
	return c.result(InviteUnknown, Invitation{}), &describedError{c.unsettled.Error() + "; " + why, []error{c.unsettled, err}}
}

// ensureError returns an error that no request has caused. cause may be nil.
func ensureError(outcome Outcome, message string, cause error) *Error {
	e := &Error{Operation: "Invitations.Ensure", Outcome: outcome, Message: message}
	if cause != nil {
		e.Message += ": " + cause.Error()
	}
	e.causedBy(cause)
	return e
}

// errListingTooOld prevents a request, before which the invitations are listed again.
var errListingTooOld = errors.New("the listing began more than a minute ago")

// send sends the request, and records it if it may have sent an e-mail, also when a panic ends the
// call. Of such a request without an invitation the outcome is InviteUnknown, and the error an [*Error].
func (c *invitee) send(ctx context.Context) (invitation Invitation, outcome InviteOutcome, err error) {
	last := lastRequest{outcome: OutcomeUnknown}
	defer func() {
		if last.outcome != OutcomeNotDone {
			last.ended = c.now()
			c.address.last = last
		}
	}()
	var prevented error
	q := c.request
	q.priority, q.maxAttempts = c.priority, c.requestsLeft()
	q.beforeAttempt = func(*credential) error {
		if prevented = c.checkAttempt(); prevented == nil {
			c.requests++
		}
		return prevented
	}
	invitation, err = do[Invitation](ctx, c.service.core, q)
	failure, failed := errors.AsType[*Error](err)
	switch {
	case err == nil:
		last = lastRequest{outcome: OutcomeDone, invitation: &invitation}
		c.invitations[c.address.email] = invitation
		return invitation, InviteSent, nil
	case prevented == nil && failed && failure.Outcome != OutcomeNotDone:
		last.outcome, c.unsettled = failure.Outcome, failure
		return Invitation{}, InviteUnknown, err
	}
	last.outcome = OutcomeNotDone
	if prevented == nil && failed && failure.rejectsCandidate() {
		return Invitation{}, InviteRejected, err
	}
	return Invitation{}, InviteNotSent, cmp.Or(prevented, err)
}

// checkAttempt calls the function before, and returns why the attempt is not made, or nil.
func (c *invitee) checkAttempt() error {
	switch {
	case c.listingAge() > maxListingAge:
		return errListingTooOld
	case c.before == nil:
		return nil
	}
	err := c.before(c.in)
	switch {
	case err != nil:
		return err
	case c.listingAge() <= maxListingAge:
		return nil
	case c.slow:
		return ensureError(OutcomeNotDone, "not sent, because EnsureAllOptions.Before takes so long that the listing is too old", nil)
	}
	c.slow = true
	return errListingTooOld
}

// due returns the earliest time of a listing that must begin some time after the last request to the
// address.
func (c *invitee) due(after time.Duration) time.Time {
	if c.address.last.outcome == "" {
		return time.Time{}
	}
	now := c.now()
	return now.monotonic.Add(after - now.atLeastSince(c.address.last.ended))
}

// remembered returns the invitation that this client has sent to the address, or found after a lost
// response, within the last minute, nil for none. revoked reports that it was revoked since.
func (c *invitee) remembered() (invitation *Invitation, revoked bool) {
	last := &c.address.last
	if last.invitation == nil || c.now().atLeastSince(last.ended) >= rememberedFor {
		return nil, false
	}
	return last.invitation, c.service.core.shared.invited.wasRevoked(last.invitation.ID)
}

// awaitInvitation returns the invitation of the address, nil if there is none. Unless it is known, it
// lists the invitations at due, or takes a listing that began since then.
func (c *invitee) awaitInvitation(ctx context.Context, due time.Time) (*Invitation, error) {
	remembered, revoked := c.remembered()
	if remembered != nil && !revoked {
		return remembered, nil
	}
	_, known := c.invitations[c.address.email]
	if revoked { // A listing shows the status that the invitation has now.
		due, known = c.now().monotonic, false
	}
	if !known {
		if err := c.awaitListing(ctx, c.address.email, due); err != nil {
			return nil, err
		}
	}
	if invitation, found := c.invitations[c.address.email]; found {
		return &invitation, nil
	}
	return remembered, nil // Nil, or a revoked invitation that the listing, which may be a minute behind, does not show.
}

func (r *inviteRun) now() instant { return r.service.core.shared.invited.now() }

// listingAge returns the greatest possible age of the last listing.
func (r *inviteRun) listingAge() time.Duration { return r.now().atMostSince(r.listingBegan) }

// awaitListing waits until due and lists the invitations, unless a listing has begun since then that is
// not too old. Ensure ends a listing at the address.
func (r *inviteRun) awaitListing(ctx context.Context, email string, due time.Time) error {
	if wait := time.Until(due); wait > 0 {
		if err := sleepInTime(ctx, wait, PauseLookup); err != nil {
			return ensureError(OutcomeNotDone, "the wait for a listing ended", err)
		}
	}
	for n := 0; r.listingBegan.monotonic.Before(due) || r.listingAge() > maxListingAge; n++ {
		if n == maxListings {
			return ensureError(OutcomeNotDone, "the listing is not usable: it takes longer than a minute, or invitations disappear meanwhile", nil)
		}
		if err := r.readListing(ctx, email); err != nil { // After a listing that took too long, the next one is short.
			return err
		}
		if _, found := r.invitations[email]; found {
			return nil
		}
	}
	return nil
}

// readListing reads the listing from the first page, which has the newest invitations, to the first
// page whose invitations the previous listing has certainly shown. A listing whose total falls is not
// used, and listingBegan stays: an invitation that disappears moves another to a page that was read before.
func (r *inviteRun) readListing(ctx context.Context, email string) error {
	began, date, total := r.now(), time.Time{}, -1
	listed := make(map[string]Invitation)
	pages := r.service.List(r.assessmentID).sending(func(q request) request {
		q.priority = r.priority
		return q
	})
	var response Response // Keeps the caller's Response for the POST.
	for page, err := range pages.Pages(WithResponse(ctx, &response)) {
		switch {
		case err != nil:
			return err
		case page.Meta.Total < total:
			return nil
		case total < 0:
			date = dateOf(response.Header)
		}
		total = page.Meta.Total
		reached := len(page.Items) > 0
		for _, invitation := range page.Items {
			created := invitation.CreatedAt
			reached = reached && !created.IsZero() && created.Before(r.listingDate.Add(-listedWithin)) // Never true without a listingDate.
			address := AddressKey(invitation.CandidateEmail)
			if _, newer := listed[address]; !newer {
				listed[address] = invitation
			}
		}
		if _, found := listed[email]; reached || found && r.single {
			break
		}
	}
	maps.Copy(r.invitations, listed)
	r.listingBegan, r.listingDate = began, date
	return nil
}
