package waiting

import (
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
	finding                // What is evaluated of the oldest pending and all younger ones.
	waits                  // The unfinished of a status.
	sweep                  // What slipped through, in the background.
)

// walk is a walk over a listing. It may go on over many rounds.
type walk struct {
	For    purpose   `json:"for,omitzero"`
	Status string    `json:"status,omitzero"`
	Since  time.Time `json:"since,omitzero"`
	Stop   time.Time `json:"stop,omitzero"` // What was created before is of no interest, where the order allows to know.
	Cursor string    `json:"cursor,omitzero"`
	Began  time.Time `json:"began,omitzero"` // When its first page was asked for.
	Pages  int       `json:"pages,omitzero"`
	Most   int       `json:"most,omitzero"`   // Pages a round; 0: no limit.
	Read   int       `json:"read,omitzero"`   // Pages in this round.
	Behind bool      `json:"behind,omitzero"` // Goes on in the next round when it reaches its limit, instead of ending.
	Rests  bool      `json:"rests,omitzero"`  // Until the next round.
	Serial int       `json:"serial,omitzero"` // Of the unfinished: what it shows is marked with it.
	Level  int       `json:"level,omitzero"`  // Of a sweep where the set does not work; of news: 1 when it looks back further.
	Last   time.Time `json:"last,omitzero"`   // The creation of the last item so far.
	Mixed  bool      `json:"mixed,omitzero"`  // The order is not by creation.
	Lost   int       `json:"lost,omitzero"`   // Cursors that were refused.
	First  uint64    `json:"first,omitzero"`  // The item that the first page began with.
	Done   int       `json:"done,omitzero"`   // Evaluated items so far.
}

const (
	mostLost    = 2
	mostRepeats = 3
	mostEdges   = 60
)

// current is the walk to go on with in this round.
func (m *Machine) current() *walk {
	for i := range m.Walks {
		if !m.Walks[i].Rests {
			return &m.Walks[i]
		}
	}
	return nil
}

func (m *Machine) add(w walk) { m.Walks = append(m.Walks, w) }

func (m *Machine) walks(p purpose) bool {
	for i := range m.Walks {
		if m.Walks[i].For == p {
			return true
		}
	}
	return false
}

// end drops a walk.
func (m *Machine) end(w *walk) {
	for i := range m.Walks {
		if &m.Walks[i] == w {
			m.Walks = append(m.Walks[:i], m.Walks[i+1:]...)
			return
		}
	}
}

func (m *Machine) gotPage(now time.Time, a Answer) ([]int, error) {
	w := m.current()
	switch {
	case w == nil:
		return nil, nil
	case a.Trouble:
		m.halt(now, a.Retry)
		return nil, nil
	case a.Refused && w.Cursor != "":
		m.lose(now, w)
		return nil, nil
	case a.Refused && w.Status != "":
		return nil, m.refuse(now, w)
	case a.Refused:
		return nil, ErrRefused
	case m.repeats(w, a):
		if m.Repeats++; m.Repeats >= mostRepeats {
			return nil, ErrCursor
		}
		m.lose(now, w)
		return nil, nil
	}
	if w.Pages > 0 {
		m.Repeats = 0
	}
	if w.Began.IsZero() {
		w.Began = now
		m.begun(w)
	}
	m.pass(w, a.Items)
	var ready []int
	for i := range a.Items {
		if w.For == waits && w.Status != "" && a.Items[i].Status == w.Status {
			m.trust(0.1, 0)
		} else if w.For == waits && w.Status != "" {
			m.trust(0, 1)
		}
		if m.look(now, &a.Items[i], w) {
			ready = append(ready, i)
		}
	}
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

// lose begins a walk again whose cursor has grown too old, this time without
// rests. One that is lost again and again is given up.
func (m *Machine) lose(now time.Time, w *walk) {
	if w.Lost++; w.Lost > mostLost {
		m.end(w)
		m.halt(now, 0)
		return
	}
	w.Cursor, w.Pages, w.Last, w.Done, w.Most = "", 0, time.Time{}, 0, 0
	w.Began = time.Time{}
}

// pass moves behind a page: it learns the order, the size of pages and how many
// evaluated ones there are, newest first.
func (m *Machine) pass(w *walk, items []Item) {
	for i := range items {
		it := &items[i]
		if !w.Last.IsZero() && it.Created.After(w.Last) {
			w.Mixed = true
		}
		w.Last = it.Created
		if !it.finished() || w.For == waits || w.Mixed {
			continue
		}
		if w.Done++; w.Done%m.pageSize() == 0 {
			m.edge(w.Done/m.pageSize()-1, it.Created)
		}
	}
	w.Pages++
	w.Read++
	if w.For == sweep {
		credit := &m.Levels[w.Level].Credit
		*credit = max(0, *credit-1)
	}
}

// edge notes where a page of evaluated ones ends.
func (m *Machine) edge(i int, created time.Time) {
	if i < min(len(m.Edges), mostEdges) {
		m.Edges[i] = created
	} else if i == len(m.Edges) && i < mostEdges {
		m.Edges = append(m.Edges, created)
	}
}

func (m *Machine) pageSize() int {
	if m.Size == 0 {
		return 100
	}
	return m.Size
}

// pages estimates how many pages of evaluated ones were created since a time.
func (m *Machine) pages(since time.Time) int {
	n := 1 + m.Fresh/m.pageSize()
	for _, end := range m.Edges {
		if !end.Before(since) {
			n++
		}
	}
	return n
}

// turn goes on to the next page, or ends the walk.
func (m *Machine) turn(now time.Time, w *walk, a Answer) {
	if w.Cursor = a.Cursor; a.Cursor != "" {
		m.Size = max(m.Size, min(len(a.Items), 100))
	}
	stops := len(a.Items) > 0 && !w.Mixed && w.Last.Before(w.Stop)
	ended := a.Cursor == "" || stops
	full := w.Most > 0 && w.Read >= w.Most
	if w.For == probing {
		if m.judge(now, w, a.Items, ended) || ended || full {
			return
		}
		ended, full = false, false
	}
	if w.For == opening && m.known && m.unseen() <= max(1, w.Pages) {
		ended = true
	}
	switch {
	case !ended && !full:
	case !ended && w.Behind:
		w.Rests = true
	default:
		done := *w
		m.end(w)
		m.completed(now, &done, ended)
	}
}

// completed draws the conclusions from a walk that ended, or was cut.
func (m *Machine) completed(now time.Time, w *walk, whole bool) {
	switch w.For {
	case opening:
		m.opened(now, w.Began)
	case news:
		if w.Level == 0 {
			m.NewsPages = float64(w.Pages)
		}
		if whole {
			m.caughtUp(w)
		}
	case waits:
		m.leavers(now, w, whole)
	case sweep:
		if whole {
			m.swept(w)
		}
	}
	if whole && (w.For == finding || w.For == sweep) && !w.Mixed {
		m.settle(w)
	}
}

// settle adds to the edges that a walk showed those of an earlier one behind it.
func (m *Machine) settle(w *walk) {
	n := min(len(m.Edges), w.Done/m.pageSize())
	edges := m.Edges[:n]
	for _, end := range m.Edges[n:] {
		if end.Before(w.Since) {
			edges = append(edges, end)
		}
	}
	m.Edges, m.Fresh = edges, 0
}

// look takes an item, and tells whether it is to be delivered.
func (m *Machine) look(now time.Time, it *Item, w *walk) bool {
	id := strings.ToLower(it.ID)
	if id == "" {
		return false
	}
	m.consider(it)
	if !it.finished() {
		m.show(now, id, it, w)
		return false
	}
	m.Newest = later(m.Newest, earlier(it.Evaluated, now))
	known := m.Items[id]
	switch {
	case m.known && known == nil:
		return false
	case !m.known && m.Delivered.has(id):
		delete(m.Items, id)
		return false
	case known == nil && m.done(it):
		return false
	case !it.Ready && !m.overdue(now, id, it):
		return false
	}
	m.deliver(now, id, it)
	return true
}
