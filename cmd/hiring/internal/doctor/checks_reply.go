package doctor

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// replyChecks are about what comes back.
var replyChecks = []check{
	{"list shape", "challenges, assessments and submissions are listed as arrays, newest first, in pages by number or cursor", checkListShape},
	{"inline report", "a listed submission holds its report", checkInlineReport},
	{"resource reply", "update, invite and resend answer with the whole resource", checkResourceReply},
	{"any reply", "delete and revoke succeed with any 2xx", checkAnyReply},
	{"not yet", "before its time a time or a report is null or absent", checkNotYet},
	{"prompt text", "the payload of an ai_prompt has text", checkPromptText},
	{"response members", "the payload of an ai_response has tokens or token_count, and model or model_name", checkResponseMembers},
	{"bare document", "the OpenAPI document comes without the envelope", checkBareDocument},
	{"enforced limits", "the plan's limit stops nothing while limits_enforced is false", checkEnforcedLimits},
}

func checkListShape(e *examination) judgement {
	for _, a := range []answer{e.challenges, e.assessments, e.submissions} {
		if !a.ok() {
			return unanswered(a)
		}
		if a.items() == nil {
			return wrong("no array", a.asked+": data is none", "read it with Do")
		}
		if a.more() && a.cursor() == "" && a.meta.Page == nil {
			return wrong("pages of another style", a.asked+": there is more, but neither next_cursor nor page", "read it with Do")
		}
		if !newestFirst(submissionsOf(a)) {
			return wrong("in another order", a.asked+": created_at does not descend", "expect FindByEmail to find an older submission")
		}
	}
	if e.mayBeTruncated() {
		return wrong("it may be truncated", e.submissions.asked+": a full page, and meta has neither has_more nor total nor next_cursor",
			"do not take a list for all there is: ask the service's support how further pages are requested")
	}
	return ok("as assumed", "all three were listed")
}

// mayBeTruncated reports whether the page of submissions has as many items as a page size
// that was sent, and does not say whether another page follows.
func (e *examination) mayBeTruncated() bool {
	a := e.submissions
	var said struct {
		Meta map[string]json.RawMessage `json:"meta"`
	}
	_ = json.Unmarshal(a.body, &said) // A response without meta says nothing.
	for _, name := range []string{"has_more", "total", "next_cursor"} {
		if _, ok := said.Meta[name]; ok {
			return false
		}
	}
	return slices.Contains(slices.Collect(maps.Values(e.sizes)), len(a.items()))
}

func checkInlineReport(e *examination) judgement {
	evaluated := 0
	for _, s := range e.seen {
		if s.Status != "evaluated" {
			continue
		}
		if evaluated++; s.Report == nil {
			return wrong("without its report", e.submissions.asked+": an evaluated one has none", "read each with Submissions.Report; the waiters do")
		}
	}
	if evaluated > 0 {
		return ok("with its report", e.submissions.asked)
	}
	if e.submissions.ok() {
		return undecided("nothing that is listed is evaluated")
	}
	return unanswered(e.submissions)
}

func checkResourceReply(e *examination) judgement {
	replies := []struct {
		field string
		a     answer
		of    reflect.Type
	}{
		{"UpdateAssessment", e.updated, reflect.TypeFor[hiring.Assessment]()},
		{"", e.sent, reflect.TypeFor[hiring.Invitation]()},
		{"ResendInvitation", e.resent, reflect.TypeFor[hiring.Invitation]()},
	}
	seen := 0
	for _, reply := range replies {
		if reply.a.ok() {
			if d := ofReply(reply.a.data, reply.of, ""); len(d.missing)+len(d.mistyped) > 0 {
				return wrong("not whole", reply.a.asked+": "+list(slices.Concat(d.missing, d.mistyped)), "read the resource again after such a write")
			}
			seen++
			continue
		}
		route := sendInvitation
		if reply.field != "" {
			route = e.name(reply.field)
		}
		if op, _ := e.doc.find(route); op.reply.known() && likeness(op.reply, reply.of) > 0.6 {
			seen++
		}
	}
	if seen == len(replies) {
		return ok("the whole resource", "by the replies, or by the document where nothing was written")
	}
	return undecided("not all were answered, and the document does not tell")
}

// list shows some names of many.
func list(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

func checkAnyReply(e *examination) judgement {
	if e.revoked.ok() {
		return ok("a 2xx", e.revoked.saw())
	}
	return undecided("nothing of the reply is used, so nothing can be wrong with it")
}

func checkNotYet(e *examination) judgement {
	var waiting []json.RawMessage
	for _, item := range e.submissions.items() {
		var s struct {
			Status    string  `json:"status"`
			Evaluated *string `json:"evaluated_at"`
		}
		if json.Unmarshal(item, &s) == nil && s.Status != "evaluated" && s.Evaluated == nil {
			waiting = append(waiting, item)
		}
	}
	if len(waiting) == 0 {
		return undecided("nothing that is listed is waiting to be evaluated")
	}
	for _, item := range waiting {
		if d := ofReply(item, reflect.TypeFor[hiring.Submission](), ""); len(d.mistyped) > 0 {
			return wrong("of another type", list(d.mistyped), "update the client")
		}
	}
	return ok("null or absent", e.submissions.asked)
}

// payloads are those of a kind of event in the log that was read.
func (e *examination) payloads(kind string) []map[string]json.RawMessage {
	var all []map[string]json.RawMessage
	for _, item := range e.log.items() {
		var event struct {
			Kind    string                     `json:"kind"`
			Payload map[string]json.RawMessage `json:"payload"`
		}
		if json.Unmarshal(item, &event) == nil && event.Kind == kind {
			all = append(all, event.Payload)
		}
	}
	return all
}

// checkPayload tells whether the payloads of a kind have one name of each set. They
// are captured as they come, so one that has not proves nothing.
func checkPayload(e *examination, kind string, sets ...[]string) judgement {
	payloads := e.payloads(kind)
	if len(payloads) == 0 {
		if !e.log.ok() {
			return unanswered(e.log)
		}
		return undecided("no " + kind + " is in the part of a log that was read")
	}
	var has []string
	for _, names := range sets {
		i := slices.IndexFunc(names, func(name string) bool {
			return slices.ContainsFunc(payloads, func(p map[string]json.RawMessage) bool { _, ok := p[name]; return ok })
		})
		if i < 0 {
			return wrong("no "+strings.Join(names, ", no "), "none of those read has it: they have "+list(membersIn(payloads)), "read Event.Payload")
		}
		has = append(has, names[i])
	}
	return ok(strings.Join(has, ", "), e.log.asked)
}

func membersIn(payloads []map[string]json.RawMessage) []string {
	var names []string
	for _, p := range payloads {
		for name := range p {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func checkPromptText(e *examination) judgement {
	return checkPayload(e, "ai_prompt", []string{"text"})
}

func checkResponseMembers(e *examination) judgement {
	return checkPayload(e, "ai_response", []string{"tokens", "token_count"}, []string{"model", "model_name"})
}

func checkBareDocument(e *examination) judgement {
	var top map[string]json.RawMessage
	switch {
	case !e.description.ok():
		return unanswered(e.description)
	case json.Unmarshal(e.description.body, &top) != nil || e.doc == nil:
		return wrong("no OpenAPI document", e.description.saw(), "nothing: only hiring doctor reads it")
	case top["openapi"] == nil:
		return wrong("in the envelope", e.description.saw(), "nothing: the client takes it out")
	}
	return ok("bare", e.description.saw())
}

func checkEnforcedLimits(e *examination) judgement {
	var account struct {
		Plan struct {
			Enforced *bool `json:"limits_enforced"`
		} `json:"plan"`
	}
	switch err := json.Unmarshal(e.account.data, &account); {
	case !e.account.ok():
		return unanswered(e.account)
	case err != nil || account.Plan.Enforced == nil:
		return wrong("not told", "GET /account has no plan.limits_enforced", "do not rely on Account.InvitationsLeft")
	case *account.Plan.Enforced:
		return undecided("they are enforced for this organization")
	}
	return undecided("only an invitation beyond the limit would tell")
}
