package waiting

import (
	"math"
	"math/bits"
	"time"
)

const (
	margin    = 5 * time.Minute // How much later than its time an evaluation usually shows.
	every     = 8               // Rounds, until one looks back further.
	ruler     = 10 * time.Minute
	rounding  = time.Minute // What the service may make of a time that it is asked for.
	peekEvery = time.Hour
)

// plan decides what a round walks over.
func (m *Machine) plan(now time.Time) {
	gap := now.Sub(m.Began)
	if gap < 0 || gap > 3*m.Max+time.Minute {
		m.Steady = now
	}
	m.Running, m.Began, m.Round = true, now, m.Round+1
	m.Leaving += (float64(m.Found) - m.Leaving) / 8
	m.Cost, m.Singles, m.Fails, m.Found, m.listed, m.Chased = 0, 0, 0, 0, false, false
	for i := range m.Walks {
		m.Walks[i].Rests, m.Walks[i].Read = false, 0
	}
	if m.Opened.IsZero() {
		m.open()
		return
	}
	if m.known && len(m.Items) == 0 {
		return
	}
	m.experiment(now)
	switch {
	case m.known:
		m.planKnown(now)
	case m.Meaning == Evaluation:
		m.listNews(now)
	case m.Meaning == Submission && (m.NewsPages <= m.setCost() || !m.setWorks(now)):
		m.listNews(now)
	case m.setWorks(now):
		m.NewsPages *= 0.99 // Looks at it again some time.
		m.peek(now)
		m.listSet(now, false)
		m.planSweep(now)
	default:
		m.planLevels(now)
	}
}

// open plans the first round.
func (m *Machine) open() {
	if m.walks(opening) {
		return
	}
	w := walk{For: opening, Stop: m.Start}
	switch {
	case m.known && len(m.Items) == 1: // A single read does.
		m.Opened, m.Base, m.News = m.Began, m.Began, m.Began
		m.callUnseen()
		return
	case !m.known:
		w.Most, w.Stop = 1, time.Time{}
	}
	m.add(w)
}

// opened follows the first walk.
func (m *Machine) opened(now time.Time, began time.Time) {
	m.Opened, m.News = began, began
	if m.known {
		m.Base = began
		m.callUnseen()
		return
	}
	if m.Probe.Best.ID == "" { // The history shows what since is about.
		m.add(walk{For: peek, Status: m.evaluatedFilter(), Most: 1})
	}
	m.PeekAt = now
}

// callUnseen has those read that no listing showed.
func (m *Machine) callUnseen() {
	for _, it := range m.Items {
		if it.Seen.IsZero() {
			it.Due = m.Began
		}
	}
}

// peek looks at the first page of all there is: hourly, or while no unfinished
// status is known.
func (m *Machine) peek(now time.Time) {
	if age := now.Sub(m.PeekAt); len(m.Statuses) == 0 || age >= peekEvery || age < 0 {
		m.PeekAt = now
		m.add(walk{For: peek, Most: 1})
	}
}

// planKnown looks for known ids in the cheapest way.
func (m *Machine) planKnown(now time.Time) {
	n, oldest := m.countSeen(), m.oldest(now)
	find, set, list := math.Inf(1), math.Inf(1), math.Inf(1)
	if n > 0 {
		find = float64(m.pages(oldest))
	}
	if m.setWorks(now) && len(m.statuses()) > 0 {
		set = m.setCost()
	}
	switch m.Meaning {
	case Evaluation:
		list = 1
	case Submission:
		list = m.NewsPages
	}
	m.NewsPages = max(1, m.NewsPages*0.99)
	least := min(find, set, list)
	switch {
	case n == 0:
	case float64(n) <= least:
		m.callAll(now)
	case list == least:
		m.listNews(now)
	case find == least:
		m.add(walk{For: finding, Status: m.evaluatedFilter(), Since: m.since(oldest), Stop: oldest, Most: int(find) + 2})
	default:
		m.listSet(now, false)
	}
	m.vouch(now)
}

// countSeen counts the pending known ids that listings help with.
func (m *Machine) countSeen() (n int) {
	for _, it := range m.Items {
		if !it.Created.IsZero() && it.Held.IsZero() {
			n++
		}
	}
	return n
}

// callAll has each read singly.
func (m *Machine) callAll(now time.Time) {
	for _, it := range m.Items {
		if it.Due.IsZero() {
			it.Due = now
		}
	}
}

// setCost estimates what a round over the unfinished costs.
func (m *Machine) setCost() float64 {
	cost := m.Leaving
	for _, name := range m.statuses() {
		if s := m.Statuses[name]; s.hot() {
			cost += float64(s.Pages)
		}
	}
	return max(1, cost)
}

// vouch has each known id shown to exist within the hour.
func (m *Machine) vouch(now time.Time) {
	stale := 0
	for _, it := range m.Items {
		if m.stale(now, it) {
			stale++
		}
	}
	if stale == 0 {
		return
	}
	if m.setWorks(now) && len(m.statuses()) > 0 {
		pages := 0
		for _, name := range m.statuses() {
			pages += m.Statuses[name].Pages
		}
		if pages < stale {
			m.listSet(now, true)
		}
	} else if stale > m.pages(m.oldest(now)) && !m.listing("") && now.Sub(m.VouchAt) >= vouchAfter {
		m.VouchAt = now
		m.Serial++
		m.add(walk{For: waits, Stop: m.oldest(now), Serial: m.Serial, Most: mostHot, Behind: true})
	}
	if m.walks(waits) { // Who is not shown there is read then.
		return
	}
	few := max(5, stale/10)
	for _, id := range m.sorted() {
		if it := m.Items[id]; m.stale(now, it) && it.Due.IsZero() && few > 0 {
			it.Due = now
			few--
		}
	}
}

func (m *Machine) stale(now time.Time, it *item) bool {
	return !it.Seen.IsZero() && now.Sub(it.Seen) >= vouchAfter
}

// listNews lists what is evaluated since the last time, and now and then more.
func (m *Machine) listNews(now time.Time) {
	since, longest := m.Base.Add(-margin), 24*time.Hour
	if m.Meaning == Submission {
		since, longest = since.Add(-2*m.Grading), m.Lookback
	}
	further := 0
	if m.Round%every == 0 {
		further = 1
		k := min(bits.TrailingZeros(uint(m.Round/every)), 12)
		since = since.Add(-min(ruler<<k, longest))
	}
	var stop time.Time
	if m.known {
		stop = m.oldest(now)
		since = later(since, stop)
	}
	if !m.walks(news) {
		m.add(walk{For: news, Status: m.evaluatedFilter(), Since: m.since(since), Stop: stop, Level: further})
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
	if m.Pinned.After(m.Base) {
		m.Base = m.Pinned
	}
	m.Grading = max(m.Grading-m.Grading/1000, leastGrading)
	if m.Meaning == Evaluation {
		m.prove(time.Time{}, m.Base)
	} else {
		m.prove(w.Since.Add(rounding), m.Base)
	}
}

// begun notes what a walk will have shown when it ends.
func (m *Machine) begun(w *walk) {
	if w.For == news {
		m.Pinned = earlier(m.Newest, w.Began)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
