//go:build man

package main

import (
	"log"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// With the build tag man, as in go run -tags man . <folder>, the program writes its manual pages into a folder and ends. The packages
// that write them are not in the program that users run.
func init() {
	root := newApp().rootCommand()
	root.DisableAutoGenTag = true
	environment, _ := helpText("environment")
	exitStatus, _ := helpText("exit-status")
	root.Long = root.Short + ".\n\n" + environment + "\n\n" + exitStatus
	escapeMarkdown(root)
	header := &doc.GenManHeader{Title: "HIRING", Section: "1", Source: "hiring", Manual: "Hiring Assessment"}
	err := os.MkdirAll(os.Args[1], 0o755)
	if err == nil {
		err = doc.GenManTree(root, header, os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}

// escapeMarkdown keeps placeholders such as <submission>, which are tags in Markdown, and makes
// code of indented lines.
func escapeMarkdown(c *cobra.Command) {
	escape := strings.NewReplacer("<", `\<`, "*", `\*`)
	var long []string
	for line := range strings.SplitSeq(c.Long, "\n") {
		if strings.HasPrefix(line, " ") {
			line = "    " + line
		} else {
			line = escape.Replace(line)
		}
		long = append(long, line)
	}
	c.Long, c.Use = strings.Join(long, "\n"), escape.Replace(c.Use)
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = escape.Replace(f.Usage) })
	for _, child := range c.Commands() {
		escapeMarkdown(child)
	}
}
