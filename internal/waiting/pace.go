package waiting

import "time"

const (
	aheadShare      = 0.1            // The share of a window by which its use may exceed an even use.
	expensivePoll   = 8              // Requests of an expensive poll.
	patience        = 24 * time.Hour // Without a delivery for this long, intervals for known ids grow.
	longestInterval = 15 * time.Minute
	maxRetryAfter   = 24 * time.Hour
	clockError      = 5 * time.Second

	firstFailurePause = time.Minute
	abandonAfter      = 5 * time.Minute
	usualInterval     = time.Minute // The rules about pages and reads count time in such intervals.
)

// pace is the part that decides when the machine sends requests: the intervals, the pauses after
// failures, and the use of the rate limit.
type pace struct {
	Random      uint64        // State of the random numbers.
	InInterval  bool          `json:",omitzero"` // An interval has not ended.
	IntervalEnd time.Time     `json:",omitzero"`
	Interval    time.Duration `json:",omitzero"`
	Interrupted bool          `json:",omitzero"` // The interval follows a failure.
	Failures    int           `json:",omitzero"` // Consecutive failed requests that interrupted a poll.

	// Time between two polls by the caller's schedule or the options, without what the rate limit
	// requires.
	Scheduled time.Duration `json:",omitzero"`

	RespondedAt  time.Time `json:",omitzero"` // Time of the last response.
	RegularSince time.Time `json:",omitzero"` // Regular responses began then, or a dropped submission was created then: earlier evaluations are no evidence.

	Window      window
	HourlyReads [2]int    // Requests in this hour and the previous one.
	HourStart   time.Time `json:",omitzero"`
}

// window is the current window of the rate limit.
type window struct {
	Budget
	Length time.Duration `json:",omitzero"` // Longest part of a window that was seen.
}

// beginPoll measures the time between two polls: the interval that the options allow, and how much later
// than the interval's end the caller is. A poll that begins again without an interval has that of the
// first one. Before the first interval there is no schedule yet.
func (p *pace) beginPoll(now time.Time, o *Options) {
	p.Scheduled = min(o.Max, usualInterval)
	if !p.IntervalEnd.IsZero() {
		p.Scheduled = min(max(min(p.Interval, o.Max)+now.Sub(p.IntervalEnd), 0), longestGap)
	}
}

// setWindow sets what is left of the rate limit.
func (p *pace) setWindow(b Budget) { p.Window = window{b, max(p.Window.Length, b.Ends)} }

// waitForWindow sets the end of the interval to the next window of the rate limit.
func (p *pace) waitForWindow(now time.Time, shortest time.Duration) {
	p.InInterval, p.IntervalEnd = false, now.Add(p.Window.Ends+p.random(min(shortest, usualInterval)/10))
}

// isInInterval reports whether the interval has not ended. One that ends later than it began allows shows that
// the server's clock was put back.
func (p *pace) isInInterval(now time.Time) bool {
	return p.InInterval && now.Before(p.IntervalEnd) && p.IntervalEnd.Sub(now) <= p.Interval+clockError
}

func (p *pace) endInterval() { p.InInterval = false }

// distrust records that evaluations of submissions created until then say nothing about the status filter.
func (p *pace) distrust(created time.Time) { p.RegularSince = later(p.RegularSince, created) }

// countRequest counts a request. It records when regular responses begin again after a
// gap, which is longer than regular.
func (p *pace) countRequest(now time.Time, answered bool, regular time.Duration) {
	if gap := now.Sub(p.RespondedAt); answered && gap > regular {
		p.RegularSince = now
	}
	if answered {
		p.RespondedAt, p.Failures = now, 0
	}
	if now.Sub(p.HourStart) >= time.Hour {
		p.HourlyReads, p.HourStart = [2]int{0, p.HourlyReads[0]}, now
	}
	p.HourlyReads[0]++
}

// regularGap returns the longest time between two responses of regular polls.
func (o *Options) regularGap() time.Duration { return 3*min(o.Max, usualInterval) + time.Minute }

func (p *pace) startInterval(now time.Time, pause time.Duration) {
	p.InInterval, p.Interrupted, p.Interval, p.IntervalEnd = true, false, pause, now.Add(pause)
}

// fail starts an interval after a failure: a minute and MaxInterval at most, or retry if that is longer, and twice
// as long when the next request fails too. The first failure of a poll has a short one: most failures are short.
func (p *pace) fail(now time.Time, o *Options, first bool, retry time.Duration) {
	pause := p.randomInterval(o)
	if first {
		pause = o.Min + (pause-o.Min)/4
	}
	pause = min(pause, firstFailurePause<<min(p.Failures, 10))
	p.startInterval(now, max(pause, min(retry, maxRetryAfter)))
	p.Interrupted = true
	p.Failures++
}

// clockPutBack moves times in the future to now.
func (p *pace) clockPutBack(now time.Time) {
	for _, t := range []*time.Time{&p.RespondedAt, &p.RegularSince, &p.HourStart} {
		*t = earlier(*t, now)
	}
}

// spareReads returns how many pages of this poll a sweep over all of Lookback may read: in the first tenth
// of the window ten at most, then the reads beyond an even use. Where polls are
// rare, it is a share of what the rate limit allows in the time between two polls.
func (p *pace) spareReads() int {
	if p.isRare() {
		return int(spareShare * p.Window.Rate(p.Window.Length) * p.Scheduled.Seconds())
	}
	if p.Window.Ends.Seconds() > (1-aheadShare)*p.Window.Length.Seconds() { // The regular polls may need them.
		return min(maxSweepPages, p.Window.Whole/100)
	}
	return int(float64(p.Window.Left) - (1-aheadShare/2)*p.Window.evenRemaining(p.Window.Length))
}

// scaleToPollInterval scales a number of pages a poll to the time since the last poll, so that
// rare polls read as much in an hour as frequent ones, within spareReads.
func (p *pace) scaleToPollInterval(pages int) int {
	scaled := float64(pages) * p.Scheduled.Seconds() / usualInterval.Seconds()
	return max(pages, min(int(scaled), p.spareReads()))
}

// isRare reports whether polls are rare, by the caller's schedule or the options.
func (p *pace) isRare() bool { return p.Scheduled > rareAfter }

// Rate returns the requests a second that use up the remaining requests when the window
// ends, at most those of a whole window.
func (b Budget) Rate(length time.Duration) float64 {
	if b.Ends <= 0 || length <= 0 {
		return 0
	}
	return max(0, min(float64(b.Left)/b.Ends.Seconds(), float64(b.Whole)/length.Seconds()))
}

// Spacing returns the shortest interval after a poll of cost requests, so that the
// remaining requests last until the window ends. It ends at the latest when the use of
// the window exceeds an even use by a tenth. A fresh window causes no delay.
func (b Budget) Spacing(cost int, length time.Duration) time.Duration {
	rate := b.Rate(length)
	if rate == 0 || float64(b.Left) >= (1-aheadShare)*b.evenRemaining(length) {
		return 0
	}
	behind := ((1-aheadShare)*b.evenRemaining(length) - float64(b.Left)) / (1 - aheadShare) * length.Seconds() / float64(b.Whole)
	return time.Duration(min(float64(cost)/rate, behind, b.Ends.Seconds()) * float64(time.Second))
}

// evenRemaining returns the reads that remain at an even use of the window.
func (b Budget) evenRemaining(length time.Duration) float64 {
	return float64(b.Whole) * b.Ends.Seconds() / length.Seconds()
}

// randomInterval returns the interval after a poll of one read.
func (p *pace) randomInterval(o *Options) time.Duration { return o.Min + p.random(o.Max-o.Min) }

// interval returns the interval after a poll. After an expensive poll it varies little, near
// MaxInterval.
func (m *Machine) interval(now time.Time) time.Duration {
	p := m.Pace.randomInterval(&m.Options)
	switch span := m.Max - m.Min; {
	case m.Poll.Requests > expensivePoll:
		p = m.Max - m.Pace.random(span/10)
	case m.Poll.Requests > 1:
		p = m.Max - span/10 - m.Pace.random(span/5)
	}
	return max(p, m.planner.leastInterval(now), m.pacing())
}

// pacing returns the interval that the rate limit requires after a poll.
func (m *Machine) pacing() time.Duration {
	return m.Pace.Window.Spacing(max(m.Poll.Requests, 1), m.Pace.Window.Length)
}

// Progress describes what a machine does.
type Progress struct {
	SinceMeaning  string // The since meaning: "evaluation", "submission", "other", or "" while unknown.
	Unfinished    int    // Known submissions whose evaluation or report is awaited.
	ReadsLastHour int    // An estimate.
	SlowReason    string // Why the wait is slow, or "".
}

// Progress returns what the machine does at a time.
func (m *Machine) Progress(now time.Time) Progress {
	share := max(0, 1-now.Sub(m.Pace.HourStart).Hours())
	p := Progress{m.Since.Meaning.String(), len(m.Set.Items), m.Pace.HourlyReads[0] + int(share*float64(m.Pace.HourlyReads[1])), ""}
	switch {
	case m.Pace.Window.Left <= 0:
		p.SlowReason = "no requests remain in the rate-limit window"
	case m.Pace.InInterval && m.Pace.Interrupted:
		p.SlowReason = "the API fails or cannot be reached"
	case m.Pace.InInterval && m.Pace.Interval > m.Max && m.planner.leastInterval(now) > max(m.Max, m.pacing()):
		p.SlowReason = "no report was delivered for a day"
	case m.Pace.InInterval && m.Pace.Interval > m.Max:
		p.SlowReason = "the remaining requests are spread over the rate-limit window"
	case now.Before(m.Set.FilterOffUntil):
		p.SlowReason = "the API does not filter by the status of unfinished submissions"
	}
	return p
}

// random returns a random duration shorter than length.
func (p *pace) random(length time.Duration) time.Duration {
	p.Random = p.Random*6364136223846793005 + 1442695040888963407
	return time.Duration(float64(p.Random>>11) / (1 << 53) * float64(length))
}
