package doctor

import (
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

func pageSaid(m meta) *int { return m.Page }
func sizeSaid(m meta) *int { return m.PageSize }

// readSubmissions comes first, because much is found out with what is listed.
func (e *examination) readSubmissions(ctx context.Context) {
	query := url.Values{}
	for name, value := range numbers(unique(e.said("PageSizeParam"), e.assumed["PageSizeParam"]), 37) {
		query.Set(name, strconv.Itoa(value))
	}
	e.submissions = e.askKnown(ctx, question{route: listSubmissions, query: query})
	e.seen = submissionsOf(e.submissions)
	values := make(map[string]int, len(query))
	for name := range query {
		values[name], _ = strconv.Atoi(query.Get(name))
	}
	e.sizes = values
	if name, evidence := heeded(e.submissions, values, e.submissions.meta.PageSize, true); name != "" {
		e.probed["PageSizeParam"] = clue{name, e.submissions.asked + ": " + evidence}
	}
}

// guessed are routes to try when those that are said and assumed are not there.
var guessed = map[string][]string{
	"ListChallenges":  {"GET /library", "GET /library/challenges"},
	"ListAssessments": {"GET /job-postings", "GET /postings", "GET /jobs"},
}

// readLists finds the three routes that are assumed for reading.
func (e *examination) readLists(ctx context.Context) {
	e.challenges = e.readRoute(ctx, "ListChallenges", reflect.TypeFor[hiring.Challenge](), guessed["ListChallenges"])
	e.assessments = e.readRoute(ctx, "ListAssessments", reflect.TypeFor[hiring.Assessment](), guessed["ListAssessments"])
	id := e.assessmentID()
	if id == "" {
		e.why["GetAssessment"] = "no assessment is known to ask for"
		return
	}
	guesses := []string{e.name("ListAssessments") + "/{id}"}
	for _, list := range guessed["ListAssessments"] {
		guesses = append(guesses, list+"/{id}")
	}
	e.assessment = e.readRoute(ctx, "GetAssessment", reflect.TypeFor[hiring.Assessment](), guesses, id)
}

// readRoute asks routes until one answers with what the field is about.
func (e *examination) readRoute(ctx context.Context, field string, of reflect.Type, guesses []string, ids ...string) (a answer) {
	var tried []string
	var other answer
	for _, route := range unique(append([]string{e.said(field), e.assumed[field]}, guesses...)...) {
		a = e.ask(ctx, question{route: route, ids: ids})
		switch {
		case a.skipped != "":
			e.why[field] = a.skipped
			return other
		case a.ok() && holds(a, of, len(ids) == 0):
			e.probed[field] = clue{route, a.saw()}
			return a
		case !a.absent():
			e.why[field] = a.saw() + ", with something else than expected"
			other = a
		}
		tried = append(tried, a.saw())
	}
	if other.asked == "" {
		e.refuted[field] = strings.Join(tried, "; ")
		return a
	}
	return other
}

// holds tells whether a reply holds what a route is about. An empty list may hold
// anything.
func holds(a answer, of reflect.Type, list bool) bool {
	what := a.data
	if list {
		items := a.items()
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
	both, members := 0, membersOf(of)
	for _, m := range members {
		if _, ok := object[m.name]; ok {
			both++
		}
	}
	return both*3 >= len(members)*2
}

// assessmentID is one that has invitations, if any is known to.
func (e *examination) assessmentID() string {
	for _, s := range e.seen {
		if s.AssessmentID != "" {
			return s.AssessmentID
		}
	}
	return idOf(e.assessments.items(), "")
}

// idOf is the id of an item, of one with a status if there is such.
func idOf(items []json.RawMessage, status string) string {
	first := ""
	for _, item := range items {
		var it struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		}
		if json.Unmarshal(item, &it) != nil || it.ID == "" {
			continue
		}
		if status == "" || it.Status == status {
			return it.ID
		}
		if first == "" {
			first = it.ID
		}
	}
	return first
}

// pageOfInvitations is how many are listed: enough for one that can be resent.
const pageOfInvitations = 32

// readPages finds the names of the page and its size where the documentation
// promises that the reply says both.
func (e *examination) readPages(ctx context.Context) {
	sought := []seeking{{field: "PageParam", from: 2, says: pageSaid}, {field: "PageSizeParam", from: 2, most: 100, says: sizeSaid}}
	q := question{route: listInvitations, ids: []string{e.assessmentID()}}
	if q.ids[0] == "" {
		e.why["PageParam"] = "no assessment is known whose invitations could be listed"
		q.route, q.ids = e.name("ListChallenges"), nil
	}
	e.seek(ctx, q, sought...)
	query := url.Values{}
	if e.probed["PageSizeParam"].value != "" {
		query.Set(e.name("PageSizeParam"), strconv.Itoa(pageOfInvitations))
	}
	if q.ids != nil {
		e.invitations = e.ask(ctx, question{route: listInvitations, ids: q.ids, query: query})
	}
}
