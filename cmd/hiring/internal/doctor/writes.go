package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// writeAll asks what only writes tell. It does nothing unless the key is a test
// key, of which the documentation says that nothing persists.
func (e *examination) writeAll(ctx context.Context) {
	assessment, invitation := e.active(), idOf(e.invitations.items(), "sent")
	if why := e.refuses(ctx, http.MethodPost); why != "" || assessment == "" {
		for _, field := range []string{"UpdateAssessment", "ResendInvitation", "RevokeInvitation", "InvitationEmail", "InvitationName"} {
			e.why[field] = why
			if why == "" {
				e.why[field] = "no assessment is known to try it with"
			}
		}
		return
	}
	path := "/assessments/{id}"
	if _, listed, _ := strings.Cut(e.name("ListAssessments"), " "); e.probed["ListAssessments"].value != "" {
		path = listed + "/{id}"
	}
	one := path + "/invitations/{invitation_id}"
	e.updated = e.writeRoute(ctx, "UpdateAssessment", map[string]any{"status": "closed"},
		[]string{"PUT " + path, "PATCH " + path, "POST " + path}, assessment)
	e.invite(ctx, assessment)
	if invitation == "" {
		e.why["ResendInvitation"], e.why["RevokeInvitation"] = "no invitation is known to try it with", "no invitation is known to try it with"
		return
	}
	of := e.assessmentID()
	e.resent = e.writeRoute(ctx, "ResendInvitation", nil,
		[]string{"PUT " + one + "/resend", "POST " + one + "/resend", "POST " + one + "/remind", "POST " + one + "/send"}, of, invitation)
	e.revoked = e.writeRoute(ctx, "RevokeInvitation", nil,
		[]string{"PUT " + one + "/revoke", "DELETE " + one, "POST " + one + "/cancel"}, of, invitation)
}

// active is an assessment that takes new work.
func (e *examination) active() string {
	if id := idOf(e.assessments.items(), "active"); id != "" {
		return id
	}
	return e.assessmentID()
}

// writeRoute tries routes until one is there. A key that may not write shows that
// too, if the service does not refuse it for a path that is certainly not there.
func (e *examination) writeRoute(ctx context.Context, field string, body any, guesses []string, ids ...string) (a answer) {
	var tried []string
	for _, route := range unique(append([]string{e.said(field), e.assumed[field]}, guesses...)...) {
		a = e.ask(ctx, question{route: route, ids: ids, body: body})
		switch {
		case a.skipped != "":
			e.why[field] = a.skipped
			return a
		case a.exists():
			e.probed[field] = clue{route, a.saw()}
			return a
		case a.status == http.StatusForbidden && e.tellsApart(ctx):
			e.probed[field] = clue{route, a.saw() + ", unlike a path that is not there"}
			return a
		case !a.absent():
			e.why[field] = a.saw() + ", which does not tell"
			return a
		}
		tried = append(tried, a.saw())
	}
	e.refuted[field] = strings.Join(tried, "; ")
	return a
}

// tellsApart asks, once, whether a write to nowhere is refused as one without the
// scope is.
func (e *examination) tellsApart(ctx context.Context) bool {
	if e.forbidden.asked == "" {
		e.forbidden = e.ask(ctx, question{route: "POST /hiring-doctor-asks-for-nothing"})
	}
	return e.forbidden.absent()
}

// invite finds what an invitation's members are called. Nobody is invited: it is a
// test key's invitation, to an address that can belong to nobody.
func (e *examination) invite(ctx context.Context, assessment string) {
	const email, name = "InvitationEmail", "InvitationName"
	ids := []string{assessment}
	emails, names := rounds(email, e.said(email), e.assumed[email]), rounds(name, e.said(name), e.assumed[name])
	body := e.invitation(emails[0], names[0], 0)
	for range 3 {
		e.sent = e.writeKnown(ctx, question{route: sendInvitation, ids: ids, body: body}, body)
		e.judgeInvitation(e.sent, body)
		if e.probed[email].value != "" && e.probed[name].value != "" {
			break
		}
		if missed := e.sent.missed(); len(missed) > 0 {
			maps.Copy(body, e.invitation(missed, missed, 40))
		} else {
			body = e.invitation(emails[1], names[1], 0)
		}
	}
	if e.sent.ok() && e.probed[email].value != "" {
		e.unnamed = e.ask(ctx, question{route: sendInvitation, ids: ids, body: map[string]any{e.probed[email].value: address(99)}})
	}
	e.create(ctx)
}

func address(n int) string { return fmt.Sprintf("hiring-doctor-%d@example.com", n) }
func person(n int) string  { return fmt.Sprintf("Hiring Doctor %d", n) }

// invitation gives each name a value of its own, so that the reply tells which was
// taken; what is known already goes with it. A name that may stand for both is an
// address only when it says so. The values are numbered from a number on.
func (e *examination) invitation(emails, names []string, from int) map[string]any {
	body := make(map[string]any)
	for i, name := range names {
		body[name] = person(from + i)
	}
	for i, name := range emails {
		if !slices.Contains(names, name) || strings.Contains(strings.ToLower(name), "mail") {
			body[name] = address(from + i)
		}
	}
	for field, value := range map[string]string{"InvitationEmail": address(98), "InvitationName": person(98)} {
		if known := e.probed[field].value; known != "" {
			body[known] = value
		}
	}
	return body
}

// writeKnown asks once more without the members that a strict service does not know.
func (e *examination) writeKnown(ctx context.Context, q question, body map[string]any) answer {
	a := e.ask(ctx, q)
	unknown := unknownNames(a, body)
	if len(unknown) == 0 || len(unknown) == len(body) {
		return a
	}
	for _, name := range unknown {
		delete(body, name)
	}
	return e.ask(ctx, q)
}

// judgeInvitation tells the members by the values that came back, or by what is
// missed where everything else was accepted.
func (e *examination) judgeInvitation(a answer, body map[string]any) {
	var made struct {
		Email string `json:"candidate_email"`
		Name  string `json:"candidate_name"`
	}
	_ = json.Unmarshal(a.data, &made)
	for field, value := range map[string]string{"InvitationEmail": made.Email, "InvitationName": made.Name} {
		if e.probed[field].value != "" {
			continue
		}
		for member, sent := range body {
			if a.ok() && value != "" && sent == value {
				e.probed[field] = clue{member, a.asked + ": it came back as what was sent by this name"}
				delete(e.refuted, field)
			}
		}
		switch missed := a.missed(); {
		case e.probed[field].value != "":
		case a.ok():
			e.refuted[field] = a.asked + ": none of the names sent is heeded"
		case len(missed) > 0:
			e.why[field] = a.saw() + ": it misses " + list(missed)
		default:
			e.why[field] = a.saw() + ", which does not tell"
		}
	}
}

// create asks for an assessment with all members that are assumed to be optional.
func (e *examination) create(ctx context.Context) {
	challenge := idOf(e.challenges.items(), "")
	if challenge == "" {
		return
	}
	e.made = e.ask(ctx, question{route: makeAssessment, body: map[string]any{
		"challenge_id": challenge, "name": "Hiring Doctor", "time_limit_minutes": 47, "budget_dollars_cap": 3.5, "selected_task_ids": nil,
	}})
}
