package server

import (
	"bytes"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/timelayout"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func init() {
	addRoutes(func(hiring.Dialect) []route {
		return []route{
			newRoute("Submissions.List", "GET /submissions", submissionShape, listSubmissions),
			newRoute("Submissions.Get", "GET /submissions/{id}", submissionShape, getSubmission),
		}
	})
}

func listSubmissions(c *call) reply {
	var p problems
	size := c.number(&p, c.config.Dialect.PageSizeParam, defaultPage, 1, maxPage)
	var from *world.Position
	if name := c.config.Dialect.CursorParam; c.query.Has(name) {
		at, ok := parseCursor(c.query.Get(name))
		if !ok {
			p.add(name, "The cursor is not valid.")
		}
		from = &at
	}
	filter := c.submissionFilter(&p)
	if p.any() {
		return c.invalid(p)
	}
	if most := c.config.PageCap; most > 0 {
		size = min(size, int64(most))
	}
	page, next := c.world.Submissions().Page(from, int(size), filter)
	r := cursored(c, page, next)
	if from == nil && filter.Status == "evaluated" {
		c.world.PolledAll(filter.AssessmentID)
	}
	return r
}

func getSubmission(c *call) reply {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	r := c.data(http.StatusOK, c.appendSubmission(nil, found))
	c.world.Polled(found)
	return r
}

// appendSubmission appends a submission as the call's response shows it.
func (c *call) appendSubmission(b []byte, a *world.Attempt) []byte {
	b = append(b, submissionParts(a).head...)
	b = c.appendArchiveLink(b, a)
	b = append(b, `,"report":`...)
	return append(appendReport(b, a), '}')
}

// cursored answers with a page of submissions.
func cursored(c *call, page []*world.Attempt, next *world.Position) reply {
	meta := `,"has_more":false,"next_cursor":null`
	if next != nil {
		meta = `,"has_more":true,"next_cursor":"` + cursorOf(*next) + `"`
	}
	return c.list(len(page), len(page)*submissionSize, func(b []byte, i int) []byte {
		return c.appendSubmission(b, page[i])
	}, meta)
}

// submissionSize is what a submission usually takes: a guess that is right
// spares a page from being copied while it grows.
const submissionSize = 2 << 10

// submissionFilter reads what a listing of submissions asks for.
func (c *call) submissionFilter(p *problems) world.Filter {
	f := world.Filter{
		ByAssessment: c.query.Has("assessment_id"), AssessmentID: canonical(c.query.Get("assessment_id")),
		ByStatus: c.query.Has("status"), Status: c.query.Get("status"),
		BySince: c.query.Has("since"), On: c.config.SinceOn,
		Newest: c.config.NewestBy,
	}
	if lag := c.config.ListingLag; lag > 0 {
		f.Behind, f.Known = true, world.MomentOf(c.at.Add(-lag))
	}
	if f.ByAssessment && !isUUID(f.AssessmentID) {
		p.add("assessment_id", "Expected a UUID.")
	}
	if f.BySince {
		since, ok := c.parseSince(c.query.Get("since"))
		if !ok {
			p.add("since", "Expected a timestamp.")
		}
		f.Since = world.MomentOf(since)
		if f.Since.Time().Before(since) {
			f.Since++ // records have whole milliseconds: the next one is the first not before
		}
	}
	return f
}

// parseSince takes the dialect's layout, and any RFC 3339 time while that is
// the default: users of other languages will not write the default's.
func (c *call) parseSince(text string) (time.Time, bool) {
	at, err := timelayout.Parse(c.config.Dialect.SinceLayout, text)
	if err != nil && c.config.Dialect.SinceLayout == hiring.DefaultDialect().SinceLayout {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}

var submissionShape = &shape{
	null: []string{"workspace_archive_url"},
	open: map[string]string{"status": " started submitted "},
	in:   map[string]*shape{"report": reportShape, "challenge": {}, "candidate": {}, "budget": {}},
}

// parts are a submission's JSON except for two places: the link to its archive,
// which is a new one each time, and its rank, which others can change.
type parts struct {
	head          []byte // up to the link
	report, after []byte // before the rank and after it; after is nil when the test gave the rank
}

func submissionParts(a *world.Attempt) *parts {
	if made, ok := a.Shown.(*parts); ok {
		return made
	}
	head := append(bytes.TrimSuffix(render(a.Value), []byte(`}`)), `,"workspace_archive_url":`...)
	report := render(a.Report())
	before, after, _ := bytes.Cut(report, []byte(`"pipeline_rank":null`))
	if extra := a.Extra(); len(extra) > 0 {
		before, after = overlaid(report, extra)
	}
	made := &parts{head, before, after}
	a.Shown = made
	return made
}
