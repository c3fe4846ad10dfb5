package waiting

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	mostSingles = 50 // In a poll: more where polls are rare.
	mostFails   = 3  // Of them.
	mostSettled = 5  // Of those that left for another status.
	worthAWalk  = 12 // Leavers in a round. The walk may cost a quarter of their single reads,
	chasePages  = 60 // and so many pages a round.
	vouchAfter  = 40 * time.Minute
	heldLongest = time.Hour
	rarestRead  = 9 * time.Minute // Of one whose report is late.
	mostGone    = 20              // Reads that do not find a submission that listings show as evaluated.
)

// mostSingles returns how many submissions a poll may read singly.
func (m *Machine) mostSingles() int {
	if m.rare {
		return max(mostSingles, m.spare())
	}
	return mostSingles
}

// listSingles finds who is to be read singly in this round. Many leavers are
// found faster by a listing of what is evaluated.
func (m *Machine) listSingles(now time.Time) {
	m.listed, m.singles = true, nil
	left, oldest, held := 0, now, now
	for id, it := range m.Items {
		if it.Over {
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
	if age := now.Sub(m.HeldAt); held.Before(now) && (age < 0 || age >= rarestRead) { // A listing has what is to come without a report.
		m.HeldAt, m.listed = now, false
		m.chase(held, chasePages)
		return
	}
	burst := max(m.DeliveredPerPoll, float64(left)) > mostSingles // Some may have been forgotten, or not be listed yet.
	if (left >= worthAWalk || burst) && !m.Chased {
		if burst {
			oldest = oldest.Add(-time.Hour)
		}
		most := min(max(left, mostSingles)/4, chasePages)
		if burst && now.Sub(m.TruncatedAt) < time.Hour { // Others have left that were forgotten.
			most = chasePages
		}
		m.Chased, m.listed = true, false
		m.chase(oldest, most)
		return
	}
	slices.SortFunc(m.singles, func(a, b string) int {
		return cmp.Or(m.Items[a].Due.Compare(m.Items[b].Due), strings.Compare(a, b))
	})
	if m.Settled { // Those that left for another status are listed by it, when it is known.
		n := 0
		m.singles = slices.DeleteFunc(m.singles, func(id string) bool {
			if it := m.Items[id]; it.Left && it.Misses == 0 && it.Held.IsZero() {
				n++
			}
			return n > mostSettled && m.Items[id].Left && m.Items[id].Misses == 0 && m.Items[id].Held.IsZero()
		})
	}
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
	case a.Gone && known.Garbled && now.Sub(known.Unread) < filterOff: // A listing shows it.
		known.Due = time.Time{}
		m.postpone(now, id, &Item{ID: id})
	case a.Gone && (m.known || known.Held.IsZero() || known.Over && known.Misses > mostGone):
		if delete(m.Items, id); m.known {
			m.missing = append(m.missing, id)
		}
	case a.Gone: // What a listing shows evaluated is there.
		known.Over = m.bare(now, a.local(now), known)
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
		if m.read(now, a.local(now), known, &it) {
			return []int{0}, nil
		}
	}
	return nil, nil
}

// read takes what a single read showed.
func (m *Machine) read(now, local time.Time, known *item, it *Item) (ready bool) {
	left, before := known.Left, known.Status
	known.Left, known.Due, known.Seen = false, time.Time{}, now
	if it.Unreadable {
		return m.look(now, it, nil)
	}
	if s := m.Statuses[before]; it.finished() && left && s != nil {
		m.trust(1, 0)
		if !m.RegularSince.After(it.Evaluated) {
			s.leaves(1, 0)
		}
	}
	if !it.Ready && (it.finished() || !known.Held.IsZero()) {
		known.Over = m.bare(now, local, known)
	}
	ready = m.look(now, it, nil)
	if !known.Held.IsZero() {
		rest := min(max(now.Sub(known.Held)/4, 0), rarestRead)
		if left := heldLongest - now.Sub(known.Bare); left > 0 {
			rest = min(rest, left)
		}
		known.Due = now.Add(rest)
	}
	if it.finished() || before != it.Status {
		known.Misses = 0
	} else if left { // The listing should have shown it.
		if known.Misses++; known.Misses == 1 || !m.known && known.Misses <= mostBad {
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

// overdue holds an item back whose report is not there yet. Where everything new
// is watched, a single read that finds none an hour after the first such read
// ends that; nothing else does.
func (m *Machine) overdue(now time.Time, id string, it *Item) bool {
	known := m.Items[id]
	if known == nil {
		known = &item{Created: it.Created}
		m.Items[id] = known
	}
	known.Seen = now
	if known.Held.IsZero() || known.Held.After(now) {
		known.Held = now
		known.Due = now
	}
	return known.Over
}

// bare notes that a single read found no report, and reports whether the first
// such read was an hour ago, by the clocks of the server and of the caller: one of
// them may be wrong.
func (m *Machine) bare(now, local time.Time, known *item) bool {
	if known.Bare.IsZero() || known.Local.IsZero() || known.Bare.After(now) || known.Local.After(local) {
		known.Bare, known.Local = now, local
	}
	return !m.known && now.Sub(known.Bare) >= heldLongest && local.Sub(known.Local) >= heldLongest
}
