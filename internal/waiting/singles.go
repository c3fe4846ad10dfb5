package waiting

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	mostSingles = 50 // In a round.
	mostFails   = 3  // Of them.
	worthAWalk  = 12 // Leavers in a round. The walk may cost a quarter of their single reads,
	chasePages  = 60 // and so many pages a round.
	vouchAfter  = 40 * time.Minute
	heldLongest = time.Hour
	rarestRead  = 9 * time.Minute // Of one whose report is late.
)

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
		m.chase(held, chasePages)
		return
	}
	burst := max(m.Leaving, float64(left)) > mostSingles // Some may have been forgotten, or not be listed yet.
	if (left >= worthAWalk || burst) && !m.Chased {
		if burst {
			oldest = oldest.Add(-time.Hour)
		}
		m.Chased, m.listed = true, false
		m.chase(oldest, min(max(left, mostSingles)/4, chasePages))
		return
	}
	slices.SortFunc(m.singles, func(a, b string) int {
		return cmp.Or(m.Items[a].Due.Compare(m.Items[b].Due), strings.Compare(a, b))
	})
}

// chase lists what is evaluated of all that was created since a time.
func (m *Machine) chase(oldest time.Time, most int) {
	m.add(walk{For: chasing, Status: m.evaluated(), Since: m.since(oldest), Stop: oldest, Most: most})
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
		known.Due = now.Add(m.backoff(max(known.Misses-2, 0), rarestRead))
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
