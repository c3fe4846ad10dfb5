package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func createAssessment(c *call) reply {
	var p problems
	object := c.members(&p)
	if p.any() {
		return c.invalid(p)
	}
	var of *world.Record[world.Challenge]
	if id, ok := required(&p, object, "challenge_id"); ok {
		switch of = c.world.Challenges().Find(canonical(id)); {
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
	made := world.Assessment{Status: "active", CreatedAt: now, UpdatedAt: now}
	if of != nil {
		made.ChallengeID, made.TimeLimitMinutes = of.Value.ID, of.Value.TimeLimitMinutes
	}
	c.applySettings(&p, object, &made)
	if p.any() {
		return c.invalid(p)
	}
	made.ID = c.live.NewID()
	return c.data(http.StatusCreated, body(c.world.SaveAssessment(made), assessmentOnWire))
}

func updateAssessment(c *call) reply {
	found := c.world.Assessments().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	object := c.members(&p)
	if object != nil && len(object) == 0 {
		p.addForm("There is nothing to change.")
	}
	changed := found.Value
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
	return c.data(http.StatusOK, body(c.world.SaveAssessment(changed), assessmentOnWire))
}

// applySettings reads what can be set when an assessment is made and later.
func (c *call) applySettings(p *problems, object map[string]json.RawMessage, a *world.Assessment) {
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
	challenge := c.world.Challenges().Find(challengeID)
	if challenge == nil {
		return true
	}
	for _, id := range ids {
		if !slices.ContainsFunc(challenge.Value.Tasks, func(t world.Task) bool { return t.ID == id }) {
			return false
		}
	}
	return len(ids) > 0
}

func deleteAssessment(c *call) reply {
	found := c.world.Assessments().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	c.world.DeleteAssessment(found)
	return reply{status: http.StatusNoContent}
}

func sendInvitation(c *call) reply {
	a := c.world.Assessments().Find(c.params[0])
	if a == nil {
		return c.notFound()
	}
	var p problems
	object := c.members(&p)
	if p.any() {
		return c.invalid(p)
	}
	email, ok := required(&p, object, c.settings.dialect.InvitationEmail)
	if ok && !isAddress(email) {
		p.add(c.settings.dialect.InvitationEmail, "Expected an email address.")
	}
	name, _ := required(&p, object, c.settings.dialect.InvitationName)
	switch {
	case p.any():
		return c.invalid(p)
	case a.Value.Status == "closed":
		return c.fail(http.StatusConflict, hiring.ErrConflict, "The assessment is closed.")
	case !c.world.MayInvite(email):
		return c.fail(http.StatusPaymentRequired, hiring.ErrPlanLimitReached, "The plan's invitations for this period are used up.")
	}
	now := c.now()
	made := c.world.SaveInvitation(world.Invitation{
		ID: c.live.NewID(), AssessmentID: a.ID, CandidateEmail: email, CandidateName: name,
		Status: "sent", RecruiterDecision: "none", SentAt: &now, ExpiresAt: c.expiry(), CreatedAt: now,
	})
	return c.data(http.StatusCreated, body(made, invitationOnWire))
}

func resendInvitation(c *call) reply {
	found := c.invitation()
	if found == nil {
		return c.notFound()
	}
	if !c.world.MayChange(found) {
		return c.settled()
	}
	again, now := found.Value, c.now()
	again.SentAt, again.ExpiresAt = &now, c.expiry()
	return c.data(http.StatusOK, body(c.world.SaveInvitation(again), invitationOnWire))
}

func revokeInvitation(c *call) reply {
	found := c.invitation()
	if found == nil {
		return c.notFound()
	}
	if !c.world.MayChange(found) {
		return c.settled()
	}
	c.world.RevokeInvitation(found)
	return reply{status: http.StatusNoContent}
}

// settled refuses to change an invitation of which something has come already.
func (c *call) settled() reply {
	return c.fail(http.StatusConflict, hiring.ErrConflict, "The invitation was used or revoked.")
}

// invitation finds the invitation of a path, in the path's assessment only.
func (c *call) invitation() *world.Record[world.Invitation] {
	a := c.world.Posting(c.params[0])
	if a == nil {
		return nil
	}
	return c.world.Invitations(a.ID).Find(c.params[1])
}

// now is the time of the call as resources carry it.
func (c *call) now() world.Moment { return world.MomentOf(c.at) }

// expiry is until when an invitation can be used that is sent now.
func (c *call) expiry() world.Moment {
	return world.MomentOf(c.at.Add(world.InvitationLife))
}
