package limits

import "time"

// Silence is an idle timeout for reading a body.
type Silence struct {
	timer *time.Timer
	limit time.Duration
}

// NewSilence starts an idle timeout that calls end in a new goroutine when limit has
// passed without Begin. A limit of 0 means no timeout.
func NewSilence(limit time.Duration, end func()) *Silence {
	if limit == 0 {
		return &Silence{}
	}
	return &Silence{time.AfterFunc(limit, end), limit}
}

// Begin restarts the timeout.
func (s *Silence) Begin() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

// Stop stops the timeout until the next Begin.
func (s *Silence) Stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
