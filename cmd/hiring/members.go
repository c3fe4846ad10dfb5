package main

import (
	"context"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// membersCommand lists the members with and without list, because it has no other command.
func (a *app) membersCommand() *cobra.Command {
	members := func(use string, aliases ...string) *cobra.Command {
		return listCommand(a, command(use, "List the members of the organization", aliases...), output.Table[hiring.Member]{
			Things: "members",
			Shown:  []string{"name", "email", "role", "created_at"},
			More:   []string{"id"},
		}, func(_ context.Context, t task) (hiring.Pager[hiring.Member], error) {
			return t.client.Members.List(), nil
		})
	}
	c := members("members", "member")
	c.AddCommand(members("list"))
	return c
}
