package waiting

import (
	"cmp"
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
	Misses  int       // Single reads in a row that listings should have made needless, or that failed.
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
	mostFails    = 3  // Of them.
	mostStatuses = 20
	longestText  = 64
	mostHot      = 10 // Pages a round of a status that is listed every round.
	fewLeavers   = 5  // Not enough to know a status by.
	directShare  = 0.1
	worthAWalk   = 12               // Leavers in a round. The walk may cost a quarter of their single reads,
	chasePages   = 60               // and so many pages a round.
	restPage     = 90 * time.Second // Of a status that is listed rarely, for each page.
	vouchAfter   = 40 * time.Minute
	heldLongest  = time.Hour
	rarestRead   = 10 * time.Minute // Of one whose report is late.
	mostBad      = 5
	filterOff    = 24 * time.Hour
)

// hot tells whether evaluations come directly from a status.
func (s *status) hot() bool {
	all := s.Direct + s.Indirect
	return all < fewLeavers || s.Direct > directShare*all
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
		if m.known || m.Delivered.has(id) || it.Created.Before(m.horizon()) || len(id) > longestText {
			return
		}
		known = &item{}
		m.Items[id] = known
	}
	if s := m.Statuses[known.Status]; s != nil && known.Status != it.Status {
		s.leaves(0, 1)
	}
	if m.Statuses[it.Status] == nil && it.Status != "" && len(it.Status) <= longestText && len(m.Statuses) < mostStatuses {
		m.Statuses[it.Status] = &status{Pages: 1}
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
	return !now.Before(m.FilterOff)
}

// distrust does without the filter for a day, and for longer each time.
func (m *Machine) distrust(now time.Time) {
	m.FilterOff, m.Good, m.Bad = now.Add(filterOff<<min(m.Offs, 4)), 0, 0
	m.Offs++
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
			hot = append(hot, walk{For: waits, Status: name, Most: min(s.Pages+2, mostHot)})
		case due:
			rare = append(rare, walk{For: waits, Status: name, Most: mostHot, Behind: true})
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
	cost := min(m.Leaving, worthAWalk+m.Leaving/float64(m.pageSize()))
	for _, s := range m.Statuses {
		if s.hot() {
			cost += float64(s.Pages)
		}
	}
	return max(1, cost)
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
		judged := (it.Status == w.Status || w.Status == "") && it.Serial < w.Serial && it.Held.IsZero()
		reached := whole || !w.Mixed && it.Created.After(w.Last)
		if !judged || !reached || it.Created.Before(w.Stop) || it.Created.IsZero() {
			continue
		}
		if it.Left = true; it.Due.IsZero() {
			it.Due = now.Add(m.backoff(it.Misses, vouchAfter))
		}
	}
}

// listSingles finds who is to be read singly in this round. Many leavers are
// found faster by a listing of what is evaluated.
func (m *Machine) listSingles(now time.Time) {
	m.listed, m.singles = true, nil
	left, oldest, held := 0, now, now
	for id, it := range m.Items {
		if !m.known && !it.Held.IsZero() && now.Sub(it.Held) >= heldLongest {
			held = earlier(held, it.Created)
		}
		if it.Due.IsZero() || it.Due.After(now) && !it.Due.After(now.Add(24*time.Hour)) { // Else the clock was put back.
			continue
		}
		m.singles = append(m.singles, id)
		if it.Left && it.Misses == 0 {
			left++
			oldest = earlier(oldest, it.Created)
		}
	}
	if held.Before(now) && now.Sub(m.HeldAt) >= rarestRead { // A listing has what is to come without a report.
		m.HeldAt, m.listed = now, false
		m.add(walk{For: chasing, Status: m.evaluated(), Since: m.since(held), Stop: held, Most: chasePages})
		return
	}
	burst := max(m.Leaving, float64(left)) > mostSingles // Some may have been forgotten, or not be listed yet.
	if (left >= worthAWalk || burst) && !m.Chased {
		if m.Chased, m.listed = true, false; burst {
			oldest = oldest.Add(-time.Hour)
		}
		if burst && !m.Chase.IsZero() {
			oldest = earlier(oldest, m.Chase)
		}
		m.Chase = oldest
		m.add(walk{For: chasing, Status: m.evaluated(), Since: m.since(oldest), Stop: oldest, Most: min(max(left, mostSingles)/4, chasePages)})
		return
	}
	slices.SortFunc(m.singles, func(a, b string) int {
		return cmp.Or(m.Items[a].Due.Compare(m.Items[b].Due), strings.Compare(a, b))
	})
}

// gotOne takes the answer to a single read.
func (m *Machine) gotOne(now time.Time, id string, a Answer) ([]int, error) {
	m.Singles++
	m.singles = m.singles[min(1, len(m.singles)):]
	known := m.Items[id]
	switch {
	case known == nil:
	case a.Refused:
		return nil, ErrRefused
	case a.Gone && (m.known || known.Held.IsZero() || now.Sub(known.Held) > 2*heldLongest):
		if delete(m.Items, id); m.known {
			m.missing = append(m.missing, id)
		}
	case a.Gone: // What a listing shows evaluated is there.
		known.Misses++
		known.Due = now.Add(m.backoff(known.Misses, rarestRead))
	case a.Trouble || len(a.Items) != 1:
		known.Misses++
		known.Due = now.Add(m.backoff(known.Misses, rarestRead))
		if m.Fails++; m.Fails >= mostFails {
			m.Fails = 0
			m.halt(now, a.Retry)
		}
	default:
		it := a.Items[0]
		it.ID = id
		if m.read(now, known, &it) {
			return []int{0}, nil
		}
	}
	return nil, nil
}

// read takes what a single read showed.
func (m *Machine) read(now time.Time, known *item, it *Item) (ready bool) {
	left, before := known.Left, known.Status
	known.Left, known.Due, known.Seen = false, time.Time{}, now
	if s := m.Statuses[before]; it.finished() && left && s != nil {
		m.trust(1, 0)
		if !m.Steady.After(it.Evaluated) {
			s.leaves(1, 0)
		}
	}
	ready = m.look(now, it, nil)
	if !known.Held.IsZero() {
		known.Due = now.Add(min(now.Sub(known.Held)/4, rarestRead))
	}
	if it.finished() || before != it.Status {
		known.Misses = 0
	} else if left { // The listing should have shown it.
		if known.Misses++; known.Misses == 1 {
			m.trust(0, 1)
		}
	}
	return ready
}

// backoff is a pause before the next read of an item that doubles with each miss.
func (m *Machine) backoff(misses int, longest time.Duration) time.Duration {
	if misses == 0 {
		return 0
	}
	return min(m.Max<<min(misses-1, 10), longest)
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
	return !m.known && now.Sub(known.Held) >= heldLongest
}
