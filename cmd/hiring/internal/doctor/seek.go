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

// seeking is a search for the name of a parameter that takes a number.
type seeking struct {
	field string
	from  int             // The first value to try with.
	most  int             // The largest that the service takes, of a size; 0: it is none.
	says  func(meta) *int // Where the reply says what it took; nil: nowhere.
}

// seek asks with several names at once, each with a value of its own, until it is
// known which are heeded: those that are said and assumed first, all usual ones
// then, and at last, where nothing showed, all with a value that is too large.
func (e *examination) seek(ctx context.Context, q question, sought ...seeking) (first answer) {
	for round := range 3 {
		query, values := maps.Clone(q.query), make(map[string]map[string]int)
		if query == nil {
			query = url.Values{}
		}
		for _, s := range sought {
			if names := e.open(s, round); len(names) > 0 {
				values[s.field] = valuesFor(s, round, names)
				for name, value := range values[s.field] {
					query.Set(name, strconv.Itoa(value))
				}
			}
		}
		if len(values) == 0 {
			return first
		}
		a := e.askKnown(ctx, question{route: q.route, ids: q.ids, query: query})
		if round == 0 {
			first = a
		}
		for _, s := range sought {
			e.judge(s, a, values[s.field])
		}
	}
	return first
}

// open are the names that a search tries in a round.
func (e *examination) open(s seeking, round int) []string {
	tries := rounds(s.field, e.said(s.field), e.assumed[s.field])
	switch {
	case e.probed[s.field].value != "":
		return nil
	case round < 2:
		return tries[round]
	case s.most == 0 || e.refuted[s.field] != "":
		return nil
	}
	return slices.Concat(tries...)
}

func valuesFor(s seeking, round int, names []string) map[string]int {
	if round < 2 {
		return numbers(names, s.from)
	}
	return numbers(names, s.most+1)
}

func (e *examination) judge(s seeking, a answer, values map[string]int) {
	if len(values) == 0 {
		return
	}
	var said *int
	if s.says != nil {
		said = s.says(a.meta)
	}
	name, evidence := heeded(a, values, said, s.most > 0)
	switch {
	case name != "":
		e.probed[s.field] = clue{name, a.asked + ": " + evidence}
		delete(e.refuted, s.field)
	case a.skipped != "":
		e.why[s.field] = a.skipped
	case a.ok() && a.more() && (said != nil || s.most > 0): // Where there is one page only, all numbers may lead to it.
		e.refuted[s.field] = ignored(e.refuted[s.field], a, values)
	default:
		e.why[s.field] = a.saw() + ", which does not tell"
	}
}

// ignored says that names are not heeded, after what was said of those before.
func ignored(before string, a answer, values map[string]int) string {
	if before != "" {
		return before + fmt.Sprintf(", nor of %d other usual names", len(values))
	}
	return a.asked + ": no sign of " + strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}
