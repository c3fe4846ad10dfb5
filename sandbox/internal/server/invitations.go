package server

import (
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func init() {
	addRoutes(func(d hiring.Dialect) []route {
		return []route{
			newRoute("Invitations.List", "GET /assessments/{id}/invitations", invitationShape, listInvitations),
			newRoute("Invitations.Send", "POST /assessments/{id}/invitations", invitationShape, sendInvitation),
			newRoute("Invitations.Resend", d.ResendInvitation, invitationShape, resendInvitation),
			newRoute("Invitations.Revoke", d.RevokeInvitation, nothing, revokeInvitation),
		}
	})
}

func listInvitations(c *call) reply {
	a := c.world.Posting(c.params[0])
	if a == nil {
		return c.notFound()
	}
	return numbered(c, c.world.Invitations(a.ID))
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
	email, ok := required(&p, object, c.config.Dialect.InvitationEmail)
	if ok && !isAddress(email) {
		p.add(c.config.Dialect.InvitationEmail, "Expected an email address.")
	}
	name, _ := required(&p, object, c.config.Dialect.InvitationName)
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
	return c.data(http.StatusCreated, body(made))
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
	return c.data(http.StatusOK, body(c.world.SaveInvitation(again)))
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

// settled refuses to change an invitation that was used already.
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

// expiry is until when an invitation can be used that is sent now.
func (c *call) expiry() world.Moment {
	return world.MomentOf(c.at.Add(world.InvitationLife))
}

var invitationShape = &shape{
	null: []string{"sent_at"},
	open: map[string]string{"status": " opened ", "recruiter_decision": " shortlisted "},
}
