//go:build man

package main

import (
	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/manual"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// addManCommand adds the command that writes manual pages, for packagers.
func (a *app) addManCommand(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:    "man <folder>",
		Short:  "Write the manual pages into a folder",
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := manual.Write(c.Root(), version().Version, args[0]); err != nil {
				return err
			}
			return a.printDone("wrote the manual pages into " + output.Clean(args[0]))
		},
	})
}
