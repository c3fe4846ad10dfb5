package world

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// Position is a record's place in the order of its list: by creation and then by
// id.
type Position struct {
	Created Moment
	ID      string
}

func (p Position) place() Position { return p }

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Created, q.Created), cmp.Compare(p.ID, q.ID))
}

// Record is a thing at its place.
type Record[T any] struct {
	Position

	Value T

	// Shown is what the server keeps with the record, so as not to make it
	// again at each look. The world empties it with each change.
	Shown any
}

func newRecord[T any](id string, created Moment, value T) *Record[T] {
	return &Record[T]{Position: Position{created, id}, Value: value}
}

// Placed is what a Collection can hold.
type Placed interface {
	comparable
	place() Position
}

// Collection is the records of one kind, oldest first, for that is how they
// come; lists walk it backwards. A nil one is empty.
type Collection[R Placed] struct {
	list []R
	byID map[string]R
}

func newCollection[R Placed](size int) *Collection[R] {
	return &Collection[R]{make([]R, 0, size), make(map[string]R, size)}
}

// Len counts the records.
func (c *Collection[R]) Len() int {
	if c == nil {
		return 0
	}
	return len(c.list)
}

// Newest returns the record at a place of the list, counted from its head.
func (c *Collection[R]) Newest(n int) R { return c.list[len(c.list)-1-n] }

// All are the records, oldest first.
func (c *Collection[R]) All() iter.Seq[R] { return slices.Values(c.list) }

// Find returns nil for an id that is unknown; whether it could be one at all
// makes no difference to anyone.
func (c *Collection[R]) Find(id string) (found R) {
	if c == nil {
		return found
	}
	return c.byID[id]
}

// older counts the records that come before a place.
func (c *Collection[R]) older(p Position) int {
	return sort.Search(len(c.list), func(i int) bool { return c.list[i].place().compare(p) >= 0 })
}

// add puts a record in its place, which is the end unless the clock was set
// back, and returns that place.
func (c *Collection[R]) add(r R) int {
	p, i := r.place(), len(c.list)
	if i > 0 && c.list[i-1].place().compare(p) > 0 {
		i = c.older(p)
	}
	c.list, c.byID[p.ID] = slices.Insert(c.list, i, r), r
	return i
}

func (c *Collection[R]) remove(r R) {
	p := r.place()
	i := c.older(p)
	c.list = slices.Delete(c.list, i, i+1)
	delete(c.byID, p.ID)
}
