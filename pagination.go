package hiring

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

const (
	maxPageSize      = 100
	maxEventPageSize = 500
	maxPrefetch      = 1000

	// maxPageFactor is by how much a page may exceed the documented maximum.
	maxPageFactor = 10
)

// Pager is a list that is read while it is iterated over. It is an immutable value:
// each iteration starts over, and goroutines may share one. Rate limits count requests,
// so the default page size is the maximum.
//
// Some lists are paged by number, such as that of invitations. When such a list grows while
// it is read, no item comes twice, and one that grows by exactly one page looks as if
// Dialect.PageParam were wrong. When it shrinks, items can be missing. If meta.total shows a
// change, [Exchange].Warning says so.
type Pager[T any] struct {
	list     *list[T]
	at       *paging.Position // Nil: the beginning.
	size     int
	prefetch int
	err      error
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	Meta  Meta
	Next  string // Resume token for Pager.From; "" at the end of the list.
}

// list is what a Pager reads.
type list[T any] struct {
	listRequest

	memory     []T              // The items, if core is nil.
	id         func(*T) string  // Nil for a list by seq or in memory.
	seq        func(*T) int64   // Only of a list by seq.
	unexpected func([]T) string // Returns a warning about a page, or "". Nil: not called.
}

// listRequest is the part of a list that does not depend on the type of its items.
type listRequest struct {
	paging.List

	core    *core   // Nil: the items are in memory.
	request request // Without the parameters that select a page.
}

func newPager[T any](l *list[T]) Pager[T] {
	return Pager[T]{list: l, size: l.MaxSize, err: l.request.err}
}

// PagerOf returns a list of these items, read from memory: for tests and fakes
// behind an interface of your own. It has the pages, tokens and page sizes of the
// API's lists by page number: pages of 100 items, or of 500 events, unless
// [Pager.PageSize] makes them smaller. A token serves any such list of the same
// type. A context that has ended ends the list; nothing is sent.
func PagerOf[T any](items ...T) Pager[T] {
	size := maxPageSize
	if item, ok := any(*new(T)).(interface{ maxPageSize() int }); ok {
		size = item.maxPageSize()
	}
	return newPager(&list[T]{
		listRequest: listRequest{
			List:    paging.List{Style: paging.ByPage, MaxSize: size},
			request: request{operation: "PagerOf", path: reflect.TypeFor[T]().String()},
		},
		memory: slices.Clone(items),
		id:     func(*T) string { return "" }, // No item repeats another.
	})
}

// PageSize returns the list in pages of n items: 1 to 100 (assumed: page sizes),
// events 1 to 500. The list of members has no page size.
func (p Pager[T]) PageSize(n int) Pager[T] {
	if p.list == nil {
		return p
	}
	switch maximum := p.list.MaxSize; {
	case maximum == 0:
		return p.refuse("PageSize", "this list takes no page size")
	case n < 1 || n > maximum:
		return p.refuse("PageSize", fmt.Sprintf("must be from 1 to %d", maximum))
	}
	p.size = n
	return p
}

// From returns the list from the page on that the token identifies. A token is a Page's Next.
// The token's page size takes precedence. An empty token means the beginning. A token
// of another list or filter is a [ParamError].
func (p Pager[T]) From(token string) Pager[T] {
	p.at = nil
	if token == "" || p.list == nil {
		return p
	}
	at, err := p.list.Resume(p.list.name(), token)
	if err != nil {
		return p.refuse("From", err.Error())
	}
	p.at = &at
	return p
}

// Prefetch returns a list that reads up to that many pages ahead of the caller in a
// background goroutine, at most 1000. Leaving an iteration early wastes the pages read
// ahead.
func (p Pager[T]) Prefetch(pages int) Pager[T] {
	if pages < 0 {
		return p.refuse("Prefetch", "must not be negative")
	}
	p.prefetch = min(pages, maxPrefetch)
	return p
}

func (p Pager[T]) refuse(param, problem string) Pager[T] {
	wire := ""
	if param == "PageSize" && p.list != nil && p.list.core != nil {
		wire, _ = p.list.sizeParam()
	}
	p.err = joinParams(p.err, &ParamError{param, problem, wire})
	return p
}

// All iterates over the items. An error is yielded once, last. Scope read; costs one
// read a page.
func (p Pager[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := p.each(ctx, true, func(page Page[T]) bool {
			for _, item := range page.Items {
				if !yield(item, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(*new(T), err)
		}
	}
}

// Pages iterates over the pages. An error is yielded once, last. Scope read; costs one
// read a page.
func (p Pager[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		if err := p.each(ctx, false, func(page Page[T]) bool { return yield(page, nil) }); err != nil {
			yield(Page[T]{}, err)
		}
	}
}

// Page reads one page: the first, or that of From. Scope read; costs one read.
func (p Pager[T]) Page(ctx context.Context) (page Page[T], err error) {
	var call TraceCall
	if p.list != nil {
		call.Method, call.Route = p.list.request.method, p.list.request.route
	}
	err = p.traced(ctx, call, func(ctx context.Context) error {
		page, err = p.reader().next(ctx)
		return err
	})
	return page, err
}

// Collect reads all items into memory. With an error it returns the items read so
// far. Scope read; costs one read a page.
func (p Pager[T]) Collect(ctx context.Context) ([]T, error) {
	var items []T
	err := p.each(ctx, false, func(page Page[T]) bool {
		items = append(items, page.Items...)
		return true
	})
	return items, err
}

// each passes the pages to take until take returns false. When reuse is true, the items
// of a page are valid only until take returns.
func (p Pager[T]) each(ctx context.Context, reuse bool, take func(Page[T]) bool) error {
	return p.traced(ctx, TraceCall{}, func(ctx context.Context) error {
		if p.prefetch > 0 {
			return p.readAhead(ctx, take)
		}
		for r := p.reader(); !r.Done; {
			page, err := r.next(ctx)
			if err != nil {
				return err
			}
			if !take(page) {
				return nil
			}
			if reuse && page.Items != nil {
				r.spare = page.Items
			}
		}
		return nil
	})
}

// readAhead is each with a goroutine, which ends before readAhead returns.
func (p Pager[T]) readAhead(ctx context.Context, take func(Page[T]) bool) error {
	ctx, cancel := context.WithCancel(WithResponse(ctx, nil))
	r := p.reader()
	return prefetchEach(p.prefetch, cancel, func() (Page[T], bool, error) {
		page, err := r.next(ctx)
		return page, r.Done, err
	}, take)
}

// traced runs a call in the trace span of the list's operation.
func (p Pager[T]) traced(ctx context.Context, call TraceCall, run func(context.Context) error) error {
	if p.list == nil || p.list.core == nil {
		if ctx == nil {
			panic(nilContext)
		}
		return run(ctx)
	}
	call.Operation = p.list.request.operation
	return p.list.core.traced(ctx, call, run)
}

// name identifies the list and its filters in tokens.
func (l *listRequest) name() string {
	return l.request.operation + "\n" + l.request.path + "\n" + l.request.query.Encode()
}

// sizeParam returns the name of the page size's query parameter, and the field of the
// Dialect that it comes from.
func (l *listRequest) sizeParam() (name, field string) {
	if l.Style == paging.BySeq {
		return l.core.dialect.EventPageSizeParam, "EventPageSizeParam"
	}
	return l.core.dialect.PageSizeParam, "PageSizeParam"
}

// pageReader reads a list page by page.
type pageReader[T any] struct {
	paging.Iteration

	list   *list[T]
	err    error
	warned bool // Of the size of pages.
	total  *int // Of the items in the list, by the page before; nil if it did not say.
	spare  []T  // Memory for the items of the next page.
}

func (p Pager[T]) reader() *pageReader[T] {
	if p.list == nil {
		return &pageReader[T]{err: &ParamError{Param: "Pager", Problem: "is empty: take it from a List method"}}
	}
	r := &pageReader[T]{list: p.list, err: p.err, Iteration: paging.Begin(p.list.List, p.size, p.at)}
	if r.err == nil && r.Lost != nil {
		r.err = r.list.stuckError(r.Lost, nil)
	}
	return r
}

// next reads a page and advances. It sets Done after the last page.
func (r *pageReader[T]) next(ctx context.Context) (Page[T], error) {
	if r.err != nil {
		r.Done = true
		return Page[T]{}, r.err
	}
	d := pageDecoder[T]{reader: r}
	var err error
	if r.list.core == nil {
		err = d.fromMemory(ctx)
	} else {
		err = r.list.core.makeCall(ctx, r.list.page(r.At), &d)
	}
	if err == nil {
		err = r.finishPage(&d)
	}
	if err != nil {
		r.Done, r.err = true, err
		return Page[T]{}, err
	}
	page := Page[T]{Items: d.items, Meta: publicMeta(d.meta)}
	if !r.Done {
		page.Next = paging.Token(r.list.name(), r.At)
	}
	return page, nil
}

// page returns the request for the page at a position.
func (l *listRequest) page(at paging.Position) request {
	req, d := l.request, l.core.dialect
	query := make(map[string][]string, len(req.query)+2)
	maps.Copy(query, req.query)
	req.query = query
	if at.Size > 0 {
		name, field := l.sizeParam()
		req.query.Set(name, strconv.Itoa(at.Size))
		req = req.assume(field)
	}
	switch {
	case at.Style == paging.BySeq && at.Seq != paging.NoSeq:
		req.query.Set("since_seq", strconv.FormatInt(at.Seq, 10))
	case at.Style == paging.ByPage && at.Page > 1:
		req.query.Set(d.PageParam, strconv.Itoa(at.Page))
		req = req.assume("PageParam")
	case at.Style == paging.ByCursor && at.Cursor != "":
		req.query.Set(d.CursorParam, at.Cursor)
		req = req.assume("CursorParam")
	}
	return req
}

// finishPage moves to the next page and leaves the new items of this one in d.
func (r *pageReader[T]) finishPage(d *pageDecoder[T]) error {
	fresh, stuck := r.Advance(d, d.meta)
	if stuck != nil {
		return r.list.stuckError(stuck, &d.meta)
	}
	if r.Lost != nil {
		r.err = r.list.stuckError(r.Lost, &d.meta)
	}
	d.items = d.items[:fresh]
	r.total = d.meta.Total
	return nil
}

// pageDecoder decodes a page of a list. It implements [paging.Items].
type pageDecoder[T any] struct {
	reader *pageReader[T]
	items  []T
	meta   paging.Meta
}

func (d *pageDecoder[T]) decode(p *payload) (warning string, err error) {
	r := d.reader
	d.items, d.meta, warning, err = decodeList(p, r.spare, maxPageFactor*r.list.MaxSize)
	if err != nil {
		return warning, err
	}
	if size, unexpected := r.UnexpectedSize(len(d.items), d.meta); unexpected && !r.warned {
		r.warned = true
		warning = joinWarnings(warning, r.list.unexpectedSize(r.At.Size, size))
	}
	if warning == "" && r.list.unexpected != nil {
		warning = r.list.unexpected(d.items)
	}
	warning = joinWarnings(warning, r.totalChanged(&d.meta))
	if r.MayBeTruncated(len(d.items), d.meta) {
		warning = joinWarnings(warning, mayBeTruncated)
	}
	return warning, nil
}

func (d *pageDecoder[T]) Len() int          { return len(d.items) }
func (d *pageDecoder[T]) ID(i int) string   { return d.reader.list.id(&d.items[i]) }
func (d *pageDecoder[T]) Seq(i int) int64   { return d.reader.list.seq(&d.items[i]) }
func (d *pageDecoder[T]) Move(to, from int) { d.items[to] = d.items[from] }

// totalChanged returns a warning when a list by page number has another number of items than
// at the page before.
func (r *pageReader[T]) totalChanged(meta *paging.Meta) string {
	if meta.Total == nil || r.total == nil || *meta.Total == *r.total || r.At.Style != paging.ByPage {
		return ""
	}
	return fmt.Sprintf("the list has %d items, and had %d at the page before: items may be missing", *meta.Total, *r.total)
}

// joinWarnings joins two warnings. Either may be "".
func joinWarnings(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

const mayBeTruncated = "the list may be truncated: its page is full, and meta has neither has_more nor a total nor a cursor"

// unexpectedSize returns a warning that pages have another size than requested. The
// iteration is complete nevertheless.
func (l *listRequest) unexpectedSize(requested, received int) string {
	_, field := l.sizeParam()
	return fmt.Sprintf("requested pages of %d items but received %d: Dialect.%s may be wrong", requested, received, field)
}

// The causes of the error of a log that returns only entries that it returned before.
var (
	errRepeated = errors.New("hiring: the entries are repeats")
	errPromised = fmt.Errorf("%w, and more are promised", errRepeated)
)

// stuckError returns the error of an iteration that would not end or would lose items. meta
// is that of the page that showed it, nil for the position of a token.
func (l *listRequest) stuckError(why *paging.Stuck, meta *paging.Meta) *Error {
	req := l.request
	e := &Error{Message: "the list does not advance: " + why.What, Method: req.method, Route: req.route, Operation: req.errorOperation()}
	if meta != nil {
		e.Status, e.Attempts, e.RequestID = 200, 1, meta.RequestID
	}
	if why.Field != "" {
		e.Hint = "Dialect." + why.Field + " is probably wrong"
	}
	switch {
	case why.More:
		e.causedBy(errPromised)
	case why.Old:
		e.causedBy(errRepeated)
	}
	return e
}

// fromMemory reads a page of a list of [PagerOf].
func (d *pageDecoder[T]) fromMemory(ctx context.Context) error {
	list, at := d.reader.list, d.reader.At
	if err := contextError(ctx); err != nil {
		ended := &Error{Message: ctx.Err().Error(), Operation: list.request.operation}
		ended.causedBy(err)
		return ended
	}
	total := len(list.memory)
	begin := min(at.Page-1, total/at.Size+1) * at.Size
	rest := list.memory[min(begin, total):] // A page after the end is empty.
	more := len(rest) > at.Size
	d.items = slices.Clone(rest[:min(len(rest), at.Size)])
	d.meta = paging.Meta{Page: &at.Page, Size: at.Size, Total: &total, HasMore: &more}
	return nil
}
