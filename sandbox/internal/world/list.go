package world

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// Position is a record's position in the order of its list: by creation time and then by
// id.
type Position struct {
	Created Moment
	ID      string
}

// position returns p. It makes a record with an embedded Position a Positioned.
func (p Position) position() Position { return p }

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Created, q.Created), cmp.Compare(p.ID, q.ID))
}

// Record is a value with its position.
type Record[T any] struct {
	Position

	Value T
}

func newRecord[T any](id string, created Moment, value T) *Record[T] {
	return &Record[T]{Position: Position{created, id}, Value: value}
}

// Positioned is the constraint of elements of a Collection.
type Positioned interface {
	comparable
	position() Position
}

// Collection is a list of records in the order of creation. Listings read it backwards. A
// nil Collection is empty.
type Collection[R Positioned] struct {
	list []R
	byID map[string]R
}

func newCollection[R Positioned](size int) *Collection[R] {
	return &Collection[R]{make([]R, 0, size), make(map[string]R, size)}
}

// Len returns the number of records.
func (c *Collection[R]) Len() int {
	if c == nil {
		return 0
	}
	return len(c.list)
}

// Newest returns the record at index n, counted from the newest.
func (c *Collection[R]) Newest(n int) R { return c.list[len(c.list)-1-n] }

// All returns an iterator over the records, oldest first.
func (c *Collection[R]) All() iter.Seq[R] { return slices.Values(c.list) }

// Find returns the record with an id, or nil.
func (c *Collection[R]) Find(id string) (found R) {
	if c == nil {
		return found
	}
	return c.byID[id]
}

// countBefore returns the number of records before a position.
func (c *Collection[R]) countBefore(p Position) int {
	return sort.Search(len(c.list), func(i int) bool { return c.list[i].position().compare(p) >= 0 })
}

// add inserts a record at its position and returns the index. The position is the end
// unless the clock was set back.
func (c *Collection[R]) add(r R) int {
	p, i := r.position(), len(c.list)
	if i > 0 && c.list[i-1].position().compare(p) > 0 {
		i = c.countBefore(p)
	}
	c.list, c.byID[p.ID] = slices.Insert(c.list, i, r), r
	return i
}

// remove removes a record.
func (c *Collection[R]) remove(r R) {
	p := r.position()
	i := c.countBefore(p)
	c.list = slices.Delete(c.list, i, i+1)
	delete(c.byID, p.ID)
}
