package sandbox

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"sort"
	"strconv"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func listEvents(c *call, found *world.Attempt) response {
	var p problems
	since := c.number(&p, "since_seq", 0, 0, math.MaxInt64)
	size := c.number(&p, c.server.config.dialect.EventPageSizeParam, defaultEventPage, 1, maxEventPage)
	if p.any() {
		return c.invalid(p)
	}
	events := found.Events()
	from := sort.Search(len(events), func(i int) bool { return events[i].Seq > since })
	to := int(min(int64(from)+size, int64(len(events))))
	meta, page := `,"has_more":false,"next_cursor":null`, events[from:to]
	if to < len(events) {
		meta = `,"has_more":true,"next_cursor":"` + strconv.FormatInt(events[to-1].Seq, 10) + `"`
	}
	return c.data(http.StatusOK, newEvents(page), meta)
}

type eventJSON struct {
	Seq     int64           `json:"seq"`
	Kind    string          `json:"kind"`
	At      int64           `json:"ts_ms"`
	Payload json.RawMessage `json:"payload"`
}

func newEvents(log []world.Event) []eventJSON {
	all := make([]eventJSON, len(log))
	for i, e := range log {
		all[i] = eventJSON{e.Seq, e.Kind, int64(e.At), json.RawMessage(cmp.Or(e.Payload, "{}"))}
	}
	return all
}
