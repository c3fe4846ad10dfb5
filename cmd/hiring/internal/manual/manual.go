// Package manual writes manual pages. Only builds for packagers include it, because it
// adds 0.6 MB.
package manual

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Write writes a page for each command into a folder.
func Write(root *cobra.Command, version, folder string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	root.Long = root.Short + "."
	for _, topic := range root.Commands() { // Topics have no page.
		if topic.IsAdditionalHelpTopicCommand() {
			root.Long += "\n\n" + topic.Long
		}
	}
	// A constant date, because packages are compared byte by byte.
	built := time.Unix(0, 0).UTC()
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "hiring " + version, Date: &built}, folder)
}
