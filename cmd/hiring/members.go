package main

import (
	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) membersCommand() *cobra.Command {
	return listCommand(a, &cobra.Command{
		Use:     "members",
		Aliases: []string{"member"},
		Short:   "List the members of the organization",
		Args:    cobra.NoArgs,
	}, output.Table[hiring.Member]{
		Things: "members",
		Shown:  []string{"name", "email", "role", "created_at"},
		More:   []string{"id"},
	}, func(t task) (hiring.Pager[hiring.Member], error) {
		return t.client.Members.List(), nil
	})
}
