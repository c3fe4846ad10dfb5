package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// writeFields are the fields of Dialect that only writes need.
var writeFields = []string{"UpdateAssessment", "ResendInvitation", "RevokeInvitation", "InvitationEmail", "InvitationName"}

// writeAll sends the writes. It does nothing unless the key is a test key, whose changes
// are not stored, as documented.
func (e *examination) writeAll(ctx context.Context) {
	assessment, invitation := e.active(), idOf(e.invitations.items(), "sent")
	if reason := e.skipReason(ctx, http.MethodPost); reason != "" || assessment == "" {
		for _, field := range writeFields {
			e.reason[field] = cmp.Or(reason, "no assessment is known")
		}
		return
	}
	path := "/assessments/{id}"
	if _, listed, _ := strings.Cut(e.name("ListAssessments"), " "); e.observed["ListAssessments"].value != "" {
		path = listed + "/{id}"
	}
	one := path + "/invitations/{invitation_id}"
	e.updated = e.writeRoute(ctx, "UpdateAssessment", map[string]any{"status": "closed"},
		[]string{"PUT " + path, "PATCH " + path, "POST " + path}, assessment)
	e.invite(ctx, assessment)
	if invitation == "" {
		e.reason["ResendInvitation"], e.reason["RevokeInvitation"] = "no invitation is known", "no invitation is known"
		return
	}
	of := e.assessmentID()
	e.resent = e.writeRoute(ctx, "ResendInvitation", nil,
		[]string{"PUT " + one + "/resend", "POST " + one + "/resend", "POST " + one + "/remind", "POST " + one + "/send"}, of, invitation)
	e.revoked = e.writeRoute(ctx, "RevokeInvitation", nil,
		[]string{"PUT " + one + "/revoke", "DELETE " + one, "POST " + one + "/cancel"}, of, invitation)
}

// active returns an active assessment, or else any.
func (e *examination) active() string {
	if id := idOf(e.assessments.items(), "active"); id != "" {
		return id
	}
	return e.assessmentID()
}

// writeRoute tries routes until one exists. A key without the scope write also shows that
// a route exists, unless the API rejects unknown paths in the same way.
func (e *examination) writeRoute(ctx context.Context, field string, body any, guesses []string, ids ...string) (resp response) {
	var tried []string
	for _, route := range e.candidates(field, guesses...) {
		resp = e.do(ctx, request{route: route, ids: ids, body: body})
		switch {
		case resp.skipped != "":
			e.reason[field] = resp.skipped
			return resp
		case resp.routeExists():
			e.observed[field] = observation{route, resp.summary()}
			return resp
		case resp.status == http.StatusForbidden && e.distinguishesForbidden(ctx):
			e.observed[field] = observation{route, resp.summary() + ", unlike a path that does not exist"}
			return resp
		case !resp.absent():
			e.reason[field] = resp.indecisive()
			return resp
		}
		tried = append(tried, resp.summary())
	}
	e.disproved[field] = strings.Join(tried, "; ")
	return resp
}

// distinguishesForbidden sends, once, a write to a path that does not exist. It reports
// whether the response differs from that of a missing scope.
func (e *examination) distinguishesForbidden(ctx context.Context) bool {
	if e.forbidden.label == "" {
		e.forbidden = e.do(ctx, request{route: "POST /hiring-doctor-asks-for-nothing"})
	}
	return e.forbidden.absent()
}

// invite finds the names of an invitation's fields. No e-mail is sent: the key is a test
// key, and the addresses belong to no one.
func (e *examination) invite(ctx context.Context, assessment string) {
	const email, name = "InvitationEmail", "InvitationName"
	ids := []string{assessment}
	emails, names := e.namesByRound(email), e.namesByRound(name)
	body := e.invitation(emails[0], names[0], 0)
	for range 3 {
		e.sent = e.doWithKnownFields(ctx, request{route: sendInvitation, ids: ids, body: body}, body)
		e.evaluateInvitation(e.sent, body)
		if e.observed[email].value != "" && e.observed[name].value != "" {
			break
		}
		if missingFields := e.sent.missingFields(); len(missingFields) > 0 {
			maps.Copy(body, e.invitation(missingFields, missingFields, 40))
		} else {
			body = e.invitation(emails[1], names[1], 0)
		}
	}
	if e.sent.ok() && e.observed[email].value != "" {
		e.unnamed = e.do(ctx, request{route: sendInvitation, ids: ids, body: map[string]any{e.observed[email].value: address(99)}})
	}
	e.create(ctx)
}

func address(n int) string { return fmt.Sprintf("hiring-doctor-%d@example.com", n) }
func person(n int) string  { return fmt.Sprintf("Hiring Doctor %d", n) }

// invitation returns a body in which each name has its own value, so that the response
// shows which names were used. Names that are already known are included. A name that may
// mean either field gets an address only if it contains "mail". The values are numbered
// from a number on.
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
		if known := e.observed[field].value; known != "" {
			body[known] = value
		}
	}
	return body
}

// doWithKnownFields sends a request, and sends it again without the fields that a strict
// server rejects as unknown.
func (e *examination) doWithKnownFields(ctx context.Context, q request, body map[string]any) response {
	resp := e.do(ctx, q)
	unknown := unknownNames(resp, body)
	if len(unknown) == 0 || len(unknown) == len(body) {
		return resp
	}
	for _, name := range unknown {
		delete(body, name)
	}
	return e.do(ctx, q)
}

// evaluateInvitation finds the names by the values in the response, or else by the fields
// that the response requires.
func (e *examination) evaluateInvitation(resp response, body map[string]any) {
	var made struct {
		Email string `json:"candidate_email"`
		Name  string `json:"candidate_name"`
	}
	_ = json.Unmarshal(resp.data, &made)
	for field, value := range map[string]string{"InvitationEmail": made.Email, "InvitationName": made.Name} {
		if e.observed[field].value != "" {
			continue
		}
		for sentName, sent := range body {
			if resp.ok() && value != "" && sent == value {
				e.observed[field] = observation{sentName, resp.label + ": the response has the value of this field"}
			}
		}
		switch missingFields := resp.missingFields(); {
		case e.observed[field].value != "":
		case resp.ok():
			e.disproved[field] = resp.label + ": none of the names has an effect"
		case len(missingFields) > 0:
			e.reason[field] = resp.summary() + ": it requires " + list(missingFields)
		default:
			e.reason[field] = resp.indecisive()
		}
	}
}

// create sends a new assessment with all fields that are assumed to be optional.
func (e *examination) create(ctx context.Context) {
	challenge := idOf(e.challenges.items(), "")
	if challenge == "" {
		return
	}
	e.made = e.do(ctx, request{route: makeAssessment, body: map[string]any{
		"challenge_id": challenge, "name": "Hiring Doctor", "time_limit_minutes": 47, "budget_dollars_cap": 3.5, "selected_task_ids": nil,
	}})
}
