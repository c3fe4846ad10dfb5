package limits

import "time"

// Silence ends a reading that brings nothing for too long.
type Silence struct {
	timer *time.Timer
	limit time.Duration
}

// NewSilence calls end, in a goroutine of its own, when nothing came for so long;
// never when limit is 0. It begins at once.
func NewSilence(limit time.Duration, end func()) *Silence {
	if limit == 0 {
		return &Silence{}
	}
	return &Silence{time.AfterFunc(limit, end), limit}
}

// Begin begins the time anew.
func (s *Silence) Begin() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

// Stop ends the waiting, until Begin.
func (s *Silence) Stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
