package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) accountCommand() *cobra.Command {
	c := command("account", "Show the organization, its plan and the invitations left", "whoami")
	c.RunE = showItem(a, accountTable(), func(ctx context.Context, t task) (hiring.Account, error) { return t.client.Account.Get(ctx) })
	return c
}

func accountTable() output.Table[hiring.Account] {
	return output.Table[hiring.Account]{
		Shown: []string{"name", "id", "slug", "plan", "invitations_left", "period_start", "custom_domain", "created_at"},
		Own: map[string]func(hiring.Account) any{
			"plan": func(account hiring.Account) any {
				return account.Plan.ID + " (" + account.Plan.SubscriptionStatus + ")"
			},
			"invitations_left": invitationsLeft,
			"period_start":     func(account hiring.Account) any { return jsonTime(account.Usage.PeriodStart) },
		},
	}
}

// invitationsLeft returns how many invitations the plan still allows, as a text.
func invitationsLeft(account hiring.Account) any {
	left, limited := account.InvitationsLeft()
	if !limited {
		return "not limited"
	}
	return fmt.Sprintf("%d of %d", left, account.Usage.AssessmentsLimit)
}
