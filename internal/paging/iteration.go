package paging

import (
	"fmt"
	"math"
	"strconv"
)

// Style is how a list is divided into pages.
type Style int

// The styles.
const (
	ByMeta   Style = iota // As the meta of the first page shows.
	ByPage                // Page numbers from 1.
	ByCursor              // Opaque cursors.
	BySeq                 // The last sequence number seen.
)

// Position is where the next page begins.
type Position struct {
	Style  Style
	Size   int
	Page   int // From 1.
	Cursor string
	Seq    int64 // NoSeq before the first entry. 0 is the seq of an entry.
	Lost   bool  `json:",omitzero"` // More items follow, but no cursor leads to them.
}

// NoSeq is the position before the first entry of a log.
const NoSeq = -1

// List describes a list.
type List struct {
	Style   Style
	MaxSize int   // 0: the list takes no page size.
	From    int64 // Where a list by seq begins; 0 means the beginning.
}

// Items are the items of a page.
type Items interface {
	Len() int
	ID(i int) string   // The identity of an item, or "".
	Seq(i int) int64   // Of an item of a list by seq.
	Move(to, from int) // Copies an item to an earlier place.
}

// Meta is what a page states about itself. A nil field was absent.
type Meta struct {
	RequestID string // Of the request for the page.
	Page      *int
	Size      int
	Total     *int
	HasMore   *bool
	Cursor    string // Of the next page.
	Cursors   bool   // A cursor was present, possibly null.
}

// Stuck is why an iteration would not end or would lose items.
type Stuck struct {
	What  string
	Field string // Of the Dialect, if one is probably wrong.
	Old   bool   // A log returned only entries that it had returned before.
	More  bool   // With Old: the page announces more.
}

// Iteration is the position and the memory of one pass over a list.
type Iteration struct {
	At   Position // Where the next page begins.
	Done bool     // There is no next page.
	Lost *Stuck   // Why the items after the last page cannot be reached.

	empty int // Empty pages in a row.

	// For lists by page number.
	seen    Seen // Items that were returned: pages may shift.
	counted bool // passed includes the items before the first page.
	passed  int  // Items up to the present page.
	news    int  // Pages with new items.
	stale   int  // Consecutive pages without new items.

	visited Trail // For lists by cursor: the requested cursors, and the first item of each page.
}

const (
	// MaxEmpty is after how many consecutive empty pages that announce more an
	// iteration fails.
	MaxEmpty = 3

	// maxStale allows for a list that grows as fast as it is read for a while.
	maxStale = 10
)

// Begin starts an iteration in pages of size items, at a position unless at is nil.
func Begin(l List, size int, at *Position) Iteration {
	it := Iteration{At: Position{Style: l.Style, Size: size, Page: 1, Seq: l.From}}
	if it.At.Seq == 0 {
		it.At.Seq = NoSeq
	}
	if at != nil {
		it.At = *at
	}
	if it.At.Lost {
		it.Lost = lost()
	}
	return it
}

// Advance moves to the next page. It moves the new items of a page to its beginning, and
// returns how many there are.
func (it *Iteration) Advance(items Items, meta Meta) (fresh int, stuck *Stuck) {
	if it.At.Style == ByMeta {
		it.At.Style = styleOf(meta)
	}
	if items.Len() > 0 {
		it.empty = 0
	} else {
		it.empty++
	}
	var more bool
	switch it.At.Style {
	case ByPage:
		fresh, more, stuck = it.afterNumber(items, meta)
	case ByCursor:
		fresh, more, stuck = it.afterCursor(items, meta)
	case BySeq:
		fresh, more, stuck = it.afterSeq(items, meta)
	default:
		fresh = items.Len()
	}
	if stuck == nil && more && it.empty == MaxEmpty {
		stuck = &Stuck{What: "three empty pages in a row, each announcing more items"}
	}
	it.Done = !more || stuck != nil
	return fresh, stuck
}

// styleOf returns the style of a list by its first page.
func styleOf(meta Meta) Style {
	switch {
	case meta.Cursor != "":
		return ByCursor
	case meta.Page != nil:
		return ByPage
	case meta.Cursors:
		return ByCursor
	case meta.HasMore != nil && *meta.HasMore:
		return ByPage
	}
	return ByMeta
}

// afterNumber advances a list by page number. It drops items of earlier pages: an item
// that is added meanwhile moves all others towards the end.
func (it *Iteration) afterNumber(items Items, meta Meta) (fresh int, more bool, stuck *Stuck) {
	if meta.Page != nil && *meta.Page != it.At.Page {
		return 0, false, &Stuck{What: fmt.Sprintf("requested page %d but received page %d", it.At.Page, *meta.Page), Field: "PageParam"}
	}
	it.pass(items.Len(), meta)
	fresh, known := it.seen.Fresh(items)
	if !known {
		return 0, false, &Stuck{What: fmt.Sprintf("page %d goes back by more than %d items: "+
			"either so many were added since the previous page, so begin again, or Dialect.PageParam is wrong", it.At.Page, Window)}
	}
	switch {
	case fresh > 0:
		it.news, it.stale = it.news+1, 0
	case items.Len() > 0:
		it.stale++
	}
	// Items move by as many pages as were read at most, unless more items are added.
	if it.stale > it.news+maxStale || it.stale > 0 && meta.Page == nil {
		return 0, false, &Stuck{What: fmt.Sprintf("page %d repeats an earlier page", it.At.Page), Field: "PageParam"}
	}
	it.At.Page++
	if meta.HasMore != nil {
		return fresh, *meta.HasMore, nil
	}
	return fresh, meta.Total != nil && *meta.Total > it.passed, nil
}

// pass counts the items of a page. An iteration that did not begin with the first page
// assumes that the pages before had the size that this page states.
func (it *Iteration) pass(items int, meta Meta) {
	if !it.counted {
		it.counted = true
		size := it.At.Size
		if meta.Size > 0 && meta.Size <= math.MaxInt32/maxPage {
			size = meta.Size
		}
		it.passed = (it.At.Page - 1) * size
	}
	it.passed += items
}

// afterCursor advances a list by cursor.
func (it *Iteration) afterCursor(items Items, meta Meta) (fresh int, more bool, stuck *Stuck) {
	more = meta.Cursor != ""
	if meta.HasMore != nil {
		more = *meta.HasMore
	}
	it.visited.Add("cursor " + it.At.Cursor)
	if items.Len() > 0 {
		if first := items.ID(0); first != "" && it.visited.Add("item "+first) {
			return 0, false, &Stuck{What: "a page begins with the same item as an earlier page", Field: "CursorParam"}
		}
	}
	switch {
	case more && meta.Cursor == "":
		it.At.Lost, it.Lost = true, lost()
	case more && it.visited.Add("cursor "+meta.Cursor):
		return 0, false, &Stuck{What: "the API sent the same cursor again", Field: "CursorParam"}
	}
	it.At.Cursor = meta.Cursor
	return items.Len(), more, nil
}

func lost() *Stuck {
	return &Stuck{What: "the API announces more items but sent no cursor for them"}
}

// afterSeq advances a list by seq. It drops entries of earlier pages.
func (it *Iteration) afterSeq(items Items, meta Meta) (fresh int, more bool, stuck *Stuck) {
	last := it.At.Seq
	for i := range items.Len() {
		if seq := items.Seq(i); seq > it.At.Seq && seq != last {
			last = max(last, seq)
			fresh = keep(items, fresh, i)
		}
	}
	if items.Len() > 0 && fresh == 0 {
		return 0, false, &Stuck{What: fmt.Sprintf("requested entries after %d but received only earlier ones", it.At.Seq),
			Old: true, More: meta.HasMore != nil && *meta.HasMore}
	}
	more = meta.Cursor != "" && meta.Cursor != strconv.FormatInt(it.At.Seq, 10)
	if meta.HasMore != nil {
		more = *meta.HasMore
	}
	if seq, err := strconv.ParseInt(meta.Cursor, 10, 64); err == nil && items.Len() == 0 {
		last = max(last, seq)
	}
	it.At.Seq = last
	return fresh, more, nil
}

// UnexpectedSize reports whether pages have another size than requested, and which.
func (it *Iteration) UnexpectedSize(got int, meta Meta) (size int, odd bool) {
	asked := it.At.Size
	if asked == 0 {
		return 0, false
	}
	more := meta.HasMore != nil && *meta.HasMore
	size = meta.Size
	if size == 0 || size == asked {
		size = got
	}
	return size, meta.Size != 0 && meta.Size != asked || got > asked || more && got > 0 && got < asked
}

// MayBeTruncated reports whether a page is full, by the requested size or by the size
// that it states, and does not state whether another page follows.
func (it *Iteration) MayBeTruncated(got int, meta Meta) bool {
	full := it.At.Size > 0 && got > 0 && (got >= it.At.Size || got == meta.Size)
	return full && meta.HasMore == nil && meta.Total == nil && meta.Cursor == "" && !meta.Cursors
}
