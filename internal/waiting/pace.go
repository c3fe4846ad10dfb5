package waiting

import "time"

const (
	ahead        = 0.1            // By what share the use of a window may run ahead of an even one.
	patience     = 24 * time.Hour // Without news of known ids, until rounds become rare.
	rarest       = 15 * time.Minute
	longestRetry = 24 * time.Hour
	clockError   = 5 * time.Second
	buckets      = 12
	bucket       = time.Hour / buckets
)

// window is what is known of the quota's window.
type window struct {
	Budget
	At     time.Time     `json:"at,omitzero"`     // When that was known.
	Length time.Duration `json:"length,omitzero"` // Of a whole window.
	Own    int           `json:"own,omitzero"`    // Requests since.
	Others float64       `json:"others,omitzero"` // Requests a second of others.
}

// meter learns from what is left how much others use.
func (m *Machine) meter(now time.Time, b Budget) {
	w := &m.Window
	passed := now.Sub(w.At)
	same := !w.At.IsZero() && passed >= 0 && b.Ends <= w.Ends && passed < w.Length
	if used := w.Left - b.Left - w.Own; same && passed > 0 {
		weight := min(1, passed.Seconds()/600)
		w.Others += (max(0, float64(used))/passed.Seconds() - w.Others) * weight
	}
	if !same || passed > 0 {
		w.At, w.Own = now, 0
		w.Budget = b
	}
	w.Length = max(w.Length, b.Ends)
}

// count counts a request.
func (m *Machine) count(now time.Time) {
	m.Cost++
	m.Window.Own++
	m.Requests++
	n := int(now.Unix() / int64(bucket.Seconds()))
	if gap := n - m.Bucket; gap < 0 || gap >= buckets {
		m.Reads = [buckets]int{}
	} else {
		for i := range gap {
			m.Reads[(m.Bucket+1+i)%buckets] = 0
		}
	}
	m.Bucket = n
	m.Reads[n%buckets]++
}

// left is what others will probably leave of the window.
func (m *Machine) left() float64 {
	return max(0, float64(m.Window.Left)-m.Window.Others*m.Window.Ends.Seconds())
}

// rate is how many requests a second use up what is left just when the window
// ends. It is never more than that of a whole window.
func (m *Machine) rate() float64 {
	w := &m.Window
	if w.Ends <= 0 || w.Length <= 0 {
		return 0
	}
	return min(m.left()/w.Ends.Seconds(), float64(w.Whole)/w.Length.Seconds())
}

// usual is a pause after a cheap round.
func (m *Machine) usual() time.Duration { return m.Min + m.draw(m.Max-m.Min) }

// pause is the one after a round. Dear rounds come at steady distances: what
// varies there costs more than it hides.
func (m *Machine) pause(now time.Time) time.Duration {
	p := m.usual()
	if m.Cost > 1 {
		p = m.Min + (m.Max-m.Min)*7/10 + m.draw((m.Max-m.Min)/5)
	}
	if m.Round == 1 {
		p = m.usual()
	}
	if m.known {
		p = max(p, min((now.Sub(m.News)-patience)/100, rarest))
	}
	w, rate := &m.Window, m.rate()
	even := float64(w.Whole) * w.Ends.Seconds() / max(w.Length, time.Second).Seconds()
	if m.left() < (1-ahead)*even && w.Ends > 0 {
		slow := w.Ends
		if rate > 0 {
			slow = min(slow, time.Duration(float64(m.Cost)/rate*float64(time.Second)))
		}
		p = max(p, slow)
	}
	return p
}

// draw is a random time below a length.
func (m *Machine) draw(length time.Duration) time.Duration {
	m.Chance = m.Chance*6364136223846793005 + 1442695040888963407
	return time.Duration(float64(m.Chance>>11) / (1 << 53) * float64(length))
}
