package sandbox

import (
	"encoding/json"
	"net/http"
	"net/mail"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const invitationLife = 30 * 24 * time.Hour

func createAssessment(c *call) reply {
	var p problems
	object := c.members(&p)
	if p.any() {
		return c.invalid(p)
	}
	var of *challenge
	if id, ok := required(&p, object, "challenge_id"); ok {
		switch of = c.world.challenges().find(canonical(id)); {
		case !isUUID(id):
			p.add("challenge_id", "Expected a UUID.")
		case of == nil:
			p.add("challenge_id", "There is no such challenge.")
		}
	}
	if _, named := object["name"]; !named {
		p.add("name", "Required.")
	}
	now := c.now()
	made := wireAssessment{Status: "active", CreatedAt: now, UpdatedAt: now}
	if of != nil {
		made.ChallengeID, made.TimeLimitMinutes = of.wire.ID, of.wire.TimeLimitMinutes
	}
	c.applySettings(&p, object, &made)
	if p.any() {
		return c.invalid(p)
	}
	made.ID = c.s.newID()
	a := newRecord(made.ID, made.CreatedAt, made)
	c.world.saveAssessment(a)
	return c.data(http.StatusCreated, a.body())
}

func updateAssessment(c *call) reply {
	found := c.world.assessments().find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	object := c.members(&p)
	if object != nil && len(object) == 0 {
		p.addForm("There is nothing to change.")
	}
	changed := found.wire
	if status, ok := read[string](&p, object, "status", "Expected active or closed."); ok {
		if status != "active" && status != "closed" {
			p.add("status", "Expected active or closed.")
		}
		changed.Status = status
	}
	c.applySettings(&p, object, &changed)
	if p.any() {
		return c.invalid(p)
	}
	changed.UpdatedAt = c.now()
	a := newRecord(changed.ID, changed.CreatedAt, changed)
	c.world.saveAssessment(a)
	return c.data(http.StatusOK, a.body())
}

// applySettings reads what can be set when an assessment is made and later.
func (c *call) applySettings(p *problems, object map[string]json.RawMessage, a *wireAssessment) {
	if name, ok := read[string](p, object, "name", "Expected a string."); ok {
		if a.Name = name; name == "" {
			p.add("name", "Must have at least 1 character.")
		}
	}
	if minutes, ok := read[int](p, object, "time_limit_minutes", "Expected an integer."); ok {
		if a.TimeLimitMinutes = minutes; minutes < 1 {
			p.add("time_limit_minutes", "Must be at least 1.")
		}
	}
	if raw := object["budget_dollars_cap"]; string(raw) == "null" {
		a.BudgetDollarsCap = nil
	} else if dollars, ok := read[float64](p, object, "budget_dollars_cap", "Expected a number or null."); ok {
		if a.BudgetDollarsCap = &dollars; dollars < 0 {
			p.add("budget_dollars_cap", "Must not be negative.")
		}
	}
	if raw := object["selected_task_ids"]; string(raw) == "null" {
		a.SelectedTaskIDs = nil
	} else if ids, ok := read[[]string](p, object, "selected_task_ids", "Expected an array of task ids or null."); ok {
		for i := range ids {
			ids[i] = canonical(ids[i])
		}
		if a.SelectedTaskIDs = ids; !c.tasksExist(a.ChallengeID, ids) {
			p.add("selected_task_ids", "Expected at least one task, each of the assessment's challenge.")
		}
	}
}

// tasksExist has nothing to say about an unknown challenge, which is a problem
// of its own.
func (c *call) tasksExist(challengeID string, ids []string) bool {
	challenge := c.world.challenges().find(challengeID)
	if challenge == nil {
		return true
	}
	for _, id := range ids {
		if !slices.ContainsFunc(challenge.wire.Tasks, func(t wireTask) bool { return t.ID == id }) {
			return false
		}
	}
	return len(ids) > 0
}

func deleteAssessment(c *call) reply {
	found := c.world.assessments().find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	c.world.deleteAssessment(found)
	return reply{status: http.StatusNoContent}
}

func sendInvitation(c *call) reply {
	a := c.world.assessments().find(c.params[0])
	if a == nil {
		return c.notFound()
	}
	var p problems
	object := c.members(&p)
	if p.any() {
		return c.invalid(p)
	}
	email, ok := required(&p, object, c.s.dialect.InvitationEmail)
	if ok && !isAddress(email) {
		p.add(c.s.dialect.InvitationEmail, "Expected an email address.")
	}
	name, _ := required(&p, object, c.s.dialect.InvitationName)
	switch {
	case p.any():
		return c.invalid(p)
	case a.wire.Status == "closed":
		return c.fail(http.StatusConflict, hiring.ErrConflict, "The assessment is closed.")
	case !c.world.mayInvite(email):
		return c.fail(http.StatusPaymentRequired, hiring.ErrPlanLimitReached, "The plan's invitations for this period are used up.")
	}
	now := c.now()
	id := c.s.newID()
	made := newRecord(id, now, wireInvitation{
		ID: id, AssessmentID: a.id, CandidateEmail: email, CandidateName: name,
		Status: "sent", RecruiterDecision: "none", SentAt: &now, ExpiresAt: now.plus(invitationLife), CreatedAt: now,
	})
	c.world.saveInvitation(made)
	return c.data(http.StatusCreated, made.body())
}

func resendInvitation(c *call) reply {
	found := c.invitation()
	if found == nil {
		return c.notFound()
	}
	if !c.world.mayChange(found) {
		return c.settled()
	}
	again, now := found.wire, c.now()
	again.SentAt, again.ExpiresAt = &now, now.plus(invitationLife)
	sent := newRecord(again.ID, again.CreatedAt, again)
	c.world.saveInvitation(sent)
	return c.data(http.StatusOK, sent.body())
}

func revokeInvitation(c *call) reply {
	found := c.invitation()
	if found == nil {
		return c.notFound()
	}
	if !c.world.mayChange(found) {
		return c.settled()
	}
	c.world.revokeInvitation(found)
	return reply{status: http.StatusNoContent}
}

// settled refuses to change an invitation of which something has come already.
func (c *call) settled() reply {
	return c.fail(http.StatusConflict, hiring.ErrConflict, "The invitation was used or revoked.")
}

// invitation finds the invitation of a path, in the path's assessment only.
func (c *call) invitation() *invitation {
	a := c.world.posting(c.params[0])
	if a == nil {
		return nil
	}
	return c.world.invitations(a.id).find(c.params[1])
}

// now is the time of the call as resources carry it. Anything finer than they
// can show would come between a record and a filter by its own time.
func (c *call) now() stamp { return stamp{c.at.Truncate(time.Millisecond)} }

// required reads a member that must be there and must not be empty.
func required(p *problems, object map[string]json.RawMessage, name string) (string, bool) {
	if _, present := object[name]; !present {
		p.add(name, "Required.")
		return "", false
	}
	value, ok := read[string](p, object, name, "Expected a string.")
	if ok && value == "" {
		p.add(name, "Must have at least 1 character.")
	}
	return value, ok && value != ""
}

func isAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}
