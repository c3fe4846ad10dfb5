package operations

import (
	"context"
	"testing"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func init() {
	assessment, invitation := []string{sandbox.AssessmentID}, []string{sandbox.AssessmentID, anInvitation}
	live := func(t *testing.T, c *hiring.Client, _ *sandbox.Server) []string {
		id := posted(t, c).ID
		return []string{id, invite(t, c, id).ID}
	}
	list(Operation{
		Name: "Invitations.List", Route: "GET /assessments/{id}/invitations", IDs: assessment, Query: "page_size=100",
		Cost: "1 read a page", Test: "Invitations",
	}, 100, func(c *hiring.Client, id []string) hiring.Pager[hiring.Invitation] { return c.Invitations.List(id[0]) })
	add(Operation{
		Name: "Invitations.Send", Route: "POST /assessments/{id}/invitations", IDs: assessment, Live: live,
		Body: `{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`, Cost: "1 write and 1 of the plan", Test: "Invitations",
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Invitations.Send(ctx, id[0], hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
		},
	})
	add(Operation{
		Name: "Invitations.Resend", Route: "POST /assessments/{id}/invitations/{invitation_id}/resend", IDs: invitation, Live: live,
		Cost: "1 write; of the plan: not documented", Test: "Invitations",
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Invitations.Resend(ctx, id[0], id[1])
		},
	})
	add(Operation{
		Name: "Invitations.Revoke", Route: "POST /assessments/{id}/invitations/{invitation_id}/revoke", IDs: invitation, Live: live,
		Cost: "1 write", Test: "Invitations", NoID: true,
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return nil, c.Invitations.Revoke(ctx, id[0], id[1])
		},
	})
	compose("Invitations.Ensure", "write", "1 read for each 100 invitations there; 1 write and 1 of the plan if there was none; more after an unknown outcome or a 409", false)
	compose("Invitations.EnsureAll", "write", "as `Ensure` for each candidate, but one listing for all, and about 1 read a minute while it sends", false)
	tests["Invitations"] = Invitations
}
