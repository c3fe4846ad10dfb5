package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// writeCall makes a call that writes. It does nothing unless the key is a test key, whose
// changes are not stored, as documented.
func (e *examination) writeCall(ctx context.Context, call func() error) reply {
	r := e.write(ctx, call)
	e.readOnly, e.wrote = e.readOnly || r.forbidden(), e.wrote || r.ok()
	return r
}

const extraAdvice = "find the name of the member, and send it in Extra"

// writeAssessments changes an assessment and creates another.
func (e *examination) writeAssessments(ctx context.Context, challenges []hiring.Challenge, assessments []hiring.Assessment) {
	var updated, created hiring.Assessment
	var update, create reply
	if len(assessments) > 0 {
		active := slices.IndexFunc(assessments, func(a hiring.Assessment) bool { return a.Status == hiring.AssessmentActive })
		path := e.path("GetAssessment")
		e.settleRoute("UpdateAssessment", nil, func(c *hiring.Client) reply {
			update = e.writeCall(ctx, func() (err error) {
				updated, err = c.Assessments.Update(ctx, assessments[max(0, active)].ID, hiring.AssessmentUpdate{Status: hiring.AssessmentClosed})
				return err
			})
			return update
		}, "PUT "+path, "PATCH "+path, "POST "+path)
	}
	if len(challenges) > 0 {
		limit := hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Hiring Doctor", TimeLimitMinutes: 47, BudgetDollarsCap: 3.5}
		create = e.writeCall(ctx, func() (err error) {
			created, err = e.client.Assessments.Create(ctx, limit)
			return err
		})
	}
	switch documented := e.doc.find(e.value("UpdateAssessment")).body; {
	case update.ok() && updated.Status != hiring.AssessmentClosed:
		e.set("status member", wrong("ignored", update.label+": the status stayed "+string(updated.Status), extraAdvice))
	case update.ok():
		e.set("status member", ok("status", update.label+": the response has closed"))
	default:
		e.documented("status member", update, documented, "status")
	}
	switch accepted := created.TimeLimitMinutes == 47 && (created.BudgetDollarsCap == nil || *created.BudgetDollarsCap == 3.5); {
	case create.ok() && !accepted:
		e.set("optional members", wrong("ignored", create.label+": the response has other values", extraAdvice))
	case create.ok():
		e.set("optional members", ok("accepted", create.label+": the response has the values"))
	default:
		e.documented("optional members", create, e.doc.find(createAssessment).body, "time_limit_minutes", "budget_dollars_cap")
	}
	e.whole(hiring.Assessment{}, e.value("UpdateAssessment"), update)
}

// documented sets the finding about members that a write sends by the document, when the
// write r does not show it.
func (e *examination) documented(row string, r reply, body schema, names ...string) {
	documented := slices.Sorted(maps.Keys(body.properties()))
	missing := without(names, documented)
	switch {
	case r.label != "" && !r.forbidden() && !r.absent():
		e.set(row, wrong("rejected", r.summary(), extraAdvice))
	case len(documented) == 0:
		e.set(row, undecided(r.summary()+"; no document says it", "run it with a test key"))
	case len(missing) > 0:
		e.set(row, wrong("not "+strings.Join(missing, ", "), "the document has "+list(documented), extraAdvice))
	default:
		e.set(row, ok(strings.Join(names, ", "), "the document says so"))
	}
}

// whole sets the finding about the resource in the response of a write, by the document
// when no write was sent.
func (e *examination) whole(of any, route string, r reply) {
	const row, change = "resource response", "read the resource again after such a write"
	properties := schema{e.doc, e.doc.find(route).data}.properties()
	switch {
	case r.ok() && lacks(r, of):
		e.set(row, wrong("incomplete", r.label, change))
	case r.ok():
		e.set(row, ok("the whole resource", "the responses"))
	case r.label != "" && r.StatusCode/100 == 2 && !r.timedOut():
		e.set(row, wrong("cannot be read", r.summary(), change))
	case len(properties) > 0 && properties["id"] == nil:
		e.set(row, wrong("incomplete", route+": the document has no id in the response", change))
	case len(properties) > 0:
		e.set(row, ok("the whole resource", "the document says so"))
	default:
		e.set(row, undecided(r.summary()+"; no document says it", "run it with a test key"))
	}
}

// writeInvitations finds the names of an invitation's members and the routes of
// invitations. No e-mail is sent: the key is a test key, and the addresses belong to no
// one.
func (e *examination) writeInvitations(ctx context.Context, assessment string, invitations []hiring.Invitation) {
	var sent reply
	if assessment != "" {
		sent = e.send(ctx, assessment)
	}
	e.whole(hiring.Invitation{}, sendInvitation, sent)
	e.checkRequiredName(ctx, assessment, sent)
	var resent, revoked reply
	if len(invitations) > 0 {
		fresh := slices.IndexFunc(invitations, func(i hiring.Invitation) bool { return i.Status == hiring.InvitationSent })
		id := invitations[max(0, fresh)].ID
		e.settleWrite(ctx, "ResendInvitation", assessment, id, func(c *hiring.Client) reply {
			resent = e.writeCall(ctx, func() error {
				_, err := c.Invitations.Resend(ctx, assessment, id)
				return err
			})
			return resent
		})
		e.settleWrite(ctx, "RevokeInvitation", assessment, id, func(c *hiring.Client) reply {
			revoked = e.writeCall(ctx, func() error { return c.Invitations.Revoke(ctx, assessment, id) })
			return revoked
		})
	}
	e.whole(hiring.Invitation{}, e.value("ResendInvitation"), resent)
	e.checkNoBody(resent, revoked)
	e.checkRequiredInput()
}

// settleWrite finds a route of an invitation. Without writes, a GET on its path shows that
// it exists when the 405 names its method, which changes nothing.
func (e *examination) settleWrite(ctx context.Context, name, assessment, invitation string, call func(*hiring.Client) reply) {
	e.settleRoute(name, nil, call)
	if e.mayWrite || len(e.fields[name].documented) > 0 {
		return
	}
	method, path, _ := strings.Cut(e.value(name), " ")
	path = strings.NewReplacer("{id}", url.PathEscape(assessment), "{invitation_id}", url.PathEscape(invitation)).Replace(path)
	r := e.read(ctx, func() error {
		_, err := e.client.Do(ctx, http.MethodGet, path, nil, nil, nil)
		return err
	})
	allowed := strings.FieldsFunc(r.Header.Get("Allow"), func(letter rune) bool { return letter == ',' || letter == ' ' })
	if r.StatusCode == http.StatusMethodNotAllowed && slices.Contains(allowed, method) {
		f := e.fields[name]
		f.observed, f.evidence = e.value(name), r.label+": rejected, with Allow: "+strings.Join(allowed, ", ")
	}
}

func address(n int) string { return fmt.Sprintf("hiring-doctor-%d@example.com", n) }
func person(n int) string  { return fmt.Sprintf("Hiring Doctor %d", n) }

// send sends an invitation and finds the names of its members by the values in the
// response. It returns what was sent last.
func (e *examination) send(ctx context.Context, assessment string) (sent reply) {
	var invitation hiring.Invitation
	var by *hiring.Client // Which sent it.
	settle := func(name string, values []string, has func() bool) {
		e.settle(name, values, func(c *hiring.Client) result {
			if by != c {
				sent, by = e.writeCall(ctx, func() (err error) {
					invitation, err = c.Invitations.Send(ctx, assessment, hiring.NewInvitation{Email: address(0), Name: person(0)})
					return err
				}), c
			}
			switch {
			case sent.ok() && has():
				return result{Holds, sent.label + ": the response has the value of this member"}
			case sent.ok():
				return result{Wrong, sent.label + ": the member has no effect"}
			case sent.blames(name):
				return result{Wrong, sent.summary()}
			}
			return result{Undecided, sent.summary()}
		})
	}
	const email, name = "InvitationEmail", "InvitationName"
	hasEmail := func() bool { return invitation.CandidateEmail == address(0) }
	hasName := func() bool { return invitation.CandidateName == person(0) }
	settle(email, e.known(email), hasEmail)
	settle(name, e.known(name), hasName)
	if e.disprovedAll(email) || e.disprovedAll(name) {
		found := e.searchMembers(ctx, assessment)
		for field, value := range found {
			f := e.fields[field]
			f.disproved = without(f.disproved, []string{value}) // A complaint about one name may blame both.
			if client, dialect := e.with(field, value); client != nil {
				e.client, e.dialect = client, dialect
			}
		}
		settle(email, []string{found[email]}, hasEmail)
		settle(name, []string{found[name]}, hasName)
	}
	return sent
}

// searchMembers sends one invitation with all usual names of its members, each with a
// value of its own, and returns the names whose values the response has.
func (e *examination) searchMembers(ctx context.Context, assessment string) map[string]string {
	emails, names := usualNames["InvitationEmail"], usualNames["InvitationName"]
	body := make(map[string]any)
	for i, name := range emails {
		body[name] = address(i)
	}
	for i, name := range names {
		body[name] = person(i)
	}
	var made hiring.Invitation
	r := e.writeCall(ctx, func() error {
		_, err := e.client.Do(ctx, http.MethodPost, "/assessments/"+url.PathEscape(assessment)+"/invitations", nil, body, &made)
		return err
	})
	found := make(map[string]string)
	for field, usual := range map[string][]string{"InvitationEmail": emails, "InvitationName": names} {
		if used := namesUsed(usual, r); !r.ok() && len(used) > 0 {
			found[field] = used[0]
		}
	}
	for name, value := range body {
		switch value {
		case made.CandidateEmail:
			found["InvitationEmail"] = name
		case made.CandidateName:
			found["InvitationName"] = name
		}
	}
	return found
}

func (e *examination) checkRequiredName(ctx context.Context, assessment string, sent reply) {
	const row, change = "required name", "send an invitation without a name with Do"
	email, name := e.value("InvitationEmail"), e.value("InvitationName")
	var r reply
	if sent.ok() {
		r = e.writeCall(ctx, func() error {
			_, err := e.client.Do(ctx, http.MethodPost, "/assessments/"+url.PathEscape(assessment)+"/invitations", nil, map[string]any{email: address(1)}, nil)
			return err
		})
	}
	body := e.doc.find(sendInvitation).body
	switch {
	case r.ok():
		e.set(row, wrong("not required", r.label+" succeeds without "+name, change))
	case r.rejects(name), slices.Contains(body.required(), name):
		e.set(row, ok("required", cmp.Or(r.label, "the document")+": "+name+" is required"))
	case len(body.properties()) > 0:
		e.set(row, wrong("not required", "the document does not require "+name, change))
	default:
		e.set(row, undecided(r.summary()+"; no document says it", "run it with a test key"))
	}
}

func (e *examination) checkNoBody(resent, revoked reply) {
	const row = "no body"
	resend, revoke := e.doc.find(e.value("ResendInvitation")), e.doc.find(e.value("RevokeInvitation"))
	switch {
	case resent.ok() && revoked.ok():
		e.set(row, ok("none", "both succeed without a body"))
	case resent.code() == hiring.ErrInvalidInput || revoked.code() == hiring.ErrInvalidInput:
		e.set(row, wrong("a body", resent.summary()+"; "+revoked.summary(), "send it with Do"))
	case resend.hasBody || revoke.hasBody:
		e.set(row, wrong("a body", "the document requires one", "send it with Do"))
	case resend.route != "" && revoke.route != "":
		e.set(row, ok("none", "the document requires none"))
	default:
		e.set(row, undecided(resent.summary()+"; no document says it", "run it with a test key"))
	}
}

// checkRequiredInput compares the members that the document requires of writes with those
// that the client sends.
func (e *examination) checkRequiredInput() {
	const row = "required input"
	if e.doc == nil {
		return
	}
	var more []string
	for route, sent := range map[string][]string{
		createAssessment: {"challenge_id", "name"},
		sendInvitation:   {e.value("InvitationEmail"), e.value("InvitationName")},
	} {
		for _, name := range without(e.doc.find(route).body.required(), sent) {
			more = append(more, route+": "+name)
		}
	}
	slices.Sort(more)
	if len(more) > 0 {
		e.set(row, wrong("more is required: "+list(more), "the document", "send it in Extra"))
		return
	}
	e.set(row, ok("nothing more", "the document"))
}
