package waiting

import (
	"maps"
	"slices"
	"time"
)

// item is what is known of a pending known id, or of an unfinished submission
// that is watched.
type item struct {
	Created time.Time // Zero: never seen.
	Status  string
	Seen    time.Time // When it was last shown to exist.
	Held    time.Time // Its status has run ahead of its report since then.
	Bare    time.Time // When a single read first found no report,
	Local   time.Time // and the same by the clock of the caller.
	Over    bool      // A single read has found no report for an hour: it is delivered without one.
	Due     time.Time // When to read it singly; zero: not.
	Serial  int       // Of the last walk over the unfinished that showed it.
	Misses  int       // Single reads in a row that listings should have made needless, or that failed.
	Left    bool      // It has left the listing of its status.
	Unread  time.Time // When a response first showed it so that it could not be decoded; zero: none did.
	Garbled bool      // The last response that showed it did.
}

// status is what is known of the unfinished of one status.
type status struct {
	Listed   time.Time `json:"listed,omitzero"` // When all of them were.
	Pages    int       `json:"pages,omitzero"`  // So many there were.
	Direct   float64   `json:"direct,omitzero"` // Leavers that were found evaluated,
	Indirect float64   `json:"via,omitzero"`    // and those that went to another status.
	Handed   bool      `json:"handed,omitzero"` // Its submissions are handed in.
}

const (
	mostStatuses = 20
	longestText  = 64
	mostHot      = 10 // Pages a round of a status that is listed every round.
	fewLeavers   = 5  // Not enough to know a status by.
	directShare  = 0.1
	restPage     = 90 * time.Second // Of a status that is listed rarely, for each page.
	mostBad      = 5
	filterOff    = 24 * time.Hour
)

// hot tells whether evaluations come directly from a status.
func (s *status) hot() bool {
	all := s.Direct + s.Indirect
	return all < fewLeavers || s.Direct > directShare*all
}

// indirect reports whether no evaluation came directly from a status lately: those
// that leave it are listed by another status before.
func (s *status) indirect() bool {
	return s.Direct+s.Indirect >= fewLeavers && s.Direct < 0.5
}

func (s *status) leaves(directly, indirectly float64) {
	if s.Direct, s.Indirect = s.Direct+directly, s.Indirect+indirectly; s.Direct+s.Indirect > 50 {
		s.Direct, s.Indirect = s.Direct/2, s.Indirect/2
	}
}

// show takes an unfinished item.
func (m *Machine) show(now time.Time, id string, it *Item, w *walk) {
	known := m.Items[id]
	if known == nil {
		if m.known || m.Delivered.has(id) && !m.Regraded || it.Created.Before(m.horizon()) || len(id) > longestText {
			return
		}
		known = &item{}
		m.Items[id] = known
	}
	if s := m.Statuses[known.Status]; s != nil && known.Status != it.Status {
		s.leaves(0, 1)
	}
	if m.Statuses[it.Status] == nil && it.Status != "" && len(it.Status) <= longestText && len(m.Statuses) < mostStatuses {
		if len(m.Statuses) == 0 { // Until now the unfinished were not listed by themselves.
			m.UnlistedUntil = later(m.UnlistedUntil, now)
		}
		m.Statuses[it.Status] = &status{Pages: 1}
	}
	if s := m.Statuses[it.Status]; s != nil && !it.Submitted.IsZero() {
		s.Handed = true
	}
	if !it.Created.IsZero() {
		known.Created = it.Created
	}
	known.Status, known.Seen = it.Status, now
	if w != nil && w.For == waits {
		known.Serial, known.Misses, known.Left, known.Due = w.Serial, 0, false, time.Time{}
		return
	}
	known.Serial = max(known.Serial, m.Serial)
}

// trust counts what speaks for and against the filter of the unfinished.
func (m *Machine) trust(good, bad float64) {
	if m.Good, m.Bad = m.Good+good, m.Bad+bad; m.Good+m.Bad > 50 {
		m.Good, m.Bad = m.Good/2, m.Bad/2
	}
}

// setWorks tells whether filtering by the status of the unfinished helps.
func (m *Machine) setWorks(now time.Time) bool {
	if m.Bad >= mostBad && m.Bad > m.Good {
		m.distrust(now)
	}
	return !now.Before(m.FilterOff) || m.FilterOff.Sub(now) > filterOff+clockError
}

// distrust does without the filter for a day.
func (m *Machine) distrust(now time.Time) {
	m.FilterOff, m.Good, m.Bad = now.Add(filterOff), 0, 0
	m.UnlistedUntil = later(m.UnlistedUntil, m.FilterOff) // The set is built anew then.
	m.drop(waits)
}

// refuse takes it that the service does not know a filter.
func (m *Machine) refuse(now time.Time, w *walk) error {
	switch w.Status {
	case "":
		return ErrRefused
	case Evaluated:
		m.Unfiltered = true
		w.Status = ""
	default:
		m.distrust(now)
	}
	return nil
}

// evaluated is the filter for what is evaluated.
func (m *Machine) evaluated() string {
	if m.Unfiltered {
		return ""
	}
	return Evaluated
}

// listSet plans walks over the unfinished: first of those statuses that are
// listed rarely, so that who changes between both is seen in one of them.
func (m *Machine) listSet(now time.Time, vouching bool) {
	var hot, rare []walk
	for _, name := range slices.Sorted(maps.Keys(m.Statuses)) {
		s := m.Statuses[name]
		rest := restPage * time.Duration(s.Pages)
		if m.known {
			rest = min(rest, vouchAfter)
		}
		due := now.Sub(s.Listed) >= rest || s.Listed.After(now)
		switch {
		case m.walking(waits, name) != nil:
		case !vouching && s.hot() && (!due || s.Pages <= mostHot):
			hot = append(hot, walk{For: waits, Status: name, Most: min(s.Pages+2, m.slowly(mostHot))})
		case due:
			rare = append(rare, walk{For: waits, Status: name, Most: m.slowly(mostHot), Behind: true})
		}
	}
	for _, w := range append(rare, hot...) {
		m.listUnfinished(w)
	}
}

func (m *Machine) listUnfinished(w walk) {
	m.Serial++
	w.Serial, w.Stop = m.Serial, m.oldest()
	m.add(w)
}

// setCost estimates what a round over the unfinished costs.
func (m *Machine) setCost() float64 {
	cost := min(m.DeliveredPerPoll, worthAWalk+m.DeliveredPerPoll/float64(m.pageSize()))
	for _, s := range m.Statuses {
		if s.hot() {
			cost += float64(s.Pages)
		}
	}
	return max(1, cost)
}

// setExtra estimates what else a poll of a watch costs that lists the unfinished: a
// page of what is evaluated, and a share of the statuses that are listed rarely.
func (m *Machine) setExtra() float64 {
	cost := 1.0
	for _, s := range m.Statuses {
		if !s.hot() {
			cost += m.Max.Seconds() / restPage.Seconds()
		}
	}
	return cost
}

// leavers finds who has left a status that was listed.
func (m *Machine) leavers(now time.Time, w *walk, whole bool) {
	if s := m.Statuses[w.Status]; s != nil {
		if s.Pages = w.Pages; whole {
			s.Listed = w.Began
		} else {
			s.Pages += 2
		}
	}
	for _, it := range m.Items {
		judged := (it.Status == w.Status || w.Status == "") && it.Serial < w.Serial && it.Held.IsZero() && !it.Garbled
		reached := whole || w.passed(it.Created)
		if !judged || !reached || it.Created.Before(w.Stop) || it.Created.IsZero() {
			continue
		}
		if it.Left = true; it.Due.IsZero() {
			it.Due = now.Add(m.backoff(it.Misses, vouchAfter))
		}
	}
}
