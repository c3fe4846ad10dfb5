package doctor

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

// notYet is a time that no submission has.
var notYet = time.Date(2099, 11, 22, 13, 14, 15, 678e6, time.UTC)

// readSince finds the layout of since: asked for what comes after a time that has
// not come yet, a service that has understood lists nothing.
func (e *examination) readSince(ctx context.Context) {
	tries := slices.Concat(e.saidLayouts(), []string{e.assumed["SinceLayout"]}, firstLayouts)
	for tried := 0; tried < len(tries) && tried < 10; tried++ {
		if slices.Contains(tries[:tried], tries[tried]) {
			continue
		}
		hint, ended := e.trySince(ctx, tries[tried], notYet)
		if ended {
			return
		}
		if hint != "" {
			tries = slices.Insert(tries, tried+1, hint)
		}
	}
	if len(e.seen) > 0 && e.why["SinceLayout"] == "" { // It may be the time to come that is refused.
		e.trySince(ctx, e.assumed["SinceLayout"], latest(e.seen).Add(time.Second))
	}
}

// trySince asks with a layout, and tells whether that decides, or that nothing will.
// A refusal may hint at another layout.
func (e *examination) trySince(ctx context.Context, layout string, since time.Time) (hint string, ended bool) {
	const field = "SinceLayout"
	a := e.ask(ctx, question{route: listSubmissions, query: e.page(timelayout.Format(layout, since), []string{"since"})})
	switch {
	case a.skipped != "":
		e.why[field] = a.skipped
		return "", true
	case a.objectsTo("since", true) == toValue:
		e.refuted[field] = a.asked + ": refused"
		return layoutIn(strings.Join(append(a.refusal.fields["since"], a.refusal.message), " ")), false
	case !a.ok():
		e.why[field] = a.saw() + ", which does not tell"
		return "", true
	case len(knownOf(e.seen, submissionsOf(a))) > 0:
		e.refuted[field] = a.asked + ": ignored"
		return "", false
	case len(e.seen) == 0:
		e.why[field] = a.asked + ": accepted, but there are no submissions that it could leave out"
		return "", true
	}
	delete(e.refuted, field)
	e.probed[field] = clue{layout, a.asked + ": nothing is listed"}
	return "", true
}

// saidLayouts are those that the document's example of since can have been written
// in: 01/03/2026 can be read in two ways.
func (e *examination) saidLayouts() []string {
	list, _ := e.doc.find(listSubmissions)
	since := list.parameter("since")
	if said := e.said("SinceLayout"); said == "" || said == e.assumed["SinceLayout"] {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(layouts), func(layout string) bool { return !writes(layout, since.example) })
	return all[:min(2, len(all))]
}

// readMeaning finds what since is about: listed submissions have several times, and
// one between them tells.
func (e *examination) readMeaning(ctx context.Context) {
	layout := e.probed["SinceLayout"].value
	if layout == "" {
		e.meaning = "since is not understood"
		return
	}
	agree := slices.Sorted(maps.Keys(meanings))
	for range 2 {
		since, ok := telling(e.seen, layout, agree)
		if !ok {
			break
		}
		a := e.ask(ctx, question{route: listSubmissions, query: e.page(timelayout.Format(layout, since), []string{"since"})})
		if !a.ok() || a.status != http.StatusOK {
			e.meaning = a.saw()
			return
		}
		agree = meant(e.seen, submissionsOf(a), since, agree)
		e.since, e.meaning = agree, a.asked
		if len(agree) < 2 {
			return
		}
	}
	if len(e.since) != 1 {
		e.meaning = "the listed submissions have no times that would tell"
	}
}
