package waiting

import (
	"math/bits"
	"slices"
	"time"
)

const (
	margin    = 5 * time.Minute // How much later than its time an evaluation usually shows.
	every     = 8               // Rounds, until one looks back further:
	ruler     = 10 * time.Minute
	rounding  = time.Minute // What the service may make of a time that it is asked for.
	peekEvery = time.Hour
	peekBack  = 3 * time.Hour // Who was created since is rather unfinished, in whatever order they are listed.
)

// beginRound puts the last one away.
func (m *Machine) beginRound(now time.Time) {
	if m.Leaving += (float64(m.Found) - m.Leaving) / 8; m.Chased && m.Found == 0 { // The burst is over.
		m.Leaving = 0
	}
	m.Running, m.Hurry, m.Began, m.Round = true, false, now, m.Round+1
	m.tally, m.listed = tally{}, false
	m.Walks = slices.DeleteFunc(m.Walks, func(w walk) bool { return w.Over })
	for i := range m.Walks {
		m.Walks[i].Rests, m.Walks[i].Read = false, 0
	}
}

// plan decides what a round walks over.
func (m *Machine) plan(now time.Time) {
	m.beginRound(now)
	if m.Opened.IsZero() {
		m.open()
		return
	}
	m.experiment(now)
	switch {
	case m.Meaning == Unknown && m.Probe.Step != notProbing: // That is worth to be known first.
		m.Hurry = true
	case m.known:
		m.planKnown(now)
	case m.Meaning == Evaluation, m.Meaning == Submission && (m.NewsPages <= m.setCost() || !m.setWorks(now)):
		m.listNews()
	case m.setWorks(now):
		m.NewsPages *= 0.99 // The other way is tried again some time.
		if age := now.Sub(m.PeekAt); len(m.Statuses) == 0 || age >= peekEvery || age < 0 {
			m.PeekAt = now
			w := walk{For: peek, Most: 1}
			if m.Round%2 == 0 {
				w.Since = m.since(now.Add(-peekBack))
			}
			m.add(w)
		}
		if m.Meaning == Submission { // Many were handed in lately, and all of them are graded. One page has who came after.
			m.add(walk{For: peek, Status: m.evaluated(), Since: m.since(now.Add(-leastGrading)), Most: 1})
		}
		m.listSet(now, false)
		m.planSweep(now)
	default:
		m.planLevels(now)
	}
}

// open plans the first round.
func (m *Machine) open() {
	switch {
	case m.walking(opening, "") != nil:
	case !m.known:
		m.add(walk{For: opening, Most: 1})
	case len(m.Items) > 1:
		m.add(walk{For: opening, Stop: m.Start})
	default: // A single read does.
		m.opened(&walk{Began: m.Began})
	}
}

// opened follows the first walk.
func (m *Machine) opened(w *walk) {
	m.Opened, m.News, m.OpenPages = w.Began, w.Began, w.Pages
	if m.known {
		m.Base = w.Began
		m.callUnseen()
		return
	}
	m.Hurry = m.Begin.Before(w.Began.Add(-margin)) // There may be much to find.
	if m.Probe.Best.ID == "" {                     // The history shows what since is about.
		m.add(walk{For: peek, Status: m.evaluated(), Most: 1})
	}
}

// listNews lists what is evaluated since the last time, and now and then more.
func (m *Machine) listNews() {
	w := walk{For: news, Status: m.evaluated(), Since: m.Base.Add(-margin)}
	longest := m.Lateness
	if m.Meaning == Evaluation && m.Dear.Equal(m.Base) { // Nothing new may come for long: many pages are not read again until then.
		w.Since = m.Base.Add(rounding + time.Millisecond)
	}
	if m.Meaning == Submission {
		w.Since, longest = w.Since.Add(-2*m.Grading), m.Lookback
	}
	if m.Round%every == 0 {
		w.Level = 1
		reach := ruler << min(bits.TrailingZeros(uint(m.Round/every)), 13)
		if w.Since = w.Since.Add(-min(reach, longest)); m.Meaning == Submission && reach >= longest {
			w.Since = m.horizon()
		}
	}
	if m.known {
		w.Stop = m.oldest()
		w.Since = later(w.Since, w.Stop)
	}
	if w.Since = m.since(w.Since); m.walking(news, w.Status) == nil {
		m.add(w)
	}
}

// since is a time as a filter can hold it.
func (m *Machine) since(t time.Time) time.Time {
	if t = t.Add(-rounding); t.Unix() < 1 {
		return time.Time{}
	}
	return t.Truncate(time.Millisecond)
}

// caughtUp moves the time behind which no news are.
func (m *Machine) caughtUp(w *walk) {
	m.Base = later(m.Base, m.Pinned)
	if w.Level == 0 && w.Pages > 1 {
		m.Dear = m.Base
	}
	m.Grading = max(m.Grading-m.Grading/1000, leastGrading)
	if m.Meaning == Evaluation {
		m.prove(time.Time{}, m.Base)
	} else {
		m.prove(w.Since.Add(rounding), m.Base)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
