package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// parameterSearch is a search for the name of a parameter that takes a number.
type parameterSearch struct {
	field    string
	from     int             // The first value to send.
	most     int             // The largest accepted page size; 0 when the parameter is not a page size.
	fromMeta func(meta) *int // Returns the value that the response states; nil when responses do not state it.
}

// findParameters sends several names in one request, each with its own value, until it is
// known which name has an effect. The first round has the documented and assumed names,
// the second all usual names, and the third all names with a value above the limit. It
// returns the response of the first round.
func (e *examination) findParameters(ctx context.Context, q request, searches ...parameterSearch) (first response) {
	for round := range 3 {
		query, values := maps.Clone(q.query), make(map[string]map[string]int)
		if query == nil {
			query = url.Values{}
		}
		for _, s := range searches {
			if names := e.namesToTry(s, round); len(names) > 0 {
				values[s.field] = valuesFor(s, round, names)
				for name, value := range values[s.field] {
					query.Set(name, strconv.Itoa(value))
				}
			}
		}
		if len(values) == 0 {
			return first
		}
		resp := e.doWithKnownNames(ctx, request{route: q.route, ids: q.ids, query: query})
		if round == 0 {
			first = resp
		}
		for _, s := range searches {
			e.evaluate(s, resp, values[s.field])
		}
	}
	return first
}

// namesToTry returns the names of a search to send in a round.
func (e *examination) namesToTry(s parameterSearch, round int) []string {
	tries := namesByRound(s.field, e.documented(s.field), e.assumed[s.field])
	switch {
	case e.observed[s.field].value != "":
		return nil
	case round < 2:
		return tries[round]
	case s.most == 0 || e.disproved[s.field] != "":
		return nil
	}
	return slices.Concat(tries...)
}

func valuesFor(s parameterSearch, round int, names []string) map[string]int {
	if round < 2 {
		return distinctValues(names, s.from)
	}
	return distinctValues(names, s.most+1)
}

func (e *examination) evaluate(s parameterSearch, resp response, values map[string]int) {
	if len(values) == 0 {
		return
	}
	var documented *int
	if s.fromMeta != nil {
		documented = s.fromMeta(resp.meta)
	}
	name, evidence := effectiveName(resp, values, documented, s.most > 0)
	switch {
	case name != "":
		e.observed[s.field] = observation{name, resp.label + ": " + evidence}
		delete(e.disproved, s.field)
	case resp.skipped != "":
		e.reason[s.field] = resp.skipped
	case resp.ok() && resp.hasMore() && (documented != nil || s.most > 0): // With a single page, any page number may return it.
		e.disproved[s.field] = ignored(e.disproved[s.field], resp, values)
	default:
		e.reason[s.field] = resp.indecisive()
	}
}

// ignored describes names without effect, after the description of earlier ones.
func ignored(before string, resp response, values map[string]int) string {
	if before != "" {
		return before + fmt.Sprintf("; no effect of %d other usual names", len(values))
	}
	return resp.label + ": no effect of " + strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}
