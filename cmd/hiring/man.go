//go:build man

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// addManCommand adds what those need who make packages.
func (a *app) addManCommand(root *cobra.Command) { root.AddCommand(a.manCommand()) }

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the manual pages into a folder",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o750); err != nil {
				return err
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			// One date for all of the same build: packages are compared byte by byte.
			built := time.Unix(0, 0).UTC()
			header := &doc.GenManHeader{Section: "1", Source: "hiring " + version().Version, Date: &built}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return err
			}
			return a.done(fmt.Sprintf("wrote the manual pages into %s", output.Clean(args[0])))
		},
	}
}
