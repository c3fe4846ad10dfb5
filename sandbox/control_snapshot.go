package sandbox

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// maxSnapshots is the number of snapshots that are kept.
const maxSnapshots = 20

// snapshot is the state before an action, to return to. The exchanges of its journal are shared.
type snapshot struct {
	id, revision int
	end          int // Revision of the end of the action, or 0 before it.
	advanced     time.Duration
	state        state
}

type snapshotJSON struct {
	ID      int      `json:"id"`
	Actions []action `json:"actions"` // What was done between the snapshot and its end.
	Others  int      `json:"others"`  // How many actions restoring the snapshot undoes that were done before a snapshot or after its end.
	Writes  int      `json:"writes"`  // How many writes of programs restoring the snapshot undoes.
}

// isWriteSince reports whether an exchange is a write to the live data since the snapshot.
func (s *snapshot) isWriteSince(run string, e *exchange) bool {
	return (run != s.state.journal.run || e.Number > s.state.journal.count) && e.changedLive()
}

// changedLive reports whether an exchange is a write to the live data that was not undone.
func (e *exchange) changedLive() bool {
	return e.Done && e.Undone.IsZero() && classOf(e.Method) == ClassWrite && strings.HasPrefix(e.Key, livePrefix)
}

// isOwn reports whether an action was done between the snapshot and its end.
func (s *snapshot) isOwn(a action) bool { return a.revision > s.revision && a.revision <= s.end }

// newSnapshots returns the snapshots that can be restored: those whose own actions are not undone.
func newSnapshots(snapshots []snapshot, exchanges []*exchange, actions []action, run string) (all []snapshotJSON) {
	for i, one := range snapshots {
		shown := snapshotJSON{ID: one.id}
		for _, a := range actions {
			switch {
			case a.revision <= one.revision || a.settled:
			case one.isOwn(a):
				shown.Actions = append(shown.Actions, a)
			case !slices.ContainsFunc(snapshots[i:], func(s snapshot) bool { return s.isOwn(a) }):
				shown.Others++
			}
		}
		for _, e := range exchanges {
			if one.isWriteSince(run, e) && !e.FromPage {
				shown.Writes++
			}
		}
		if len(shown.Actions) > 0 {
			all = append(all, shown)
		}
	}
	return all
}

// takeSnapshot keeps a copy of the state, and returns its id.
func (c *control) takeSnapshot(none) (id int, err error) {
	copied := c.state
	copied.live, copied.throttle = c.live.Clone(c.now), make(throttle, len(c.throttle))
	for address, w := range c.throttle {
		copied.throttle[address] = new(*w)
	}
	copied.keys = make(keyring, len(c.keys))
	for token, key := range c.keys {
		copied.keys[token] = new(*key)
	}
	copied.faults.ended, copied.faults.active = slices.Clone(c.faults.ended), slices.Clone(c.faults.active)
	for i, f := range copied.faults.active {
		copied.faults.active[i] = new(*f)
	}
	copied.journal.exchanges, copied.journal.actions = slices.Clone(c.journal.exchanges), slices.Clone(c.journal.actions)
	copied.journal.firstWrites = maps.Clone(c.journal.firstWrites)
	c.snapshotCount++
	c.snapshots = append(c.snapshots[max(0, len(c.snapshots)-maxSnapshots+1):], snapshot{c.snapshotCount, c.changes.revision, 0, c.ahead(), copied})
	return c.snapshotCount, nil
}

// endSnapshot says that what the snapshot was kept for is done. It forgets a snapshot that no action followed.
func (c *control) endSnapshot(none) error {
	for i := range c.snapshots {
		if s := &c.snapshots[i]; strconv.Itoa(s.id) == c.id {
			s.end = c.changes.revision
			if !slices.ContainsFunc(c.journal.actions, s.isOwn) {
				c.snapshots = slices.Delete(c.snapshots, i, i+1)
			}
			return nil
		}
	}
	return world.ErrUnknown
}

// restoreSnapshot returns to a snapshot, and forgets it and later ones. Of the journal only what was removed
// comes back: requests since then stay and count, and numbers and ids are not given out again. It returns the number of writes
// of the program to the live data since then, which are undone too. It records an action unless there was nothing to undo.
func (c *control) restoreSnapshot(none) (writes int, err error) {
	at := slices.IndexFunc(c.snapshots, func(s snapshot) bool { return strconv.Itoa(s.id) == c.id })
	if at < 0 {
		return 0, world.ErrUnknown
	}
	snapshot, current := &c.snapshots[at], c.state
	restored := snapshot.state
	var undone []action
	for i, a := range current.journal.actions {
		if a.revision > snapshot.revision && !a.settled {
			undone, current.journal.actions[i].settled = append(undone, a), true
		}
	}
	kind, numbers := "Undone", []string(nil)
	for i, e := range current.journal.exchanges {
		if snapshot.isWriteSince(current.journal.run, e) {
			undone := *e
			undone.Undone, current.journal.exchanges[i] = c.now, &undone
			numbers = append(numbers, "#"+strconv.Itoa(e.Number))
		}
	}
	if len(numbers) > 0 {
		kind += ", with " + strings.Join(numbers, ", ")
	}
	if current.journal.run == restored.journal.run {
		removed, kept := restored.journal.exchanges, current.journal.exchanges
		if len(kept) > 0 {
			removed = slices.DeleteFunc(removed, func(e *exchange) bool { return e.Number >= kept[0].Number })
		}
		removed = removed[max(0, len(removed)+len(kept)-maxExchanges):]
		if len(removed) > 0 {
			current.journal.actions = restored.journal.actions
		}
		restored.journal = current.journal
		restored.journal.exchanges = slices.Concat(removed, kept)
	}
	restored.requests, restored.faults.count = max(restored.requests, current.requests), max(restored.faults.count, current.faults.count)
	earlier := restored.live
	restored.live = current.live
	c.state = restored
	c.live.Restore(earlier)
	c.advanced.Store(int64(snapshot.advanced))
	c.now = c.Server.now()
	for _, e := range current.journal.exchanges {
		if current.journal.run == restored.journal.run && e.Number > snapshot.state.journal.count {
			c.countAgain(e)
		}
	}
	clear(c.snapshots[at:])
	c.snapshots = c.snapshots[:at]
	if len(undone) == 0 && len(numbers) > 0 {
		undone = []action{{Kind: "nothing"}}
	}
	if len(undone) > 0 {
		last := c.recordAction(kind, undone[0].Subject, undone[0].ID)
		last.Undone, last.settled = undone, true
	}
	c.notify(topicReset)
	return len(numbers), nil
}

// countAgain counts a request of a program in the restored window of its key: an undo gives no requests back.
func (c *control) countAgain(e *exchange) {
	if e.FromPage || !e.counted {
		return
	}
	for _, key := range c.keys {
		if key.is(e.KeyID) {
			class, at := classOf(e.Method), e.At
			if at.After(c.now) { // The clock was moved back.
				at = c.now
			}
			key.window(class).take(at, c.config.limit(class))
		}
	}
}
