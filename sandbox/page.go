package sandbox

import (
	"encoding/base64"
	"hash/fnv"
	"math"
	"sort"
	"strconv"
	"strings"
)

const (
	defaultPage      = 20
	maxPage          = 100
	defaultEventPage = 100
	maxEventPage     = 500
)

// numbered answers with one page of a list that is paged by number.
func numbered[R resource](c *call, items *collection[R]) reply {
	var p problems
	page := c.number(&p, c.s.dialect.PageParam, 1, 1, math.MaxInt64)
	size := c.number(&p, c.s.dialect.PageSizeParam, defaultPage, 1, maxPage)
	if p.any() {
		return c.invalid(p)
	}
	total := int64(items.len())
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
	return stretch(c, items, int(from), int(to), string(meta))
}

// stretch answers with a part of a list, counted from its head.
func stretch[R resource](c *call, items *collection[R], from, to int, meta string) reply {
	size := 0
	for i := from; i < to; i++ {
		size += len(items.newest(i).body())
	}
	return c.list(to-from, size, func(b []byte, i int) []byte { return append(b, items.newest(from+i).body()...) }, meta)
}

// A cursor is where a page ended: the place in the order, not the number, so
// that what comes or goes meanwhile moves nothing. With it goes a checksum, so
// that a made-up one can be refused.
func (p position) cursor() string {
	b := strconv.AppendInt(nil, p.created, 10)
	b = append(append(b, ' '), p.id...)
	return base64.RawURLEncoding.EncodeToString(append(b, checksum(b)...))
}

func checksum(b []byte) []byte {
	h := fnv.New64a()
	_, _ = h.Write([]byte("submissions\n"))
	_, _ = h.Write(b)
	return h.Sum(nil)
}

const checksumSize = 8

func parseCursor(text string) (position, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < checksumSize {
		return position{}, false
	}
	b, sum := b[:len(b)-checksumSize], b[len(b)-checksumSize:]
	if string(checksum(b)) != string(sum) {
		return position{}, false
	}
	created, id, _ := strings.Cut(string(b), " ")
	at, err := strconv.ParseInt(created, 10, 64)
	return position{at, id}, err == nil
}

// cursored answers with the submissions that come after a position, when from
// is not nil, and that pass the filter.
func cursored(c *call, items *submissionList, size int64, from *position, filter submissionFilter) reply {
	end := items.len()
	if from != nil {
		end = items.older(*from)
	}
	page := make([]*submission, 0, size)
	more := false
	for i := end - 1; i >= 0 && !more && !filter.ends(&items.marks[i]); i-- {
		if !filter.passes(&items.marks[i]) {
			continue
		}
		if more = len(page) == cap(page); !more {
			page = append(page, items.list[i])
		}
	}
	meta := `,"has_more":false,"next_cursor":null`
	if more {
		meta = `,"has_more":true,"next_cursor":"` + page[len(page)-1].cursor() + `"`
	}
	return c.list(len(page), len(page)*submissionSize, func(b []byte, i int) []byte {
		return c.world.appendSubmission(b, page[i], c)
	}, meta)
}

// submissionSize is what a submission usually takes: a guess that is right
// spares a page from being copied while it grows.
const submissionSize = 2 << 10

// sequenced answers with the events after a sequence number.
func sequenced(c *call, events []event, since, size int64) reply {
	from := sort.Search(len(events), func(i int) bool { return events[i].seq > since })
	to := int(min(int64(from)+size, int64(len(events))))
	meta, page, bytes := `,"has_more":false,"next_cursor":null`, events[from:to], 0
	if to < len(events) {
		meta = `,"has_more":true,"next_cursor":"` + strconv.FormatInt(events[to-1].seq, 10) + `"`
	}
	for _, e := range page {
		bytes += len(e.json)
	}
	return c.list(len(page), bytes, func(b []byte, i int) []byte { return append(b, page[i].json...) }, meta)
}
