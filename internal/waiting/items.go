package waiting

import "time"

// handleItem updates the state with a listed or read item, and reports whether to deliver
// the item. l is nil for a single read.
func (m *Machine) handleItem(now time.Time, it *Item, l *listing) bool {
	id := m.planner.key(it.ID)
	if it.Unnamed {
		m.planner.unnamed().add(it)
		return false
	}
	if it.Unreadable && m.planner.unreadable(now, id, it, l) {
		return false
	}
	if pending := m.Set.Items[id]; pending != nil && pending.Unreadable {
		pending.decoded(now)
	}
	if l != nil && l.Purpose == unfinished && l.Status != "" {
		if it.Status == l.Status {
			m.Set.countFilterEvidence(0.1, 0)
		} else {
			m.Set.countFilterEvidence(0, 1)
		}
	}
	m.Since.consider(it)
	if !it.isEvaluated() {
		m.trackUnfinished(now, id, it, l)
		return false
	}
	m.News.saw(earlier(it.Evaluated, now))
	if m.Since.Meaning == Unknown { // Earlier evaluations show how long gradings take.
		m.News.learnGrading(it, m.Lookback)
	}
	if m.planner.ignores(id, it) {
		m.Set.remove(id)
		return false
	}
	if !it.Ready && m.awaitReport(now, id, it) {
		return false
	}
	first := m.planner.delivered(now, id, it, l)
	m.Set.remove(id)
	m.Poll.countDelivery()
	if first && it.Evaluated.After(m.OpenedAt) {
		m.News.learnGrading(it, m.Lookback)
	}
	return true
}
