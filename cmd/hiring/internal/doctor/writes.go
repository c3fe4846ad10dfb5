package doctor

import (
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
		e.check("assessment", hiring.Assessment{}, update)
	}
	if len(challenges) > 0 {
		create = e.writeCall(ctx, func() (err error) {
			created, err = e.client.Assessments.Create(ctx, hiring.NewAssessment{
				ChallengeID: challenges[0].ID, Name: "Hiring Doctor", TimeLimitMinutes: 47, BudgetDollarsCap: 3.5,
			})
			return err
		})
		e.check("assessment", hiring.Assessment{}, create)
	}
	e.checkInput("status member", update, updated.Status == hiring.AssessmentClosed, e.value("UpdateAssessment"), "status")
	e.checkInput("optional members", create, created.TimeLimitMinutes == 47 && (created.BudgetDollarsCap == nil || *created.BudgetDollarsCap == 3.5),
		createAssessment, "time_limit_minutes", "budget_dollars_cap")
}

// checkInput sets the finding about members that a write sends: by the response, which has
// their values or not, or else by the document.
func (e *examination) checkInput(row string, r reply, hasValues bool, route string, names ...string) {
	const change = "find the names of the members, and send them in Extra"
	documented := slices.Sorted(maps.Keys(e.doc.find(route).body.properties()))
	switch missing := without(names, documented); {
	case r.ok() && hasValues:
		e.set(row, ok("accepted", r.label+": the response has the values"))
	case r.ok():
		e.set(row, wrong("ignored", r.label+": the response has other values", change))
	case r.code() == hiring.ErrInvalidInput:
		e.set(row, wrong("rejected", r.summary(), change))
	case len(documented) == 0:
		e.set(row, undecided(r.summary()+"; no document says it", "run it with a test key"))
	case len(missing) > 0:
		e.set(row, wrong("not "+strings.Join(missing, ", "), "the document has "+list(documented), change))
	default:
		e.set(row, ok(strings.Join(names, ", "), "the document says so"))
	}
}

// writeInvitations finds the names of an invitation's members and the routes of
// invitations. No e-mail is sent: the key is a test key, and the addresses belong to no
// one.
func (e *examination) writeInvitations(ctx context.Context, assessment string, invitations []hiring.Invitation) {
	if assessment != "" {
		e.check("invitation", hiring.Invitation{}, e.send(ctx, assessment))
	}
	if len(invitations) > 0 {
		fresh := slices.IndexFunc(invitations, func(i hiring.Invitation) bool { return i.Status == hiring.InvitationSent })
		id := invitations[max(0, fresh)].ID
		e.settleWrite(ctx, "ResendInvitation", assessment, id, func(c *hiring.Client) reply {
			r := e.writeCall(ctx, func() error {
				_, err := c.Invitations.Resend(ctx, assessment, id)
				return err
			})
			e.check("invitation", hiring.Invitation{}, r)
			return r
		})
		e.settleWrite(ctx, "RevokeInvitation", assessment, id, func(c *hiring.Client) reply {
			return e.writeCall(ctx, func() error { return c.Invitations.Revoke(ctx, assessment, id) })
		})
	}
	if e.doc != nil {
		e.checkRequiredInput()
	}
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
			e.use(field, value)
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

// checkRequiredInput compares the members that the document requires of writes with those
// that the client sends.
func (e *examination) checkRequiredInput() {
	const row = "required input"
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
