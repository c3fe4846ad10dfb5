package paging

import (
	"fmt"
	"math"
	"strconv"
)

// Style is how a list is cut into pages.
type Style int

// The styles.
const (
	ByReply  Style = iota // The documentation does not say; the first reply shows.
	ByPage                // Page numbers from 1.
	ByCursor              // Opaque cursors.
	BySeq                 // The last sequence number seen.
)

// Position is where the next page begins.
type Position struct {
	Style  Style  `json:"y"`
	Size   int    `json:"s"`
	Page   int    `json:"p"` // From 1.
	Cursor string `json:"c"`
	Seq    int64  `json:"q"`          // From 0, which is one that an entry may have; NoSeq before the first.
	Lost   bool   `json:"l,omitzero"` // There is more, but no cursor that leads to it.
}

// NoSeq is before the first entry of a log.
const NoSeq = -1

// List is what there is to know of a list.
type List[T any] struct {
	Style   Style
	MaxSize int             // 0: the list takes no page size.
	ID      func(*T) string // An item's identity.
	Seq     func(*T) int64  // Of a list by seq.
	From    int64           // Where a list by seq begins.
}

// Said is what a page says of itself. What is nil was not said.
type Said struct {
	Page    *int
	Size    int
	Total   *int
	HasMore *bool
	Cursor  string // Of the next page.
	Cursors bool   // There was a cursor, be it null.
}

// Stuck is why a walk would not end or would lose items.
type Stuck struct {
	What  string
	Field string // Of the Dialect, that is most likely at fault; empty when none is.
	Old   bool   // A log shows only what it has shown before,
	More  bool   // and promises more.
}

// Walk is one pass over a list.
type Walk[T any] struct {
	At   Position // Where the next page begins.
	Done bool     // There is none.
	Lost *Stuck   // Comes after the last page: there is more, but no way there.

	list  *List[T]
	empty int // Empty pages in a row.

	// Of a list by page number.
	seen    Seen // Items given out: the pages may shift.
	counted bool // What lay before the first page is in passed.
	passed  int  // Items on the pages up to here.
	news    int  // Pages that had an item not seen before.
	stale   int  // Pages in a row that had none.

	visited Trail // Of a list by cursor: the cursors asked for, and what each page began with.
}

const (
	// MaxEmpty is how many empty pages in a row a walk bears that each promise more.
	MaxEmpty = 3

	// maxStale is for a list that for a while grows as fast as it is read.
	maxStale = 10
)

// Begin starts a walk in pages of size items, or at a position if that is not nil.
func Begin[T any](l *List[T], size int, at *Position) Walk[T] {
	w := Walk[T]{list: l, At: Position{Style: l.Style, Size: size, Page: 1, Seq: l.From}}
	if w.At.Seq == 0 {
		w.At.Seq = NoSeq
	}
	if at != nil {
		w.At = *at
	}
	if w.At.Lost {
		w.Lost = lost()
	}
	return w
}

// Advance moves the walk behind a page and returns the items that are new, in the
// memory of items.
func (w *Walk[T]) Advance(items []T, said Said) (fresh []T, stuck *Stuck) {
	if w.At.Style == ByReply {
		w.At.Style = styleOf(said)
	}
	if len(items) > 0 {
		w.empty = 0
	} else {
		w.empty++
	}
	var more bool
	switch w.At.Style {
	case ByPage:
		fresh, more, stuck = w.afterNumber(items, said)
	case ByCursor:
		fresh, more, stuck = w.afterCursor(items, said)
	case BySeq:
		fresh, more, stuck = w.afterSeq(items, said)
	default:
		fresh = items
	}
	if stuck == nil && more && w.empty == MaxEmpty {
		stuck = &Stuck{What: "three empty pages in a row, each with the promise of more"}
	}
	w.Done = !more || stuck != nil
	return fresh, stuck
}

// styleOf tells how a list is cut from the first of its pages.
func styleOf(said Said) Style {
	switch {
	case said.Cursor != "":
		return ByCursor
	case said.Page != nil:
		return ByPage
	case said.Cursors:
		return ByCursor
	case said.HasMore != nil && *said.HasMore:
		return ByPage
	}
	return ByReply
}

// afterNumber also drops what an earlier page had: an item that is added
// meanwhile moves all others towards the end.
func (w *Walk[T]) afterNumber(items []T, said Said) (fresh []T, more bool, stuck *Stuck) {
	if said.Page != nil && *said.Page != w.At.Page {
		return nil, false, &Stuck{What: fmt.Sprintf("asked for page %d and got page %d", w.At.Page, *said.Page), Field: "PageParam"}
	}
	w.pass(len(items), said)
	fresh, known := Fresh(&w.seen, items, w.list.ID)
	if !known {
		return nil, false, &Stuck{What: fmt.Sprintf("page %d goes back by more than %d items: "+
			"as many were added since the page before it, then begin again, or Dialect.PageParam is wrong", w.At.Page, Window)}
	}
	switch {
	case len(fresh) > 0:
		w.news, w.stale = w.news+1, 0
	case len(items) > 0:
		w.stale++
	}
	// Items move at most as far as pages were read, unless more are added.
	if w.stale > w.news+maxStale || w.stale > 0 && said.Page == nil {
		return nil, false, &Stuck{What: fmt.Sprintf("page %d holds what an earlier page held", w.At.Page), Field: "PageParam"}
	}
	w.At.Page++
	if said.HasMore != nil {
		return fresh, *said.HasMore, nil
	}
	return fresh, said.Total != nil && *said.Total > w.passed, nil
}

// pass counts a page. A walk that did not begin with the first page goes by the
// size that pages are said to have.
func (w *Walk[T]) pass(items int, said Said) {
	if !w.counted {
		w.counted = true
		size := w.At.Size
		if said.Size > 0 && said.Size <= math.MaxInt32/maxPage {
			size = said.Size
		}
		w.passed = (w.At.Page - 1) * size
	}
	w.passed += items
}

func (w *Walk[T]) afterCursor(items []T, said Said) (fresh []T, more bool, stuck *Stuck) {
	more = said.Cursor != ""
	if said.HasMore != nil {
		more = *said.HasMore
	}
	w.visited.Add("cursor " + w.At.Cursor)
	if len(items) > 0 {
		if first := w.list.ID(&items[0]); first != "" && w.visited.Add("item "+first) {
			return nil, false, &Stuck{What: "a page begins as an earlier page did", Field: "CursorParam"}
		}
	}
	switch {
	case more && said.Cursor == "":
		w.At.Lost, w.Lost = true, lost()
	case more && w.visited.Add("cursor "+said.Cursor):
		return nil, false, &Stuck{What: "the service gives the same cursor again", Field: "CursorParam"}
	}
	w.At.Cursor = said.Cursor
	return items, more, nil
}

func lost() *Stuck {
	return &Stuck{What: "the service promises more items but gives no cursor to reach them"}
}

// afterSeq also drops entries that an earlier page had.
func (w *Walk[T]) afterSeq(items []T, said Said) (fresh []T, more bool, stuck *Stuck) {
	last, n := w.At.Seq, 0
	for i := range items {
		if seq := w.list.Seq(&items[i]); seq > w.At.Seq && seq != last {
			last = max(last, seq)
			if n < i { // Nearly always, nothing is dropped, and so nothing moved.
				items[n] = items[i]
			}
			n++
		}
	}
	if len(items) > 0 && n == 0 {
		return nil, false, &Stuck{What: fmt.Sprintf("asked for entries after %d and got none above it", w.At.Seq), Old: true, More: said.HasMore != nil && *said.HasMore}
	}
	more = said.Cursor != "" && said.Cursor != strconv.FormatInt(w.At.Seq, 10)
	if said.HasMore != nil {
		more = *said.HasMore
	}
	if seq, err := strconv.ParseInt(said.Cursor, 10, 64); err == nil && len(items) == 0 {
		last = max(last, seq)
	}
	w.At.Seq = last
	return items[:n], more, nil
}

// OddSize tells whether pages are of another size than asked for, and of which.
func (w *Walk[T]) OddSize(got int, said Said) (size int, odd bool) {
	asked := w.At.Size
	if asked == 0 {
		return 0, false
	}
	more := said.HasMore != nil && *said.HasMore
	size = said.Size
	if size == 0 || size == asked {
		size = got
	}
	return size, said.Size != 0 && said.Size != asked || got > asked || more && got > 0 && got < asked
}

// MayBeTruncated reports whether a page is full, by the size that was asked for or
// by the size that it says it has, and does not say whether another follows.
func (w *Walk[T]) MayBeTruncated(got int, said Said) bool {
	full := w.At.Size > 0 && got > 0 && (got >= w.At.Size || got == said.Size)
	return full && said.HasMore == nil && said.Total == nil && said.Cursor == "" && !said.Cursors
}
