package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/paging"
)

const (
	maxPageSize      = 100
	maxEventPageSize = 500
)

// Pager is a list that is read while it is iterated over. It is an immutable value:
// each iteration starts over, and goroutines may share one. Rate limits count requests,
// so the default page size is the maximum.
//
// No item comes twice within a range when pages overlap, or when a list by page number, such
// as that of invitations, grows meanwhile. When such a list shrinks, items can be missing.
type Pager[T any] struct {
	list  *list[T]
	token string // The token given to From. "": from the beginning.
	page  *int   // The page given to FromPage. Nil: FromPage was not called, or From was called later.
	size  int    // 0: the default of a list of a function.
	err   error
}

// Page is one page of a list. It is not meant for JSON: encode its Items.
type Page[T any] struct {
	Items []T
	Meta  Meta
	Next  string // Resume token for Pager.From; "" at the end of the list.
}

// list is what a Pager reads.
type list[T any] struct {
	paging.List

	read func(context.Context, *pageReader[T]) error // Reads the page at the reader's position and moves it to the next one.
	// Without the parameters that select a page. Another list than the API's has the operation and
	// the path alone.
	request request

	// The fields of a list of the API.
	core *core           // Nil in another list.
	id   func(*T) string // The id of an item; nil in a list by seq.
	seq  func(*T) int64  // The seq of an item, in a list by seq.
}

// newPager returns a list of the API.
func newPager[T any](l list[T]) Pager[T] {
	l.read = func(ctx context.Context, r *pageReader[T]) error {
		return r.list.core.makeCall(ctx, r.list.pageRequest(r.At), r.decode)
	}
	return Pager[T]{list: &l, size: l.MaxSize, err: l.request.err}
}

// PagerOf returns a list of these items, read from memory: for tests and fakes
// behind an interface of your own. It has the pages, tokens and page sizes of the
// API's lists by page number: pages of 100 items, unless [Pager.PageSize] makes them
// smaller. A token serves any such list of the same type. A context that has ended ends
// the list; nothing is sent.
func PagerOf[T any](items ...T) Pager[T] {
	items = slices.Clone(items)
	return Pager[T]{size: maxPageSize, list: &list[T]{
		List:    paging.List{Style: paging.ByPage, MaxSize: maxPageSize},
		read:    func(ctx context.Context, r *pageReader[T]) error { return r.readItems(ctx, items) },
		request: request{operation: "PagerOf", path: reflect.TypeFor[T]().String()},
	}}
}

// PagerFunc returns a list that calls a function for each page: for fakes behind an interface of
// your own that fail, and for decorators of other lists.
//
// token is "" at the beginning of the list. Otherwise it is the Next of the page before, or the
// text given to [Pager.From]. size is 0 unless [Pager.PageSize] was called, with 1 to 500. The
// list ends after a page without a Next. A Next that equals the page's own token is an error. An
// error of the function ends the list and is returned as it is. Items are not compared, so one
// can come twice. A nil function, and [Pager.FromPage], are a [ParamError] when the list is read.
func PagerFunc[T any](page func(ctx context.Context, token string, size int) (Page[T], error)) Pager[T] {
	p := Pager[T]{list: &list[T]{
		List:    paging.List{Style: paging.ByFunc, MaxSize: maxEventPageSize},
		read:    func(ctx context.Context, r *pageReader[T]) error { return r.readFunc(ctx, page) },
		request: request{operation: "PagerFunc"},
	}}
	if page == nil {
		p.err = &ParamError{Param: "page", Problem: "must not be nil"}
	}
	return p
}

// PageSize returns the list in pages of n items: 1 to 100 (assumed: page sizes),
// events 1 to 500. The list of members has no page size.
func (p Pager[T]) PageSize(n int) Pager[T] {
	if p.list == nil {
		return p
	}
	switch maximum := p.list.MaxSize; {
	case maximum == 0:
		return p.refuseSize("this list takes no page size")
	case n < 1 || n > maximum:
		return p.refuseSize(fmt.Sprintf("must be from 1 to %d", maximum))
	}
	p.size = n
	return p
}

// From returns the rest of the list, beginning with the page that follows the one whose Next is
// token. The page size of the token takes precedence over [Pager.PageSize]. An empty token means
// the beginning. A token of another list or filter is a [ParamError] when the list is read. A
// later From or [Pager.FromPage] replaces this one.
func (p Pager[T]) From(token string) Pager[T] {
	p.token, p.page = token, nil
	return p
}

// FromPage returns the list from page n on, in pages of [Pager.PageSize]. The first page is 1, and
// a page after the end is empty. Only lists by page number have it, such as that of invitations:
// for lists by cursor or seq and that of members it is a [ParamError]. Lists of challenges and of
// assessments, whose paging is not documented, end with an error that names Dialect.PageParam
// unless the response has the page number.
func (p Pager[T]) FromPage(n int) Pager[T] {
	p.token, p.page = "", &n
	return p
}

// sending returns the list with another request.
func (p Pager[T]) sending(change func(request) request) Pager[T] {
	changed := *p.list
	changed.request = change(changed.request)
	p.list = &changed
	return p
}

// begin starts an iteration where From or FromPage says.
func (p Pager[T]) begin() (paging.Iteration, error) {
	l := p.list
	switch {
	case p.page != nil && *p.page < 1:
		return paging.Iteration{}, &ParamError{Param: "FromPage", Problem: "must be 1 or more"}
	case p.page != nil && (l.Style != paging.ByPage && l.Style != paging.ByMeta || l.MaxSize == 0):
		return paging.Iteration{}, &ParamError{Param: "FromPage", Problem: "this list has no page numbers"}
	case p.page != nil:
		return l.BeginAt(p.size, *p.page), nil
	case l.Style == paging.ByFunc:
		return l.Begin(p.size, &paging.Position{Style: paging.ByFunc, Size: p.size, Cursor: p.token}), nil
	case p.token == "":
		return l.Begin(p.size, nil), nil
	}
	at, err := l.Resume(l.name(), p.token)
	if err != nil {
		return paging.Iteration{}, &ParamError{Param: "From", Problem: err.Error()}
	}
	return l.Begin(p.size, &at), nil
}

func (p Pager[T]) refuseSize(problem string) Pager[T] {
	wire := ""
	if p.list.core != nil {
		wire, _ = p.list.sizeParam()
	}
	p.err = joinParams(p.err, &ParamError{"PageSize", problem, wire})
	return p
}

// All iterates over the items. An error is yielded once, last. Scope read; costs one
// read a page.
//
// Do not delete items of a list by page number while you range over it: the others move to
// pages that were read. [Pager.Collect] them first.
func (p Pager[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range p.Pages(ctx) {
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages iterates over the pages. An error is yielded once, last. Scope read; costs one
// read a page.
func (p Pager[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		err := p.traced(ctx, TraceCall{}, func(ctx context.Context) error {
			for r, more := p.reader(), true; more; {
				page, next, err := r.next(ctx)
				if err != nil {
					return err
				}
				more = yield(page, nil) && next
			}
			return nil
		})
		if err != nil {
			yield(Page[T]{}, err)
		}
	}
}

// Page reads one page: the first, or that of From. Scope read; costs one read.
func (p Pager[T]) Page(ctx context.Context) (page Page[T], err error) {
	var described TraceCall
	if p.list != nil {
		described.Method, described.Route = p.list.request.method, p.list.request.route
	}
	err = p.traced(ctx, described, func(ctx context.Context) error {
		page, _, err = p.reader().next(ctx)
		return err
	})
	return page, err
}

// Collect reads all items into memory. With an error it returns the items read so
// far. Scope read; costs one read a page.
func (p Pager[T]) Collect(ctx context.Context) ([]T, error) {
	var items []T
	for page, err := range p.Pages(ctx) {
		if err != nil {
			return items, err
		}
		items = append(items, page.Items...)
	}
	return items, nil
}

// traced runs a read of the list in the trace span of its operation.
func (p Pager[T]) traced(ctx context.Context, described TraceCall, run func(context.Context) error) error {
	if p.list == nil || p.list.core == nil {
		if ctx == nil {
			panic(nilContext)
		}
		return run(ctx)
	}
	described.Operation = p.list.request.operation
	return p.list.core.traces.traced(ctx, described, run)
}

// name identifies the list and its filters in tokens.
func (l *list[T]) name() string {
	return l.request.operation + "\n" + l.request.path + "\n" + l.request.query.Encode()
}

// sizeParam returns the name of the page size's query parameter, and the field of the
// Dialect that it comes from.
func (l *list[T]) sizeParam() (name, field string) {
	if l.Style == paging.BySeq {
		return l.core.dialect.EventPageSizeParam, "EventPageSizeParam"
	}
	return l.core.dialect.PageSizeParam, "PageSizeParam"
}

// pageRequest returns the request for the page at a position.
func (l *list[T]) pageRequest(at paging.Position) request {
	req, d := l.request, l.core.dialect
	query := make(map[string][]string, len(req.query)+2)
	maps.Copy(query, req.query)
	req.query = query
	if at.Size > 0 {
		name, field := l.sizeParam()
		req = req.setParam(field, name, strconv.Itoa(at.Size))
	}
	switch {
	case at.Style == paging.BySeq && at.Seq != paging.NoSeq:
		req.query.Set("since_seq", strconv.FormatInt(at.Seq, 10))
	case at.Style == paging.ByPage && (at.Page > 1 || l.Style == paging.ByMeta): // FromPage asks for page 1 by its number.
		req = req.setParam("PageParam", d.PageParam, strconv.Itoa(at.Page))
	case at.Style == paging.ByCursor && at.Cursor != "":
		req = req.setParam("CursorParam", d.CursorParam, at.Cursor)
	}
	return req
}

// pageReader reads a list page by page.
type pageReader[T any] struct {
	paging.Iteration

	list   *list[T]
	err    error   // The error of the Pager, which every read returns.
	number int     // The number of the page, counted from the beginning of the iteration.
	warned bool    // A warning about the page size was returned.
	page   Page[T] // The page that was read last.
}

func (p Pager[T]) reader() *pageReader[T] {
	if p.list == nil {
		return &pageReader[T]{err: &ParamError{Param: "Pager", Problem: "is empty: take it from a List method"}}
	}
	begin, err := p.begin()
	return &pageReader[T]{list: p.list, Iteration: begin, err: joinParams(p.err, err)}
}

// next reads a page and advances. It reports whether another page follows.
func (r *pageReader[T]) next(ctx context.Context) (page Page[T], more bool, err error) {
	if r.err != nil {
		return Page[T]{}, false, r.err
	}
	r.page = Page[T]{}
	r.number++
	err = r.list.read(ctx, r)
	return r.page, r.page.Next != "", err
}

// decode decodes a page and advances. It is a decoder.
func (r *pageReader[T]) decode(body []byte) (warning string, err error) {
	items, meta, err := decodeList[T](body)
	if err != nil {
		return "", describeItem(body, err, max(r.number, r.At.Page))
	}
	at, received := r.At, len(items)
	more, err := r.accept(items, meta)
	if size := at.Size; size > 0 && !r.warned && (received > size || more && received < size) {
		r.warned = true
		_, field := r.list.sizeParam()
		warning = fmt.Sprintf("requested pages of %d items but received %d: Dialect.%s may be wrong", size, received, field)
	}
	return warning, err
}

// accept makes items the page and moves to the next one.
func (r *pageReader[T]) accept(items []T, meta wireMeta) (more bool, err error) {
	counts := paging.Counts{All: len(items)}
	switch {
	case r.list.id != nil:
		items = paging.ByID(&r.Iteration, items, r.list.id)
	case r.list.seq != nil:
		items, counts.Last = paging.BySequence(&r.Iteration, items, r.list.seq)
	}
	counts.New = len(items)
	more, stuck := r.Advance(counts, meta.paging())
	if stuck != nil {
		return false, stuck
	}
	r.page = Page[T]{Items: items, Meta: meta.public()}
	if more {
		r.page.Next = paging.Token(r.list.name(), r.At)
	}
	return more, nil
}

// readFunc reads a page of a list of [PagerFunc].
func (r *pageReader[T]) readFunc(ctx context.Context, pageOf func(context.Context, string, int) (Page[T], error)) error {
	page, err := pageOf(ctx, r.At.Cursor, r.At.Size)
	switch {
	case err != nil:
		return err
	case page.Next != "" && page.Next == r.At.Cursor:
		stuck := paging.Stuck{What: "the Next of a page is the token of the page itself"}
		return &Error{Operation: r.list.request.operation, Message: stuck.Error(), kind: kindFinal}
	}
	r.page, r.At.Cursor = page, page.Next
	return nil
}

// readItems reads a page of a list of [PagerOf].
func (r *pageReader[T]) readItems(ctx context.Context, all []T) error {
	if err := contextError(ctx); err != nil {
		ended := &Error{Operation: r.list.request.operation, Message: ctx.Err().Error()}
		ended.causedBy(err)
		return ended
	}
	at, total := r.At, len(all)
	begin := min((min(at.Page, paging.MaxPage)-1)*at.Size, total) // A page after the end is empty.
	end := min(begin+at.Size, total)
	meta := wireMeta{Page: &at.Page, PageSize: at.Size, Total: &total, HasMore: new(end < total)}
	_, err := r.accept(slices.Clone(all[begin:end]), meta)
	return err
}

// describeItem adds the id and the page to an error about an item of a list.
func describeItem(body []byte, err error, page int) error {
	semantic, ok := errors.AsType[*jsonv2.SemanticError](err)
	items, _, failed := decodeList[RawValue](body)
	n := 0
	if !ok || failed != nil {
		return err
	}
	if found, _ := fmt.Sscanf(string(semantic.JSONPointer), "/data/%d", &n); found == 0 || n >= len(items) {
		return err // The error is about the whole list, or its meta.
	}
	var item map[string]RawValue
	_ = decode(items[n], &item) // An item that is no object has no id.
	name := "without an id"
	if id, ok := item["id"].Text(); ok {
		name = fmt.Sprintf("%.100q", id)
	} else if seq, err := strconv.Atoi(string(item["seq"])); err == nil {
		name = strconv.Itoa(seq)
	}
	return responseError(fmt.Sprintf("the response cannot be decoded%s, in item %s on page %d", jsoncodec.Where(err), name, page))
}

// Meta is the metadata of a response.
type Meta struct {
	RequestID  string
	Page       int // From 1; 0 when the list is not paged by number.
	PageSize   int
	Total      int
	HasMore    bool
	NextCursor string
}

// wireMeta is the meta object of a response. Its members show how a list is paged.
type wireMeta struct {
	RequestID  string   `json:"request_id"`
	Page       *int     `json:"page"`
	PageSize   int      `json:"page_size"`
	Total      *int     `json:"total"`
	HasMore    *bool    `json:"has_more"`
	NextCursor RawValue `json:"next_cursor"` // Null at the end of a list.
}

// cursor returns the next cursor, empty at the end of a list. The cursor of a log may be
// a number.
func (m wireMeta) cursor() string {
	text, isText := m.NextCursor.Text()
	if v := m.NextCursor; !isText && len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
		return string(v)
	}
	return text
}

// paging returns what internal/paging needs of the meta.
func (m wireMeta) paging() paging.Meta {
	return paging.Meta{Page: m.Page, HasMore: m.HasMore, Cursor: m.cursor(), Cursors: m.NextCursor != nil}
}

func (m wireMeta) public() Meta {
	return Meta{m.RequestID, orZero(m.Page), m.PageSize, orZero(m.Total), orZero(m.HasMore), m.cursor()}
}

// orZero returns what p points to, or the zero value.
func orZero[T any](p *T) T { return *cmp.Or(p, new(T)) }
