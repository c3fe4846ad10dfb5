package hiring

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
	"github.com/hiring-assessment/hiring-go/internal/provenance"
	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/serverclock"
)

// family is what a client and its variants know together.
type family struct {
	quotas quota.Book
	owners owners
	origin provenance.Judge
	clock  serverclock.Clock
}

// left returns how many requests the present window, or else a new one, still has
// for a key, and how long it lasts.
func (f *family) left(id keyID, method string, now time.Time) (limit, remaining int, ends time.Duration) {
	return f.quotas.Left(id, classOf(method), now)
}

// owners are the accounts that keys belong to, as far as they are known.
type owners struct {
	mu    sync.Mutex
	known map[keyID]string
}

// manyOwners is more than any program has keys at a time; one that is forgotten
// costs a read.
const manyOwners = 1000

func (f *family) account(id keyID) string {
	f.owners.mu.Lock()
	defer f.owners.mu.Unlock()
	return f.owners.known[id]
}

func (f *family) keep(id keyID, account string) {
	f.owners.mu.Lock()
	defer f.owners.mu.Unlock()
	if len(f.owners.known) >= manyOwners || f.owners.known == nil {
		f.owners.known = make(map[keyID]string)
	}
	f.owners.known[id] = account
}

// admit asks for the key and for a place in its quota, and waits for that if it
// may. Each attempt begins with it.
func (a *attempt) admit() error {
	waited := a.now != nil && a.now.failure.usedUp() // For a window, after the attempt before.
	for {
		if err := contextError(a.ctx); err != nil { // A wait may end together with the context.
			return a.ended(err)
		}
		credential, err := a.core.keys.use(a.ctx)
		if err != nil {
			return join(a.ctx, a.fail(a.plain(err), err)) // The key before this one is still to be kept out of the text.
		}
		a.credential = credential
		if err := contextError(a.ctx); err != nil {
			return a.ended(err)
		}
		if a.request.before != nil {
			if err := a.request.before(waited); err != nil {
				return err
			}
		}
		closed := a.enter()
		switch {
		case closed.Reason == quota.Open:
			return a.admitted()
		case closed.Reason == quota.Braked:
			return join(a.ctx, a.braked())
		case a.core.policy().TooLong(closed.Wait) || sleep(a.core.waiting(a.ctx, a.request.operation), closed.Wait, pauseFor(closed.Reason)) != nil:
			return join(a.ctx, a.exhausted(closed))
		}
		waited = waited || closed.Reason != quota.Throttled
	}
}

// admitted counts the attempt as in flight, unless the operation's hook fails.
func (a *attempt) admitted() (err error) {
	a.inFlight = true
	if a.request.admitted == nil {
		return nil
	}
	admitted := false
	defer func() {
		if !admitted {
			a.landed()
		}
	}()
	err = a.request.admitted()
	admitted = err == nil
	return err
}

// enter passes the gate, unless that is closed. Where requests on their way may
// take the last of a quota, it waits for them a moment.
func (a *attempt) enter() (closed quota.Barrier) {
	for hurry := false; ; {
		closed, a.begun = a.core.family.quotas.Enter(a.credential.id, classOf(a.request.method), a.core.config.reserve, hurry, time.Now())
		if closed.Reason != quota.Crowded || a.ctx.Err() != nil {
			return closed
		}
		if hurry = outlasts(a.ctx, closed.Wait); !hurry {
			timer := time.NewTimer(closed.Wait)
			select {
			case <-closed.News:
			case <-a.ctx.Done():
			case <-timer.C:
				hurry = true
			}
			timer.Stop()
		}
	}
}

// learn keeps what a reply's head says of the quotas.
func (a *attempt) learn(h http.Header, now time.Time) {
	quotas, id, class := &a.core.family.quotas, a.credential.id, classOf(a.request.method)
	a.core.family.clock.Learn(headers.ServerTime(h, now), a.started, now)
	limit, ok := headers.Quota(h)
	a.limit = RateLimit(limit)
	switch {
	case !ok || a.status == http.StatusUnauthorized: // A 401 is about a key that has no quotas.
	case a.status == http.StatusTooManyRequests && quotas.IsThrottle(id, class, limit):
		a.throttled = true
		quotas.Hold(now.Add(min(headers.RetryAfter(h, now), longestWindow)))
	default:
		quotas.Learn(id, class, a.begun, limit, limit.Reset.Sub(headers.ServerTime(h, now)), now)
	}
}

// exhausted is the error of a call that the gate refused.
func (a *attempt) exhausted(closed quota.Barrier) *Error {
	e := a.fail(a.unsentBecause()+reasonOf(closed, a.request.method), ErrQuotaExhausted)
	e.Code, e.RetryAfter, e.RateLimit = ErrRateLimited, closed.Wait, RateLimit(closed.Said)
	e.throttled = closed.Reason == quota.Throttled
	return e
}

// ended is the error of a call whose context ended before it was sent.
func (a *attempt) ended(err error) *Error { return a.fail(a.notSent(), err) }

// notSent is what keeps a call whose context has ended from being sent.
func (c *call) notSent() string {
	if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
		return c.unsentBecause() + "the context's deadline had passed"
	}
	return c.unsentBecause() + "the context was canceled"
}

func (c *call) unsentBecause() string {
	if c.attempts > 0 {
		return "not sent again, because "
	}
	return "not sent, because "
}

func pauseFor(reason quota.Reason) PauseReason {
	if reason == quota.Throttled {
		return PauseThrottle
	}
	return PauseQuota
}

// reasonOf says what keeps a request from being sent.
func reasonOf(closed quota.Barrier, method string) string {
	kind, reserved := "write", ""
	if isRead(method) {
		kind = "read"
	}
	switch {
	case closed.Reason == quota.Throttled:
		return "the service throttles this address after too many failed authentications"
	case closed.Reason == quota.Crowded:
		return "requests on their way may take what is left of the " + kind + " quota"
	case closed.Said.Remaining > 0:
		reserved = " but for the reserve of WithQuotaReserve"
	}
	return fmt.Sprintf("the %s quota of %d an hour is used up%s until %s, by the service's clock",
		kind, closed.Said.Limit, reserved, closed.Said.Reset.Format(time.RFC3339))
}

// braked is the error of a call whose key is not tried.
func (a *attempt) braked() *Error {
	e := a.fail(fmt.Sprintf(a.unsentBecause()+"%s refused %s, %d times in a row, and further failures"+
		" throttle the address for every key on it: replace the key; one call a minute is still tried", a.core.base.Host, a.credential.redacted(), quota.MaxRefusals), nil)
	e.Code = ErrInvalidToken
	return e
}
