package waiting

import (
	"cmp"
	"slices"
	"time"
)

const (
	unreadableEvery = 45 * time.Minute // The time between two sweeps while an evaluated submission cannot be decoded.
	maxUnnamed      = 100
)

// unnamed holds the latest items without an id that cannot be decoded, by a hash of the text that
// identifies them.
type unnamed []uint64

func (u *unnamed) has(it *Item) bool { return slices.Contains(*u, hashOf(it.ID)) }

func (u *unnamed) add(it *Item) {
	if !u.has(it) {
		*u = append((*u)[max(0, len(*u)-maxUnnamed+1):], hashOf(it.ID))
	}
}

// NewlyUnreadable reports whether an item that cannot be decoded is pending, or would be, and no
// response showed it so before. It changes nothing.
func (m *Machine) NewlyUnreadable(it *Item) bool {
	if it.Unnamed {
		return !m.planner.unnamed().has(it)
	}
	id := m.planner.key(it.ID)
	if pending := m.Set.Items[id]; pending != nil {
		return pending.UnreadableAt.IsZero()
	}
	return !m.planner.ignores(id, it)
}

// unreadable remembers an item that cannot be decoded until a page or a read can be. It is read singly when
// it is first shown so, and once more when it is first shown evaluated, because a single read may be decoded
// where a page cannot be. l is nil for a single read.
func (w *watch) unreadable(now time.Time, id string, it *Item, l *listing) bool {
	pending := w.Set.Items[id]
	if pending == nil {
		if w.ignores(id, it) {
			return true
		}
		pending = w.Set.add(id, it.Created)
	}
	first := pending.UnreadableAt.IsZero()
	if first {
		pending.UnreadableAt = second(now)
	}
	pending.Unreadable, pending.LeftListing, pending.ConfirmedAt, pending.Serial = true, false, now, max(pending.Serial, w.Set.Serial)
	pending.Status = cmp.Or(it.Status, pending.Status)
	filtered := it.Status == "" && l != nil && l.Status == Evaluated
	// A submission whose report is awaited is evaluated, also if the response shows no status.
	if it.isEvaluated() || !it.Evaluated.IsZero() || filtered || !pending.AwaitedSince.IsZero() {
		first = first || !pending.UnreadableEvaluated
		pending.Status, pending.UnreadableEvaluated = Evaluated, true
	}
	if first && l != nil && pending.ReadAt.IsZero() {
		pending.ReadAt = second(now)
	}
	return true
}

// oldestUnreadable returns the oldest evaluated submission that cannot be decoded, or nil.
func (s *waitingSet) oldestUnreadable() (oldest *pendingItem) {
	for _, it := range s.Items {
		if it.Unreadable && it.UnreadableEvaluated && (oldest == nil || it.Created.Before(oldest.Created)) {
			oldest = it
		}
	}
	return oldest
}

// reviewUnreadable forgets the evaluated submissions that cannot be decoded and are older than
// Lookback. Those that a completed sweep of the deepest level did not show are read singly:
// perhaps they were deleted.
func (w *watch) reviewUnreadable(l *listing) {
	for id, it := range w.Set.Items {
		switch {
		case !it.Unreadable || !it.UnreadableEvaluated:
		case it.Created.Before(w.oldest()) && (!it.Created.IsZero() || it.UnreadableAt.Before(w.oldest())):
			w.Set.remove(id)
		case it.Serial < l.Serial && it.ReadAt.IsZero() && !it.Created.Before(l.CreatedSince):
			it.LeftListing, it.ReadAt = true, second(w.Pace.RespondedAt.Add(backoff(w.Max, it.Misses, confirmAfter)))
		}
	}
}
