package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// exportFormats maps the ending of an exported file to its format.
var exportFormats = map[string]output.Format{ //nolint:gochecknoglobals // a constant table
	".csv": output.CSV, ".json": output.JSON, ".jsonl": output.JSONLines, ".ndjson": output.JSONLines,
}

// fileName matches the name of a file with an ending.
var fileName = regexp.MustCompile(`^[^\s@]+\.(?:[a-z\d]{2,6}|[A-Z\d]{2,6})$`)

// toFile returns what writes results to a file with a name, or, as for report.pdf, what habits has instead of its ending, or
// "" if the name has no ending.
func toFile(name string) string {
	ending := strings.ToLower(filepath.Ext(name))
	switch format := exportFormats[ending]; {
	case !fileName.MatchString(name):
		return ""
	case format != "":
		return "-o " + string(format) + " > " + name
	}
	return cmp.Or(insteadOf("-o "+ending[1:]), "> "+name)
}

func (a *app) submissionsExportCommand() *cobra.Command {
	c := command("export <file>", "Write all submissions with their reports to a file: .csv, .json or .jsonl")
	selected := a.submissionFilter(c)
	force := c.Flags().Bool("force", false, "replace a file that exists")
	c.RunE = func(c *cobra.Command, args []string) error {
		name := args[0]
		if err := checkTarget(name, *force); err != nil {
			return useInstead(err, "submissions export to "+name)
		}
		options := a.flags.output
		ending := string(exportFormats[strings.ToLower(filepath.Ext(name))])
		if options.Format = cmp.Or(strings.ToLower(options.Format), ending); options.Format != cmp.Or(ending, options.Format) {
			return usagef("-o %s and %s: give a name with the ending of the format", options.Format, name)
		}
		if options.Format == "" {
			return adviceError{usagef("%s: the ending does not say the format", name), "Use .csv, .json or .jsonl, or -o"}
		}
		options.BOM = options.Format == string(output.CSV)
		progress := a.err.Progress("exported")
		client, err := a.client(a.longRunOptions(progress)...)
		if err != nil {
			return err
		}
		list, err := selected(c.Context(), client)
		if err != nil {
			return err
		}
		return a.export(c.Context(), list, name, options, progress)
	}
	return c
}

// export writes a list to a file.
func (a *app) export(ctx context.Context, list hiring.Pager[hiring.Submission], name string, options output.Options, progress *output.Progress) error {
	n := 0
	counted := func(yield func(hiring.Submission, error) bool) {
		for submission, err := range list.All(ctx) {
			if err == nil {
				n++
				progress.Show(n, 0, "")
			}
			if !yield(submission, err) {
				return
			}
		}
	}
	err := files.Write(name, func(to *os.File) error {
		printer, err := output.NewPrinter(output.Stream{Writer: io.Writer(to)}, options, a.zone)
		if err != nil {
			return usageError{err}
		}
		printer.Context, printer.Warn = ctx, a.warnOnce
		return output.List(printer, submissionTable(), counted)
	})
	progress.Clear()
	return a.printDone(fmt.Sprintf("Wrote %d submissions to %s.", n, output.Clean(name)), err)
}
