package hiring

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RateLimit is one hourly quota as a reply's headers told it.
type RateLimit struct {
	Limit     int       // Requests an hour.
	Remaining int       // Requests left until Reset.
	Reset     time.Time // When the window ends, by the server's clock.
}

// Quota holds what the service last said of a key's two quotas, which are
// counted apart. A class that was not called yet is zero.
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

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
}

type knowledge struct {
	RateLimit

	arrived uint64
}

func newFamily() *family { return &family{keys: make(map[keyID]*[2]knowledge)} }

// begin returns a request's place in the order.
func (f *family) begin() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ticks++
	return f.ticks
}

// learn keeps what a reply says. A reply to a request begun after the current
// knowledge arrived is newer and wins. Replies that overlap may arrive in any
// order: there the later window holds, and within one the smaller remainder.
func (f *family) learn(id keyID, method string, begun uint64, said RateLimit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ticks++
	known := f.keys[id]
	if known == nil {
		known = new([2]knowledge)
		f.keys[id] = known
	}
	k := &known[classOf(method)]
	newer := begun > k.arrived ||
		said.Reset.After(k.Reset) ||
		said.Reset.Equal(k.Reset) && said.Remaining < k.Remaining
	if newer {
		*k = knowledge{said, f.ticks}
	}
}

func classOf(method string) int {
	if isRead(method) {
		return 0
	}
	return 1
}

func (f *family) quota(id keyID) Quota {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.keys[id]
	if known == nil {
		return Quota{}
	}
	return Quota{Read: known[0].RateLimit, Write: known[1].RateLimit}
}
