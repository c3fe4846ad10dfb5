package sandbox

import (
	"encoding/json"
	"net/http"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func getReport(c *call, found *world.Attempt) response {
	var p problems
	switch format := c.query.Get("format"); {
	case format == "json" || !c.query.Has("format"):
	case format == "pdf":
		p.add("format", "PDF reports are not implemented.")
	default:
		p.add("format", "Expected json or pdf.")
	}
	if p.any() {
		return c.invalid(p)
	}
	c.entry.Pending = !found.Report().Evaluated
	return c.data(http.StatusOK, reportOf(found))
}

// reportOf returns the report of a submission, to be encoded: with its current rank, and
// with the members of Result.Extra, which replace others.
func reportOf(a *world.Attempt) any {
	r := a.Report()
	if rank, ok := a.Rank(); ok {
		r.PipelineRank = &rank
	}
	extra := a.Extra()
	if len(extra) == 0 {
		return r
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(encodeJSON(r), &members); err != nil {
		panic(err) // The server encoded it.
	}
	for name, value := range extra {
		members[name] = json.RawMessage(value)
	}
	return members
}
