package waiting

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// item is what is known of a pending known id, or of an unfinished submission
// that is watched.
type item struct {
	Created time.Time // Zero: never seen.
	Status  string
	Seen    time.Time // When it was last shown to exist.
	Held    time.Time // Its status has run ahead of its report since then.
	Due     time.Time // When to read it singly; zero: not.
	Serial  int       // Of the last walk over the unfinished that showed it.
	Misses  int       // Single reads since a listing showed it.
	Left    bool      // It has left the listing of its status.
}

// status is what is known of the unfinished of one status.
type status struct {
	Listed   time.Time `json:"listed,omitzero"` // When all of them were.
	Pages    int       `json:"pages,omitzero"`  // So many there were.
	Direct   float64   `json:"direct,omitzero"` // Leavers that were found evaluated,
	Indirect float64   `json:"via,omitzero"`    // and those that went to another status.
}

const (
	mostSingles  = 50 // In a round.
	mostStatuses = 20
	mostHot      = 10 // Pages a round of a status that is listed every round.
	fewLeavers   = 5  // Not enough to know a status by.
	directShare  = 0.1
	restPage     = 90 * time.Second // Of a status that is listed rarely, for each page.
	vouchAfter   = 40 * time.Minute
	heldLongest  = time.Hour
	mostBad      = 5
	filterOff    = 24 * time.Hour
	mostFails    = 3
)

// hot tells whether evaluations come directly from a status.
func (s *status) hot() bool {
	all := s.Direct + s.Indirect
	return all < fewLeavers || s.Direct > directShare*all
}

func (s *status) leaves(directly bool) {
	if directly {
		s.Direct++
	} else {
		s.Indirect++
	}
	if s.Direct+s.Indirect > 50 {
		s.Direct, s.Indirect = s.Direct/2, s.Indirect/2
	}
}

// status returns what is known of a status, if it is worth to be known.
func (m *Machine) status(name string) *status {
	s := m.Statuses[name]
	if s == nil && name != "" && name != Evaluated && len(name) <= 64 && len(m.Statuses) < mostStatuses {
		s = &status{Pages: 1}
		m.Statuses[name] = s
	}
	return s
}

// show takes an unfinished item.
func (m *Machine) show(now time.Time, id string, it *Item, w *walk) {
	known := m.Items[id]
	if known == nil {
		if m.known || m.Delivered.has(id) || it.Created.Before(now.Add(-m.Lookback)) || len(id) > 64 {
			return
		}
		known = &item{Serial: m.Serial}
		m.Items[id] = known
	}
	s := m.status(it.Status)
	if known.Status != "" && known.Status != it.Status {
		if s := m.Statuses[known.Status]; s != nil && it.Status != "" {
			s.leaves(false)
		}
	}
	known.Created, known.Status, known.Seen = it.Created, it.Status, now
	switch {
	case w == nil || w.For != waits:
		known.Serial = max(known.Serial, m.Serial)
	default:
		known.Serial, known.Misses, known.Left = w.Serial, 0, false
		known.Due = time.Time{}
	}
	if s == nil {
		known.Due = now.Add(vouchAfter)
	}
}

// trust counts what speaks for and against the filter of the unfinished.
func (m *Machine) trust(good, bad float64) {
	m.Good, m.Bad = m.Good+good, m.Bad+bad
	if m.Good+m.Bad > 50 {
		m.Good, m.Bad = m.Good/2, m.Bad/2
	}
}

// setWorks tells whether filtering by the status of the unfinished helps.
func (m *Machine) setWorks(now time.Time) bool {
	if m.Bad >= mostBad && m.Bad > m.Good {
		m.distrust(now)
	}
	return !now.Before(m.FilterOff)
}

// distrust does without the filter for a day, and for longer each time.
func (m *Machine) distrust(now time.Time) {
	m.FilterOff, m.Good, m.Bad = now.Add(filterOff<<min(m.Offs, 4)), 0, 0
	m.Offs++
	m.Walks = slices.DeleteFunc(m.Walks, func(w walk) bool { return w.For == waits && w.Status != "" })
}

// refuse takes it that the service does not know a filter.
func (m *Machine) refuse(now time.Time, w *walk) error {
	switch {
	case w.Status != Evaluated:
		m.distrust(now)
	case m.Unfiltered:
		return ErrRefused
	default:
		m.Unfiltered = true
		for i := range m.Walks {
			if m.Walks[i].Status == Evaluated {
				m.Walks[i].Status = ""
			}
		}
	}
	return nil
}

// evaluatedFilter is the filter for what is evaluated.
func (m *Machine) evaluatedFilter() string {
	if m.Unfiltered {
		return ""
	}
	return Evaluated
}

// listSet plans walks over the unfinished: first of those statuses that are
// listed rarely, so that who changes between both is seen in one of them.
func (m *Machine) listSet(now time.Time, vouching bool) {
	var hot, rare []walk
	for _, name := range m.statuses() {
		s := m.Statuses[name]
		due := now.Sub(s.Listed) >= min(restPage*time.Duration(s.Pages), vouchAfter) || s.Listed.After(now)
		switch {
		case m.listing(name):
		case !vouching && s.hot():
			most := min(s.Pages+2, mostHot)
			if due && s.Pages > mostHot {
				rare = append(rare, walk{For: waits, Status: name, Most: mostHot, Behind: true})
				continue
			}
			hot = append(hot, walk{For: waits, Status: name, Most: most})
		case due:
			rare = append(rare, walk{For: waits, Status: name, Most: mostHot, Behind: true})
		}
	}
	for _, w := range append(rare, hot...) {
		m.Serial++
		w.Serial, w.Stop = m.Serial, m.oldest(now)
		m.add(w)
	}
}

func (m *Machine) listing(status string) bool {
	return slices.ContainsFunc(m.Walks, func(w walk) bool { return w.For == waits && w.Status == status })
}

// statuses returns those of the unfinished that are known.
func (m *Machine) statuses() []string { return slices.Sorted(maps.Keys(m.Statuses)) }

// oldest is the creation of the oldest pending known id that was seen, or the
// end of what is watched.
func (m *Machine) oldest(now time.Time) time.Time {
	if !m.known {
		return now.Add(-m.Lookback)
	}
	var oldest time.Time
	for _, it := range m.Items {
		if !it.Created.IsZero() && it.Held.IsZero() && (oldest.IsZero() || it.Created.Before(oldest)) {
			oldest = it.Created
		}
	}
	return oldest
}

// unseen counts the known ids of which nothing was seen.
func (m *Machine) unseen() (n int) {
	for _, it := range m.Items {
		if it.Seen.IsZero() {
			n++
		}
	}
	return n
}

// leavers finds who has left a status that was listed.
func (m *Machine) leavers(now time.Time, w *walk, whole bool) {
	s := m.Statuses[w.Status]
	if s != nil {
		if s.Pages = max(1, w.Pages); whole {
			s.Listed = w.Began
		} else {
			s.Pages += 2
		}
	}
	for _, it := range m.Items {
		judged := (it.Status == w.Status || w.Status == "") && it.Held.IsZero()
		if !judged || it.Serial >= w.Serial || it.Created.IsZero() || !whole && (w.Mixed || !it.Created.After(w.Last)) {
			continue
		}
		if !w.Stop.IsZero() && it.Created.Before(w.Stop) {
			continue
		}
		if it.Left = true; it.Misses == 0 {
			it.Due = now
		}
	}
}

// listSingles finds who is to be read singly in this round. Many leavers are
// found faster by a listing of what is evaluated.
func (m *Machine) listSingles(now time.Time) {
	m.listed = true
	m.singles = nil
	left, oldest := 0, now
	for id, it := range m.Items {
		if it.Due.IsZero() || it.Due.After(now) && !it.Due.After(now.Add(24*time.Hour)) {
			continue
		}
		m.singles = append(m.singles, id)
		if it.Left && it.Misses == 0 {
			left++
			if it.Created.Before(oldest) {
				oldest = it.Created
			}
		}
	}
	if estimate := max(m.pages(oldest), left/m.pageSize()+1); left > estimate+1 && !m.Chased {
		m.Chased, m.listed = true, false
		m.add(walk{For: finding, Status: m.evaluatedFilter(), Since: m.since(oldest), Stop: oldest, Most: estimate + 2})
		return
	}
	slices.SortFunc(m.singles, func(a, b string) int {
		if c := m.Items[a].Due.Compare(m.Items[b].Due); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}

// gotOne takes the answer to a single read.
func (m *Machine) gotOne(now time.Time, id string, a Answer) ([]int, error) {
	m.Singles++
	m.singles = m.singles[min(1, len(m.singles)):]
	known := m.Items[id]
	switch {
	case known == nil:
		return nil, nil
	case a.Refused:
		return nil, ErrRefused
	case a.Gone:
		if delete(m.Items, id); m.known {
			m.missing = append(m.missing, id)
		}
		return nil, nil
	case a.Trouble || len(a.Items) != 1:
		known.Misses++
		known.Due = now.Add(min(time.Minute<<min(known.Misses, 6), vouchAfter))
		if m.Fails++; m.Fails >= mostFails {
			m.Fails = 0
			m.halt(now, a.Retry)
		}
		return nil, nil
	}
	it := a.Items[0]
	it.ID = id
	if m.read(now, known, &it) {
		return []int{0}, nil
	}
	return nil, nil
}

// read takes what a single read showed: it may have the leaver's reason.
func (m *Machine) read(now time.Time, known *item, it *Item) bool {
	left, before := known.Left, known.Status
	known.Left, known.Due, known.Seen = false, time.Time{}, now
	if it.finished() {
		if s := m.Statuses[before]; left && s != nil && known.Misses == 0 {
			m.trust(1, 0)
			if !m.Steady.After(it.Evaluated) {
				s.leaves(true)
			}
		}
		return m.look(now, it, nil)
	}
	m.look(now, it, nil)
	if left && before == it.Status { // The listing should have shown it.
		if known.Misses == 0 {
			m.trust(0, 1)
		}
		known.Due = now.Add(min(time.Minute<<min(known.Misses, 6), vouchAfter))
		known.Misses++
	}
	return false
}

// overdue holds an item back whose report is not there yet, for an hour at most
// where everything new is watched.
func (m *Machine) overdue(now time.Time, id string, it *Item) bool {
	known := m.Items[id]
	if known == nil {
		known = &item{Created: it.Created}
		m.Items[id] = known
	}
	known.Seen = now
	if known.Held.IsZero() || known.Held.After(now) {
		known.Held, known.Due = now, now
		return false
	}
	age := now.Sub(known.Held)
	if !m.known && age >= heldLongest {
		return true
	}
	known.Due = now.Add(min(age/4, 10*time.Minute))
	return false
}

// deliver remembers an item that is handed over.
func (m *Machine) deliver(now time.Time, id string, it *Item) {
	if m.known {
		m.Ready++
	} else {
		m.Delivered.add(id, it)
		m.surprise(now, it, m.Items[id] != nil)
	}
	delete(m.Items, id)
	m.News = now
	m.Fresh++
	m.Found++
	if !it.Submitted.IsZero() && it.Evaluated.After(m.Opened) {
		m.Grading = max(m.Grading, min(it.Evaluated.Sub(it.Submitted), m.Lookback))
	}
}
