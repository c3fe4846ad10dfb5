package doctor

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// check is one assumed name: a field of Dialect.
type check struct {
	field string
	probe func(context.Context, *examination, *hiring.Client, hiring.Dialect) Finding // Nil: only a write shows it.
	// Names of other APIs, to try when the server's OpenAPI document does not help.
	usual []string
}

// checks returns all checks. Later ones use names and ids that earlier ones find.
func checks() []check {
	sizes := []string{"limit", "per_page", "pageSize", "size"}
	return []check{
		{"PageSizeParam", submissionPages, sizes},
		{"SinceLayout", sinceLayout, []string{
			"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly, "20060102T150405.000Z", "unix", "unixmilli",
		}},
		{"ListChallenges", listChallenges, []string{"GET /library", "GET /library/challenges"}},
		{"ListAssessments", listAssessments, []string{"GET /job-postings", "GET /postings", "GET /jobs"}},
		{"GetAssessment", getAssessment, []string{"GET /job-postings/{id}", "GET /postings/{id}", "GET /jobs/{id}"}},
		{"PageParam", secondNumber, []string{"p", "page_number", "pageNumber", "page_no"}},
		{"CursorParam", secondCursor, []string{"after", "page_token", "next_cursor", "starting_after"}},
		{"EventPageSizeParam", eventPages, sizes},
		{"UpdateAssessment", nil, nil}, {"ResendInvitation", nil, nil}, {"RevokeInvitation", nil, nil},
		{"InvitationEmail", nil, nil}, {"InvitationName", nil, nil},
	}
}

// later is the finding of a reply that decides nothing about a name. What the client cannot
// read is wrong, whatever its name is.
func (r reply) later() Finding {
	if r.StatusCode/100 == 2 && !r.late {
		return wrong(r.summary(), "commands that read it fail: update the client, or report it to the API's support")
	}
	return notChecked(r.summary())
}

// pageSize finds the name of a page size by its documented maximum, which also an empty
// list checks: the maximum is accepted, and one more is a 400.
func pageSize(ctx context.Context, e *examination, c *hiring.Client, path, name string, most int) Finding {
	ask := func(size int) reply {
		return e.read(ctx, func(ctx context.Context) error {
			_, err := c.Do(ctx, http.MethodGet, path, url.Values{name: {strconv.Itoa(size)}}, nil, nil)
			return err
		})
	}
	usual := ask(most)
	if usual.invalid() {
		return wrong(usual.summary()+", with a page size of "+strconv.Itoa(most), "")
	}
	if usual.err != nil {
		return usual.later()
	}
	switch more := ask(most + 1); {
	case more.invalid():
		return holds(name, more.label+": a page size of "+strconv.Itoa(most+1)+" is rejected")
	case more.err != nil:
		return more.later()
	default:
		return wrong(more.label+": the page size is ignored", "")
	}
}

func submissionPages(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	page, r := read(ctx, e, c.Submissions.List(hiring.SubmissionFilter{}).Page)
	if r.err != nil && !r.invalid() {
		return r.later()
	}
	if len(page.Items) > 0 {
		e.submissions, e.assessment = page.Items, page.Items[0].AssessmentID
	}
	return pageSize(ctx, e, c, "/submissions", d.PageSizeParam, 100)
}

func eventPages(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	if len(e.submissions) == 0 {
		return notChecked("there is no submission yet")
	}
	return pageSize(ctx, e, c, "/submissions/"+url.PathEscape(e.submissions[0].ID)+"/events", d.EventPageSizeParam, 500)
}

func read[T any](ctx context.Context, e *examination, call func(context.Context) (T, error)) (result T, r reply) {
	r = e.read(ctx, func(ctx context.Context) (err error) {
		result, err = call(ctx)
		return err
	})
	return result, r
}

// sinceLayout filters by an hour ago. A layout that the API does not understand is a 400, or
// older submissions are listed too.
func sinceLayout(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	since := time.Now().Add(-time.Hour)
	page, r := read(ctx, e, c.Submissions.List(hiring.SubmissionFilter{Since: since}).Page)
	if r.invalid() {
		return wrong(r.summary(), "")
	}
	if r.err != nil {
		return r.later()
	}
	since = since.Add(-24 * time.Hour) // A layout without hours lists the whole day.
	old := func(at *time.Time) bool { return at == nil || at.Before(since) }
	for _, s := range page.Items {
		if old(&s.CreatedAt) && old(s.SubmittedAt) && old(s.EvaluatedAt) {
			return wrong(r.label+": since is ignored", "")
		}
	}
	if len(page.Items) >= len(e.submissions) {
		return notChecked("there is no older submission yet that since would leave out")
	}
	return holds(d.SinceLayout, r.label+": since leaves out older submissions")
}

// route is the finding about a route. A 404 or 405 says that it is wrong.
func (r reply) route(route string) Finding {
	switch {
	case r.absent():
		return wrong(r.summary(), "")
	case r.err != nil:
		return r.later()
	}
	return holds(route, r.summary())
}

func listChallenges(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	_, r := read(ctx, e, c.Challenges.List().Page)
	return r.route(d.ListChallenges)
}

func listAssessments(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	page, r := read(ctx, e, c.Assessments.List().Page)
	if len(page.Items) > 0 && e.assessment == "" {
		e.assessment = page.Items[0].ID
	}
	return r.route(d.ListAssessments)
}

func getAssessment(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	if e.assessment == "" {
		return notChecked("there is no assessment yet")
	}
	_, r := read(ctx, e, func(ctx context.Context) (hiring.Assessment, error) { return c.Assessments.Get(ctx, e.assessment) })
	return r.route(d.GetAssessment)
}

func secondCursor(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	return secondPage(ctx, e, c.Submissions.List(hiring.SubmissionFilter{}), "CursorParam", d.CursorParam)
}

func secondNumber(ctx context.Context, e *examination, c *hiring.Client, d hiring.Dialect) Finding {
	f := secondPage(ctx, e, c.Challenges.List(), "PageParam", d.PageParam)
	if f.Verdict == NotChecked && e.assessment != "" {
		return secondPage(ctx, e, c.Invitations.List(e.assessment), "PageParam", d.PageParam)
	}
	return f
}

// secondPage reads two pages of one item, if the list has them and uses the parameter.
func secondPage[T any](ctx context.Context, e *examination, list hiring.Pager[T], field, name string) Finding {
	pages := 0
	r := e.read(ctx, func(ctx context.Context) error {
		for page, err := range list.PageSize(1).Pages(ctx) {
			byNumber := page.Meta.Page > 0
			if pages++; err != nil || pages == 2 || byNumber != (field == "PageParam") {
				return err
			}
		}
		return nil
	})
	switch {
	case r.blames(field) && pages == 2:
		return wrong(r.summary(), "")
	case r.err == nil && pages == 2:
		return holds(name, r.label+": the second page has other items")
	}
	return notChecked("there is no list yet that has a second page")
}

// inDocument checks a name that only writes use by the server's OpenAPI document, because
// doctor sends no writes.
func (e *examination) inDocument(c check, d hiring.Dialect) Finding {
	const source = "the server's OpenAPI document"
	switch names := e.document.names(c.field, c.value(d)); {
	case len(names) == 0:
		return notChecked("only a write shows it, and " + source + " does not")
	case names[0] == c.value(d):
		return holds(names[0], source)
	}
	return wrong(source+" has another name", "")
}
