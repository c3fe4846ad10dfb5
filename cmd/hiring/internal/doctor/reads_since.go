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

// futureTime is later than any time of a submission.
var futureTime = time.Date(2099, 11, 22, 13, 14, 15, 678e6, time.UTC)

// readSince finds the layout of since. With a time in the future, an API that understands
// the layout returns an empty list.
func (e *examination) readSince(ctx context.Context) {
	tries := slices.Concat(e.documentedLayouts(), []string{e.assumed["SinceLayout"]}, fallbackLayouts)
	for tried := 0; tried < len(tries) && tried < 10; tried++ {
		if slices.Contains(tries[:tried], tries[tried]) {
			continue
		}
		hint, ended := e.trySince(ctx, tries[tried], futureTime)
		if ended {
			return
		}
		if hint != "" {
			tries = slices.Insert(tries, tried+1, hint)
		}
	}
	if len(e.listed) > 0 && e.reason["SinceLayout"] == "" { // The API may reject times in the future.
		e.trySince(ctx, e.assumed["SinceLayout"], latestTime(e.listed).Add(time.Second))
	}
}

// trySince sends since in a layout and reports whether the search ends. A rejection may
// hint at another layout.
func (e *examination) trySince(ctx context.Context, layout string, since time.Time) (hint string, ended bool) {
	const field = "SinceLayout"
	a := e.do(ctx, request{route: listSubmissions, query: e.page(timelayout.Format(layout, since), []string{"since"})})
	switch {
	case a.skipped != "":
		e.reason[field] = a.skipped
		return "", true
	case a.complaintAbout("since", true) == aboutValue:
		e.disproved[field] = a.label + ": rejected"
		return layoutInText(strings.Join(append(a.apiError.fields["since"], a.apiError.message), " ")), false
	case !a.ok():
		e.reason[field] = a.indecisive()
		return "", true
	case len(knownIDs(e.listed, submissionsOf(a))) > 0:
		e.disproved[field] = a.label + ": ignored"
		return "", false
	case len(e.listed) == 0:
		e.reason[field] = a.label + ": accepted, but there are no submissions to filter"
		return "", true
	}
	e.observed[field] = observation{layout, a.label + ": returned an empty list"}
	return "", true
}

// documentedLayouts returns the layouts that fit the document's example of since, at most
// two. 01/03/2026 fits two layouts.
func (e *examination) documentedLayouts() []string {
	since := e.doc.find(listSubmissions).parameter("since")
	if documented := e.documented("SinceLayout"); documented == "" || documented == e.assumed["SinceLayout"] {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(layouts), func(layout string) bool { return !matchesLayout(layout, since.example) })
	return all[:min(2, len(all))]
}

// readMeaning finds the time that since filters by. It sends a time between the times of
// the listed submissions.
func (e *examination) readMeaning(ctx context.Context) {
	layout := e.observed["SinceLayout"].value
	if layout == "" {
		e.sinceEvidence = "the layout of since is not known"
		return
	}
	agree := slices.Sorted(maps.Keys(meanings))
	for range 2 {
		since, ok := discriminatingTime(e.listed, layout, agree)
		if !ok {
			break
		}
		a := e.do(ctx, request{route: listSubmissions, query: e.page(timelayout.Format(layout, since), []string{"since"})})
		if !a.ok() || a.status != http.StatusOK {
			e.sinceEvidence = a.summary()
			return
		}
		agree = consistentMeanings(e.listed, submissionsOf(a), since, agree)
		e.sinceMeanings, e.sinceEvidence = agree, a.label
		if len(agree) < 2 {
			return
		}
	}
	if len(e.sinceMeanings) != 1 {
		e.sinceEvidence = "the times of the listed submissions do not distinguish the meanings"
	}
}
