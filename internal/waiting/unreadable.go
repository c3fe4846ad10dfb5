package waiting

import (
	"slices"
	"time"
)

const (
	rereadFirst = 5 * time.Minute
	rereadLast  = 6 * time.Hour
	mostNoted   = 100
)

// postpone schedules a single read of an item that cannot be decoded: at once, then
// in growing intervals until it can. Listings that show the item meanwhile change
// nothing.
func (m *Machine) postpone(now time.Time, id string, it *Item) {
	known := m.Items[id]
	if known == nil {
		if m.settled(id, it) {
			return
		}
		known = &item{Created: it.Created, Status: it.Status}
		m.Items[id] = known
	}
	known.Seen, known.Garbled = now, true
	if known.Unread.IsZero() || known.Unread.After(now) {
		known.Unread, known.Due = now, now
	}
	if known.Due.IsZero() {
		known.Due = now.Add(min(max(now.Sub(known.Unread)/2, rereadFirst), rereadLast))
	}
}

// settled reports whether an unreadable item that is not pending needs no other read.
func (m *Machine) settled(id string, it *Item) bool {
	return m.known || id == "" || len(id) > longestText || m.Delivered.has(id) && !m.regraded(id, it) || m.done(it) ||
		!it.Created.IsZero() && it.Created.Before(m.horizon())
}

// NewlyUnreadable reports whether an unreadable item is pending, or would be, and no
// response showed it so before.
func (m *Machine) NewlyUnreadable(it *Item) bool {
	id := m.nameOf(it.ID)
	if known := m.Items[id]; known != nil {
		return known.Unread.IsZero()
	}
	return !m.settled(id, it)
}

// Unreadable reports whether an item is read again later because it cannot be
// decoded.
func (m *Machine) Unreadable(id string) bool {
	known := m.Items[m.nameOf(id)]
	return known != nil && known.Garbled
}

// Note remembers an unreadable item that has no id, by a text that identifies it.
// It reports whether the item is new.
func (m *Machine) Note(text string) bool {
	hash := hashOf(text)
	if slices.Contains(m.Noted, hash) {
		return false
	}
	m.Noted = append(m.Noted, hash)
	m.Noted = m.Noted[max(0, len(m.Noted)-mostNoted):]
	return true
}
