package sandbox

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	defaultPage      = 20
	maxPage          = 100
	defaultEventPage = 100
	maxEventPage     = 500
)

// numberedPage returns a page of a list that is paged by number.
func numberedPage[T any](c *call, items *world.Collection[*world.Record[T]]) response {
	var p problems
	page := c.number(&p, c.server.config.dialect.PageParam, 1, 1, math.MaxInt64)
	size := c.number(&p, c.server.config.dialect.PageSizeParam, defaultPage, 1, maxPage)
	if p.any() {
		return c.invalid(p)
	}
	total := int64(items.Len())
	from := min(page-1, total) * size // Limited first, so that the product cannot overflow.
	to := min(from+size, total)
	from = min(from, total)
	meta := fmt.Sprintf(`,"page":%d,"page_size":%d,"total":%d,"has_more":%t`, page, size, total, to < total)
	return listRange(c, items, int(from), int(to), meta)
}

// listRange returns the items of a list between two indexes, newest first.
func listRange[T any](c *call, items *world.Collection[*world.Record[T]], from, to int, meta string) response {
	page := make([]*T, 0, to-from)
	for i := from; i < to; i++ {
		page = append(page, &items.Newest(i).Value)
	}
	return c.data(http.StatusOK, page, meta)
}

// cursorOf returns the cursor of a position. A position is a place in the order, not a
// number, so that items which appear or disappear do not move it. The checksum detects
// cursors that the server did not create.
func cursorOf(p world.Position) string {
	b := strconv.AppendInt(nil, int64(p.Created), 10)
	b = append(append(b, ' '), p.ID...)
	return base64.RawURLEncoding.EncodeToString(append(b, checksum(b)...))
}

func checksum(b []byte) []byte {
	h := fnv.New64a()
	_, _ = h.Write([]byte("submissions\n"))
	_, _ = h.Write(b)
	return h.Sum(nil)
}

const checksumSize = 8

// parseCursor returns the position of a cursor of cursorOf.
func parseCursor(text string) (world.Position, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < checksumSize {
		return world.Position{}, false
	}
	b, sum := b[:len(b)-checksumSize], b[len(b)-checksumSize:]
	if string(checksum(b)) != string(sum) {
		return world.Position{}, false
	}
	created, id, _ := strings.Cut(string(b), " ")
	at, err := strconv.ParseInt(created, 10, 64)
	return world.Position{Created: world.Moment(at), ID: id}, err == nil
}
