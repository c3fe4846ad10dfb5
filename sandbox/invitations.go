package sandbox

import (
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func sendInvitation(c *call, a *world.Record[world.Assessment]) response {
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

func resendInvitation(c *call, found *world.Record[world.Invitation]) response {
	return c.changeUnused(found, func() *world.Record[world.Invitation] { return c.world.ResendInvitation(found, c.now()) })
}

func revokeInvitation(c *call, found *world.Record[world.Invitation]) response {
	return c.changeUnused(found, func() *world.Record[world.Invitation] { return c.world.RevokeInvitation(found) })
}

// changeUnused changes an invitation unless it was used or revoked.
func (c *call) changeUnused(found *world.Record[world.Invitation], change func() *world.Record[world.Invitation]) response {
	if !c.world.MayChange(found) {
		return c.fail(http.StatusConflict, hiring.ErrConflict, "The invitation was used or revoked.")
	}
	return c.data(http.StatusOK, change().Value)
}
