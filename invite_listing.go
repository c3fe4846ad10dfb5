package hiring

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

// inviteListing is the listing of an assessment's invitations as one call of Ensure or SendAll
// has read it. Other processes add to it, so a call
// reads it again before it sends when it is older than maxListingAge or the call has waited for a window.
type inviteListing struct {
	service      *InvitationService
	assessmentID string
	patience     time.Duration // The longest wait for a window beyond RetryPolicy.MaxWait. 0, as in Ensure: none.

	listed   map[string]Invitation // By [inviting.Address]; nil before the first scan.
	scans    inviting.Scans
	windowAt time.Time // When the call last waited for a window of the rate limit.
}

func (l *inviteListing) policy() RetryPolicy { return l.service.core.config.retry }

// now returns the local time by which lookups are due.
func (l *inviteListing) now() time.Time { return l.service.core.shared.clock.Now() }

// find returns the invitation of an addressee: the listed one, or else the one that this client
// sent.
func (l *inviteListing) find(to inviting.Addressee) (invitation Invitation, found bool) {
	if invitation, found = l.listed[to.Address]; found {
		return invitation, true
	}
	if sent := l.service.requests.last(to).invitation; sent != nil {
		return *sent, true
	}
	return invitation, false
}

// maxListingAge is how old the listing may be when something is sent.
const maxListingAge = time.Minute

// refresh scans the listing when it is too old to send by. A scan that had to wait for a
// window is followed by another, because others may have invited during the wait.
func (l *inviteListing) refresh(ctx context.Context) error {
	stale := l.now().Sub(l.scans.LatestAt) > maxListingAge
	for stale || l.scans.LatestAt.Before(l.windowAt) {
		if err := l.scan(ctx, "", false); err != nil {
			return listingFailure(err)
		}
		stale = false
	}
	return nil
}

// scan reads the listing until [inviting.Scan] needs no further page. It starts over when
// items left the listing meanwhile.
func (l *inviteListing) scan(ctx context.Context, wanted string, whole bool) error {
	ctx = WithResponse(ctx, nil) // The caller's is for the response to the POST.
	for n := 0; ; n++ {
		conclusive, err := l.scanOnce(ctx, wanted, whole || n > 0)
		if err != nil || conclusive {
			return err
		}
		if n >= l.policy().MaxAttempts {
			return errInconclusive
		}
	}
}

// scanOnce makes one scan. It resumes at the page at which the rate limit ended a request.
func (l *inviteListing) scanOnce(ctx context.Context, wanted string, whole bool) (conclusive bool, err error) {
	scan := l.scans.Begin(func(address string) string {
		invitation, _ := l.find(inviting.To(l.assessmentID, address))
		return invitation.ID
	}, wanted, whole, l.now())
	pages, decoding := l.service.List(l.assessmentID), new(readableInvitations)
	pages.list.request.leniency = decoding
	found, token := make(map[string]Invitation), ""
	for done := false; !done; {
		done = true
		for page, err := range pages.From(token).Pages(ctx) {
			if err = cmp.Or(err, decoding.unreadable); err != nil {
				if err = l.awaitWindow(ctx, err); err != nil {
					return false, err
				}
				done = false
				break
			}
			if scan.Page(addItems(found, page.Items), page.Meta.Total, page.Next == "") {
				break
			}
			token = page.Next
		}
	}
	if l.listed == nil {
		l.listed = make(map[string]Invitation)
	}
	maps.Copy(l.listed, found)
	return scan.End(), nil
}

// addItems adds invitations by address, newest first, and returns their facts. An invitation
// without an id is replaced by an older one that has one.
func addItems(found map[string]Invitation, page []Invitation) []inviting.Item {
	items := make([]inviting.Item, len(page))
	for i := range page {
		v := &page[i]
		items[i] = inviting.Item{ID: v.ID, Address: inviting.Address(v.CandidateEmail), Created: v.CreatedAt}
		if newest, ok := found[items[i].Address]; !ok || newest.ID == "" {
			found[items[i].Address] = *v
		}
	}
	return items
}

// awaitWindow waits for the next window when the rate limit ended a call, and returns any other
// error.
func (l *inviteListing) awaitWindow(ctx context.Context, err error) error {
	wait := l.nextWindow(ctx, err)
	if wait == 0 {
		return err
	}
	if waitErr := sleep(ctx, wait, PauseQuota); waitErr != nil {
		return &endedError{waitErr, err}
	}
	l.windowAt = l.now()
	return nil
}

// nextWindow returns the time until the next window when the rate limit ended a call, and 0
// for any other error and beyond the patience of the run. Other users of the key may use up
// the next window too. The throttle for failed authentication is another error: a run never
// waits for it.
func (l *inviteListing) nextWindow(ctx context.Context, err error) time.Duration {
	if _, waited := errors.AsType[*endedError](err); waited { // The context ends before the window does.
		return 0
	}
	failure, ok := errors.AsType[*Error](err)
	limited := ok && (errors.Is(failure, ErrQuotaExhausted) || failure.usedUp())
	if !limited || ctx.Err() != nil || failure.RetryAfter > l.patience {
		return 0
	}
	return max(0, failure.RetryAfter)
}

// errInconclusive is returned when every scan of a listing may have missed an item.
var errInconclusive = errors.New("hiring: items left the listing of invitations each time it was read")
