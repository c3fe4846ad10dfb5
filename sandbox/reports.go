package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func init() {
	addRoutes(func(hiring.Dialect) []*route {
		return []*route{
			newRoute("Submissions.Report", "GET /submissions/{id}/report", reportDrift, getReport),
		}
	})
}

func getReport(c *call) response {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	if c.query.Has("format") {
		switch c.query.Get("format") {
		case "json":
		case "pdf":
			p.add("format", "PDF reports are not implemented.")
		default:
			p.add("format", "Expected json or pdf.")
		}
	}
	if p.any() {
		return c.invalid(p)
	}
	r := c.data(http.StatusOK, appendReport(nil, found))
	c.world.CountPoll(found)
	return r
}

var reportDrift = &driftRules{
	nullable: []string{"scored_as_role"},
	enums: map[string]string{
		"status": " started submitted ", "verdict": anyValue, "confidence": anyValue, "integrity_status": anyValue,
	},
	nested: map[string]*driftRules{
		"pillars":       {nullable: []string{"score"}},
		"facts":         {nullable: []string{"time_used_minutes", "ai_authored_pct", "churn_pct"}},
		"pipeline_rank": {},
	},
}

// withExtra replaces and adds members of a report. It splits the report at its rank,
// unless extra has the rank.
func withExtra(report []byte, extra map[string]world.RawJSON) (before, after []byte) {
	names, values := splitObject(report)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if i := slices.Index(names, name); i >= 0 {
			values[i] = json.RawMessage(extra[name])
			continue
		}
		names, values = append(names, name), append(values, json.RawMessage(extra[name]))
	}
	_, ranked := extra["pipeline_rank"]
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		if name == "pipeline_rank" && !ranked {
			before, b = b, []byte{}
			continue
		}
		b = append(append(append(b, encodeJSON(name)...), ':'), values[i]...)
	}
	b = append(b, '}')
	if ranked {
		return b, nil
	}
	return before, b
}

// appendReport appends the report of a submission with its current rank.
func appendReport(b []byte, a *world.Attempt) []byte {
	encoded := submissionJSONOf(a)
	b = append(b, encoded.beforeRank...)
	if encoded.afterRank == nil {
		return b
	}
	b = append(b, `"pipeline_rank":`...)
	if rank, ok := a.Rank(); ok {
		b = append(b, `{"rank":`...)
		b = strconv.AppendInt(b, int64(rank.Rank), 10)
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, int64(rank.Total), 10)
		b = append(b, '}')
	} else {
		b = append(b, "null"...)
	}
	return append(b, encoded.afterRank...)
}
