package waiting

import (
	"slices"
	"strings"
	"time"
)

// purpose is what a walk over a listing is for.
type purpose int

const (
	opening purpose = iota // What there is at the beginning.
	peek                   // A page without a filter: it may show a new status.
	probing                // The experiment.
	news                   // What is evaluated since the last time.
	chasing                // What is evaluated of the oldest that is looked for and all younger ones.
	waits                  // The unfinished of a status.
	sweep                  // What slipped through, in the background.
)

// walk is a walk over a listing. It may go on over many rounds.
type walk struct {
	For    purpose   `json:"for,omitzero"`
	Status string    `json:"status,omitzero"`
	Since  time.Time `json:"since,omitzero"`
	Stop   time.Time `json:"stop,omitzero"` // What was created before is of no interest, where the order lets that be known.
	Cursor string    `json:"cursor,omitzero"`
	Turned time.Time `json:"turned,omitzero"`  // When it came.
	Began  time.Time `json:"began,omitzero"`   // When its first page was asked for.
	Pages  int       `json:"pages,omitzero"`   // So far,
	Read   int       `json:"read,omitzero"`    // and in this round.
	Most   int       `json:"most,omitzero"`    // Pages a round; 0: no limit.
	Behind bool      `json:"behind,omitzero"`  // At its limit it goes on in the next round, instead of ending.
	AtOnce bool      `json:"at_once,omitzero"` // It reads all its pages in one round.
	Rests  bool      `json:"rests,omitzero"`   // Until then.
	Over   bool      `json:"over,omitzero"`
	Serial int       `json:"serial,omitzero"` // Of the unfinished: what it shows is marked with it.
	Level  int       `json:"level,omitzero"`  // Of a sweep where the set does not work; of news: 1 when it looks back further.
	Last   time.Time `json:"last,omitzero"`   // The creation of the last item so far.
	Mixed  bool      `json:"mixed,omitzero"`  // The order is not by creation.
	Lost   int       `json:"lost,omitzero"`   // Cursors that were refused.
	First  uint64    `json:"first,omitzero"`  // The item that the first page began with.
}

// background is the order of walks in a poll: sweeps over all of Lookback come last.
func (w *walk) background() int {
	if w.For == sweep && w.Level == deepest {
		return 1
	}
	return 0
}

const (
	mostLost     = 2
	mostRepeats  = 3
	mostRefusals = 3 // Of fresh cursors, without one that worked.
	freshCursor  = 10 * time.Second
	largestPage  = 100
)

// passed reports whether the order shows that all items created since then were listed.
func (w *walk) passed(since time.Time) bool {
	return !w.Mixed && !w.Last.IsZero() && w.Last.Before(since)
}

// current is the walk to go on with in this round.
func (m *Machine) current() *walk {
	for i := range m.Walks {
		if w := &m.Walks[i]; !w.Rests && !w.Over {
			return w
		}
	}
	return nil
}

func (m *Machine) add(w walk) { m.Walks = append(m.Walks, w) }

// walking returns the walk for a purpose and a status, or nil.
func (m *Machine) walking(p purpose, status string) *walk {
	for i := range m.Walks {
		if w := &m.Walks[i]; w.For == p && w.Status == status && !w.Over {
			return w
		}
	}
	return nil
}

func (m *Machine) drop(purposes ...purpose) {
	for i := range m.Walks {
		m.Walks[i].Over = m.Walks[i].Over || slices.Contains(purposes, m.Walks[i].For)
	}
}

func (m *Machine) gotPage(now time.Time, a Answer) (ready []int, err error) {
	w := m.current()
	switch {
	case w == nil:
		return nil, nil
	case a.Trouble:
		m.Running = w.background() == 0 // What is to be found soon is listed first after the pause.
		m.halt(now, a.Retry)
		return nil, nil
	case a.Refused && w.Cursor != "":
		if now.Sub(w.Turned) < freshCursor { // One that is older may have expired.
			m.Refusals++
		}
		return nil, m.lose(now, w)
	case a.Refused:
		return nil, m.refuse(now, w)
	case m.repeats(w, a):
		m.Repeats++
		return nil, m.lose(now, w)
	case w.Pages > 0:
		m.Repeats, m.Refusals = 0, 0
	default:
		w.Began = now
		if w.For == news {
			m.Pinned = earlier(m.Newest, now)
		}
	}
	for i := range a.Items {
		it := &a.Items[i]
		if !it.Created.IsZero() {
			w.Mixed = w.Mixed || !w.Last.IsZero() && it.Created.After(w.Last)
			w.Last = it.Created
		}
		if m.look(now, it, w) {
			ready = append(ready, i)
		}
	}
	m.Fresh += len(ready)
	m.turn(now, w, a)
	m.forget()
	return ready, nil
}

// repeats tells whether a page is the first one again.
func (m *Machine) repeats(w *walk, a Answer) bool {
	if len(a.Items) == 0 {
		return false
	}
	first := hashOf(a.Items[0].ID)
	if w.Cursor == "" {
		w.First = first
		return false
	}
	return first == w.First || a.Cursor == w.Cursor
}

// lose begins a walk again whose cursor was of no use, perhaps for its age: this
// time without rests. One that is lost again and again is given up.
func (m *Machine) lose(now time.Time, w *walk) error {
	switch {
	case m.Refusals > mostRefusals:
		return ErrRefused
	case m.Repeats >= mostRepeats:
		return ErrCursor
	}
	if w.Lost++; w.Lost > mostLost {
		w.Over = true
		m.halt(now, 0)
	}
	w.Cursor, w.Pages, w.Last, w.Most = "", 0, time.Time{}, 0
	return nil
}

// turn goes on to the next page, or ends the walk.
func (m *Machine) turn(now time.Time, w *walk, a Answer) {
	w.Pages, w.Read = w.Pages+1, w.Read+1
	if w.Cursor, w.Turned = a.Cursor, now; a.Cursor != "" {
		m.Size = min(max(m.Size, len(a.Items)), largestPage)
	}
	if w.For == sweep {
		if w.Level == deepest {
			m.LookbackPageAt = now
		}
		m.Levels[w.Level].Credit = max(0, m.Levels[w.Level].Credit-1)
	}
	whole := a.Cursor == "" || w.passed(w.Stop)
	full := w.Most > 0 && w.Read >= w.Most
	switch {
	case w.For == probing:
		m.judge(now, w, a.Items, whole)
	case w.For == opening && m.known && m.unseen() <= w.Pages:
		whole = true
	}
	switch {
	case whole, full && !w.Behind:
		w.Over = true
		m.completed(now, w, whole)
	case full:
		w.Rests = true
	}
}

// completed draws the conclusions from a walk that ended, or was cut.
func (m *Machine) completed(now time.Time, w *walk, whole bool) {
	switch w.For {
	case opening:
		m.opened(w)
	case news:
		if w.Level == 0 {
			m.NewsPages = float64(w.Pages)
		}
		if whole {
			m.caughtUp(w)
		}
	case chasing:
		m.Settled = whole
		if m.FindPages = float64(w.Pages); !whole {
			m.FindPages += 2
		}
	case waits:
		m.leavers(now, w, whole)
	case sweep:
		if whole {
			m.swept(w)
		}
	}
}

// look takes an item, and tells whether it is to be delivered.
func (m *Machine) look(now time.Time, it *Item, w *walk) bool {
	id := m.nameOf(it.ID)
	if it.Unreadable {
		m.postpone(now, id, it)
		return false
	}
	if known := m.Items[id]; known != nil && known.Garbled {
		if known.Garbled, known.Due = false, (time.Time{}); !m.known && it.finished() && m.tooEarly(it) {
			m.Delivered.add(id, it) // A listing may go on to show it so that it cannot be decoded.
			delete(m.Items, id)
			return false
		}
	}
	if w != nil && w.For == waits && w.Status != "" {
		if it.Status == w.Status {
			m.trust(0.1, 0)
		} else {
			m.trust(0, 1)
		}
	}
	m.consider(it)
	if !it.finished() {
		m.show(now, id, it, w)
		return false
	}
	m.Newest = later(m.Newest, earlier(it.Evaluated, now))
	if m.Meaning == Unknown { // What was evaluated before tells how long it will take.
		m.grade(it)
	}
	known := m.Items[id]
	switch {
	case id == "", m.known && known == nil, known == nil && m.done(it): // In most cases, and cheaper than a hash.
		return false
	case !m.known && m.Delivered.has(id) && !m.regraded(id, it):
		delete(m.Items, id)
		return false
	case !it.Ready && !m.overdue(now, id, it):
		return false
	}
	if w != nil && w.For == sweep && known == nil && it.Evaluated.After(m.RegularSince) {
		m.UnexpectedEvaluations++
	}
	m.deliver(now, id, it)
	return true
}

// nameOf is the id that an item is kept by. Known ids may be spelled otherwise by
// the service.
func (m *Machine) nameOf(id string) string {
	if m.known {
		return strings.ToLower(id)
	}
	return id
}

// deliver remembers an item that is handed over.
func (m *Machine) deliver(now time.Time, id string, it *Item) {
	again := !m.known && m.Delivered.has(id)
	if !m.known {
		m.Delivered.add(id, it)
	}
	if !m.known && !again {
		m.surprise(now, it, m.Items[id] != nil)
	}
	delete(m.Items, id)
	m.News = now
	m.Found++
	m.FindPages += 1 / float64(m.pageSize())
	if it.Evaluated.After(m.Opened) && !again {
		m.grade(it)
	}
}

// grade learns how long gradings take.
func (m *Machine) grade(it *Item) {
	if !it.Submitted.IsZero() {
		m.Grading = max(m.Grading, min(it.Evaluated.Sub(it.Submitted), m.Lookback))
	}
}

func (m *Machine) pageSize() int {
	if m.Size == 0 {
		return largestPage
	}
	return m.Size
}
