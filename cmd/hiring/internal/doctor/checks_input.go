package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// inputChecks are about what is sent.
var inputChecks = []check{
	{"status member", "PATCH takes a body with the member status", checkStatusMember},
	{"optional members", "time_limit_minutes, budget_dollars_cap and selected_task_ids of a new assessment", checkOptionalMembers},
	{"required name", "an invitation needs an address and a name", checkRequiredName},
	{"no body", "resend and revoke take none", checkNoBody},
	{"status filter", "status takes a status as resources write it", checkStatusFilter},
	{"page sizes", "every list but the members' takes a page size, up to 100", checkPageSizes},
}

func checkStatusMember(e *examination) judgement {
	var changed struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(e.updated.data, &changed)
	switch {
	case e.updated.ok() && changed.Status == "closed":
		return ok("status", e.updated.asked+": closed came back")
	case e.updated.ok() && changed.Status != "":
		return wrong("ignored", e.updated.asked+": the status stayed "+changed.Status, "find the member's name, and send it in AssessmentUpdate.Extra")
	case e.updated.objectsTo("status", true) == toName:
		return wrong("not known", e.updated.saw(), "find the member's name, and send it in AssessmentUpdate.Extra")
	}
	return e.saidMembers("UpdateAssessment", e.updated, "status")
}

// saidMembers is what the document says of members that a write sends.
func (e *examination) saidMembers(field string, a answer, names ...string) judgement {
	route := makeAssessment
	if field != "" {
		route = e.name(field)
	}
	op, _ := e.doc.find(route)
	members := op.body.properties()
	switch missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, has := members[name]; return has }); {
	case len(members) == 0:
		return unanswered(a)
	case len(missing) > 0 && len(e.liedAbout()) == 0:
		return wrong("not "+strings.Join(missing, ", "), "the document has "+strings.Join(op.body.names(), ", "), "send what the service takes in Extra")
	case len(missing) > 0:
		return undecided("the document has no " + strings.Join(missing, ", ") + ", but is wrong about other things")
	}
	return ok(strings.Join(names, ", "), "the document says so")
}

func checkOptionalMembers(e *examination) judgement {
	names := []string{"time_limit_minutes", "budget_dollars_cap", "selected_task_ids"}
	var made struct {
		Minutes int      `json:"time_limit_minutes"`
		Cap     *float64 `json:"budget_dollars_cap"` // Null, wherever that may be.
	}
	_ = json.Unmarshal(e.made.data, &made)
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return e.made.objectsTo(name, true) != toName })
	switch {
	case e.made.ok() && made.Minutes == 47 && (made.Cap == nil || *made.Cap == 3.5):
		return ok("taken", e.made.asked+": the values came back")
	case e.made.ok() && made.Minutes != 0:
		return wrong("ignored", e.made.asked+": other values came back", "find the names, and send them in NewAssessment.Extra")
	case len(unknown) > 0:
		return wrong("not "+strings.Join(unknown, ", "), e.made.saw(), "find the names, and send them in NewAssessment.Extra")
	}
	return e.saidMembers("", e.made, names...)
}

func checkRequiredName(e *examination) judgement {
	name := e.name("InvitationName")
	send, _ := e.doc.find(sendInvitation)
	switch {
	case e.unnamed.objectsTo(name, false) == toAbsence:
		return ok("required", e.unnamed.saw()+" without "+name)
	case e.unnamed.ok():
		return wrong("not required", e.unnamed.asked+" succeeds without "+name, "send an invitation without a name with Do")
	case slices.Contains(send.body.required(), name):
		return ok("required", "the document says so")
	case send.body.known() && len(e.liedAbout()) == 0 && len(send.body.properties()) > 0:
		return wrong("not required", "the document does not require "+name, "send an invitation without a name with Do")
	}
	return unanswered(e.unnamed)
}

func checkNoBody(e *examination) judgement {
	for _, a := range []answer{e.resent, e.revoked} {
		if len(a.missed()) > 0 {
			return wrong("a body", a.saw()+": it misses "+strings.Join(a.missed(), ", "), "send it with Do")
		}
	}
	if e.resent.exists() && e.revoked.exists() {
		return ok("none", "both were answered without a body")
	}
	resend, known := e.doc.find(e.name("ResendInvitation"))
	revoke, also := e.doc.find(e.name("RevokeInvitation"))
	if wants := slices.Concat(resend.body.required(), revoke.body.required()); len(wants) > 0 {
		return wrong("a body", "the document requires "+strings.Join(wants, ", "), "send it with Do")
	}
	if known && also {
		return ok("none", "the document requires none")
	}
	return unanswered(e.resent)
}

func checkStatusFilter(e *examination) judgement {
	a := e.filtered
	if !a.ok() {
		if a.objectsTo("status", true) == toValue {
			return wrong("refused", a.saw(), "look in the document for the filter's values")
		}
		return unanswered(a)
	}
	evaluated := func(s submission) bool { return s.Status == "evaluated" }
	all := submissionsOf(a)
	switch others := slices.IndexFunc(all, func(s submission) bool { return !evaluated(s) }); {
	case others >= 0:
		return wrong("ignored", a.asked+": others are listed too", "look at Submission.Status of what is listed")
	case len(all) == 0:
		return undecided(a.asked + ": nothing is evaluated")
	case slices.IndexFunc(e.seen, func(s submission) bool { return !evaluated(s) }) < 0:
		return undecided("all that is listed is evaluated, with the filter or without")
	}
	return ok("evaluated", a.asked+": only such are listed")
}

func checkPageSizes(e *examination) judgement {
	size := e.probed["PageSizeParam"].value
	if size == "" {
		return undecided("its name is not known")
	}
	if list, known := e.doc.find(e.name("ListChallenges")); known && len(e.liedAbout()) == 0 && !slices.Contains(list.query(), size) {
		return wrong("not the challenges'", "the document has no "+size+" there", "leave PageSize out there, or live with a warning")
	}
	var heed []string
	for _, a := range []answer{e.next, e.filtered} {
		switch n := len(a.items()); {
		case !a.ok() || !a.more():
		case strconv.Itoa(n) != pageOfSubmissions:
			return wrong("not the submissions'", fmt.Sprintf("%s: %d are listed, and there are more", a.asked, n), "expect more requests: results are right")
		default:
			heed = []string{"submissions"}
		}
	}
	switch a := e.invitations; {
	case a.objectsTo(size, true) == toValue:
		return wrong("less than assumed", a.saw(), "ask for smaller pages with PageSize")
	case a.ok() && a.meta.PageSize != nil && *a.meta.PageSize == pageOfInvitations:
		heed = append(heed, "invitations")
	}
	if len(heed) == 0 {
		return undecided("there is too little in the lists to tell")
	}
	return ok(size, "the "+strings.Join(heed, " and the ")+" heed it")
}
