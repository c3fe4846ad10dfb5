package sandbox

import (
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func listInvitations(c *call) response {
	a := c.world.AnyAssessment(c.params[0])
	if a == nil {
		return c.notFound()
	}
	return numberedPage(c, c.world.Invitations(a.ID))
}

func sendInvitation(c *call) response {
	a := c.world.Assessments.Find(c.params[0])
	if a == nil {
		return c.notFound()
	}
	var p problems
	object := c.members(&p)
	if p.any() {
		return c.invalid(p)
	}
	email, ok := requiredString(&p, object, c.server.config.dialect.InvitationEmail)
	if ok && !isEmailAddress(email) {
		p.add(c.server.config.dialect.InvitationEmail, "Expected an email address.")
	}
	name, _ := requiredString(&p, object, c.server.config.dialect.InvitationName)
	switch {
	case p.any():
		return c.invalid(p)
	case a.Value.Status == "closed":
		return c.fail(http.StatusConflict, hiring.ErrConflict, "The assessment is closed.")
	case !c.world.MayInvite(email):
		return c.fail(http.StatusPaymentRequired, hiring.ErrPlanLimitReached, "The plan's invitations for this period are used up.")
	}
	created := c.world.Invite(c.server.live.NewID(), a, world.Person{Email: email, Name: name}, c.now())
	return c.data(http.StatusCreated, created.Value)
}

func resendInvitation(c *call) response {
	found := c.invitation()
	if found == nil {
		return c.notFound()
	}
	if !c.world.MayChange(found) {
		return c.alreadyUsed()
	}
	return c.data(http.StatusOK, c.world.ResendInvitation(found, c.now()).Value)
}

func revokeInvitation(c *call) response {
	found := c.invitation()
	if found == nil {
		return c.notFound()
	}
	if !c.world.MayChange(found) {
		return c.alreadyUsed()
	}
	return c.data(http.StatusOK, c.world.RevokeInvitation(found).Value)
}

// alreadyUsed returns the 409 of an invitation that was used or revoked.
func (c *call) alreadyUsed() response {
	return c.fail(http.StatusConflict, hiring.ErrConflict, "The invitation was used or revoked.")
}

// invitation returns the invitation in the path, or nil if the path's assessment does not
// have it.
func (c *call) invitation() *world.Record[world.Invitation] {
	a := c.world.AnyAssessment(c.params[0])
	if a == nil {
		return nil
	}
	return c.world.Invitations(a.ID).Find(c.params[1])
}
