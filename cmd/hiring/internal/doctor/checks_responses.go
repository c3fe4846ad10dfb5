package doctor

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// responseChecks are about response bodies.
var responseChecks = []check{
	{"list shape", "challenges, assessments and submissions are arrays, newest first, in pages by number or cursor", checkListShape},
	{"inline report", "a listed submission contains its report", checkInlineReport},
	{"resource response", "update, invite and resend return the whole resource", checkWriteResponses},
	{"any response", "delete and revoke succeed with any 2xx", checkAnySuccess},
	{"not yet", "a time or a report that does not exist yet is null or absent", checkNotYet},
	{"prompt text", "the payload of an ai_prompt has text", checkPromptText},
	{"response members", "the payload of an ai_response has tokens or token_count, and model or model_name", checkResponseMembers},
	{"confidence values", "the confidence of a report is low, medium or high", checkConfidenceValues},
	{"bare document", "the OpenAPI document comes without the envelope", checkBareDocument},
	{"enforced limits", "the plan's limit is not enforced while limits_enforced is false", checkEnforcedLimits},
}

func checkListShape(e *examination) Finding {
	for _, resp := range []response{e.challenges, e.assessments, e.submissions} {
		if !resp.ok() {
			return noResult(resp)
		}
		if resp.items() == nil {
			return wrong("not an array", resp.label+": data is not an array", "read it with Do")
		}
		if resp.hasMore() && resp.cursor() == "" && resp.meta.Page == nil {
			return wrong("another kind of pages", resp.label+": another page follows, but meta has neither next_cursor nor page", "read it with Do")
		}
		if !newestFirst(submissionsOf(resp)) {
			return wrong("in another order", resp.label+": created_at does not descend", "expect FindByEmail to find an older submission")
		}
	}
	if e.mayBeTruncated() {
		return wrong("it may be truncated", e.submissions.label+": a full page, and meta has neither has_more nor total nor next_cursor",
			"do not rely on complete lists; ask the API's support how to request the next page")
	}
	return ok("as assumed", "all three lists")
}

// mayBeTruncated reports whether the page of submissions has as many items as a page size
// that was sent, and does not say whether another page follows.
func (e *examination) mayBeTruncated() bool {
	resp := e.submissions
	var documented struct {
		Meta map[string]json.RawMessage `json:"meta"`
	}
	_ = json.Unmarshal(resp.body, &documented) // A response without meta has none of the names.
	for _, name := range []string{"has_more", "total", "next_cursor"} {
		if _, ok := documented.Meta[name]; ok {
			return false
		}
	}
	return slices.Contains(slices.Collect(maps.Values(e.requestedSizes)), len(resp.items()))
}

func checkInlineReport(e *examination) Finding {
	switch {
	case slices.ContainsFunc(e.listed, func(s submission) bool { return s.evaluated() && s.Report == nil }):
		return wrong("without its report", e.submissions.label+": an evaluated submission has no report",
			"read each with Submissions.Report, as the waiting methods do")
	case slices.ContainsFunc(e.listed, submission.evaluated):
		return ok("with its report", e.submissions.label)
	case e.submissions.ok():
		return undecided("no listed submission is evaluated")
	}
	return noResult(e.submissions)
}

func checkWriteResponses(e *examination) Finding {
	replies := []struct {
		route string // Or its field of Dialect.
		resp  response
		of    reflect.Type
	}{
		{"UpdateAssessment", e.updated, reflect.TypeFor[hiring.Assessment]()},
		{sendInvitation, e.sent, reflect.TypeFor[hiring.Invitation]()},
		{"ResendInvitation", e.resent, reflect.TypeFor[hiring.Invitation]()},
	}
	seen := 0
	for _, reply := range replies {
		if reply.resp.ok() {
			if d := responseDifference(reply.resp.data, reply.of, ""); len(d.missing)+len(d.mistyped) > 0 {
				return wrong("incomplete", reply.resp.label+": "+list(slices.Concat(d.missing, d.mistyped)),
					"read the resource again after such a write")
			}
			seen++
			continue
		}
		if similarity(e.operation(reply.route).reply, reply.of) > similar {
			seen++
		}
	}
	if seen == len(replies) {
		return ok("the whole resource", "the responses, or the document where no write was sent")
	}
	return undecided("not all writes were sent, and the document does not say")
}

// list joins names and shortens a long list.
func list(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

func checkAnySuccess(e *examination) Finding {
	if e.revoked.ok() {
		return ok("a 2xx", e.revoked.summary())
	}
	return undecided("the client does not use the body of the response")
}

func checkNotYet(e *examination) Finding {
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
		return undecided("no listed submission is waiting for its evaluation")
	}
	for _, item := range waiting {
		if d := responseDifference(item, reflect.TypeFor[hiring.Submission](), ""); len(d.mistyped) > 0 {
			return wrong("of another type", list(d.mistyped), "update the client")
		}
	}
	return ok("null or absent", e.submissions.label)
}

// payloads returns the payloads of one kind of event in the log that was read.
func (e *examination) payloads(kind string) []map[string]json.RawMessage {
	var all []map[string]json.RawMessage
	type event struct {
		Kind    string                     `json:"kind"`
		Payload map[string]json.RawMessage `json:"payload"`
	}
	for _, event := range decoded[event](e.log.items()) {
		if event.Kind == kind {
			all = append(all, event.Payload)
		}
	}
	return all
}

// checkPayload checks that the payloads of a kind have one name of each set. A single
// payload without the name proves nothing, because payloads vary.
func checkPayload(e *examination, kind string, sets ...[]string) Finding {
	payloads := e.payloads(kind)
	if len(payloads) == 0 {
		if !e.log.ok() {
			return noResult(e.log)
		}
		return undecided("no " + kind + " event is in the part of a log that was read")
	}
	var has []string
	for _, names := range sets {
		i := slices.IndexFunc(names, func(name string) bool {
			return slices.ContainsFunc(payloads, func(p map[string]json.RawMessage) bool { _, ok := p[name]; return ok })
		})
		if i < 0 {
			return wrong("no "+strings.Join(names, ", no "), "the payloads that were read have "+list(membersIn(payloads)), "read Event.Payload")
		}
		has = append(has, names[i])
	}
	return ok(strings.Join(has, ", "), e.log.label)
}

func membersIn(payloads []map[string]json.RawMessage) []string {
	all := make(map[string]json.RawMessage)
	for _, p := range payloads {
		maps.Copy(all, p)
	}
	return slices.Sorted(maps.Keys(all))
}

func checkPromptText(e *examination) Finding {
	return checkPayload(e, "ai_prompt", []string{"text"})
}

func checkResponseMembers(e *examination) Finding {
	return checkPayload(e, "ai_response", []string{"tokens", "token_count"}, []string{"model", "model_name"})
}

func checkConfidenceValues(e *examination) Finding {
	type submission struct {
		Report struct {
			Confidence string `json:"confidence"`
		} `json:"report"`
	}
	var seen []string
	for _, s := range decoded[submission](e.submissions.items()) {
		seen = append(seen, s.Report.Confidence)
	}
	seen = unique(seen...)
	slices.Sort(seen)
	switch unknown := without(seen, []string{"low", "medium", "high"}); {
	case !e.submissions.ok():
		return noResult(e.submissions)
	case len(unknown) > 0:
		return added("new: "+list(unknown), e.submissions.label, "none: the client keeps unknown values")
	case len(seen) == 0:
		return undecided("no listed submission has a report with a confidence")
	}
	return ok(list(seen), e.submissions.label)
}

func checkBareDocument(e *examination) Finding {
	var top map[string]json.RawMessage
	switch {
	case !e.description.ok():
		return noResult(e.description)
	case json.Unmarshal(e.description.body, &top) != nil || e.doc == nil:
		return wrong("no OpenAPI document", e.description.summary(), "none: only hiring doctor reads it")
	case top["openapi"] == nil:
		return wrong("in the envelope", e.description.summary(), "none: the client accepts it")
	}
	return ok("bare", e.description.summary())
}

func checkEnforcedLimits(e *examination) Finding {
	var account struct {
		Plan struct {
			Enforced *bool `json:"limits_enforced"`
		} `json:"plan"`
	}
	switch err := json.Unmarshal(e.account.data, &account); {
	case !e.account.ok():
		return noResult(e.account)
	case err != nil || account.Plan.Enforced == nil:
		return wrong("missing", "GET /account has no plan.limits_enforced", "do not rely on Account.InvitationsLeft")
	case *account.Plan.Enforced:
		return undecided("limits are enforced for this organization")
	}
	return undecided("only an invitation above the limit would show it")
}
