package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// InviteOutcome is the outcome of inviting one candidate.
type InviteOutcome string

// The outcomes of [InvitationService.Ensure] and [InvitationService.EnsureAll].
const (
	InviteSent     InviteOutcome = "sent"     // This call sent the invitation.
	InviteExisting InviteOutcome = "existing" // The address had an invitation already; nothing was sent.
	InviteNotSent  InviteOutcome = "not_sent" // This call sent no e-mail.
	InviteUnknown  InviteOutcome = "unknown"  // An e-mail may have been sent. Call again later: the next call lists the invitations first.
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
//   - Case, surrounding white space and zero-width characters of an address do not matter.
//   - Ensure lists the invitations first. It sends nothing when the listing began more than
//     a minute ago.
//   - After an unknown outcome it lists again 10 s and 60 s after the attempt ended. It sends
//     again only if neither listing shows the address, at most RetryPolicy.MaxAttempts
//     requests in all. Then the outcome is InviteUnknown.
//   - After a 2xx response without a readable invitation it lists once and never sends again.
//   - Calls of one client and its variants for the same address wait for each other. For a
//     minute after an invitation was sent, the next call returns it as InviteExisting. After
//     a call that left the outcome open, because its context ended or a listing failed, the
//     next call lists no earlier than 60 s after the request ended.
//
// So a double click and a browser that aborts and repeats send one e-mail. Two processes
// that invite one address in the same minute may send two. So may a process that is killed,
// and restarted less than the attempt's timeout plus 60 s after its last request.
//
// Ensure blocks for about 6 minutes after lost responses with the default options: 4 attempts
// of 30 s, and a minute after each. Waits for the rate limit, each up to
// RetryPolicy.MaxWait, a long listing and another call for the same address come on top.
// Only the context is a hard limit.
//
// Scope write; costs one write and up to one read for each 100 invitations of the
// assessment. Each unknown outcome costs two or more reads, and another write if no listing
// shows the address.
func (s *InvitationService) Ensure(ctx context.Context, assessmentID string, in NewInvitation) (result InviteResult, err error) {
	err = s.use().traced(ctx, TraceCall{Operation: "Invitations.Ensure"}, func(ctx context.Context) error {
		r := inviteRun{service: s, assessmentID: assessmentID}
		result, err = r.invite(ctx, in)
		return err
	})
	return result, err
}

// inviteRun is one call of Ensure or EnsureAll.
type inviteRun struct {
	service      *InvitationService
	assessmentID string
	bulk         bool                      // The call is EnsureAll.
	before       func(NewInvitation) error // Called before each request; may be nil.

	began  time.Time             // When the last listing began; zero before the first.
	shown  map[string]bool       // Ids of the invitations that listings have shown.
	listed map[string]Invitation // By address: these, and those that the call has sent.
}

const (
	// maxListingAge is how long ago the listing may have begun when something is sent. Other
	// processes may have invited the address since.
	maxListingAge = time.Minute

	// firstLookup and settled are the times after an attempt with an unknown outcome at
	// which the invitations are listed again. An invitation that the second listing does
	// not show was not sent and will not be (assumed: settling).
	firstLookup = 10 * time.Second
	settled     = time.Minute
)

var (
	// errPrevented is returned by a call whose hook prevented an attempt.
	errPrevented = errors.New("hiring: not sent")

	errListingTooOld  = errors.New("hiring: the listing of invitations began more than a minute ago")
	errNoAttemptsLeft = errors.New("hiring: not sent again after RetryPolicy.MaxAttempts requests")
	errBeforeTooLong  = errors.New("hiring: not sent, because EnsureAllOptions.Before took longer than a minute")
)

// invite invites one candidate. Until it returns, other calls wait that invite the address.
func (r *inviteRun) invite(ctx context.Context, in NewInvitation) (InviteResult, error) {
	end := func(outcome InviteOutcome, invitation Invitation, err error) (InviteResult, error) {
		return InviteResult{in, invitation, outcome}, err
	}
	q := newInviteRequest(r.service.core, r.assessmentID, in)
	if q.err != nil {
		return end(InviteNotSent, Invitation{}, q.err)
	}
	a, err := r.service.core.shared.invited.lock(ctx, r.assessmentID, in.Email)
	if err != nil {
		return end(InviteNotSent, Invitation{}, err)
	}
	defer r.service.core.shared.invited.unlock(a)

	var open *Error // Of the last request of this call, while its outcome is not known.
	maxAttempts, attempts := r.service.core.config.retry.MaxAttempts, 0
	for {
		invitation, found, err := r.lookUp(ctx, a, open != nil)
		switch {
		case found && open != nil:
			return end(InviteSent, invitation, nil)
		case found:
			return end(InviteExisting, invitation, nil)
		case err != nil && open != nil && ctx.Err() != nil:
			return end(InviteUnknown, Invitation{}, join(ctx, open))
		case err != nil && open != nil:
			return end(InviteUnknown, Invitation{}, notListed(open.Error()+"; ", open, err))
		case err != nil:
			return end(InviteNotSent, Invitation{}, notListed("hiring: not sent, because ", err))
		case open != nil && open.Outcome == OutcomeDone:
			return end(InviteUnknown, Invitation{}, fmt.Errorf("%w; the listing does not show the invitation", open))
		case a.last.done():
			return end(InviteUnknown, Invitation{}, doneBefore())
		case open != nil && attempts >= maxAttempts:
			return end(InviteUnknown, Invitation{}, open)
		}
		var prevented error
		q.beforeAttempt = func() error {
			if attempts++; attempts > maxAttempts {
				prevented = errNoAttemptsLeft
			} else if prevented = r.callBefore(in); errors.Is(prevented, errListingTooOld) {
				attempts--
			}
			if prevented != nil {
				return errPrevented // Not the function's own error, which may be that of another request.
			}
			return nil
		}
		invitation, err = r.post(ctx, a, q)
		failure, _ := errors.AsType[*Error](err)
		switch {
		case err == nil:
			r.listed[a.email] = invitation
			return end(InviteSent, invitation, nil)
		case errors.Is(prevented, errListingTooOld):
			continue
		case errors.Is(prevented, errNoAttemptsLeft) && open != nil:
			return end(InviteUnknown, Invitation{}, open)
		case prevented != nil:
			return end(InviteNotSent, Invitation{}, prevented)
		case failure == nil || failure.Outcome == OutcomeNotDone:
			return end(InviteNotSent, Invitation{}, err)
		}
		open = failure
	}
}

// callBefore calls the function before an attempt if the listing is not too old, neither then
// nor after the function has returned.
func (r *inviteRun) callBefore(in NewInvitation) error {
	begun := time.Now()
	if begun.Sub(r.began) > maxListingAge {
		return errListingTooOld
	}
	if r.before == nil {
		return nil
	}
	if err := r.before(in); err != nil {
		return err
	}
	switch {
	case time.Since(begun) > maxListingAge:
		return errBeforeTooLong
	case time.Since(r.began) > maxListingAge:
		return errListingTooOld
	}
	return nil
}

// post sends the request and records it if it may have sent an e-mail, also when a panic ends
// the call.
func (r *inviteRun) post(ctx context.Context, a *address, q request) (invitation Invitation, err error) {
	last := lastRequest{outcome: OutcomeUnknown}
	defer func() {
		if last.outcome != OutcomeNotDone {
			last.ended = time.Now()
			a.last = last
		}
	}()
	q.background = r.bulk
	invitation, err = do[Invitation](ctx, r.service.core, q)
	failure, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		last = lastRequest{outcome: OutcomeDone, invitation: &invitation}
	case ok:
		last.outcome = failure.Outcome
	default:
		last.outcome = OutcomeNotDone // The hook prevented the request.
	}
	return invitation, err
}

// lookUp returns the invitation of an address, if there is one. It lists the invitations as
// the last request to the address requires, whose response is lost if lost is set.
func (r *inviteRun) lookUp(ctx context.Context, a *address, lost bool) (invitation Invitation, found bool, err error) {
	if invitation, found = a.last.sent(); found {
		return invitation, true, nil
	}
	if invitation, found = r.listed[a.email]; found {
		return invitation, true, nil
	}
	for _, due := range a.last.lookups(lost) {
		failed := r.list(ctx, a.email, due)
		if failed != nil && !IsTransient(failed) {
			return invitation, false, failed
		}
		if invitation, found = r.listed[a.email]; found {
			a.last = lastRequest{}
			return invitation, true, nil
		}
		err = cmp.Or(err, failed) // Only when no listing failed, the address has no invitation.
	}
	return invitation, false, err
}

// list waits until due and lists the invitations, unless a listing has begun since then that is
// not too old. Ensure ends a listing at the address.
func (r *inviteRun) list(ctx context.Context, email string, due time.Time) error {
	if wait := time.Until(due); wait > 0 {
		if err := sleep(ctx, wait, PauseLookup); err != nil {
			return err
		}
	}
	for range max(2, r.service.core.config.retry.MaxAttempts) { // A long listing is too old when it ends, and few pages follow.
		if !r.began.Before(due) && time.Since(r.began) <= maxListingAge {
			return nil
		}
		if err := r.listNew(ctx, email); err != nil {
			return err
		}
		if _, found := r.listed[email]; found {
			return nil
		}
	}
	return errListingTooOld
}

// listNew reads the listing from the first page, which has the newest invitations, to the first
// page with an invitation that an earlier listing has shown.
func (r *inviteRun) listNew(ctx context.Context, email string) error {
	began := time.Now().Round(0) // Without the monotonic clock, which stops while the computer sleeps.
	pages := r.service.List(r.assessmentID)
	pages.list.request.background = r.bulk
	shown, listed := make(map[string]bool), make(map[string]Invitation)
	for page, err := range pages.Pages(WithResponse(ctx, nil)) { // The caller's Response is that of the POST.
		if err != nil {
			return err
		}
		reached := false
		for _, invitation := range page.Items {
			reached = reached || r.shown[invitation.ID]
			shown[invitation.ID] = true
			address := AddressKey(invitation.CandidateEmail)
			if _, newer := listed[address]; !newer {
				listed[address] = invitation
			}
			reached = reached || !r.bulk && address == email
		}
		if reached {
			break
		}
	}
	if r.listed == nil {
		r.shown, r.listed = make(map[string]bool), make(map[string]Invitation)
	}
	maps.Copy(r.shown, shown)
	maps.Copy(r.listed, listed)
	r.began = began
	return nil
}

// notListed returns the error when a listing failed, or the wait for it. The last of the causes
// is its error.
func notListed(text string, causes ...error) error {
	why := strings.TrimPrefix(causes[len(causes)-1].Error(), "hiring: ")
	return &describedError{text + "the invitations could not be listed: " + why, causes}
}

// doneBefore returns the error when the API accepted an earlier request of this client to the
// address.
func doneBefore() *Error {
	return &Error{
		Operation: "Invitations.Ensure", Outcome: OutcomeDone,
		Message: "not sent, because the API accepted an earlier request to this address, whose invitation the listing does not show",
	}
}

// lastRequest is the last request to an address that may have sent an e-mail. The zero value
// means that there was none.
type lastRequest struct {
	ended      time.Time
	outcome    Outcome     // OutcomeDone or OutcomeUnknown.
	invitation *Invitation // After OutcomeDone with a readable body.
}

// sent returns the invitation that the request sent within the last minute.
func (l lastRequest) sent() (invitation Invitation, ok bool) {
	if l.invitation == nil || time.Since(l.ended) >= settled {
		return invitation, false
	}
	return *l.invitation, true
}

// done reports whether the API accepted the request, but its invitation is not known.
func (l lastRequest) done() bool { return l.outcome == OutcomeDone && l.invitation == nil }

// lookups returns the earliest times of the listings that must follow the request. lost
// reports that the caller is the call that lost the response.
func (l lastRequest) lookups(lost bool) []time.Time {
	switch {
	case l.outcome == "":
		return []time.Time{{}}
	case l.done(): // A listing that began at the same moment may have begun before the request.
		return []time.Time{l.ended.Add(1)}
	case lost:
		return []time.Time{l.ended.Add(firstLookup), l.ended.Add(settled)}
	}
	return []time.Time{l.ended.Add(settled)}
}

// addresses holds the addresses that calls invite now or have invited a moment ago. A client
// shares it with its variants. It is safe for concurrent use. The zero value is empty.
type addresses struct {
	mu      sync.Mutex
	entries map[addressKey]*address
	full    int // The number of entries at which old ones are dropped.
}

type addressKey struct{ assessment, email string }

// address is one address in one assessment. Only the call that has locked it may use last.
type address struct {
	addressKey // Of [AddressKey].

	turn  chan struct{} // Holds an element while a call has locked the address.
	users int           // Calls that have locked the address or wait for it.
	last  lastRequest
}

const (
	// remembered is how long an address is kept after a request. A listing that began
	// less than settled after the request may be used until maxListingAge later.
	remembered = settled + maxListingAge

	minEntries = 200    // Below which none is dropped.
	maxDone    = 10_000 // Accepted requests without an invitation do not expire. Above this number the oldest are dropped.
)

// lock waits until no other call invites the address.
func (m *addresses) lock(ctx context.Context, assessmentID, email string) (*address, error) {
	a := m.enter(addressKey{strings.ToLower(assessmentID), AddressKey(email)})
	long := time.NewTimer(time.Second)
	defer long.Stop()
	for {
		select {
		case a.turn <- struct{}{}:
			return a, nil
		case <-long.C:
			announceWait(ctx, settled, PauseLookup) // The end of the other call is not known.
		case <-ctx.Done():
			m.leave(a)
			return nil, fmt.Errorf("hiring: not sent, because another call is inviting the same address: %w", contextError(ctx))
		}
	}
}

func (m *addresses) unlock(a *address) {
	<-a.turn
	m.leave(a)
}

func (m *addresses) enter(key addressKey) *address {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.entries[key]
	if a == nil {
		m.dropOld()
		a = &address{addressKey: key, turn: make(chan struct{}, 1)}
		m.entries[key] = a
	}
	a.users++
	return a
}

func (m *addresses) leave(a *address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.users--; a.users == 0 && a.last.outcome == "" {
		delete(m.entries, a.addressKey)
	}
}

// dropOld makes room for an entry.
func (m *addresses) dropOld() {
	if m.entries == nil {
		m.entries = make(map[addressKey]*address)
	}
	if len(m.entries) < max(m.full, minEntries) {
		return
	}
	var done []*address
	for key, a := range m.entries {
		switch {
		case a.users > 0:
		case a.last.done():
			done = append(done, a)
		case time.Since(a.last.ended) > remembered:
			delete(m.entries, key)
		}
	}
	slices.SortFunc(done, func(a, b *address) int { return b.last.ended.Compare(a.last.ended) })
	for _, a := range done[min(len(done), maxDone):] {
		delete(m.entries, a.addressKey)
	}
	m.full = 2 * len(m.entries)
}
