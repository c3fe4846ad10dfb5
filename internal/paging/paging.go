// Package paging implements the position in a list: which page follows
// ([Iteration.Advance]), whether the pages advance at all, and resume tokens ([Token],
// [List.Resume]).
//
// A list is divided into pages in one of three styles, or its first page shows in which.
// By page number, items repeat when others are added meanwhile; they are dropped
// ([Seen]). By cursor, a page that was read before means a circle ([Trail]). By seq, an
// entry that is not above the last one is a repeat.
package paging

import "hash/maphash"

// Window is how many of the last items are known exactly. As many items repeat as are
// added between two pages. A key waits for at most an hour between two requests, in
// which the twenty keys that an organization can have make 4000 writes.
const Window = 10_000

// Seen holds the items of a list by page number that were returned: the last Window to
// twice as many, and the first item of each page before them. Items keep their order,
// so a page that reaches back further than the window holds one of these.
//
// The zero value is empty.
type Seen struct {
	young, old map[string]struct{}
	firsts     Trail
}

// Fresh moves the new items of a page to its beginning, and returns how many there are. It
// returns false when the page reaches back further than the window, so that it is not
// known which items are new. An item without an id is always new.
func (s *Seen) Fresh(items Items) (fresh int, known bool) {
	first := ""
	s.turn(items.Len())
	for i := range items.Len() {
		id := items.ID(i)
		if id != "" {
			if s.holds(id) {
				continue
			}
			if s.firsts.Has(id) {
				return 0, false
			}
			if first == "" {
				first = id
			}
			s.young[id] = struct{}{}
		}
		fresh = keep(items, fresh, i)
	}
	if first != "" {
		s.firsts.Add(first)
	}
	return fresh, true
}

// keep moves an item to the end of the first n items, and returns n+1.
func keep(items Items, n, i int) int {
	if n < i { // Nearly always nothing was dropped.
		items.Move(n, i)
	}
	return n + 1
}

func (s *Seen) holds(name string) bool {
	_, young := s.young[name]
	_, old := s.old[name]
	return young || old
}

// turn forgets the older generation once the younger one fills the window.
func (s *Seen) turn(next int) {
	if s.young == nil {
		s.young = make(map[string]struct{}, min(next, Window))
	}
	if len(s.young) >= Window {
		s.young, s.old = s.old, s.young
		clear(s.young)
	}
	if s.young == nil {
		s.young = make(map[string]struct{}, Window)
	}
}

// Trail is the set of places where an iteration has been. It holds a small number for
// each, and a few for each request. The zero value is empty.
type Trail struct{ places map[uint64]struct{} }

var seed = maphash.MakeSeed()

// Has reports whether a place is in the set.
func (t *Trail) Has(place string) bool {
	_, before := t.places[maphash.String(seed, place)]
	return before
}

// Add adds a place, and reports whether it was in the set before.
func (t *Trail) Add(place string) (before bool) {
	before = t.Has(place)
	if t.places == nil {
		t.places = make(map[uint64]struct{})
	}
	t.places[maphash.String(seed, place)] = struct{}{}
	return before
}
