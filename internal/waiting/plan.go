package waiting

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

const (
	margin    = 5 * time.Minute // How much later than its time an evaluation usually shows.
	every     = 6               // Longest intervals until a poll looks back further,
	everyMost = 6 * time.Minute // or so long:
	ruler     = 10 * time.Minute
	rulers    = 14          // 10 min, 20 min, ..., 57 days.
	rounding  = time.Minute // What the service may make of a time that it is asked for.
	peekEvery = time.Hour
	peekBack  = 3 * time.Hour // Who was created since is rather unfinished, in whatever order they are listed.
)

// beginRound puts the last one away.
func (m *Machine) beginRound(now time.Time) {
	if now.Before(m.RespondedAt.Add(-clockError)) {
		m.putBack(now)
	}
	m.idle = min(max(now.Sub(m.Began), 0), max(m.Window.Length, time.Hour))
	m.rare = !m.Began.IsZero() && m.idle > 3*m.Max && now.Sub(m.Until) > m.idle/2
	if m.DeliveredPerPoll += (float64(m.Found) - m.DeliveredPerPoll) / 8; m.Chased && m.Found == 0 { // The burst is over.
		m.DeliveredPerPoll = 0
	}
	m.Running, m.Hurry, m.Began, m.Round = true, false, now, m.Round+1
	m.tally, m.listed = tally{}, false
	m.Walks = slices.DeleteFunc(m.Walks, func(w walk) bool { return w.Over })
	for i := range m.Walks {
		m.Walks[i].Rests, m.Walks[i].Read = false, 0
	}
}

// putBack follows a clock that was put back: nothing began or was read in the
// future, else it would not be due for as long.
func (m *Machine) putBack(now time.Time) {
	gap := m.AllListedAt.Before(m.UnlistedUntil)
	times := []*time.Time{
		&m.RespondedAt, &m.Began, &m.PeekAt, &m.HandedInListedAt, &m.HeldAt, &m.VouchAt, &m.GrantAt, &m.LookbackPageAt, &m.TruncatedAt, &m.UnlistedUntil, &m.AllListedAt, &m.RegularSince, &m.Probe.Late, &m.HourAt,
	}
	for l := range m.Levels {
		times = append(times, &m.Levels[l].Began)
	}
	for _, s := range m.Statuses {
		times = append(times, &s.Listed)
	}
	for i := range m.SweepDepths {
		times = append(times, &m.SweepDepths[i])
	}
	for i := range m.LookBacks {
		times = append(times, &m.LookBacks[i])
	}
	for _, t := range times {
		*t = earlier(*t, now)
	}
	if gap && !m.AllListedAt.Before(m.UnlistedUntil) {
		m.AllListedAt = time.Time{}
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
	case m.Meaning == Evaluation:
		m.listNews(now)
	case m.Meaning == Submission && (m.NewsPages <= m.setCost()+m.setExtra() || !m.setWorks(now)):
		m.ByNews = true
		m.listNews(now)
		m.planSlow(now)
		m.planDepth(now)
	case m.setWorks(now) && len(m.Statuses) > 0:
		m.NewsPages *= 0.99 // The other way is tried again some time.
		m.peek(now)
		if m.Meaning == Submission { // Many were handed in lately, and all of them are graded. One page has who came after.
			m.add(walk{For: peek, Status: m.evaluated(), Since: m.since(now.Add(-leastGrading)), Most: 1})
			if m.ByNews { // An evaluation since the last poll was not seen unfinished.
				m.listNews(now)
			}
			m.ByNews = false
		}
		m.listSet(now, false)
		m.planSweep(now)
		m.planDepth(now)
	default:
		m.planLevels(now)
	}
	slices.SortStableFunc(m.Walks, func(a, b walk) int { return cmp.Compare(a.background(), b.background()) })
}

// peek lists a page without a filter now and then: it may show a new status.
func (m *Machine) peek(now time.Time) {
	if age := now.Sub(m.PeekAt); age >= 0 && age < peekEvery {
		return
	}
	m.PeekAt = now
	m.Peeks++
	w := walk{For: peek, Most: 1}
	if m.Peeks%2 == 0 {
		w.Since = m.since(now.Add(-peekBack))
	}
	m.add(w)
}

// planSlow has those seen whose grading takes longer than the listing of what is
// evaluated reaches back: it lists what is handed in and unfinished.
func (m *Machine) planSlow(now time.Time) {
	if age := now.Sub(m.HandedInListedAt); !m.setWorks(now) || age >= 0 && age < vouchAfter {
		return
	}
	m.HandedInListedAt = now
	m.peek(now)
	for _, name := range slices.Sorted(maps.Keys(m.Statuses)) {
		if s := m.Statuses[name]; s.Handed && m.walking(waits, name) == nil {
			m.listUnfinished(walk{For: waits, Status: name, Most: m.slowly(mostHot), Behind: true})
		}
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
	m.Hurry = true // The unfinished are listed before the first pause.
	m.UnlistedUntil = later(m.UnlistedUntil, w.Began)
	if m.Probe.Best.ID == "" { // The history shows what since is about.
		m.add(walk{For: peek, Status: m.evaluated(), Most: 1})
	}
}

// listNews lists what is evaluated since the last time, and now and then more:
// twice as far back when twice the time has passed since it last did.
func (m *Machine) listNews(now time.Time) {
	w := walk{For: news, Status: m.evaluated(), Since: m.Base.Add(-margin)}
	longest := m.Lateness
	if m.Meaning == Evaluation && m.LongListingBase.Equal(m.Base) { // Nothing new may come for long: many pages are not read again until then.
		w.Since = m.Base.Add(rounding + time.Millisecond)
	}
	if m.Meaning == Submission {
		w.Since, longest = w.Since.Add(-2*m.Grading), m.Lookback
	}
	if k := due(&m.LookBacks, now, min(every*m.Max, everyMost), rulers); k >= 0 {
		w.Level = 1
		reach := ruler << k
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
		m.LongListingBase = m.Base
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
