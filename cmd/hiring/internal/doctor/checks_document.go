package doctor

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// documentChecks compare the documentation with the server's OpenAPI document and with the
// responses.
var documentChecks = []check{
	{"document", "the server has an OpenAPI document", checkDocument},
	{"routes", "the documented routes exist", checkRoutes},
	{"parameters", "assessment_id, status, since, since_seq and format", checkParameters},
	{"required input", "writes require no fields that the client does not send", checkRequiredInput},
	{"values", "the documented values of enums", checkValues},
	resourceCheck("account", hiring.Account{}, func(e *examination) []response { return []response{e.account} }, "GET /account"),
	resourceCheck("member", hiring.Member{}, func(e *examination) []response { return []response{e.members} }, "GET /members"),
	resourceCheck("challenge", hiring.Challenge{}, func(e *examination) []response {
		return []response{e.challenge, e.of("ListChallenges", e.challenges)}
	}, "GET /challenges/{id}"),
	resourceCheck("assessment", hiring.Assessment{}, func(e *examination) []response {
		return []response{e.of("GetAssessment", e.assessment), e.of("ListAssessments", e.assessments)}
	}, "GetAssessment"),
	resourceCheck("invitation", hiring.Invitation{}, func(e *examination) []response { return []response{e.invitations} }, listInvitations),
	resourceCheck("submission", hiring.Submission{}, func(e *examination) []response { return []response{e.one} }, "GET /submissions/{id}"),
	resourceCheck("report", hiring.Report{}, func(e *examination) []response { return []response{e.report} }, "GET /submissions/{id}/report"),
	resourceCheck("event", hiring.Event{}, func(e *examination) []response { return []response{e.log} }, listEvents),
}

func checkDocument(e *examination) Finding {
	switch wrongFields := e.wrongInDocument(); {
	case e.doc == nil && e.description.skipped != "":
		return notChecked(e.description.skipped)
	case e.doc == nil:
		return undecided("no document: " + e.description.summary())
	case len(e.doc.operations) == 0:
		return undecided("it has no operations")
	case len(wrongFields) > 0:
		return wrong("contradicted", "responses contradict it about "+strings.Join(wrongFields, ", "),
			"do not rely on it; report it to the API's support")
	}
	return ok("OpenAPI "+e.doc.root.text("openapi"), "no response contradicts it")
}

// fixedRoutes are the documented routes. No Dialect changes them.
var fixedRoutes = []string{
	"GET /account", "GET /members", "GET /challenges/{id}", makeAssessment, "DELETE /assessments/{id}",
	listInvitations, sendInvitation, listSubmissions, "GET /submissions/{id}", "GET /submissions/{id}/report", listEvents, "GET /openapi.json",
}

func checkRoutes(e *examination) Finding {
	if e.doc == nil || len(e.doc.operations) == 0 {
		return noDocument(e)
	}
	expected := slices.Clone(fixedRoutes)
	for field := range routePatterns {
		expected = append(expected, e.name(field), e.documented(field))
	}
	for i, route := range expected {
		expected[i] = withoutNames(route)
	}
	var missing, more []string
	for _, route := range fixedRoutes {
		if !e.doc.find(route).known() && !e.routeObserved(route) {
			missing = append(missing, route)
		}
	}
	for _, op := range e.doc.operations {
		if !slices.Contains(expected, withoutNames(op.route())) {
			more = append(more, op.route())
		}
	}
	return compared(difference{missing: missing, added: more}, "the document", "call the new ones with Do")
}

// routeObserved reports whether a response showed that a documented route exists.
func (e *examination) routeObserved(route string) bool {
	for _, resp := range []response{e.account, e.members, e.challenge, e.invitations, e.submissions, e.one, e.report, e.log,
		e.description, e.made, e.sent} {
		if label, _, _ := strings.Cut(resp.label, "?"); label == route {
			return resp.routeExists()
		}
	}
	return false
}

// noDocument is the finding of a check that needs the document.
func noDocument(e *examination) Finding {
	if e.description.skipped != "" {
		return notChecked(e.description.skipped)
	}
	return undecided("the server has no document")
}

// compared returns the finding of a comparison.
func compared(d difference, with, forMore string) Finding {
	d.sort()
	switch {
	case len(d.missing) > 0:
		return wrong("missing: "+list(d.missing), with, "report it to the API's support: v1 removes nothing")
	case len(d.mistyped) > 0:
		return wrong("of another type: "+list(d.mistyped), with, "update the client")
	case len(d.added) > 0:
		return added("new: "+list(d.added), with, forMore)
	}
	return ok("as documented", with)
}

func checkParameters(e *examination) Finding {
	if e.doc == nil || len(e.doc.operations) == 0 {
		return noDocument(e)
	}
	var d difference
	var dialect []string
	for _, field := range []string{"PageParam", "PageSizeParam", "CursorParam", "EventPageSizeParam"} {
		dialect = append(dialect, e.name(field), e.documented(field))
	}
	for route, documented := range map[string][]string{
		listSubmissions: {"assessment_id", "status", "since"}, listEvents: {"since_seq"}, "GET /submissions/{id}/report": {"format"},
		listInvitations: nil, e.name("ListChallenges"): nil, e.name("ListAssessments"): nil, "GET /members": nil, "GET /account": nil,
	} {
		if op := e.doc.find(route); op.known() {
			d.compare(route+"?", documented, dialect, op.query())
		}
	}
	return compared(d, "the document", "send the new ones with Do")
}

func checkRequiredInput(e *examination) Finding {
	sent := map[string][]string{
		makeAssessment: {"challenge_id", "name"},
		sendInvitation: {e.name("InvitationEmail"), e.name("InvitationName"), e.documented("InvitationEmail"), e.documented("InvitationName")},
	}
	var more []string
	known := false
	for route, names := range sent {
		op := e.doc.find(route)
		known = known || op.known()
		for _, name := range without(op.body.required(), names) {
			more = append(more, route+": "+name)
		}
	}
	slices.Sort(more)
	switch {
	case !known:
		return noDocument(e)
	case len(more) > 0:
		return wrong("more is required: "+list(more), "the document", "send it in Extra")
	}
	return ok("nothing more", "the document")
}

// resourceCheck compares the fields that the client reads of a resource with the
// document's schema and with the responses.
func resourceCheck(name string, resource any, came func(*examination) []response, route string) check {
	of := reflect.TypeOf(resource)
	return check{name, "the fields of hiring." + of.Name(), func(e *examination) Finding {
		s := e.operation(route).reply.resource()
		var replies difference
		with := ""
		if len(s.properties()) > 0 {
			with = "the document"
		}
		for _, resp := range came(e) {
			if !resp.ok() {
				continue
			}
			with = strings.TrimPrefix(with+" and "+resp.label, " and ")
			for _, item := range resources(resp) {
				replies.add(responseDifference(item, of, ""))
			}
		}
		if with == "" {
			return noResult(came(e)[0])
		}
		return compared(schemaDifference(s, of, "").confirmedBy(replies), with, "read the new ones in Extra")
	}}
}

// of returns a response if the route of the field was observed, or else an empty response.
func (e *examination) of(field string, resp response) response {
	if e.observed[field].value == "" {
		return response{}
	}
	return resp
}

// resources returns the items of a list, or the one resource of a response.
func resources(resp response) []json.RawMessage {
	if items := resp.items(); items != nil {
		return items
	}
	return []json.RawMessage{resp.data}
}
