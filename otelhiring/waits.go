package otelhiring

import hiring "github.com/hiring-assessment/hiring-go"

// wait is one WaitReport, WaitReports or Watch that reports its progress.
type wait struct {
	pending int
	ended   bool
}

// Wait measures how many reports WaitReport or WaitReports with these options
// awaits. Wait replaces options.Progress with a function that calls the previous one.
// Call end when the wait has ended.
//
//	end := telemetry.Wait(&options)
//	defer end()
func (t *Telemetry) Wait(options *hiring.WaitOptions) (end func()) { return t.track(&options.Progress) }

// Watch measures how many reports a watch with these options awaits. Watch replaces
// options.Progress with a function that calls the previous one. Call end when the watch has
// ended.
func (t *Telemetry) Watch(options *hiring.WatchOptions) (end func()) {
	return t.track(&options.Progress)
}

// track replaces progress with a function that keeps the number of pending reports.
func (t *Telemetry) track(progress *func(hiring.WaitProgress)) (end func()) {
	w, next := new(wait), *progress
	*progress = func(p hiring.WaitProgress) {
		t.mu.Lock()
		if !w.ended { // The method may report once more after the program has called end.
			w.pending = p.Pending
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
