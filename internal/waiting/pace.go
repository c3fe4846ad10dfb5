package waiting

import "time"

const (
	ahead        = 0.1 // By what share the use of a window may run ahead of an even one.
	dear         = 8   // Requests of a round.
	shortPoll    = 2 * time.Second
	patience     = 24 * time.Hour // Without news of known ids, until polls become rare, unless longer intervals are asked for.
	rarest       = 15 * time.Minute
	longestRetry = 24 * time.Hour
	clockError   = 5 * time.Second
)

// window is what is known of the quota's window.
type window struct {
	Budget
	Length time.Duration `json:"length,omitzero"` // Of a whole window, as far as was seen.
}

// count counts a request, and notes when none has been answered for a while.
func (m *Machine) count(now time.Time, answered bool) {
	if gap := now.Sub(m.RespondedAt); answered && (gap < 0 || gap > m.steady()) {
		m.RegularSince = now
	}
	if answered {
		m.RespondedAt = now
	}
	m.Cost++
	if age := now.Sub(m.HourAt); age < 0 || age >= time.Hour {
		m.Hour, m.HourAt = [2]int{0, m.Hour[0]}, now
	}
	m.Hour[0]++
}

// steady is the longest time between two responses of polls that come regularly.
func (m *Machine) steady() time.Duration { return 3*m.Max + time.Minute }

// Rate is how many requests a second use up what is left just when the window
// ends. It is never more than that of a whole window of such a length.
func (b Budget) Rate(length time.Duration) float64 {
	if b.Ends <= 0 || length <= 0 {
		return 0
	}
	return max(0, min(float64(b.Left)/b.Ends.Seconds(), float64(b.Whole)/length.Seconds()))
}

// Pace is the least interval after a poll that took so many requests, so that what
// is left lasts until the window ends: at most until the use of the window is less
// than a tenth ahead of an even one. A fresh window causes no delay.
func (b Budget) Pace(cost int, length time.Duration) time.Duration {
	rate := b.Rate(length)
	if rate == 0 || float64(b.Left) >= (1-ahead)*b.even(length) {
		return 0
	}
	behind := ((1-ahead)*b.even(length) - float64(b.Left)) / (1 - ahead) * length.Seconds() / float64(b.Whole)
	return time.Duration(min(float64(cost)/rate, behind, b.Ends.Seconds()) * float64(time.Second))
}

// even is how many reads are left at an even use of the window.
func (b Budget) even(length time.Duration) float64 {
	return float64(b.Whole) * b.Ends.Seconds() / length.Seconds()
}

// usual is a pause after a cheap round.
func (m *Machine) usual() time.Duration { return m.Min + m.draw(m.Max-m.Min) }

// pause returns the interval after a poll. Expensive polls come at steady intervals: what
// varies there costs more than it hides.
func (m *Machine) pause(now time.Time) time.Duration {
	p := m.usual()
	switch span := m.Max - m.Min; {
	case m.Cost > dear:
		p = m.Max - m.draw(span/10)
	case m.Cost > 1:
		p = m.Max - span/10 - m.draw(span/5)
	}
	if m.Round == 1 {
		p = m.usual()
	}
	if took := now.Sub(m.Began) - shortPoll; took > 0 && !m.Stopped { // A long poll, such as in a burst, is part of the interval.
		p = max(m.Min, p-took)
	}
	if m.known && m.Max <= time.Minute {
		p = max(p, min((now.Sub(m.News)-patience)/100, rarest))
	}
	// Pages of news are no reason to wait longer: there may be more.
	return max(p, m.Window.Pace(max(m.Cost-m.Fresh/m.pageSize(), 1), m.Window.Length))
}

// Progress is what a machine is doing.
type Progress struct {
	Meaning       string // What since is about: "evaluation", "submission", "other"; "" while that is unknown.
	Unfinished    int    // Those whose evaluation is waited for, as far as they are known.
	ReadsLastHour int    // About.
	Why           string // Why it is slow, if it is.
}

// Progress says what the machine is doing at a time.
func (m *Machine) Progress(now time.Time) Progress {
	share := max(0, 1-now.Sub(m.HourAt).Hours())
	p := Progress{m.Meaning.String(), len(m.Items), m.Hour[0] + int(share*float64(m.Hour[1])), ""}
	switch {
	case m.Window.Left <= 0:
		p.Why = "nothing is left in the quota's window"
	case m.Halted:
		p.Why = "the service is in trouble or cannot be reached"
	case m.Resting && m.Rest > m.Max:
		p.Why = "what is left in the quota's window is spread over its time"
	case now.Before(m.FilterOff):
		p.Why = "the service does not filter by the status of unfinished submissions"
	}
	return p
}

// draw is a random time below a length.
func (m *Machine) draw(length time.Duration) time.Duration {
	m.RandomState = m.RandomState*6364136223846793005 + 1442695040888963407
	return time.Duration(float64(m.RandomState>>11) / (1 << 53) * float64(length))
}
