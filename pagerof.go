package hiring

import (
	"context"
	"reflect"
	"slices"
)

// PagerOf returns a list of these items, read from memory: for tests and fakes
// behind an interface of your own. It has the pages, tokens and page sizes of the
// service's lists by page number: pages of 100 items, or of 500 events, unless
// [Pager.PageSize] makes them smaller. A token serves any such list of the same
// type. A context that has ended ends the list; nothing is sent.
func PagerOf[T any](items ...T) Pager[T] {
	size := maxPageSize
	if reflect.TypeFor[T]() == reflect.TypeFor[Event]() {
		size = maxEventPageSize
	}
	return newPager(&list[T]{
		memory:  slices.Clone(items),
		request: request{operation: "PagerOf", path: reflect.TypeFor[T]().String()},
		style:   byPage,
		maxSize: size,
	})
}

// fromMemory is next for a list of [PagerOf].
func (w *walk[T]) fromMemory(ctx context.Context) (Page[T], error) {
	if err := contextError(ctx); err != nil {
		ended := &Error{Message: ctx.Err().Error(), operation: w.list.request.operation}
		ended.causedBy(err)
		w.done, w.err = true, ended
		return Page[T]{}, ended
	}
	items, number := w.list.memory, w.at.Page
	rest := items[len(items):] // A page behind the end is empty.
	if number <= len(items)/w.at.Size+1 {
		rest = items[(number-1)*w.at.Size:]
	}
	page := Page[T]{Items: slices.Clone(rest[:min(len(rest), w.at.Size)])}
	w.at.Page++
	w.done = len(page.Items) == len(rest)
	page.Meta = Meta{Page: number, PageSize: w.at.Size, Total: len(items), HasMore: !w.done}
	if !w.done {
		page.Next = w.list.token(w.at)
	}
	return page, nil
}
