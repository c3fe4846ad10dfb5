package waiting

import (
	"math"
	"slices"
	"time"
)

// planKnown looks for known ids in the cheapest way.
func (m *Machine) planKnown(now time.Time) {
	n, oldest := 0, m.oldest()
	for _, it := range m.Items {
		if !it.Seen.IsZero() && it.Held.IsZero() {
			n++
		}
	}
	find, set, list := max(1, m.FindPages), math.Inf(1), math.Inf(1)
	if m.setWorks(now) && len(m.Statuses) > 0 {
		set = m.setCost()
	}
	switch m.Meaning {
	case Evaluation:
		list = 1
	case Submission:
		list = m.NewsPages
	}
	m.NewsPages = max(1, m.NewsPages*0.99)
	bySet := m.BySet
	m.BySet = false
	switch least := min(find, set, list); {
	case n == 0:
	case float64(n) <= least:
		for _, it := range m.Items {
			if it.Due.IsZero() {
				it.Due = now
			}
		}
	case list == least:
		m.listNews(now)
	case find == least:
		m.chase(oldest, int(find)+2)
	default:
		m.BySet = true
		if m.listSet(now, false); !bySet { // Who left the set since the last other round was not seen in it.
			m.chase(oldest, int(find)+2)
		}
	}
	m.vouch(now)
}

// vouch has each known id shown to exist within the hour.
func (m *Machine) vouch(now time.Time) {
	var stale []string
	for _, it := range m.sorted(nil) {
		if !it.Seen.IsZero() && now.Sub(it.Seen) >= vouchAfter {
			stale = append(stale, it.id)
		}
	}
	pages := 0
	for _, s := range m.Statuses {
		pages += s.Pages
	}
	switch works := m.setWorks(now); {
	case works && pages > 0 && pages < len(stale):
		m.listSet(now, true)
	case !works && m.OpenPages < len(stale) && m.walking(waits, "") == nil && now.Sub(m.VouchAt) >= vouchAfter:
		m.VouchAt = now
		m.listUnfinished(walk{For: waits, Most: mostHot, Behind: true})
	}
	stale = slices.DeleteFunc(stale, func(id string) bool { // Who will be listed, or read anyway.
		it := m.Items[id]
		return !it.Due.IsZero() || m.walking(waits, it.Status) != nil || m.walking(waits, "") != nil
	})
	for _, id := range stale[:min(len(stale), max(5, len(stale)/10))] {
		m.Items[id].Due = now
	}
}

// oldest is the creation of the oldest pending known id that was seen, or the
// end of what is watched.
func (m *Machine) oldest() time.Time {
	if !m.known {
		return m.horizon()
	}
	var oldest time.Time
	for _, it := range m.Items {
		if !it.Created.IsZero() && it.Held.IsZero() && (oldest.IsZero() || it.Created.Before(oldest)) {
			oldest = it.Created
		}
	}
	return oldest
}

// horizon is how far back a watch looks: whoever was created before was evaluated
// before the last walk that saw all.
func (m *Machine) horizon() time.Time { return m.LookbackReadAt.Add(-m.Lookback) }

// unseen counts the known ids of which nothing was seen.
func (m *Machine) unseen() (n int) {
	for _, it := range m.Items {
		if it.Seen.IsZero() {
			n++
		}
	}
	return n
}

// callUnseen has those read that no listing showed.
func (m *Machine) callUnseen() {
	for _, it := range m.Items {
		if it.Seen.IsZero() {
			it.Due = m.Began
		}
	}
}
