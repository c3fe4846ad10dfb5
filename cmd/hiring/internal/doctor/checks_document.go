package doctor

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// documentChecks compare what is documented with the live document and with what
// came, resource by resource.
var documentChecks = []check{
	{"document", "the service describes itself in OpenAPI", checkDocument},
	{"routes", "the documented routes are there", checkRoutes},
	{"parameters", "assessment_id, status, since, since_seq and format", checkParameters},
	{"required input", "what a write must send is what the client sends", checkRequiredInput},
	{"values", "the documented values of enums", checkValues},
	shapeCheck[hiring.Account]("account", func(e *examination) []answer { return []answer{e.account} }, "GET /account"),
	shapeCheck[hiring.Member]("member", func(e *examination) []answer { return []answer{e.members} }, "GET /members"),
	shapeCheck[hiring.Challenge]("challenge", func(e *examination) []answer { return []answer{e.challenge, e.of("ListChallenges", e.challenges)} }, "GET /challenges/{id}"),
	shapeCheck[hiring.Assessment]("assessment", func(e *examination) []answer {
		return []answer{e.of("GetAssessment", e.assessment), e.of("ListAssessments", e.assessments)}
	}, ""),
	shapeCheck[hiring.Invitation]("invitation", func(e *examination) []answer { return []answer{e.invitations} }, listInvitations),
	shapeCheck[hiring.Submission]("submission", func(e *examination) []answer { return []answer{e.one} }, "GET /submissions/{id}"),
	shapeCheck[hiring.Report]("report", func(e *examination) []answer { return []answer{e.report} }, "GET /submissions/{id}/report"),
	shapeCheck[hiring.Event]("event", func(e *examination) []answer { return []answer{e.log} }, listEvents),
}

func checkDocument(e *examination) judgement {
	switch lied := e.liedAbout(); {
	case e.doc == nil && e.description.skipped != "":
		return untried(e.description.skipped)
	case e.doc == nil:
		return undecided("there is none: " + e.description.saw())
	case len(e.doc.operations) == 0:
		return undecided("it has no operations")
	case len(lied) > 0:
		return wrong("it is wrong", "what was seen differs in "+strings.Join(lied, ", "), "do not rely on it; tell the service's support")
	}
	return ok("OpenAPI "+e.doc.root.text("openapi"), "it was seen to be wrong about nothing")
}

// fixedRoutes are those that the documentation shows, and that no Dialect moves.
var fixedRoutes = []string{
	"GET /account", "GET /members", "GET /challenges/{id}", makeAssessment, "DELETE /assessments/{id}",
	listInvitations, sendInvitation, listSubmissions, "GET /submissions/{id}", "GET /submissions/{id}/report", listEvents, "GET /openapi.json",
}

func checkRoutes(e *examination) judgement {
	if e.doc == nil || len(e.doc.operations) == 0 {
		return unsaid(e)
	}
	expected := slices.Clone(fixedRoutes)
	for field := range routesWanted {
		expected = append(expected, e.name(field))
		if said := e.said(field); said != "" {
			expected = append(expected, said)
		}
	}
	var missing, more []string
	for _, route := range fixedRoutes {
		if _, has := e.doc.find(route); !has && !e.answered(route) {
			missing = append(missing, route)
		}
	}
	for _, op := range e.doc.operations {
		if !slices.ContainsFunc(expected, func(route string) bool {
			return placeholder.ReplaceAllString(route, "{}") == placeholder.ReplaceAllString(op.route(), "{}")
		}) {
			more = append(more, op.route())
		}
	}
	return compared(difference{missing: missing, more: more}, "the document", "call the new ones with Do")
}

// answered tells whether a documented route was seen to be there.
func (e *examination) answered(route string) bool {
	for _, a := range []answer{e.account, e.members, e.challenge, e.invitations, e.submissions, e.one, e.report, e.log, e.description, e.made, e.sent} {
		if asked, _, _ := strings.Cut(a.asked, "?"); asked == route {
			return a.exists()
		}
	}
	return false
}

// unsaid is the judgement where only the document would tell.
func unsaid(e *examination) judgement {
	if e.description.skipped != "" {
		return untried(e.description.skipped)
	}
	return undecided("there is no document that would tell")
}

// compared is the judgement of a comparison.
func compared(d difference, with, forMore string) judgement {
	d.sort()
	switch {
	case len(d.missing) > 0:
		return wrong("missing: "+list(d.missing), with, "tell the service's support: v1 never takes anything away")
	case len(d.mistyped) > 0:
		return wrong("of another type: "+list(d.mistyped), with, "update the client")
	case len(d.more) > 0:
		j := news("new: "+list(d.more), with)
		j.change = forMore
		return j
	}
	return ok("as documented", with)
}

func checkParameters(e *examination) judgement {
	if e.doc == nil || len(e.doc.operations) == 0 {
		return unsaid(e)
	}
	var d difference
	dialect := []string{}
	for _, field := range []string{"PageParam", "PageSizeParam", "CursorParam", "EventPageSizeParam"} {
		dialect = append(dialect, e.name(field), e.said(field))
	}
	for route, documented := range map[string][]string{
		listSubmissions: {"assessment_id", "status", "since"}, listEvents: {"since_seq"}, "GET /submissions/{id}/report": {"format"},
		listInvitations: nil, e.name("ListChallenges"): nil, e.name("ListAssessments"): nil, "GET /members": nil, "GET /account": nil,
	} {
		op, has := e.doc.find(route)
		if !has {
			continue
		}
		for _, name := range documented {
			if !slices.Contains(op.query(), name) {
				d.missing = append(d.missing, route+"?"+name)
			}
		}
		for _, name := range op.query() {
			if !slices.Contains(documented, name) && !slices.Contains(dialect, name) {
				d.more = append(d.more, route+"?"+name)
			}
		}
	}
	return compared(d, "the document", "send the new ones with Do")
}

func checkRequiredInput(e *examination) judgement {
	sent := map[string][]string{
		makeAssessment: {"challenge_id", "name"},
		sendInvitation: {e.name("InvitationEmail"), e.name("InvitationName"), e.said("InvitationEmail"), e.said("InvitationName")},
	}
	var more []string
	known := false
	for route, names := range sent {
		op, has := e.doc.find(route)
		known = known || has
		for _, name := range op.body.required() {
			if !slices.Contains(names, name) {
				more = append(more, route+": "+name)
			}
		}
	}
	slices.Sort(more)
	switch {
	case !known:
		return unsaid(e)
	case len(more) > 0:
		return wrong("more is required: "+list(more), "the document", "send it in Extra")
	}
	return ok("nothing more", "the document")
}

// shapeCheck compares a resource: what the client reads of it, with the document's
// schema and with what came.
func shapeCheck[T any](name string, came func(*examination) []answer, route string) check {
	of := reflect.TypeFor[T]()
	return check{name, "the members of hiring." + of.Name(), func(e *examination) judgement {
		at := route
		if at == "" {
			at = e.name("GetAssessment")
		}
		op, _ := e.doc.find(at)
		s := op.reply
		if slices.Contains(s.types(), "array") {
			s = s.items()
		}
		var replies difference
		with := ""
		if len(s.properties()) > 0 {
			with = "the document"
		}
		for _, a := range came(e) {
			if !a.ok() {
				continue
			}
			with = strings.TrimPrefix(with+" and "+a.asked, " and ")
			for _, item := range resources(a) {
				replies.add(ofReply(item, of, ""))
			}
		}
		if with == "" {
			return unanswered(came(e)[0])
		}
		return compared(ofSchema(s, of, "").seenIn(replies), with, "read the new ones in Extra")
	}}
}

// of is the answer of an assumed route, if that is what answered.
func (e *examination) of(field string, a answer) answer {
	if e.probed[field].value == "" {
		return answer{}
	}
	return a
}

// resources are what a reply holds: a list's items, or the one.
func resources(a answer) []json.RawMessage {
	if items := a.items(); items != nil {
		return items
	}
	return []json.RawMessage{a.data}
}
