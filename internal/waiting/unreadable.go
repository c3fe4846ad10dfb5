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
	pending := m.Set.Items[id]
	if pending == nil {
		if m.planner.ignores(id, it) {
			return
		}
		pending = &pendingItem{Created: second(it.Created), Status: it.Status}
		m.Set.Items[id] = pending
	}
	pending.ConfirmedAt, pending.Unreadable = now, true
	if pending.UnreadableAt.IsZero() || pending.UnreadableAt.After(now) {
		pending.UnreadableAt, pending.ReadAt = second(now), second(now)
	}
	if pending.ReadAt.IsZero() {
		pending.ReadAt = nextSecond(now.Add(min(max(now.Sub(pending.UnreadableAt)/2, minRereadInterval), maxRereadInterval)))
	}
}

// NewlyUnreadable reports whether an unreadable item is pending, or would be, and no
// response showed it so before.
func (m *Machine) NewlyUnreadable(it *Item) bool {
	id := m.planner.key(it.ID)
	if pending := m.Set.Items[id]; pending != nil {
		return pending.UnreadableAt.IsZero()
	}
	return !m.planner.ignores(id, it)
}

// KnowsUnreadable reports whether NoteUnreadable was called with the text lately.
func (m *Machine) KnowsUnreadable(text string) bool {
	return slices.Contains(m.Watch.Memory.UnreadableHashes, hashOf(text))
}

// NoteUnreadable remembers an unreadable item that has no id, by a text that identifies it.
func (m *Machine) NoteUnreadable(text string) {
	if !m.KnowsUnreadable(text) {
		hashes := append(m.Watch.Memory.UnreadableHashes, hashOf(text))
		m.Watch.Memory.UnreadableHashes = hashes[max(0, len(hashes)-maxUnreadableHashes):]
	}
}
