package hiring

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// list is what a Pager reads.
type list[T any] struct {
	core    *core // Nil: the items are in memory.
	memory  []T
	request request          // Without what selects a page.
	odd     func([]T) string // What looks wrong about a page; nil: nothing does.

	paging.List[T]
}

// name tells a list and its filters from all others.
func (l *list[T]) name() string {
	return l.request.operation + "\n" + l.request.path + "\n" + l.request.query.Encode()
}

// walk is one pass over a list.
type walk[T any] struct {
	paging.Walk[T]

	list   *list[T]
	err    error
	warned bool // Of the size of pages.
	spare  []T  // The items of a page that nobody uses any more.
}

func (p Pager[T]) walk() *walk[T] {
	if p.list == nil {
		return &walk[T]{err: &ParamError{Param: "Pager", Problem: "is empty: take it from a List method"}}
	}
	w := &walk[T]{list: p.list, err: p.err, Walk: paging.Begin(&p.list.List, p.size, p.at)}
	if w.err == nil && w.Lost != nil {
		w.err = w.stuck(w.Lost, nil)
	}
	return w
}

// next reads a page and moves on, or sets Done.
func (w *walk[T]) next(ctx context.Context) (Page[T], error) {
	if w.err != nil {
		w.Done = true
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
		w.Done, w.err = true, err
		return Page[T]{}, err
	}
	page := Page[T]{Items: items, Meta: meta.public()}
	if !w.Done {
		page.Next = paging.Token(w.list.name(), w.At)
	}
	return page, nil
}

// advance moves the walk behind a page.
func (w *walk[T]) advance(items []T, meta wireMeta) ([]T, error) {
	fresh, stuck := w.Advance(items, meta.said())
	if stuck != nil {
		return nil, w.stuck(stuck, &meta)
	}
	if w.Lost != nil {
		w.err = w.stuck(w.Lost, &meta)
	}
	return fresh, nil
}

// fetch reads the page at w.At.
func (w *walk[T]) fetch(ctx context.Context) ([]T, wireMeta, error) {
	d := pageDecoder[T]{walk: w}
	err := w.list.core.send(ctx, w.request(), &d)
	return d.items, d.meta, err
}

// pageDecoder decodes a page of a list.
type pageDecoder[T any] struct {
	walk  *walk[T]
	items []T
	meta  wireMeta
}

func (d *pageDecoder[T]) decode(p *payload) (warning string, err error) {
	w := d.walk
	d.items, d.meta, warning, err = openList(p, w.spare, mostTimes*w.list.MaxSize)
	if err != nil {
		return warning, err
	}
	warning = joinWarnings(warning, w.oddSize(len(d.items), d.meta))
	if warning == "" && w.list.odd != nil {
		warning = w.list.odd(d.items)
	}
	if w.MayBeTruncated(len(d.items), d.meta.said()) {
		warning = joinWarnings(warning, mayBeTruncated)
	}
	return warning, nil
}

// joinWarnings joins two warnings, each of which may be empty.
func joinWarnings(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// mostTimes is by how much a page may be larger than the documentation allows.
const mostTimes = 10

func (w *walk[T]) request() request {
	r, d := w.list.request, w.list.core.dialect
	query := make(map[string][]string, len(r.query)+2)
	maps.Copy(query, r.query)
	r.query = query
	if w.At.Size > 0 {
		name := w.list.sizeParam()
		r.query.Set(name, strconv.Itoa(w.At.Size))
		r = r.assume(name, w.list.sizeField())
	}
	switch {
	case w.At.Style == paging.BySeq && w.At.Seq != paging.NoSeq:
		r.query.Set("since_seq", strconv.FormatInt(w.At.Seq, 10))
	case w.At.Style == paging.ByPage && w.At.Page > 1:
		r.query.Set(d.PageParam, strconv.Itoa(w.At.Page))
		r = r.assume(d.PageParam, "PageParam")
	case w.At.Style == paging.ByCursor && w.At.Cursor != "":
		r.query.Set(d.CursorParam, w.At.Cursor)
		r = r.assume(d.CursorParam, "CursorParam")
	}
	return r
}

func (l *list[T]) sizeParam() string {
	if l.Style == paging.BySeq {
		return l.core.dialect.EventPageSizeParam
	}
	return l.core.dialect.PageSizeParam
}

func (l *list[T]) sizeField() string {
	if l.Style == paging.BySeq {
		return "EventPageSizeParam"
	}
	return "PageSizeParam"
}

const mayBeTruncated = "the list may be truncated: its page is full, and meta has neither has_more nor a total nor a cursor"

// oddSize says, once a walk, that pages are of another size than asked for.
// The walk is right all the same.
func (w *walk[T]) oddSize(got int, meta wireMeta) string {
	size, odd := w.OddSize(got, meta.said())
	if !odd || w.warned {
		return ""
	}
	w.warned = true
	return fmt.Sprintf("asked for pages of %d items and got %d: Dialect.%s may be wrong", w.At.Size, size, w.list.sizeField())
}

// The causes where a log shows only what it has shown before.
var (
	errRepeated = errors.New("hiring: the entries are repeats")
	errPromised = fmt.Errorf("%w, and more are promised", errRepeated)
)

// stuck is the error of a walk that would not end or would lose items, as the page
// with this meta showed, or else where it was resumed.
func (w *walk[T]) stuck(why *paging.Stuck, meta *wireMeta) *Error {
	r := w.list.request
	e := &Error{Message: "the list does not advance: " + why.What, Method: r.method, Route: r.route, Operation: r.operation}
	if meta != nil {
		e.Status, e.Attempts, e.RequestID = 200, 1, meta.RequestID
	}
	if why.Field != "" {
		e.probablyWrong(why.Field)
	}
	switch {
	case why.More:
		e.causedBy(errPromised)
	case why.Old:
		e.causedBy(errRepeated)
	}
	return e
}
