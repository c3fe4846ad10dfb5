package otelhiring

import (
	"maps"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// wait is one WaitReport, WaitReports or Watch that reports its progress.
type wait struct {
	began   time.Time
	pending int
	ended   bool
	aged    bool // All pending reports have been awaited since the beginning.
}

// Wait measures how many reports WaitReport or WaitReports with these options
// awaits, and how long. Wait replaces options.Progress with a function that calls
// the previous one. Call end when the wait has ended.
//
//	end := telemetry.Wait(&options)
//	defer end()
func (t *Telemetry) Wait(options *hiring.WaitOptions) (end func()) {
	return t.track(&wait{aged: true}, &options.Progress, func(p hiring.WaitProgress) int { return p.Pending })
}

// Watch measures how many submissions a watch with these options knows that await
// grading. Watch replaces options.Progress with a function that calls the previous
// one. Call end when the watch has ended.
func (t *Telemetry) Watch(options *hiring.WatchOptions) (end func()) {
	return t.track(&wait{}, &options.Progress, func(p hiring.WaitProgress) int { return p.AwaitingGrading })
}

// track replaces progress with a function that keeps the number of pending reports in w.
func (t *Telemetry) track(w *wait, progress *func(hiring.WaitProgress), pending func(hiring.WaitProgress) int) (end func()) {
	w.began = time.Now()
	next := *progress
	*progress = func(p hiring.WaitProgress) {
		t.mu.Lock()
		if !w.ended { // The method may report once more after the program has called end.
			w.pending = pending(p)
			t.waits[w] = struct{}{}
		}
		t.mu.Unlock()
		if next != nil {
			next(p)
		}
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		w.ended = true
		delete(t.waits, w)
	}
}

// pendingReports returns how many reports are awaited, and how long the oldest of
// WaitReport and WaitReports has been.
func (t *Telemetry) pendingReports(now time.Time) (pending int, age time.Duration) {
	for w := range t.waits {
		pending += w.pending
		if w.aged && w.pending > 0 {
			age = max(age, now.Sub(w.began))
		}
	}
	return pending, age
}

// pauseEnded adds the wait of a call to the time waited, if the call waits.
func (t *Telemetry) pauseEnded(c *call) {
	if c.phase == pausing {
		t.waited[c.reason] += c.paused(time.Now())
		c.phase = handling
	}
}

// paused returns how long the wait in progress has lasted.
func (c *call) paused(now time.Time) time.Duration {
	if now.After(c.until) {
		now = c.until
	}
	return max(0, now.Sub(c.since))
}

// waitedUntil returns the time waited, including waits in progress.
func (t *Telemetry) waitedUntil(now time.Time) map[hiring.PauseReason]time.Duration {
	sum := maps.Clone(t.waited)
	for c := range t.calls {
		if c.phase == pausing {
			sum[c.reason] += c.paused(now)
		}
	}
	return sum
}
