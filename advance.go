package hiring

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// advance moves the walk behind the page and returns the items that are new.
func (w *walk[T]) advance(items []T, meta wireMeta) ([]T, error) {
	if w.at.Style == byReply {
		w.at.Style = styleOf(meta)
	}
	if len(items) > 0 {
		w.empty = 0
	} else {
		w.empty++
	}
	var fresh []T
	var more bool
	var err error
	switch w.at.Style {
	case byPage:
		fresh, more, err = w.afterNumber(items, meta)
	case byCursor:
		fresh, more, err = w.afterCursor(items, meta)
	case bySeq:
		fresh, more, err = w.afterSeq(items, meta)
	default:
		fresh = items
	}
	if err == nil && more && w.empty == maxEmpty {
		err = w.stuck(meta, "three empty pages in a row, each with the promise of more", "")
	}
	w.done = !more
	return fresh, err
}

const (
	maxEmpty = 3
	// maxStale is for a list that for a while grows as fast as it is read.
	maxStale = 10
)

// styleOf tells how a list is cut from the first of its pages.
func styleOf(meta wireMeta) style {
	switch {
	case meta.cursor() != "":
		return byCursor
	case meta.Page != nil:
		return byPage
	case meta.NextCursor != nil:
		return byCursor
	case meta.HasMore != nil && *meta.HasMore:
		return byPage
	}
	return byReply
}

// afterNumber also drops what an earlier page had: an item that is added
// meanwhile moves all others towards the end.
func (w *walk[T]) afterNumber(items []T, meta wireMeta) ([]T, bool, error) {
	if meta.Page != nil && *meta.Page != w.at.Page {
		return nil, false, w.stuck(meta, fmt.Sprintf("asked for page %d and got page %d", w.at.Page, *meta.Page), "PageParam")
	}
	w.pass(len(items), meta)
	fresh, known := paging.Fresh(&w.seen, items, w.list.id)
	if !known {
		return nil, false, w.stuck(meta, fmt.Sprintf("page %d goes back by more than %d items: "+
			"as many were added since the page before it, then begin again, or Dialect.PageParam is wrong", w.at.Page, paging.Window), "")
	}
	switch {
	case len(fresh) > 0:
		w.news, w.stale = w.news+1, 0
	case len(items) > 0:
		w.stale++
	}
	// Items move at most as far as pages were read, unless more are added.
	if w.stale > w.news+maxStale || w.stale > 0 && meta.Page == nil {
		return nil, false, w.stuck(meta, fmt.Sprintf("page %d holds what an earlier page held", w.at.Page), "PageParam")
	}
	w.at.Page++
	if meta.HasMore != nil {
		return fresh, *meta.HasMore, nil
	}
	return fresh, meta.Total != nil && *meta.Total > w.passed, nil
}

// pass counts a page. A walk that did not begin with the first page goes by the
// size that pages are said to have.
func (w *walk[T]) pass(items int, meta wireMeta) {
	if !w.counted {
		w.counted = true
		size := w.at.Size
		if meta.PageSize > 0 && meta.PageSize <= math.MaxInt32/maxPage {
			size = meta.PageSize
		}
		w.passed = (w.at.Page - 1) * size
	}
	w.passed += items
}

func (w *walk[T]) afterCursor(items []T, meta wireMeta) ([]T, bool, error) {
	next := meta.cursor()
	more := next != ""
	if meta.HasMore != nil {
		more = *meta.HasMore
	}
	w.visited.Add("cursor " + w.at.Cursor)
	if len(items) > 0 {
		if first := w.list.id(&items[0]); first != "" && w.visited.Add("item "+first) {
			return nil, false, w.stuck(meta, "a page begins as an earlier page did", "CursorParam")
		}
	}
	switch {
	case more && next == "":
		w.at.Lost = true
		w.pending = w.lost(meta)
	case more && w.visited.Add("cursor "+next):
		return nil, false, w.stuck(meta, "the service gives the same cursor again", "CursorParam")
	}
	w.at.Cursor = next
	return items, more, nil
}

// errRepeated is the cause where a log shows only what it has shown before.
var errRepeated = errors.New("hiring: the entries are repeats")

// afterSeq also drops entries that an earlier page had.
func (w *walk[T]) afterSeq(items []T, meta wireMeta) ([]T, bool, error) {
	last, n := w.at.Seq, 0
	for i := range items {
		if seq := w.list.seq(&items[i]); seq > w.at.Seq && seq != last {
			last = max(last, seq)
			if n < i { // Nearly always, nothing is dropped, and so nothing moved.
				items[n] = items[i]
			}
			n++
		}
	}
	fresh := items[:n]
	if len(items) > 0 && len(fresh) == 0 {
		stuck := w.stuck(meta, fmt.Sprintf("asked for entries after %d and got none above it", w.at.Seq), "")
		if meta.HasMore == nil || !*meta.HasMore {
			stuck.causedBy(errRepeated)
		}
		return nil, false, stuck
	}
	next := meta.cursor()
	more := next != "" && next != strconv.FormatInt(w.at.Seq, 10)
	if meta.HasMore != nil {
		more = *meta.HasMore
	}
	if seq, err := strconv.ParseInt(next, 10, 64); err == nil && len(items) == 0 {
		last = max(last, seq)
	}
	w.at.Seq = last
	return fresh, more, nil
}

// lost is the error of a walk that has more before it but no way there.
func (w *walk[T]) lost(meta wireMeta) *Error {
	return w.stuck(meta, "the service promises more items but gives no cursor to reach them", "")
}

// stuck is the error of a walk that would not end or would lose items.
func (w *walk[T]) stuck(meta wireMeta, what, field string) *Error {
	r := w.list.request
	e := &Error{
		Message:   "the list does not advance: " + what,
		Status:    200,
		RequestID: meta.RequestID,
		Method:    r.method,
		Route:     r.route,
		Attempts:  1,
		operation: r.operation,
	}
	if field != "" {
		e.Message += ": Dialect." + field + " is probably wrong"
	}
	return e
}
