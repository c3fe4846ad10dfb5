package sandbox

import (
	"math"
	"sort"
	"strconv"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	defaultPage      = 20
	maxPage          = 100
	defaultEventPage = 100
	maxEventPage     = 500
)

// numbered answers with one page of a list that is paged by number.
func numbered[T any](c *call, items *world.Collection[*world.Record[T]], wire func(T) any) reply {
	var p problems
	page := c.number(&p, c.settings.dialect.PageParam, 1, 1, math.MaxInt64)
	size := c.number(&p, c.settings.dialect.PageSizeParam, defaultPage, 1, maxPage)
	if p.any() {
		return c.invalid(p)
	}
	total := int64(items.Len())
	from := min(page-1, total) * size // bounded first: the product must not overflow
	to := min(from+size, total)
	from = min(from, total)
	meta := make([]byte, 0, 96)
	meta = append(meta, `,"page":`...)
	meta = strconv.AppendInt(meta, page, 10)
	meta = append(meta, `,"page_size":`...)
	meta = strconv.AppendInt(meta, size, 10)
	meta = append(meta, `,"total":`...)
	meta = strconv.AppendInt(meta, total, 10)
	meta = append(meta, `,"has_more":`...)
	meta = strconv.AppendBool(meta, to < total)
	return stretch(c, items, wire, int(from), int(to), string(meta))
}

// stretch answers with a part of a list, counted from its head.
func stretch[T any](c *call, items *world.Collection[*world.Record[T]], wire func(T) any, from, to int, meta string) reply {
	size := 0
	for i := from; i < to; i++ {
		size += len(body(items.Newest(i), wire))
	}
	return c.list(to-from, size, func(b []byte, i int) []byte { return append(b, body(items.Newest(from+i), wire)...) }, meta)
}

// cursored answers with a page of submissions.
func cursored(c *call, page []*world.Attempt, next *world.Position) reply {
	meta := `,"has_more":false,"next_cursor":null`
	if next != nil {
		meta = `,"has_more":true,"next_cursor":"` + cursorOf(*next) + `"`
	}
	return c.list(len(page), len(page)*submissionSize, func(b []byte, i int) []byte {
		return c.appendSubmission(b, page[i])
	}, meta)
}

// submissionSize is what a submission usually takes: a guess that is right
// spares a page from being copied while it grows.
const submissionSize = 2 << 10

// sequenced answers with the events after a sequence number.
func sequenced(c *call, events []world.Event, since, size int64) reply {
	from := sort.Search(len(events), func(i int) bool { return events[i].Seq > since })
	to := int(min(int64(from)+size, int64(len(events))))
	meta, page, bytes := `,"has_more":false,"next_cursor":null`, events[from:to], 0
	if to < len(events) {
		meta = `,"has_more":true,"next_cursor":"` + strconv.FormatInt(events[to-1].Seq, 10) + `"`
	}
	for i := range page {
		bytes += len(eventBody(&page[i]))
	}
	return c.list(len(page), bytes, func(b []byte, i int) []byte { return append(b, page[i].Shown...) }, meta)
}
