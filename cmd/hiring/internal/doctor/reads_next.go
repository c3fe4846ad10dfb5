package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// readNext finds the name of the cursor parameter: by the next page, by the response to an
// invalid cursor, and by halving the usual names.
func (e *examination) readNext(ctx context.Context) {
	const field = "CursorParam"
	cursor, tries := e.submissions.cursor(), e.namesByRound(field)
	if cursor != "" && len(e.listed) > 0 {
		for _, name := range tries[0] {
			if follows, _ := e.followsCursor(ctx, cursor, name); follows {
				e.observed[field] = observation{name, e.next.label + ": returned the next page"}
				return
			}
		}
	}
	all := slices.Concat(tries...)
	resp := e.doWithKnownNames(ctx, request{route: listSubmissions, query: e.page("made-up", all)})
	if name := refusedByName(resp, all); name != "" {
		e.observed[field] = observation{name, resp.label + ": the response rejects an invalid value by name"}
		return
	}
	if cursor == "" {
		e.reason[field] = "submissions have no second page, and an invalid cursor is not rejected"
		return
	}
	e.halve(ctx, cursor, tries[1])
}

// halve sends half of the names until one is left.
func (e *examination) halve(ctx context.Context, cursor string, names []string) {
	const field = "CursorParam"
	all := len(names)
	if follows, _ := e.followsCursor(ctx, cursor, names...); !follows {
		return
	}
	for len(names) > 1 {
		half := names[:len(names)/2]
		follows, decided := e.followsCursor(ctx, cursor, half...)
		if !follows {
			half = names[len(names)/2:]
		}
		names = half
		why := "the limit of reads was reached before it was found"
		if !decided { // A failed request says nothing about the other half.
			why = e.reason[field]
		}
		if !decided || e.stopped != "" || e.reads+maxAttempts > MaxReads {
			e.reason[field] = fmt.Sprintf("one of %d usual names has an effect, but %s", all, why)
			delete(e.disproved, field)
			return
		}
	}
	e.observed[field] = observation{names[0], fmt.Sprintf("%s: of %d names, only this one returned the next page", e.next.label, all)}
}

// followsCursor reports whether the next page is returned when names have the cursor, and
// whether the response decides that.
func (e *examination) followsCursor(ctx context.Context, cursor string, names ...string) (follows, decided bool) {
	const field = "CursorParam"
	resp := e.doWithKnownNames(ctx, request{route: listSubmissions, query: e.page(cursor, names)})
	next := submissionsOf(resp)
	switch {
	case !resp.ok() || len(next) == 0:
		e.reason[field] = resp.indecisive()
		return false, false
	case slices.ContainsFunc(next, func(s submission) bool { return s.ID == e.listed[0].ID }):
		if e.disproved[field] == "" {
			e.disproved[field] = resp.label + ": returned the first page again"
		}
		return false, true
	}
	e.next = resp
	return true, true
}

// page returns the query of a page of submissions, with value under each name.
func (e *examination) page(value string, names []string) url.Values {
	all := e.pageOf(pageOfSubmissions)
	for _, name := range names {
		all.Set(name, value)
	}
	return all
}

// pageOf returns a query with a page size, if the name of that parameter was observed.
func (e *examination) pageOf(size int) url.Values {
	query := url.Values{}
	if name := e.observed["PageSizeParam"].value; name != "" {
		query.Set(name, strconv.Itoa(size))
	}
	return query
}

// pageOfSubmissions is the page size where none is tested. It is large enough to tell the
// meanings of since apart.
const pageOfSubmissions = 37
