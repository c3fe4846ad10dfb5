package waiting

import (
	"slices"
	"time"
)

const (
	minRereadInterval   = 5 * time.Minute
	maxRereadInterval   = 6 * time.Hour
	maxUnreadableHashes = 100
)

// trackUnreadable schedules a single read of an item that cannot be decoded: at once, then
// in growing intervals until it can. Listings that show the item meanwhile change
// nothing.
func (m *Machine) trackUnreadable(now time.Time, id string, it *Item) {
	pending := m.Items[id]
	if pending == nil {
		if m.needsNoRead(id, it) {
			return
		}
		pending = &pendingItem{Created: second(it.Created), Status: it.Status}
		m.Items[id] = pending
	}
	pending.ConfirmedAt, pending.Unreadable = now, true
	if pending.UnreadableAt.IsZero() || pending.UnreadableAt.After(now) {
		pending.UnreadableAt, pending.ReadAt = second(now), second(now)
	}
	if pending.ReadAt.IsZero() {
		pending.ReadAt = nextSecond(now.Add(min(max(now.Sub(pending.UnreadableAt)/2, minRereadInterval), maxRereadInterval)))
	}
}

// needsNoRead reports whether an unreadable item that is not pending needs no other read.
func (m *Machine) needsNoRead(id string, it *Item) bool {
	return m.forKnownIDs || id == "" || len(id) > maxTextLength || m.Delivered.has(id) && !m.regraded(id, it) || m.isCovered(it) ||
		!it.Created.IsZero() && it.Created.Before(m.watchedSince())
}

// NewlyUnreadable reports whether an unreadable item is pending, or would be, and no
// response showed it so before.
func (m *Machine) NewlyUnreadable(it *Item) bool {
	id := m.keyOf(it.ID)
	if pending := m.Items[id]; pending != nil {
		return pending.UnreadableAt.IsZero()
	}
	return !m.needsNoRead(id, it)
}

// KnowsUnreadable reports whether NoteUnreadable was called with the text lately.
func (m *Machine) KnowsUnreadable(text string) bool {
	return slices.Contains(m.UnreadableHashes, hashOf(text))
}

// NoteUnreadable remembers an unreadable item that has no id, by a text that identifies it.
func (m *Machine) NoteUnreadable(text string) {
	if !m.KnowsUnreadable(text) {
		m.UnreadableHashes = append(m.UnreadableHashes, hashOf(text))
		m.UnreadableHashes = m.UnreadableHashes[max(0, len(m.UnreadableHashes)-maxUnreadableHashes):]
	}
}
