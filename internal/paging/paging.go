// Package paging decides which items of a page are new ([ByID], [BySequence]) and which
// page follows ([Iteration.Advance]). It encodes a position as a resume token ([Token],
// [List.Resume]).
//
// A list is divided into pages by page number, by cursor or by seq. A list whose style is
// not documented has the style that the meta of its first page shows.
package paging

import (
	"fmt"
	"slices"
	"strconv"
)

// Style is how a list is divided into pages. The values are part of resume tokens.
type Style int

// The styles.
const (
	ByMeta   Style = iota // As the meta of the first page shows.
	ByPage                // Page numbers from 1.
	ByCursor              // Opaque cursors.
	BySeq                 // The last sequence number seen.
	ByFunc                // The texts of a function, which has no resume tokens of its own.
)

// List describes a list.
type List struct {
	Style   Style
	MaxSize int   // 0: the list takes no page size.
	From    int64 // Where a list by seq begins; 0 means the beginning.
}

// Position is where the next page begins.
type Position struct {
	Style  Style
	Size   int
	Page   int // The page number, from 1.
	Cursor string
	Seq    int64 // NoSeq before the first entry. 0 is the seq of an entry.
}

// NoSeq is the position before the first entry of a log.
const NoSeq = -1

// Meta is what a page states about itself. A nil field was absent.
type Meta struct {
	Page    *int
	HasMore *bool
	Cursor  string // The cursor of the next page.
	Cursors bool   // A cursor was present, possibly null.
}

// Counts are the numbers of items of a page.
type Counts struct {
	All, New int
	Last     int64 // The position after the page in a list by seq.
}

// Stuck is the error of an iteration that would not end or would lose items.
type Stuck struct {
	What  string
	Field string // The Dialect field that is probably wrong, or "".
}

func (s *Stuck) Error() string { return "the list does not advance: " + s.What }

// Hint returns advice, "" without any.
func (s *Stuck) Hint() string {
	if s.Field == "" {
		return ""
	}
	return "Dialect." + s.Field + " is probably wrong"
}

// An iteration fails after so many pages in a row that announce more. A list by page number
// that grows repeats as many pages as were added to it.
const (
	maxEmpty    = 3
	maxRepeated = 100
)

// Iteration is the position and the memory of one pass over a list.
type Iteration struct {
	At Position // Where the next page begins.

	// The ids of the items of the last page. In a list by page number, those of all pages: when
	// it grows by more than a page, items move by more than a page.
	returned map[string]bool
	empty    int  // Pages in a row without items.
	repeated int  // Pages in a row without new items.
	numbered bool // Each page must have its number.
}

// Begin starts an iteration in pages of size items, at a position unless at is nil.
func (l List) Begin(size int, at *Position) Iteration {
	if at != nil {
		return Iteration{At: *at}
	}
	from := l.From
	if from == 0 {
		from = NoSeq
	}
	return Iteration{At: Position{Style: l.Style, Size: size, Page: 1, Seq: from}}
}

// BeginAt starts an iteration at a page, from 1. The pages of a list whose style is not documented
// must have their numbers then, because the list may ignore the parameter.
func (l List) BeginAt(size, page int) Iteration {
	return Iteration{At: Position{Style: ByPage, Size: size, Page: page, Seq: NoSeq}, numbered: l.Style == ByMeta}
}

// ByID moves the items that were not returned before, by this page or another, to the beginning of
// the page, and returns them. An item without an id is always new.
func ByID[T any](it *Iteration, items []T, id func(*T) string) (fresh []T) {
	before, fresh := it.returned, items[:0]
	if it.returned == nil || it.At.Style != ByPage {
		it.returned = make(map[string]bool, len(items))
	}
	for i := range items {
		name := id(&items[i])
		if name != "" && (before[name] || it.returned[name]) {
			continue
		}
		fresh = append(fresh, items[i])
		if name != "" {
			it.returned[name] = true
		}
	}
	return fresh
}

// BySequence is ByID for a list by seq. last is the greatest seq.
func BySequence[T any](it *Iteration, items []T, seq func(*T) int64) (fresh []T, last int64) {
	fresh, last = items[:0], it.At.Seq
	for i := range items {
		n := seq(&items[i])
		isTwin := func(other T) bool { return seq(&other) == n }
		if n <= it.At.Seq || n <= last && slices.ContainsFunc(fresh, isTwin) {
			continue
		}
		fresh, last = append(fresh, items[i]), max(last, n)
	}
	return fresh, last
}

// Advance moves to the next page, and reports whether there is one.
func (it *Iteration) Advance(counts Counts, meta Meta) (more bool, stuck *Stuck) {
	if it.At.Style == ByMeta {
		it.At.Style = styleOf(meta)
	}
	if stuck = it.misnumbered(meta); stuck != nil || !it.At.isFollowed(meta) {
		return false, stuck
	}
	if stuck = it.standsStill(counts, meta); stuck != nil {
		return false, stuck
	}
	it.At.move(counts, meta)
	return true, nil
}

// field returns the Dialect field of the parameter that selects a page. since_seq is documented.
func (at *Position) field() string {
	return [...]string{ByPage: "PageParam", ByCursor: "CursorParam", BySeq: ""}[at.Style]
}

// misnumbered returns the error of a page that has another number than the requested one, or none
// where it must have one.
func (it *Iteration) misnumbered(meta Meta) *Stuck {
	switch {
	case it.At.Style == ByPage && meta.Page != nil && *meta.Page != it.At.Page:
		return &Stuck{fmt.Sprintf("requested page %d but received page %d", it.At.Page, *meta.Page), it.At.field()}
	case it.numbered && meta.Page == nil:
		return &Stuck{fmt.Sprintf("requested page %d but received a page without a number", it.At.Page), it.At.field()}
	}
	return nil
}

// isFollowed reports whether a page announces another.
func (at *Position) isFollowed(meta Meta) bool {
	if meta.HasMore != nil {
		return *meta.HasMore
	}
	return meta.Cursor != "" && (at.Style != BySeq || meta.Cursor != strconv.FormatInt(at.Seq, 10))
}

// standsStill returns the error of a page that announces another but shows that the list does not
// advance. A page with its number may repeat items, because the list may have grown.
func (it *Iteration) standsStill(counts Counts, meta Meta) *Stuck {
	it.empty, it.repeated = it.empty+1, it.repeated+1
	if counts.All > 0 {
		it.empty = 0
	}
	if counts.New > 0 {
		it.repeated = 0
	}
	numbered := it.At.Style == ByPage && meta.Page != nil
	switch {
	case counts.All > 0 && counts.New == 0 && (!numbered || it.repeated == maxRepeated):
		return &Stuck{"a page repeats the items before it", it.At.field()}
	case it.empty == maxEmpty:
		return &Stuck{"three empty pages in a row, each announcing more items", ""}
	case it.At.Style == ByCursor && meta.Cursor == "":
		return &Stuck{"the API announces more items but sent no cursor for them", ""}
	case it.At.Style == ByCursor && meta.Cursor == it.At.Cursor:
		return &Stuck{"the API sent the same cursor again", it.At.field()}
	}
	return nil
}

// move makes the position that of the page after one.
func (at *Position) move(counts Counts, meta Meta) {
	switch at.Style {
	case ByPage:
		at.Page++
	case ByCursor:
		at.Cursor = meta.Cursor
	case BySeq:
		at.Seq = counts.Last
		if seq, err := strconv.ParseInt(meta.Cursor, 10, 64); err == nil && counts.All == 0 {
			at.Seq = max(at.Seq, seq)
		}
	}
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
