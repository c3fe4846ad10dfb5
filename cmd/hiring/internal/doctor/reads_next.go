package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"
)

// readNext finds the name of the cursor: by the page that it leads to, by what is
// said of one that is made up, and by halving the names.
func (e *examination) readNext(ctx context.Context) {
	const field = "CursorParam"
	cursor, tries := e.submissions.cursor(), rounds(field, e.said(field), e.assumed[field])
	if cursor != "" && len(e.seen) > 0 {
		for _, name := range tries[0] {
			if e.leads(ctx, cursor, name) {
				e.probed[field] = clue{name, e.next.asked + ": the next page came"}
				return
			}
		}
	}
	all := slices.Concat(tries...)
	a := e.askKnown(ctx, question{route: listSubmissions, query: e.page("made-up", all)})
	if name := refusedByName(a, all); name != "" {
		e.probed[field] = clue{name, a.asked + ": a made-up value is refused by name"}
		return
	}
	if cursor == "" {
		e.why[field] = "there is no second page of submissions, and a made-up cursor is not refused"
		return
	}
	e.halve(ctx, cursor, tries[1])
}

// halve asks with half of the names until one is left.
func (e *examination) halve(ctx context.Context, cursor string, names []string) {
	all := len(names)
	if !e.leads(ctx, cursor, names...) {
		return
	}
	for len(names) > 1 {
		half := names[:len(names)/2]
		if !e.leads(ctx, cursor, half...) {
			half = names[len(names)/2:]
		}
		if names = half; e.over != "" || e.reads+tries > MaxReads {
			e.why["CursorParam"] = fmt.Sprintf("one of %d usual names is heeded, but the reads were used up before it was found", all)
			delete(e.refuted, "CursorParam")
			return
		}
	}
	delete(e.refuted, "CursorParam")
	e.probed["CursorParam"] = clue{names[0], fmt.Sprintf("%s: of %d names, the next page came with this one only", e.next.asked, all)}
}

// leads tells whether the next page comes when the cursor is sent by these names.
func (e *examination) leads(ctx context.Context, cursor string, names ...string) bool {
	const field = "CursorParam"
	a := e.askKnown(ctx, question{route: listSubmissions, query: e.page(cursor, names)})
	next := submissionsOf(a)
	switch {
	case !a.ok() || len(next) == 0:
		e.why[field] = a.saw() + ", which does not tell"
		return false
	case slices.ContainsFunc(next, func(s submission) bool { return s.ID == e.seen[0].ID }):
		if e.refuted[field] == "" {
			e.refuted[field] = a.asked + ": the first page came again"
		}
		return false
	}
	delete(e.refuted, field)
	e.next = a
	return true
}

// page is the query of a page of submissions, with a value under some names.
func (e *examination) page(value string, names []string) url.Values {
	all := url.Values{}
	if size := e.probed["PageSizeParam"].value; size != "" {
		all.Set(size, pageOfSubmissions)
	}
	for _, name := range names {
		all.Set(name, value)
	}
	return all
}

// pageOfSubmissions is how many are listed wherever it does not matter: enough to
// tell the meanings of since apart.
const pageOfSubmissions = "37"
