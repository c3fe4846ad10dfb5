package jobs

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// shares limits how many deliveries of one organization run at once in this process, so
// that one that hangs leaves workers to the others.
type shares struct {
	workers int       // Workers of the queue of deliveries.
	began   time.Time // When these shares were created.

	mu            sync.Mutex
	organizations map[string]*share
	slow          int // Running deliveries of slow organizations.
}

// share is the share of an organization.
type share struct {
	running int
	started time.Time     // When the latest delivery began.
	slow    bool          // The latest delivery that ended had reached its timeout.
	freed   chan struct{} // Closed when a delivery ends.
	mean    time.Duration // Of the times that deliveries took, the latest with the most weight.

	near, far time.Duration // The latest turns that were given, since shares.began; see turn.
}

func newShares(workers int) *shares {
	return &shares{workers: workers, began: time.Now(), organizations: make(map[string]*share)}
}

// sharePatience is how long a delivery waits for its turn after the latest delivery of
// its organization began. Deliveries that take longer than this make no others wait.
const sharePatience = 250 * time.Millisecond

// sharePollInterval is the interval at which River looks for deliveries whose turn has come.
const sharePollInterval = 250 * time.Millisecond

// take takes a worker for a delivery of an organization: three of ten may run at once.
// Without one, release is nil, and the delivery asks again after turn. Otherwise the caller
// must call release with the error of the delivery.
//
// A slow organization has one worker, because each of its deliveries is likely to occupy
// the worker until the timeout. All slow ones together have half of the workers.
func (s *shares) take(ctx context.Context, organization string) (release func(error), turn time.Duration) {
	for {
		s.mu.Lock()
		if s.organizations[organization] == nil {
			s.organizations[organization] = &share{freed: make(chan struct{})}
		}
		x := s.organizations[organization]
		now, wasSlow, limit := time.Now(), x.slow, max(1, s.workers*3/10)
		free := x.running < limit
		if wasSlow {
			limit, free = 1, x.running == 0 && s.slow < max(1, s.workers/2)
		}
		if free {
			x.running++
			x.started = now
			if wasSlow {
				s.slow++
			}
			s.mu.Unlock()
			return func(err error) { s.release(x, time.Since(now), wasSlow, isTimeout(err)) }, 0
		}
		patience, freed := sharePatience-now.Sub(x.started), x.freed
		if wasSlow || patience <= 0 || ctx.Err() != nil {
			turn = x.turn(now.Sub(s.began), max(x.mean, now.Sub(x.started))/time.Duration(limit))
			s.mu.Unlock()
			return nil, turn
		}
		s.mu.Unlock()
		select {
		case <-freed:
		case <-time.After(patience):
		case <-ctx.Done():
		}
	}
}

// River makes a job that is snoozed for at most this time available at its time, and
// another one at the next run of its scheduler, which has this interval.
const schedulerInterval = 5 * time.Second

// longestTurn limits the time for which a delivery waits while workers may be free, after
// deliveries have become faster.
const longestTurn = 2 * time.Minute

// turn returns the delay until a worker is likely to be free: workers become free at
// intervals of the mean time divided by the limit, or of the time since the latest delivery
// began when that is longer, as with a handler that hangs. Those whose turn comes before River's
// scheduler runs again have an interval each. The others come back when the scheduler runs,
// as many as there are intervals until then, and get a near turn then. So workers of the
// organization are never free for long. However many deliveries wait, each is snoozed about
// four times, and every two minutes while a handler hangs.
func (x *share) turn(now, interval time.Duration) time.Duration {
	if near := max(x.near, now) + interval; near <= now+schedulerInterval {
		x.near = near
		return near - now
	}
	x.far = min(max(x.far, now+schedulerInterval)+interval, now+longestTurn)
	return x.far - now
}

func (s *shares) release(x *share, took time.Duration, wasSlow, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.running--
	x.slow = slow
	x.mean = (4*cmp.Or(x.mean, took) + took) / 5
	close(x.freed)
	x.freed = make(chan struct{})
	if wasSlow {
		s.slow--
	}
}

// isTimeout reports whether an error is a timeout of a job, of a connection or of a request.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout()
}
