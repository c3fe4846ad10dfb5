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
	field string
	from  int // The first value to send.
	most  int // The largest accepted page size; 0 when the parameter is a page number.
}

// findParameters sends several names in one request, each with its own value, until it is
// known which name has an effect. The first round has the documented and assumed names,
// the second all usual names, and the third all names with a value above the limit. It
// returns the response of the first round.
func (e *examination) findParameters(ctx context.Context, q request, searches ...parameterSearch) (first response) {
	for round := range 3 {
		all, byField := make(map[string]int), make(map[string]map[string]int)
		for _, s := range searches {
			byField[s.field] = e.valuesToTry(s, round)
			maps.Copy(all, byField[s.field])
		}
		if len(all) == 0 {
			return first
		}
		q.query = queryOf(all)
		resp := e.doWithKnownNames(ctx, q)
		if round == 0 {
			first = resp
		}
		for _, s := range searches {
			e.evaluate(s, resp, byField[s.field])
		}
	}
	return first
}

// queryOf returns the values as a query.
func queryOf(values map[string]int) url.Values {
	query := make(url.Values, len(values))
	for name, value := range values {
		query.Set(name, strconv.Itoa(value))
	}
	return query
}

// valuesToTry returns the names of a search to send in a round, each with its own value.
func (e *examination) valuesToTry(s parameterSearch, round int) map[string]int {
	tries := e.namesByRound(s.field)
	switch {
	case e.observed[s.field].value != "":
		return nil
	case round < len(tries):
		return distinctValues(tries[round], s.from)
	case s.most == 0 || e.disproved[s.field] != "":
		return nil
	}
	return distinctValues(slices.Concat(tries...), s.most+1)
}

func (e *examination) evaluate(s parameterSearch, resp response, values map[string]int) {
	if len(values) == 0 {
		return
	}
	stated := resp.meta.Page // The value that the response states, or nil.
	if s.most > 0 {
		stated = resp.meta.PageSize
	}
	name, evidence := effectiveName(resp, values, stated, s.most > 0)
	switch {
	case name != "":
		e.observed[s.field] = observation{name, resp.label + ": " + evidence}
	case resp.skipped != "":
		e.reason[s.field] = resp.skipped
	case resp.ok() && resp.hasMore() && (stated != nil || s.most > 0): // With a single page, any page number may return it.
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
