package sandbox

import (
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/urls"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func listSubmissions(c *call) response {
	var p problems
	size := c.number(&p, c.server.config.dialect.PageSizeParam, defaultPage, 1, maxPage)
	var from *world.Position
	if name := c.server.config.dialect.CursorParam; c.query.Has(name) {
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
	page, next := c.world.Submissions.Page(from, int(size), filter)
	meta := `,"has_more":false,"next_cursor":null`
	if next != nil {
		meta = `,"has_more":true,"next_cursor":"` + cursorOf(*next) + `"`
	}
	all := make([]submissionJSON, len(page))
	for i, a := range page {
		all[i] = c.submission(a)
	}
	return c.data(http.StatusOK, all, meta)
}

func getSubmission(c *call, found *world.Attempt) response {
	return c.data(http.StatusOK, c.submission(found))
}

// submissionJSON is a submission with its archive link, which is new in each response, and
// its report.
type submissionJSON struct {
	world.Submission

	WorkspaceArchiveURL *string `json:"workspace_archive_url"`
	Report              any     `json:"report"`
}

func (c *call) submission(a *world.Attempt) submissionJSON {
	return submissionJSON{a.Value, c.archiveLink(a), reportOf(a)}
}

// submissionFilter reads the filters of a listing of submissions.
func (c *call) submissionFilter(p *problems) world.Filter {
	f := world.Filter{SinceOn: string(c.server.settings.SinceOn)}
	if c.query.Has("assessment_id") {
		f.AssessmentID = new(canonicalID(c.query.Get("assessment_id")))
		if !uuid.MatchString(*f.AssessmentID) {
			p.add("assessment_id", "Expected a UUID.")
		}
	}
	if c.query.Has("status") {
		f.Status = new(c.query.Get("status"))
	}
	if c.query.Has("since") {
		since, ok := c.parseSince(c.query.Get("since"))
		if !ok {
			p.add("since", "Expected a timestamp.")
		}
		f.Since = new(world.MomentOf(since))
		if f.Since.Time().Before(since) {
			*f.Since++ // Records have milliseconds: round up.
		}
	}
	return f
}

// parseSince parses a time in the dialect's layout. With the default layout it accepts
// any RFC 3339 time, because clients in other languages may write another form.
func (c *call) parseSince(text string) (time.Time, bool) {
	at, err := urls.ParseTime(c.server.config.dialect.SinceLayout, text)
	if err != nil && c.server.config.dialect.SinceLayout == hiring.DefaultDialect().SinceLayout {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}
