package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// readSubmissions comes first, because later requests need the listed submissions.
func (e *examination) readSubmissions(ctx context.Context) {
	values := distinctValues(e.candidates("PageSizeParam"), pageOfSubmissions)
	e.requestedSizes = values
	e.submissions = e.doWithKnownNames(ctx, request{route: listSubmissions, query: queryOf(values)})
	e.listed = submissionsOf(e.submissions)
	if name, evidence := effectiveName(e.submissions, values, e.submissions.meta.PageSize, true); name != "" {
		e.observed["PageSizeParam"] = observation{name, e.submissions.label + ": " + evidence}
	}
}

// fallbackRoutes are tried when the documented and the assumed routes do not exist.
var fallbackRoutes = map[string][]string{
	"ListChallenges":  {"GET /library", "GET /library/challenges"},
	"ListAssessments": {"GET /job-postings", "GET /postings", "GET /jobs"},
}

// readLists finds the three assumed routes that read resources.
func (e *examination) readLists(ctx context.Context) {
	e.challenges = e.readRoute(ctx, "ListChallenges", reflect.TypeFor[hiring.Challenge](), fallbackRoutes["ListChallenges"])
	e.assessments = e.readRoute(ctx, "ListAssessments", reflect.TypeFor[hiring.Assessment](), fallbackRoutes["ListAssessments"])
	id := e.assessmentID()
	if id == "" {
		e.reason["GetAssessment"] = "no assessment is known"
		return
	}
	alternatives := []string{e.name("ListAssessments") + "/{id}"}
	for _, list := range fallbackRoutes["ListAssessments"] {
		alternatives = append(alternatives, list+"/{id}")
	}
	e.assessment = e.readRoute(ctx, "GetAssessment", reflect.TypeFor[hiring.Assessment](), alternatives, id)
}

// readRoute tries routes until a response has the resource of the field.
func (e *examination) readRoute(ctx context.Context, field string, of reflect.Type, alternatives []string, ids ...string) (resp response) {
	var tried []string
	var other response
	for _, route := range e.candidates(field, alternatives...) {
		resp = e.do(ctx, request{route: route, ids: ids})
		switch {
		case resp.skipped != "":
			e.reason[field] = resp.skipped
			return other
		case resp.ok() && resembles(resp, of, len(ids) == 0):
			e.observed[field] = observation{route, resp.summary()}
			return resp
		case !resp.absent():
			e.reason[field] = resp.summary() + ", with an unexpected body"
			other = resp
		}
		tried = append(tried, resp.summary())
	}
	if other.label == "" {
		e.disproved[field] = strings.Join(tried, "; ")
		return resp
	}
	return other
}

// resembles reports whether a response has a resource of the expected type. An empty list
// fits any type.
func resembles(resp response, of reflect.Type, list bool) bool {
	what := resp.data
	if list {
		items := resp.items()
		if items == nil {
			return false
		}
		if len(items) == 0 {
			return true
		}
		what = items[0]
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(what, &object) != nil {
		return false
	}
	both, all := fieldsIn(object, of)
	return both*3 >= all*2
}

// assessmentID returns an assessment, one with submissions if possible.
func (e *examination) assessmentID() string {
	for _, s := range e.listed {
		if s.AssessmentID != "" {
			return s.AssessmentID
		}
	}
	return idOf(e.assessments.items(), "")
}

// idOf returns the id of an item with the status, or of the first item.
func idOf(items []json.RawMessage, status string) string {
	first := ""
	type resource struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	for _, item := range decoded[resource](items) {
		if item.ID != "" && (status == "" || item.Status == status) {
			return item.ID
		}
		first = cmp.Or(first, item.ID)
	}
	return first
}

// pageOfInvitations is a page size that most likely includes an invitation that can be
// resent.
const pageOfInvitations = 32

// readPages finds the names of the page and page size parameters. It reads a list whose
// meta states both, as documented.
func (e *examination) readPages(ctx context.Context) {
	id := e.assessmentID()
	q := request{route: listInvitations, ids: []string{id}}
	if id == "" {
		e.reason["PageParam"] = "no assessment with invitations is known"
		q = request{route: e.name("ListChallenges")}
	}
	e.findParameters(ctx, q, parameterSearch{field: "PageParam", from: 2}, parameterSearch{field: "PageSizeParam", from: 2, most: 100})
	if id != "" {
		q.query = e.pageOf(pageOfInvitations)
		e.invitations = e.do(ctx, q)
	}
}
