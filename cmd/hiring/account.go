package main

import (
	"fmt"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) accountCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "account",
		Short:   "Show the organization: its plan, and how many invitations are left",
		Args:    cobra.NoArgs,
		Example: "  hiring account\n  hiring account --jq .usage.assessments_used",
		RunE: func(c *cobra.Command, _ []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			account, err := client.Account.Get(c.Context())
			if err != nil {
				return err
			}
			return output.One(printer, accountTable(), account)
		},
	}
}

func accountTable() output.Table[hiring.Account] {
	return output.Table[hiring.Account]{
		Shown: []string{"name", "id", "slug", "plan", "invitations_left", "period_start", "custom_domain", "created_at"},
		Own: map[string]func(hiring.Account) any{
			"plan": func(account hiring.Account) any {
				return account.Plan.ID + " (" + account.Plan.SubscriptionStatus + ")"
			},
			"invitations_left": func(account hiring.Account) any { return invitationsLeft(account) },
			"period_start":     func(account hiring.Account) any { return jsonTime(account.Usage.PeriodStart) },
		},
	}
}

// invitationsLeft says what the plan still allows, in words.
func invitationsLeft(account hiring.Account) string {
	left, limited := account.InvitationsLeft()
	if !limited {
		return "not limited"
	}
	return fmt.Sprintf("%d of %d", left, account.Usage.AssessmentsLimit)
}
