package waiting

import "time"

const (
	aheadShare      = 0.1 // The share of a window by which its use may exceed an even use.
	expensivePoll   = 8   // Requests of an expensive poll.
	shortPoll       = 2 * time.Second
	patience        = 24 * time.Hour // Without a delivery for this long, intervals for known ids grow.
	longestInterval = 15 * time.Minute
	maxRetryAfter   = 24 * time.Hour
	clockError      = 5 * time.Second

	firstFailurePause = time.Minute
	abandonAfter      = 5 * time.Minute
	usualInterval     = time.Minute // The rules about pages and reads count time in such intervals.
)

// window is the current window of the rate limit.
type window struct {
	Budget
	Length time.Duration `json:",omitzero"` // Longest part of a window that was seen.
}

// countRequest counts a request. It records when regular responses begin again after a
// gap.
func (m *Machine) countRequest(now time.Time, answered bool) {
	if gap := now.Sub(m.RespondedAt); answered && (gap < 0 || gap > m.regularGap()) {
		m.RegularSince = now
	}
	if answered {
		m.RespondedAt, m.Failures = now, 0
	}
	m.Requests++
	if age := now.Sub(m.HourStart); age < 0 || age >= time.Hour {
		m.HourlyReads, m.HourStart = [2]int{0, m.HourlyReads[0]}, now
	}
	m.HourlyReads[0]++
}

// regularGap returns the longest time between two responses of regular polls.
func (m *Machine) regularGap() time.Duration { return 3*min(m.Max, usualInterval) + time.Minute }

// Rate returns the requests a second that use up the remaining requests when the window
// ends, at most those of a whole window.
func (b Budget) Rate(length time.Duration) float64 {
	if b.Ends <= 0 || length <= 0 {
		return 0
	}
	return max(0, min(float64(b.Left)/b.Ends.Seconds(), float64(b.Whole)/length.Seconds()))
}

// Interval returns the shortest interval after a poll of cost requests, so that the
// remaining requests last until the window ends. It ends at the latest when the use of
// the window exceeds an even use by a tenth. A fresh window causes no delay.
func (b Budget) Interval(cost int, length time.Duration) time.Duration {
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

// normalInterval returns the interval after a poll of one read.
func (m *Machine) normalInterval() time.Duration { return m.Min + m.random(m.Max-m.Min) }

// interval returns the interval after a poll. After an expensive poll it varies little, near
// MaxInterval.
func (m *Machine) interval(now time.Time) time.Duration {
	p := m.normalInterval()
	switch span := m.Max - m.Min; {
	case m.Requests > expensivePoll:
		p = m.Max - m.random(span/10)
	case m.Requests > 1:
		p = m.Max - span/10 - m.random(span/5)
	}
	if m.Polls == 1 {
		p = m.normalInterval()
	}
	if took := now.Sub(m.PollStart) - shortPoll; took > 0 && !m.Failed { // The interval includes the time of a long poll.
		p = max(m.Min, p-took)
	}
	if m.forKnownIDs && m.Patient {
		p = max(p, min((now.Sub(m.LastDelivery)-patience)/100, longestInterval))
	}
	paced := m.pacing()
	if paced > p {
		m.Paced = paced
	}
	return max(p, paced)
}

// pacing returns the interval that the rate limit requires after a poll. Pages with new
// evaluations do not lengthen it: there may be more.
func (m *Machine) pacing() time.Duration {
	return m.Window.Interval(max(m.Requests-m.DeliveredByPage/m.pageSize(), 1), m.Window.Length)
}

// Progress describes what a machine does.
type Progress struct {
	SinceMeaning  string // The since meaning: "evaluation", "submission", "other", or "" while unknown.
	Unfinished    int    // Known submissions whose evaluation is awaited.
	ReadsLastHour int    // An estimate.
	SlowReason    string // Why the wait is slow, or "".
}

// Progress returns what the machine does at a time.
func (m *Machine) Progress(now time.Time) Progress {
	share := max(0, 1-now.Sub(m.HourStart).Hours())
	p := Progress{m.Meaning.String(), len(m.Items), m.HourlyReads[0] + int(share*float64(m.HourlyReads[1])), ""}
	switch {
	case m.Window.Left <= 0:
		p.SlowReason = "no requests remain in the rate-limit window"
	case m.InInterval && m.Interrupted:
		p.SlowReason = "the API fails or cannot be reached"
	case m.InInterval && m.Interval > m.Max:
		p.SlowReason = "the remaining requests are spread over the rate-limit window"
	case now.Before(m.FilterOffUntil):
		p.SlowReason = "the API does not filter by the status of unfinished submissions"
	}
	return p
}

// random returns a random duration shorter than length.
func (m *Machine) random(length time.Duration) time.Duration {
	m.RandomState = m.RandomState*6364136223846793005 + 1442695040888963407
	return time.Duration(float64(m.RandomState>>11) / (1 << 53) * float64(length))
}
