package waiting

import (
	"cmp"
	"slices"
	"time"
)

const (
	unreadableEvery = 45 * time.Minute // The time between two sweeps for submissions that cannot be decoded.
	maxUnnamed      = 100
)

// unnamed holds the latest items without an id that cannot be decoded, by a hash of the text that identifies them.
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
		pending = &pendingItem{Created: second(it.Created)}
		w.Set.Items[id] = pending
	}
	first := pending.UnreadableAt.IsZero()
	if first {
		pending.UnreadableAt = second(now)
	}
	pending.Unreadable, pending.ConfirmedAt, pending.Serial = true, now, max(pending.Serial, w.Set.Serial)
	pending.Status = cmp.Or(it.Status, pending.Status)
	filtered := it.Status == "" && l != nil && l.Status == Evaluated
	if it.isEvaluated() || !it.Evaluated.IsZero() || filtered {
		first = first || !pending.UnreadableEvaluated
		pending.Status, pending.UnreadableEvaluated = Evaluated, true
	}
	if first && l != nil && pending.ReadAt.IsZero() {
		pending.ReadAt = second(now)
	}
	return true
}

// sweepUnreadable lists the evaluated submissions since the creation of the oldest one that cannot be decoded. It reads
// most pages of this poll, which are to spare. It forgets what is older than Lookback.
func (w *watch) sweepUnreadable(now time.Time, most int) {
	var oldest *pendingItem
	for id, it := range w.Set.Items {
		switch {
		case !it.Unreadable || !it.UnreadableEvaluated:
		case it.Created.Before(w.oldest()) && (!it.Created.IsZero() || it.UnreadableAt.Before(w.oldest())):
			delete(w.Set.Items, id)
		case oldest == nil || it.Created.Before(oldest.Created):
			oldest = it
		}
	}
	age := now.Sub(w.Sweeps.Levels[deepest].StartedAt)
	if w.Poll.continueSweep(deepest, most) || oldest == nil || most < 1 || age >= 0 && age < unreadableEvery {
		return
	}
	w.addSweep(now, listing{Level: deepest, Status: w.Poll.evaluatedFilter(), CreatedSince: later(oldest.Created, w.oldest()), MaxPollPages: most})
}

// readLostUnreadable lets those be read singly that a completed sweep over all of Lookback, or by sweepUnreadable, did
// not show: perhaps they were deleted.
func (w *watch) readLostUnreadable(l *listing) {
	for _, it := range w.Set.Items {
		if it.Unreadable && it.UnreadableEvaluated && it.Serial < l.Serial && it.ReadAt.IsZero() && !it.Created.Before(l.CreatedSince) {
			it.LeftListing, it.ReadAt = true, second(w.Pace.RespondedAt.Add(backoff(w.Max, it.Misses, confirmAfter)))
		}
	}
}
