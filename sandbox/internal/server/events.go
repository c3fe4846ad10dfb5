package server

import (
	"cmp"
	"math"
	"sort"
	"strconv"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func init() {
	addRoutes(func(hiring.Dialect) []route {
		return []route{
			newRoute("Events.List", "GET /submissions/{id}/events", eventShape, listEvents),
		}
	})
}

func listEvents(c *call) reply {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	since := c.number(&p, "since_seq", 0, 0, math.MaxInt64)
	size := c.number(&p, c.config.Dialect.EventPageSizeParam, defaultEventPage, 1, maxEventPage)
	if p.any() {
		return c.invalid(p)
	}
	return sequenced(c, found.Events(), since, size)
}

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

var eventShape = &shape{open: map[string]string{"kind": " file_edit test_run "}, blank: "kind"}

// eventBody is body for an event.
func eventBody(e *world.Event) []byte {
	if e.Shown != nil {
		return e.Shown
	}
	b := make([]byte, 0, len(e.Payload)+96)
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"kind":`...)
	b = append(b, render(e.Kind)...)
	b = append(b, `,"ts_ms":`...)
	b = strconv.AppendInt(b, int64(e.At), 10)
	b = append(b, `,"payload":`...)
	b = append(b, cmp.Or(e.Payload, "{}")...)
	e.Shown = append(b, '}')
	return e.Shown
}
