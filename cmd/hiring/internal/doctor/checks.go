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
	probe func(context.Context, *examination) Finding
}

// checks returns all checks. Later ones use ids that earlier ones find.
func checks() []check {
	return []check{
		{"PageSizeParam", submissionPages},
		{"SinceLayout", sinceLayout},
		{"ListChallenges", listChallenges},
		{"ListAssessments", listAssessments},
		{"GetAssessment", getAssessment},
		{"PageParam", secondNumber},
		{"CursorParam", secondCursor},
		{"EventPageSizeParam", eventPages},
		{"UpdateAssessment", inDocument(func(d hiring.Dialect) string { return d.UpdateAssessment })},
		{"ResendInvitation", inDocument(func(d hiring.Dialect) string { return d.ResendInvitation })},
		{"RevokeInvitation", inDocument(func(d hiring.Dialect) string { return d.RevokeInvitation })},
		{"InvitationEmail", inDocument(func(d hiring.Dialect) string { return d.InvitationEmail })},
		{"InvitationName", inDocument(func(d hiring.Dialect) string { return d.InvitationName })},
	}
}

// inDocument checks a name that only writes use by the server's OpenAPI document, because doctor
// sends no writes. The document may leave the name open, as the documentation does.
func inDocument(nameOf func(hiring.Dialect) string) func(context.Context, *examination) Finding {
	return func(_ context.Context, e *examination) Finding {
		name := nameOf(e.dialect)
		if e.documented[withoutNames(name)] {
			return holds(name, "the server's OpenAPI document")
		}
		return notChecked("only a write shows it, and the server's OpenAPI document does not have it: hiring api /openapi.json shows what it has")
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

// pageSize checks the name of a page size by its documented maximum, which also an empty
// list checks: the maximum is accepted, and one more is a 400.
func pageSize(ctx context.Context, e *examination, path, name string, most int) Finding {
	ask := func(size int) reply {
		return e.read(ctx, func(ctx context.Context) error {
			_, err := e.client.Do(ctx, http.MethodGet, path, url.Values{name: {strconv.Itoa(size)}}, nil, nil)
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

func submissionPages(ctx context.Context, e *examination) Finding {
	page, r := read(ctx, e, e.client.Submissions.List(hiring.SubmissionFilter{}).Page)
	if r.err != nil && !r.invalid() {
		return r.later()
	}
	if len(page.Items) > 0 {
		e.submissions, e.assessment = page.Items, page.Items[0].AssessmentID
	}
	return pageSize(ctx, e, "/submissions", e.dialect.PageSizeParam, 100)
}

func eventPages(ctx context.Context, e *examination) Finding {
	if len(e.submissions) == 0 {
		return notChecked("there is no submission yet")
	}
	return pageSize(ctx, e, "/submissions/"+url.PathEscape(e.submissions[0].ID)+"/events", e.dialect.EventPageSizeParam, 500)
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
func sinceLayout(ctx context.Context, e *examination) Finding {
	since := time.Now().Add(-time.Hour)
	page, r := read(ctx, e, e.client.Submissions.List(hiring.SubmissionFilter{Since: since}).Page)
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
	return holds(e.dialect.SinceLayout, r.label+": since leaves out older submissions")
}

// route is the finding about a route. A 404 or 405 says that it is wrong.
func (r reply) route(route string) Finding {
	switch {
	case r.err != nil && (r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusMethodNotAllowed): // No such route.
		return wrong(r.summary(), "")
	case r.err != nil:
		return r.later()
	}
	return holds(route, r.summary())
}

func listChallenges(ctx context.Context, e *examination) Finding {
	_, r := read(ctx, e, e.client.Challenges.List().Page)
	return r.route(e.dialect.ListChallenges)
}

func listAssessments(ctx context.Context, e *examination) Finding {
	page, r := read(ctx, e, e.client.Assessments.List().Page)
	if len(page.Items) > 0 && e.assessment == "" {
		e.assessment = page.Items[0].ID
	}
	return r.route(e.dialect.ListAssessments)
}

func getAssessment(ctx context.Context, e *examination) Finding {
	if e.assessment == "" {
		return notChecked("there is no assessment yet")
	}
	_, r := read(ctx, e, func(ctx context.Context) (hiring.Assessment, error) {
		return e.client.Assessments.Get(ctx, e.assessment)
	})
	return r.route(e.dialect.GetAssessment)
}

func secondCursor(ctx context.Context, e *examination) Finding {
	return secondPage(ctx, e, e.client.Submissions.List(hiring.SubmissionFilter{}), "CursorParam", e.dialect.CursorParam)
}

func secondNumber(ctx context.Context, e *examination) Finding {
	f := secondPage(ctx, e, e.client.Challenges.List(), "PageParam", e.dialect.PageParam)
	if f.Verdict == NotChecked && e.assessment != "" {
		return secondPage(ctx, e, e.client.Invitations.List(e.assessment), "PageParam", e.dialect.PageParam)
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
	case r.err != nil:
		return notChecked(r.summary())
	case pages == 2:
		return holds(name, r.label+": the second page has other items")
	}
	return notChecked("there is no list yet that has a second page")
}
