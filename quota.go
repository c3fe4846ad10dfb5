package hiring

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/pacing"
)

// ErrQuotaExhausted is what errors.Is accepts for a call that was refused
// locally, because the service had said that the key's quota is used up, or that
// it throttles this address, and that lasts longer than the call may wait.
// Nothing was sent; the [*Error] has the code ErrRateLimited, the Status 0 and a
// RetryAfter.
var ErrQuotaExhausted = errors.New("hiring: the quota is used up")

// RateLimit is one hourly quota as a reply's headers told it.
type RateLimit struct {
	Limit     int       // Requests an hour.
	Remaining int       // Requests left until Reset.
	Reset     time.Time // When the window ends, by the server's clock.
}

// Known tells a quota that the service has told from one that was not heard of
// yet, which is zero and would else look exhausted.
func (l RateLimit) Known() bool { return l != RateLimit{} }

// Quota holds what the service last said of a key's two quotas, which are
// counted apart. A class that was not called yet is zero: [RateLimit.Known] tells
// it from one that is used up.
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

const (
	classRead = iota
	classWrite
)

// documentedLimits are taken for a class's limit until a reply has told it.
var documentedLimits = [2]int{classRead: 1000, classWrite: 200}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func classOf(method string) int {
	if isRead(method) {
		return classRead
	}
	return classWrite
}

// rateLimitOf reads the three headers; ok is false unless all are there and
// make sense.
func rateLimitOf(h http.Header) (limit RateLimit, ok bool) {
	var reset int64
	var err error
	if limit.Limit, ok = count(h.Get("X-Ratelimit-Limit")); !ok {
		return RateLimit{}, false
	}
	if limit.Remaining, ok = count(h.Get("X-Ratelimit-Remaining")); !ok {
		return RateLimit{}, false
	}
	if reset, err = strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err != nil || reset <= 0 || reset > maxUnix {
		return RateLimit{}, false
	}
	limit.Reset = time.Unix(reset, 0).UTC()
	return limit, true
}

// maxUnix is the last second that RFC 3339, and so JSON, can write.
const maxUnix = 253402300799

func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// family is what a client and its variants know together.
type family struct {
	mu sync.Mutex
	// ticks counts beginnings of requests and arrivals of replies, and so
	// orders them without a clock.
	ticks uint64
	keys  map[keyID]*[2]knowledge
	owner map[keyID]string // The accounts that keys belong to, as far as they are known.
	sweep int              // With that many keys, those that nothing is known of any more are dropped.
	held  time.Time        // Until then nothing is sent: the address is throttled.

	brakes   map[keyID]brake // Of the keys whose last reply was that they are not valid.
	unsigned atomic.Bool     // The service's headers do not come through, so that its replies cannot be told by them.
	invited  ledger          // Has a lock of its own.
}

// knowledge is what is known of one class of one key.
type knowledge struct {
	RateLimit

	usage    pacing.Usage
	arrived  uint64
	turns    time.Time // When the window ends, by the local clock.
	inFlight int
	news     chan struct{} // Closed when a request has ended; nil when nobody waits for that.
}

// fewKeys are kept whatever is known of them. An organization has at most 20.
const fewKeys = 64

func newFamily() *family {
	return &family{keys: make(map[keyID]*[2]knowledge), owner: make(map[keyID]string), brakes: make(map[keyID]brake), sweep: fewKeys}
}

func (f *family) account(id keyID) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.owner[id]
}

func (f *family) keep(id keyID, account string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.owner[id] = account
}

// of returns what is known of a class. The lock must be held.
func (f *family) of(id keyID, method string) *knowledge {
	known := f.keys[id]
	if known == nil {
		known = new([2]knowledge)
		f.keys[id] = known
	}
	return &known[classOf(method)]
}

// forget drops the keys whose windows have turned and that have nothing on its
// way, so that keys that rotate do not pile up. It looks at all of them only
// when they have doubled. The lock must be held.
func (f *family) forget(now time.Time) {
	if len(f.keys) < f.sweep {
		return
	}
	maps.DeleteFunc(f.keys, func(_ keyID, known *[2]knowledge) bool {
		return known[classRead].idle(now) && known[classWrite].idle(now)
	})
	maps.DeleteFunc(f.owner, func(id keyID, _ string) bool { return f.keys[id] == nil })
	f.sweep = max(fewKeys, 2*len(f.keys))
}

func (k *knowledge) idle(now time.Time) bool { return k.inFlight == 0 && !k.turns.After(now) }

// longestWindow bounds what a reply's Reset is believed, so that no nonsense can
// close a class for good. Windows are an hour (assumed: longest window).
const longestWindow = 2 * time.Hour

// left returns what is known of a class: how many requests the present window,
// or else a new one, still has, and how long it lasts.
func (f *family) left(id keyID, method string, now time.Time) (limit, remaining int, ends time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.of(id, method)
	if limit = k.Limit; limit == 0 {
		limit = documentedLimits[classOf(method)]
	}
	if k.turns.After(now) {
		return limit, k.Remaining - k.inFlight, k.turns.Sub(now)
	}
	return limit, limit, window
}

// pace returns how long the next write of a long run waits, that leaves a tenth
// of each window to others, or more where reserve asks for more; wholly is true
// when that is until the next window.
func (f *family) pace(id keyID, reserve float64, now time.Time) (wait time.Duration, wholly bool, said RateLimit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.of(id, http.MethodPost)
	left := max(k.Limit/10, int(math.Ceil(reserve*float64(k.Limit))))
	wait, wholly = k.usage.Wait(left, k.inFlight, now)
	return wait, wholly, k.RateLimit
}

// window is how long a quota lasts.
const window = time.Hour

// ended takes a request off the way.
func (f *family) ended(id keyID, method string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.of(id, method)
	k.inFlight--
	if k.news != nil {
		close(k.news)
		k.news = nil
	}
}

// learn keeps what a reply says. A reply to a request begun after the current
// knowledge arrived is newer and wins. Replies that overlap may arrive in any
// order: there the later window holds, and within one the smaller remainder.
//
// The window's end is the server's: what is left of it when the reply was made
// counts from the reply's arrival.
func (f *family) learn(id keyID, method string, begun uint64, said RateLimit, left time.Duration, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ticks++
	k := f.of(id, method)
	newer := begun > k.arrived ||
		said.Reset.After(k.Reset) ||
		said.Reset.Equal(k.Reset) && said.Remaining < k.Remaining
	if newer {
		k.RateLimit, k.arrived = said, f.ticks
		k.turns = now.Add(min(left, longestWindow))
		k.usage.Learn(k.Limit, k.Remaining, k.inFlight, k.turns, now)
	}
}

// isThrottle tells a 429 for too many failed authentications from one that says
// that a class is used up (assumed: look of a throttle). The former counts neither
// reads nor writes, and says nothing about the quotas.
func (f *family) isThrottle(id keyID, method string, said RateLimit) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	limit := f.of(id, method).Limit
	if limit == 0 {
		limit = documentedLimits[classOf(method)]
	}
	return said.Remaining != 0 || said.Limit != limit
}

// hold keeps every request of the family back: the throttle is for the address,
// whatever the key.
func (f *family) hold(until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if until.After(f.held) {
		f.held = until
	}
}

func (f *family) quota(id keyID) Quota {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.keys[id]
	if known == nil {
		return Quota{}
	}
	return Quota{Read: known[classRead].RateLimit, Write: known[classWrite].RateLimit}
}

// learn keeps what a reply's head says of the quotas.
func (a *attempt) learn(h http.Header, now time.Time) {
	family, id, method := a.core.family, a.credential.id, a.request.method
	limit, ok := rateLimitOf(h)
	a.limit = limit
	switch {
	case !ok || a.status == http.StatusUnauthorized: // A 401 is about a key that has no quotas.
	case a.status == http.StatusTooManyRequests && family.isThrottle(id, method, limit):
		a.throttled = true
		family.hold(now.Add(min(retryAfterOf(h, now), longestWindow)))
	default:
		family.learn(id, method, a.begun, limit, limit.Reset.Sub(serverTime(h, now)), now)
	}
}
