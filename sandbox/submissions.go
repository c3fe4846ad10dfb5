package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/timelayout"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func listSubmissions(c *call) reply {
	var p problems
	size := c.number(&p, c.settings.dialect.PageSizeParam, defaultPage, 1, maxPage)
	var from *world.Position
	if name := c.settings.dialect.CursorParam; c.query.Has(name) {
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
	if most := c.settings.pageCap; most > 0 {
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

// appendSubmission appends a submission as the call's reply shows it.
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
		BySince: c.query.Has("since"), On: world.Milestone(c.settings.sinceOn),
		Newest: world.Milestone(c.settings.newest),
	}
	if lag := c.settings.listingLag; lag > 0 {
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
		if f.Since = world.MomentOf(since); f.Since.Time().Before(since) {
			f.Since++ // records have whole milliseconds: the next one is the first not before
		}
	}
	return f
}

// parseSince takes the dialect's layout, and any RFC 3339 time while that is
// the default: users of other languages will not write the default's.
func (c *call) parseSince(text string) (time.Time, bool) {
	at, err := timelayout.Parse(c.settings.dialect.SinceLayout, text)
	if err != nil && c.settings.lenientSince {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}

var submissionShape = &shape{
	null: []string{"workspace_archive_url"},
	open: map[string]string{"status": " started submitted "},
	in:   map[string]*shape{"report": reportShape, "challenge": {}, "candidate": {}, "budget": {}},
}

type wireSubmission struct {
	ID                  string           `json:"id"`
	AssessmentID        string           `json:"assessment_id"`
	Challenge           wireChallengeRef `json:"challenge"`
	Candidate           wireCandidate    `json:"candidate"`
	Status              string           `json:"status"`
	StartedAt           world.Moment     `json:"started_at"`
	SubmittedAt         *world.Moment    `json:"submitted_at"`
	EvaluatedAt         *world.Moment    `json:"evaluated_at"`
	PausedTotalSeconds  int              `json:"paused_total_seconds"`
	Budget              wireBudget       `json:"budget"`
	CreatedAt           world.Moment     `json:"created_at"`
	WorkspaceArchiveURL *string          `json:"workspace_archive_url"`
	Report              json.RawMessage  `json:"report"`
}

type wireChallengeRef struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type wireCandidate struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

type wireBudget struct {
	DollarsUsed float64 `json:"dollars_used"`
	DollarsCap  float64 `json:"dollars_cap"`
}

// submissionOnWire leaves the report out.
func submissionOnWire(s world.Submission) wireSubmission {
	return wireSubmission{
		ID: s.ID, AssessmentID: s.AssessmentID, Challenge: wireChallengeRef(s.Challenge), Candidate: wireCandidate(s.Candidate),
		Status: s.Status, StartedAt: s.StartedAt, SubmittedAt: s.SubmittedAt, EvaluatedAt: s.EvaluatedAt,
		PausedTotalSeconds: s.PausedTotalSeconds, Budget: wireBudget(s.Budget), CreatedAt: s.CreatedAt,
	}
}

// parts are a submission's JSON but for two places: the link to its archive,
// which is a new one each time, and its rank, which others can change.
type parts struct {
	head          []byte // up to the link
	report, after []byte // before the rank and after it; after is nil when the test gave the rank
}

func submissionParts(a *world.Attempt) *parts {
	if made, ok := a.Shown.(*parts); ok {
		return made
	}
	head := bytes.TrimSuffix(render(submissionOnWire(a.Value)), []byte(`null,"report":null}`))
	report := render(reportOnWire(a.Report()))
	before, after, _ := bytes.Cut(report, []byte(`"pipeline_rank":null`))
	if extra := a.Extra(); len(extra) > 0 {
		before, after = overlaid(report, extra)
	}
	made := &parts{head, before, after}
	a.Shown = made
	return made
}
