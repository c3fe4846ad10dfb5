package jobs

import (
	"context"
	"errors"
	"sync"
	"time"
)

// shares limits how many deliveries of one organization run at once in this process, so
// that one that hangs leaves workers to the others.
type shares struct {
	workers int // Workers of the queue of deliveries.

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
}

func newShares(workers int) *shares {
	return &shares{workers: workers, organizations: make(map[string]*share)}
}

// sharePatience is how long a delivery waits for its turn after the latest delivery of
// its organization began. Deliveries that take longer than this make no others wait.
const sharePatience = 250 * time.Millisecond

// take takes a worker for a delivery of an organization: three of ten may run at once. It
// reports whether there was one. The caller must call release with the error of the
// delivery.
//
// A slow organization has one worker, because each of its deliveries is likely to occupy
// the worker until the timeout. All slow ones together have half of the workers.
func (s *shares) take(ctx context.Context, organization string) (release func(error), ok bool) {
	for {
		s.mu.Lock()
		x := s.organizations[organization]
		if x == nil {
			x = &share{freed: make(chan struct{})}
			s.organizations[organization] = x
		}
		wasSlow, free := x.slow, x.running < max(1, s.workers*3/10)
		if wasSlow {
			free = x.running == 0 && s.slow < max(1, s.workers/2)
		}
		if free {
			x.running++
			x.started = time.Now()
			if wasSlow {
				s.slow++
			}
			s.mu.Unlock()
			return func(err error) { s.release(organization, wasSlow, isTimeout(err)) }, true
		}
		patience, freed := sharePatience-time.Since(x.started), x.freed
		s.mu.Unlock()
		if wasSlow || patience <= 0 {
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

func (s *shares) release(organization string, wasSlow, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.organizations[organization]
	x.running--
	x.slow = slow
	close(x.freed)
	x.freed = make(chan struct{})
	if wasSlow {
		s.slow--
	}
	if x.running == 0 && !x.slow {
		delete(s.organizations, organization)
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
