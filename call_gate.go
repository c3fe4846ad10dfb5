package hiring

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"
)

// barrier is what keeps a request from being sent.
type barrier struct {
	wait      time.Duration // 0: nothing does.
	throttled bool          // Failed authentications, and not a quota.
	braked    bool          // The key is not valid: nothing to wait for.
	said      RateLimit     // Of the quota.
	news      chan struct{} // What is left may be taken by requests on their way: wait for this instead.
}

// crowdWait is how long a request waits for those that may take the last of a
// quota. Then it goes all the same, since the service has not said that nothing
// is left.
const crowdWait = time.Second

// gate returns what a request must wait for before it may be sent, and begins it
// when that is nothing. A client with a reserve leaves that share of each
// window to others, and counts the requests on their way for that. The others
// stop when the service said that nothing is left; what remains is not overdrawn
// by requests that begin together, unless one is in a hurry.
func (f *family) gate(id keyID, method string, reserve float64, hurry bool, now time.Time) (closed barrier, begun uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if wait := f.brakes[id].wait(now); wait > 0 {
		return barrier{wait: wait, braked: true}, 0
	}
	if f.held.After(now) {
		return barrier{wait: f.held.Sub(now), throttled: true}, 0
	}
	if f.keys[id] == nil {
		f.forget(now)
	}
	k := f.of(id, method)
	if k.turns.After(now) {
		left := k.Remaining - k.inFlight
		switch {
		case k.Remaining == 0, reserve > 0 && left <= int(math.Ceil(reserve*float64(k.Limit))):
			return barrier{wait: k.turns.Sub(now), said: k.RateLimit}, 0
		case left <= 0 && !hurry:
			if k.news == nil {
				k.news = make(chan struct{})
			}
			return barrier{wait: crowdWait, said: k.RateLimit, news: k.news}, 0
		}
	}
	f.tries(id, now)
	k.inFlight++
	k.usage.Begin()
	f.ticks++
	return barrier{}, f.ticks
}

// admit asks for the key and for a place in its quota, and waits for that if it
// may. Each attempt begins with it.
func (a *attempt) admit() error {
	waited := a.now != nil && a.now.failure.usedUp() // For a window, after the attempt before.
	for {
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
		if closed.wait == 0 {
			a.inFlight = true
			return nil
		}
		if closed.braked {
			return join(a.ctx, a.braked())
		}
		if a.core.config.retry.tooLong(closed.wait) || sleep(a.ctx, closed.wait, closed.pause()) != nil {
			return join(a.ctx, a.exhausted(closed))
		}
		waited = waited || !closed.throttled
	}
}

// enter passes the gate, unless that is closed.
func (a *attempt) enter() (closed barrier) {
	for hurry := false; ; {
		closed, a.begun = a.core.family.gate(a.credential.id, a.request.method, a.core.config.reserve, hurry, time.Now())
		if closed.news == nil || a.ctx.Err() != nil {
			return closed
		}
		if hurry = outlasts(a.ctx, crowdWait); !hurry {
			timer := time.NewTimer(crowdWait)
			select {
			case <-closed.news:
			case <-a.ctx.Done():
			case <-timer.C:
				hurry = true
			}
			timer.Stop()
		}
	}
}

// exhausted is the error of a call that the gate refused.
func (a *attempt) exhausted(closed barrier) *Error {
	e := a.fail(a.unsentBecause()+closed.reason(a.request.method), ErrQuotaExhausted)
	e.Code, e.RetryAfter, e.RateLimit, e.throttled = ErrRateLimited, closed.wait, closed.said, closed.throttled
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

func (b barrier) pause() PauseReason {
	if b.throttled {
		return PauseThrottle
	}
	return PauseQuota
}

func (b barrier) reason(method string) string {
	if b.throttled {
		return "the service throttles this address after too many failed authentications"
	}
	kind, reserved := "write", ""
	if isRead(method) {
		kind = "read"
	}
	if b.news != nil {
		return "requests on their way may take what is left of the " + kind + " quota"
	}
	if b.said.Remaining > 0 {
		reserved = " but for the reserve of WithQuotaReserve"
	}
	return fmt.Sprintf("the %s quota of %d an hour is used up%s until %s, by the service's clock",
		kind, b.said.Limit, reserved, b.said.Reset.Format(time.RFC3339))
}

// The service throttles an address, for every key on it, after too many failed
// authentications. So a key that it has refused a few times in a row is not
// tried again and again.
const (
	maxRefusals = 3
	brakePause  = time.Minute
)

// brake is how often in a row the service called a key invalid.
type brake struct {
	refusals int
	last     time.Time // When it did so, or when the key was tried again since.
}

// wait is how long the key is not to be tried.
func (b brake) wait(now time.Time) time.Duration {
	if b.refusals < maxRefusals {
		return 0
	}
	return max(0, b.last.Add(brakePause).Sub(now))
}

// tries notes that a key is used, so that of those that wait for its brake one
// alone goes. The lock must be held.
func (f *family) tries(id keyID, now time.Time) {
	if b, ok := f.brakes[id]; ok {
		f.brakes[id] = brake{b.refusals, now}
	}
}

// judged keeps what a reply of the service says of its key.
func (f *family) judged(id keyID, invalid bool, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !invalid {
		delete(f.brakes, id)
		return
	}
	b, known := f.brakes[id]
	if !known && len(f.brakes) >= fewKeys { // Keys that rotate must not pile up.
		maps.DeleteFunc(f.brakes, func(_ keyID, b brake) bool { return now.Sub(b.last) >= window })
	}
	f.brakes[id] = brake{b.refusals + 1, now}
}

// braked is the error of a call whose key is not tried.
func (a *attempt) braked() *Error {
	e := a.fail(fmt.Sprintf(a.unsentBecause()+"%s refused %s, %d times in a row, and further failures"+
		" throttle the address for every key on it: replace the key; one call a minute is still tried", a.core.base.Host, a.credential.redacted(), maxRefusals), nil)
	e.Code = ErrInvalidToken
	return e
}
