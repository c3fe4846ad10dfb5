package jobs

import (
	"context"
	"errors"
	"sync"
	"time"
)

// shares limits how many deliveries of one organization, and to one host of webhooks,
// run at once in this process, so that one that hangs leaves workers to the others.
type shares struct {
	workers int // Workers of the queue of deliveries.

	mu     sync.Mutex
	shares map[string]*share
}

// share is the share of an organization or a host.
type share struct {
	running int
	started time.Time     // When the latest delivery began.
	slow    bool          // The latest delivery that ended had reached its timeout.
	freed   chan struct{} // Closed when a delivery ends.
}

func newShares(workers int) *shares {
	return &shares{workers: workers, shares: make(map[string]*share)}
}

// ofOrganization returns how many deliveries of an organization may run: three of ten.
func (s *shares) ofOrganization() int { return max(1, s.workers*3/10) }

// ofHost returns how many deliveries to a host may run: half of the workers. All that
// have reached their timeout before have the same share together.
func (s *shares) ofHost() int { return max(1, s.workers/2) }

// slowKey is the key of the share of all organizations and hosts that are slow.
const slowKey = "slow"

// sharePatience is how long a delivery waits for its turn after the latest delivery of
// its share began. Deliveries that take longer than this make no others wait.
const sharePatience = 250 * time.Millisecond

// take takes a part of a share of size n. It reports whether there was one. The caller
// must call release with the error of the delivery.
//
// A share that is slow has the size 1, because each of its deliveries is likely to
// occupy a worker until the timeout.
func (s *shares) take(ctx context.Context, key string, n int) (release func(error), ok bool) {
	for {
		s.mu.Lock()
		x := s.shares[key]
		if x == nil {
			x = &share{freed: make(chan struct{})}
			s.shares[key] = x
		}
		if !x.slow && x.running < n || x.running == 0 && s.reserveSlow(x) {
			wasSlow := x.slow
			x.running++
			x.started = time.Now()
			s.mu.Unlock()
			return func(err error) { s.release(key, wasSlow, isTimeout(err)) }, true
		}
		patience := sharePatience - time.Since(x.started)
		wait := !x.slow && patience > 0
		freed := x.freed
		s.mu.Unlock()
		if !wait {
			return nil, false
		}
		select {
		case <-freed:
		case <-time.After(patience):
		case <-ctx.Done():
			return nil, false
		}
	}
}

// reserveSlow takes a part of the share of all that are slow, for one that is.
func (s *shares) reserveSlow(x *share) bool {
	if !x.slow {
		return true
	}
	all := s.shares[slowKey]
	if all == nil {
		all = &share{freed: make(chan struct{})}
		s.shares[slowKey] = all
	}
	if all.running >= s.ofHost() {
		return false
	}
	all.running++
	return true
}

func (s *shares) release(key string, wasSlow, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.shares[key]
	x.running--
	x.slow = slow
	close(x.freed)
	x.freed = make(chan struct{})
	if wasSlow {
		s.shares[slowKey].running--
	}
	if x.running == 0 && !x.slow {
		delete(s.shares, key)
	}
}

// isTimeout reports whether an error is a timeout of a job, of a connection or of a request.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout()
}

type sharesKey struct{}

// hostShare takes a part of the share of a host from the context of a delivery. Without
// one in ctx there is no limit.
func hostShare(ctx context.Context, host string) (release func(error), ok bool) {
	s, limited := ctx.Value(sharesKey{}).(*shares)
	if !limited {
		return func(error) {}, true
	}
	return s.take(ctx, "host "+host, s.ofHost())
}
