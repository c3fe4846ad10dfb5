// Package paging knows where a walk over a list stands: what a page says of the
// next ([Walk.Advance]), whether the walk advances at all, and how a place in a
// list is written down ([Token], [List.Resume]).
//
// A list is cut into pages in one of three ways, or shows with its first page in
// which. By number, items may come again when others are added meanwhile: they are
// dropped ([Seen]). By cursor, a walk that comes where it was before goes in a
// circle ([Trail]). By seq, what is not above the last is a repeat.
package paging

import "hash/maphash"

// Window is how many of the last items are known exactly. Items come again when
// others are added before them between two pages, as many as are added. A key
// waits for an hour at most between two requests, and the twenty keys that an
// organization can have make 4000 writes in it.
const Window = 10_000

// Seen remembers the items of a walk by page number: each of the last Window to
// twice as many, and of all before them the first of each page. Items keep their
// order, so a page that has gone back further than the window holds one of these.
//
// The zero value is a walk that has not begun.
type Seen struct {
	young, old map[string]struct{}
	firsts     Trail
}

// Fresh keeps, in place, the items that are new. It is false when the page goes
// back further than the window, so that nobody knows which of its items are. An
// item without an id is always new.
func Fresh[T any](s *Seen, items []T, id func(*T) string) ([]T, bool) {
	fresh, first := items[:0], ""
	s.turn(len(items))
	for i := range items {
		name := id(&items[i])
		if name != "" {
			if s.holds(name) {
				continue
			}
			if s.firsts.Has(name) {
				return nil, false
			}
			if first == "" {
				first = name
			}
			s.young[name] = struct{}{}
		}
		fresh = append(fresh, items[i])
	}
	if first != "" {
		s.firsts.Add(first)
	}
	return fresh, true
}

func (s *Seen) holds(name string) bool {
	_, young := s.young[name]
	if young {
		return true
	}
	_, old := s.old[name]
	return old
}

// turn forgets the older generation once the younger one fills the window by
// itself.
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

// Trail is where a walk has been: one small number a place, of which there are
// a few a request, and of requests a thousand an hour. The zero value is empty.
type Trail struct{ places map[uint64]struct{} }

var seed = maphash.MakeSeed()

// Has tells whether the walk was there before.
func (t *Trail) Has(place string) bool {
	_, before := t.places[maphash.String(seed, place)]
	return before
}

// Add notes a place, and tells whether the walk was there before.
func (t *Trail) Add(place string) (before bool) {
	if before = t.Has(place); before {
		return true
	}
	if t.places == nil {
		t.places = make(map[uint64]struct{})
	}
	t.places[maphash.String(seed, place)] = struct{}{}
	return false
}
