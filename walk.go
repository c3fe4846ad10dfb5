package hiring

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// style is how a list is cut into pages.
type style int

const (
	byReply  style = iota // The documentation does not say; the first reply shows.
	byPage                // Page numbers from 1.
	byCursor              // Opaque cursors.
	bySeq                 // The last sequence number seen.
)

// list is what a Pager reads.
type list[T any] struct {
	core    *core // Nil: the items are in memory.
	memory  []T
	request request // Without what selects a page.
	style   style
	maxSize int              // 0: the list takes no page size.
	id      func(*T) string  // An item's identity.
	seq     func(*T) int64   // Of a list by seq.
	from    int64            // Where a list by seq begins.
	odd     func([]T) string // What looks wrong about a page; nil: nothing does.
}

// position is where the next page begins.
type position struct {
	Style  style  `json:"y"`
	Size   int    `json:"s"`
	Page   int    `json:"p"` // From 1.
	Cursor string `json:"c"`
	Seq    int64  `json:"q"`          // From 0, which is one that an entry may have; noSeq before the first.
	Lost   bool   `json:"l,omitzero"` // There is more, but no cursor that leads to it.
}

const noSeq = -1

// walk is one pass over a list.
type walk[T any] struct {
	list    *list[T]
	at      position
	done    bool
	err     error
	pending error // Comes after the page that was read last.
	empty   int   // Empty pages in a row.
	warned  bool
	spare   []T // The items of a page that nobody uses any more.

	// Of a list by page number.
	seen    paging.Seen // Items given out: the pages may shift.
	counted bool        // What lay before the first page is in passed.
	passed  int         // Items on the pages up to here.
	news    int         // Pages that had an item not seen before.
	stale   int         // Pages in a row that had none.

	visited paging.Trail // Of a list by cursor: the cursors asked for, and what each page began with.
}

func (p Pager[T]) walk() *walk[T] {
	if p.list == nil {
		return &walk[T]{err: &ParamError{Param: "Pager", Problem: "is empty: take it from a List method"}}
	}
	w := &walk[T]{list: p.list, err: p.err}
	w.at = position{Style: p.list.style, Size: p.size, Page: 1, Seq: p.list.from}
	if w.at.Seq == 0 {
		w.at.Seq = noSeq
	}
	if p.at != nil {
		w.at = *p.at
	}
	if w.at.Lost {
		lost := w.lost(wireMeta{})
		lost.Status, lost.Attempts = 0, 0
		w.pending = lost
	}
	return w
}

// next reads a page and moves on, or sets done.
func (w *walk[T]) next(ctx context.Context) (Page[T], error) {
	if w.err == nil {
		w.err = w.pending
	}
	if w.err != nil {
		w.done = true
		return Page[T]{}, w.err
	}
	if w.list.core == nil {
		return w.fromMemory(ctx)
	}
	items, meta, err := w.fetch(ctx)
	if err == nil {
		items, err = w.advance(items, meta)
	}
	if err != nil {
		w.done, w.err = true, err
		return Page[T]{}, err
	}
	page := Page[T]{Items: items, Meta: meta.public()}
	if !w.done {
		page.Next = w.list.token(w.at)
	}
	return page, nil
}

// fetch asks for the page at w.at.
func (w *walk[T]) fetch(ctx context.Context) ([]T, wireMeta, error) {
	var items []T
	var meta wireMeta
	err := w.list.core.send(ctx, w.request(), func(r *reply) (err error) {
		items, meta, err = openList(r, w.spare, mostTimes*w.list.maxSize)
		if err == nil {
			r.warning = w.oddSize(len(items), meta)
			if r.warning == "" && w.list.odd != nil {
				r.warning = w.list.odd(items)
			}
		}
		return err
	})
	return items, meta, err
}

// mostTimes is by how much a page may be larger than the documentation allows.
const mostTimes = 10

func (w *walk[T]) request() request {
	r, d := w.list.request, w.list.core.dialect
	query := make(map[string][]string, len(r.query)+2)
	maps.Copy(query, r.query)
	r.query = query
	if w.at.Size > 0 {
		name := w.list.sizeParam()
		r.query.Set(name, strconv.Itoa(w.at.Size))
		r = r.assume(name, w.sizeField())
	}
	switch {
	case w.at.Style == bySeq && w.at.Seq != noSeq:
		r.query.Set("since_seq", strconv.FormatInt(w.at.Seq, 10))
	case w.at.Style == byPage && w.at.Page > 1:
		r.query.Set(d.PageParam, strconv.Itoa(w.at.Page))
		r = r.assume(d.PageParam, "PageParam")
	case w.at.Style == byCursor && w.at.Cursor != "":
		r.query.Set(d.CursorParam, w.at.Cursor)
		r = r.assume(d.CursorParam, "CursorParam")
	}
	return r
}

func (l *list[T]) sizeParam() string {
	if l.style == bySeq {
		return l.core.dialect.EventPageSizeParam
	}
	return l.core.dialect.PageSizeParam
}

func (w *walk[T]) sizeField() string {
	if w.list.style == bySeq {
		return "EventPageSizeParam"
	}
	return "PageSizeParam"
}

// oddSize says, once a walk, that pages are of another size than asked for.
// The walk is right all the same.
func (w *walk[T]) oddSize(got int, meta wireMeta) string {
	asked := w.at.Size
	if asked == 0 || w.warned {
		return ""
	}
	more := meta.HasMore != nil && *meta.HasMore
	size := meta.PageSize
	if size == 0 || size == asked {
		size = got
	}
	odd := meta.PageSize != 0 && meta.PageSize != asked || got > asked || more && got > 0 && got < asked
	if !odd {
		return ""
	}
	w.warned = true
	return fmt.Sprintf("asked for pages of %d items and got %d: Dialect.%s may be wrong", asked, size, w.sizeField())
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
