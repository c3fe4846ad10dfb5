package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// requestChecks are about what the client sends.
var requestChecks = []check{
	{"status member", "PATCH takes a body with the member status", checkStatusMember},
	{"optional members", "time_limit_minutes, budget_dollars_cap and selected_task_ids of a new assessment", checkOptionalMembers},
	{"required name", "an invitation requires an address and a name", checkRequiredName},
	{"no body", "resend and revoke take no body", checkNoBody},
	{"status filter", "the parameter status takes the values of the field status", checkStatusFilter},
	{"page sizes", "every list except the members takes a page size up to 100", checkPageSizes},
}

func checkStatusMember(e *examination) Finding {
	var changed struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(e.updated.data, &changed)
	switch {
	case e.updated.ok() && changed.Status == "closed":
		return ok("status", e.updated.label+": the response has closed")
	case e.updated.ok() && changed.Status != "":
		return wrong("ignored", e.updated.label+": the status stayed "+changed.Status,
			"find the name of the field, and send it in AssessmentUpdate.Extra")
	case e.updated.complaintAbout("status", true) == unknownName:
		return wrong("not known", e.updated.summary(), "find the name of the field, and send it in AssessmentUpdate.Extra")
	}
	return e.documentedFields("UpdateAssessment", e.updated, "status")
}

// documentedFields checks the fields that a write sends against the document.
func (e *examination) documentedFields(route string, resp response, names ...string) Finding {
	documented := e.operation(route).body.names()
	switch missing := without(names, documented); {
	case len(documented) == 0:
		return noResult(resp)
	case len(missing) > 0 && len(e.wrongInDocument()) == 0:
		return wrong("not "+strings.Join(missing, ", "), "the document has "+strings.Join(documented, ", "),
			"send the documented fields in Extra")
	case len(missing) > 0:
		return undecided("the document has no " + strings.Join(missing, ", ") + ", but responses contradict it elsewhere")
	}
	return ok(strings.Join(names, ", "), "the document says so")
}

func checkOptionalMembers(e *examination) Finding {
	names := []string{"time_limit_minutes", "budget_dollars_cap", "selected_task_ids"}
	var made struct {
		Minutes int      `json:"time_limit_minutes"`
		Cap     *float64 `json:"budget_dollars_cap"` // Null is accepted.
	}
	_ = json.Unmarshal(e.made.data, &made)
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return e.made.complaintAbout(name, true) != unknownName })
	switch {
	case e.made.ok() && made.Minutes == 47 && (made.Cap == nil || *made.Cap == 3.5):
		return ok("accepted", e.made.label+": the response has the values")
	case e.made.ok() && made.Minutes != 0:
		return wrong("ignored", e.made.label+": the response has other values", "find the names, and send them in NewAssessment.Extra")
	case len(unknown) > 0:
		return wrong("not "+strings.Join(unknown, ", "), e.made.summary(), "find the names, and send them in NewAssessment.Extra")
	}
	return e.documentedFields(makeAssessment, e.made, names...)
}

func checkRequiredName(e *examination) Finding {
	name := e.name("InvitationName")
	body := e.operation(sendInvitation).body
	switch {
	case e.unnamed.complaintAbout(name, false) == missingName:
		return ok("required", e.unnamed.summary()+" without "+name)
	case e.unnamed.ok():
		return wrong("not required", e.unnamed.label+" succeeds without "+name, "send an invitation without a name with Do")
	case slices.Contains(body.required(), name):
		return ok("required", "the document says so")
	case len(body.properties()) > 0 && len(e.wrongInDocument()) == 0:
		return wrong("not required", "the document does not require "+name, "send an invitation without a name with Do")
	}
	return noResult(e.unnamed)
}

func checkNoBody(e *examination) Finding {
	for _, resp := range []response{e.resent, e.revoked} {
		if len(resp.missingFields()) > 0 {
			return wrong("a body", resp.summary()+": it requires "+strings.Join(resp.missingFields(), ", "), "send it with Do")
		}
	}
	if e.resent.routeExists() && e.revoked.routeExists() {
		return ok("none", "both succeed without a body")
	}
	resend, revoke := e.operation("ResendInvitation"), e.operation("RevokeInvitation")
	if wants := slices.Concat(resend.body.required(), revoke.body.required()); len(wants) > 0 {
		return wrong("a body", "the document requires "+strings.Join(wants, ", "), "send it with Do")
	}
	if resend.known() && revoke.known() {
		return ok("none", "the document requires none")
	}
	return noResult(e.resent)
}

func checkStatusFilter(e *examination) Finding {
	resp := e.filtered
	if !resp.ok() {
		if resp.complaintAbout("status", true) == aboutValue {
			return wrong("rejected", resp.summary(), "check the document for the values of the filter")
		}
		return noResult(resp)
	}
	open := func(s submission) bool { return !s.evaluated() }
	all := submissionsOf(resp)
	switch {
	case slices.ContainsFunc(all, open):
		return wrong("ignored", resp.label+": other submissions are listed too", "check Submission.Status of each listed submission")
	case len(all) == 0:
		return undecided(resp.label + ": no submission is evaluated")
	case !slices.ContainsFunc(e.listed, open):
		return undecided("every listed submission is evaluated, also without the filter")
	}
	return ok("evaluated", resp.label+": only evaluated submissions are listed")
}

func checkPageSizes(e *examination) Finding {
	size := e.observed["PageSizeParam"].value
	if size == "" {
		return undecided("the parameter's name is not known")
	}
	if list := e.operation("ListChallenges"); list.known() && len(e.wrongInDocument()) == 0 && !slices.Contains(list.query(), size) {
		return wrong("not for challenges", "the document has no "+size+" there", "do not set PageSize for challenges, or ignore the warning")
	}
	var following []string
	for _, resp := range []response{e.next, e.filtered} {
		switch n := len(resp.items()); {
		case !resp.ok() || !resp.hasMore():
		case n != pageOfSubmissions:
			return wrong("not for submissions", fmt.Sprintf("%s: %d items, and another page follows", resp.label, n),
				"none: lists are complete and cost more requests")
		default:
			following = []string{"submissions"}
		}
	}
	switch resp := e.invitations; {
	case resp.complaintAbout(size, true) == aboutValue:
		return wrong("less than assumed", resp.summary(), "set a smaller PageSize")
	case resp.ok() && resp.meta.PageSize != nil && *resp.meta.PageSize == pageOfInvitations:
		following = append(following, "invitations")
	}
	if len(following) == 0 {
		return undecided("the lists are too short to show it")
	}
	return ok(size, "the "+strings.Join(following, " and the ")+" follow it")
}
