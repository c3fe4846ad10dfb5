package hiring

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/prefetch"
)

const (
	maxPageSize      = 100
	maxEventPageSize = 500
	maxPrefetch      = 1000
)

// Pager is a list that is read when it is ranged over. It is a value that never
// changes: each range starts over, and one Pager can serve many goroutines.
// Quotas count requests, so its pages are as large as the service allows.
type Pager[T any] struct {
	list     *list[T]
	at       *paging.Position // Nil: at the beginning.
	size     int
	prefetch int
	err      error
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	Meta  Meta
	Next  string // For Pager.From; empty at the end of the list.
}

func newPager[T any](l *list[T]) Pager[T] {
	return Pager[T]{list: l, size: l.MaxSize, err: l.request.err}
}

// PagerOf returns a list of these items, read from memory: for tests and fakes
// behind an interface of your own. It has the pages, tokens and page sizes of the
// service's lists by page number: pages of 100 items, or of 500 events, unless
// [Pager.PageSize] makes them smaller. A token serves any such list of the same
// type. A context that has ended ends the list; nothing is sent.
func PagerOf[T any](items ...T) Pager[T] {
	size := maxPageSize
	if item, ok := any(*new(T)).(interface{ maxPageSize() int }); ok {
		size = item.maxPageSize()
	}
	return newPager(&list[T]{
		memory:  slices.Clone(items),
		request: request{operation: "PagerOf", path: reflect.TypeFor[T]().String()},
		List: paging.List[T]{
			Style:   paging.ByPage,
			MaxSize: size,
		},
	})
}

// PageSize returns the list in pages of n items: up to 100 (assumed: page sizes),
// events up to 500. The list of members takes none.
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

// From returns the list from the page on that token, a Page's Next, stands for.
// The token's page size wins; an empty token means the beginning. A token of
// another list or filter is a [ParamError].
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

// Prefetch returns the list with up to that many pages read ahead while the
// caller works on the one before; more than 1000, an hour's reads, is as good as
// 1000. A range that is left early has read them for nothing.
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
		wire = p.list.sizeParam()
	}
	p.err = joinParams(p.err, &ParamError{param, problem, wire})
	return p
}

// All ranges over the items. An error comes once, last. Scope read; costs one read
// a page.
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

// Pages ranges over the pages. An error comes once, last. Scope read; costs one
// read a page.
func (p Pager[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		if err := p.each(ctx, false, func(page Page[T]) bool { return yield(page, nil) }); err != nil {
			yield(Page[T]{}, err)
		}
	}
}

// each hands out the pages until take does not want more. When a page is only
// borrowed, the next may overwrite it.
func (p Pager[T]) each(ctx context.Context, borrowed bool, take func(Page[T]) bool) error {
	return p.traced(ctx, TraceCall{}, func(ctx context.Context) error {
		if p.prefetch > 0 {
			return p.readAhead(ctx, take)
		}
		for w := p.walk(); !w.Done; {
			page, err := w.next(ctx)
			if err != nil {
				return err
			}
			if !take(page) {
				return nil
			}
			if borrowed && page.Items != nil {
				w.spare = page.Items
			}
		}
		return nil
	})
}

// traced runs a call for the list in its trace span.
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

// readAhead is each with a goroutine that ends with it.
func (p Pager[T]) readAhead(ctx context.Context, take func(Page[T]) bool) error {
	ctx, cancel := context.WithCancel(WithResponse(ctx, nil))
	w := p.walk()
	return prefetch.Each(p.prefetch, cancel, func() (Page[T], bool, error) {
		page, err := w.next(ctx)
		return page, w.Done, err
	}, take)
}

// Page reads one page: the first, or the one of From. Scope read; costs one read.
func (p Pager[T]) Page(ctx context.Context) (page Page[T], err error) {
	var call TraceCall
	if p.list != nil {
		call.Method, call.Route = p.list.request.method, p.list.request.route
	}
	err = p.traced(ctx, call, func(ctx context.Context) error {
		page, err = p.walk().next(ctx)
		return err
	})
	return page, err
}

// Collect reads all items into memory. On an error it returns the items so far
// beside it. Scope read; costs one read a page.
func (p Pager[T]) Collect(ctx context.Context) ([]T, error) {
	var items []T
	err := p.each(ctx, false, func(page Page[T]) bool {
		items = append(items, page.Items...)
		return true
	})
	return items, err
}

// fromMemory is next for a list of [PagerOf].
func (w *walk[T]) fromMemory(ctx context.Context) (Page[T], error) {
	if err := contextError(ctx); err != nil {
		ended := &Error{Message: ctx.Err().Error(), Operation: w.list.request.operation}
		ended.causedBy(err)
		w.Done, w.err = true, ended
		return Page[T]{}, ended
	}
	items, number := w.list.memory, w.At.Page
	rest := items[len(items):] // A page behind the end is empty.
	if number <= len(items)/w.At.Size+1 {
		rest = items[(number-1)*w.At.Size:]
	}
	page := Page[T]{Items: slices.Clone(rest[:min(len(rest), w.At.Size)])}
	w.At.Page++
	w.Done = len(page.Items) == len(rest)
	page.Meta = Meta{Page: number, PageSize: w.At.Size, Total: len(items), HasMore: !w.Done}
	if !w.Done {
		page.Next = paging.Token(w.list.name(), w.At)
	}
	return page, nil
}
