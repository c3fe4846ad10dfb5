package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

const doctorLong = `Looks from here at the way to the service, at the key, and at everything that the
client assumes because the documentation leaves it open (see docs/assumptions.md):
names, routes, formats, the shapes of replies and what the service does.

It costs at most 25 reads. It writes nothing, unless the key is a test key: what
is written with one does not persist.

The exit status is 0 when nothing contradicts what is assumed.`

func (a *app) doctorCommand() *cobra.Command {
	var write string
	var noWrites bool
	command := &cobra.Command{
		Use:     "doctor",
		Short:   "Find out what is assumed wrongly of the service, and of the way to it",
		Long:    doctorLong,
		Args:    cobra.NoArgs,
		Example: "  hiring doctor\n  hiring doctor --write dialect.json && hiring --dialect dialect.json account\n  hiring doctor --jq '.findings[] | select(.verdict == \"wrong\")'",
		RunE: func(c *cobra.Command, _ []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			report, err := a.runDoctor(c.Context(), noWrites)
			if err != nil {
				return err
			}
			if err := showFindings(printer, report); err != nil {
				return err
			}
			if err := a.writeDialect(write, report); err != nil {
				return err
			}
			return contradiction(report, write)
		},
	}
	command.Flags().StringVar(&write, "write", "", "a `file` to write what was found into, for --dialect, hiring.WithDialect and hiring-sandbox -dialect")
	command.Flags().BoolVar(&noWrites, "no-writes", false, "write nothing, not even with a test key")
	_ = command.MarkFlagFilename("write", "json")
	return command
}

func (a *app) runDoctor(ctx context.Context, noWrites bool) (doctor.Report, error) {
	c, err := a.connection()
	if err != nil {
		return doctor.Report{}, err
	}
	config := doctor.Config{BaseURL: c.BaseURL, Key: c.Key, Dialect: c.Dialect, Options: a.options(), NoWrites: noWrites}
	if c.Transport != nil {
		config.HTTP = &http.Client{Transport: c.Transport}
	}
	report, err := doctor.Run(ctx, config)
	if err != nil {
		return report, advised{err, "it comes from " + c.Origin}
	}
	return report, nil
}

// showFindings prints findings in the order in which they are read about, and to
// people at last what to change.
func showFindings(p *output.Printer, r doctor.Report) error {
	findings := output.Table[doctor.Finding]{
		Shown: []string{"group", "name", "verdict", "assumed", "found", "evidence", "change"},
	}
	switch p.Format {
	case output.JSON:
		return p.WriteJSON(r)
	case output.People:
		return showToPeople(p, r)
	default:
		return output.List(p, findings, func(yield func(doctor.Finding, error) bool) {
			for _, f := range r.Findings {
				if !yield(f, nil) {
					return
				}
			}
		})
	}
}

var doctorTitles = map[string]string{ //nolint:gochecknoglobals // a constant table
	"way": "The way there, and the key", "dialect": "Names, routes and formats", "inputs": "What is sent",
	"replies": "What comes back", "behaviour": "What the service does", "document": "What is documented",
}

// showToPeople prints a table for each group, and what to change.
func showToPeople(p *output.Printer, r doctor.Report) error {
	for rest := r.Findings; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(f doctor.Finding) bool { return f.Group != rest[0].Group })
		if n < 0 {
			n = len(rest)
		}
		if err := showGroup(p, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if err := showChanges(p, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p, "%d hold, %d do not, %d are new, %d could not be decided, %d were not asked; %d reads and %d writes were used.\n",
		r.Count(doctor.Holds), r.Count(doctor.Wrong), r.Count(doctor.News), r.Count(doctor.Undecided), r.Count(doctor.Untried), r.Reads, r.Writes)
	return err
}

// showGroup prints a table, or in a line why nothing of it was asked.
func showGroup(p *output.Printer, findings []doctor.Finding) error {
	title := p.Paint(output.Bold, doctorTitles[findings[0].Group])
	if !slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Verdict != doctor.Untried }) {
		_, err := fmt.Fprintf(p, "%s: not asked, because %s\n\n", title, output.Clean(findings[0].Evidence))
		return err
	}
	if _, err := fmt.Fprintln(p, title); err != nil {
		return err
	}
	rows := make([][]string, len(findings))
	for i, f := range findings {
		rows[i] = []string{string(f.Verdict), f.Name, output.Clean(f.Assumed), output.Clean(f.Found), output.Clean(f.Evidence)}
	}
	if err := p.WriteRows([]string{"", "", "ASSUMED", "FOUND", "EVIDENCE"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p)
	return err
}

// showChanges repeats the evidence, which a narrow terminal cuts in the tables.
func showChanges(p *output.Printer, r doctor.Report) error {
	var changes []output.Field
	for _, f := range r.Findings {
		if f.Verdict == doctor.Wrong {
			changes = append(changes, output.Field{Name: f.Name, Text: output.Clean(f.Change + " (" + f.Evidence + ")")})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(p, p.Paint(output.Bold, "What to change")); err != nil {
		return err
	}
	if err := p.WriteFields(changes...); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p)
	return err
}

// writeDialect writes what was found, unless nothing was.
func (a *app) writeDialect(name string, r doctor.Report) error {
	if name == "" {
		return nil
	}
	known := slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool {
		return f.Group == "dialect" && (f.Verdict == doctor.Holds || f.Found != "")
	})
	if !known {
		return advised{fmt.Errorf("%s was not written: nothing was found out about the names", name), "see above why"}
	}
	if _, err := r.Dialect.WithDefaults(); err != nil {
		return fmt.Errorf("%s was not written: %w", name, err)
	}
	text, err := json.MarshalIndent(r.Dialect, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, append(text, '\n'), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.err, "%s holds the names that were found; read it with --dialect, or give it to hiring-sandbox -dialect\n", name)
	return err
}

// contradiction is the error of a report in which something does not hold.
func contradiction(r doctor.Report, written string) error {
	n := r.Count(doctor.Wrong)
	if n == 0 {
		return nil
	}
	advice := "see above what to change"
	if written == "" && r.Dialect != hiring.DefaultDialect() {
		advice = "--write FILE writes the names that were found for --dialect"
	}
	if n == 1 {
		return advised{fmt.Errorf("one thing is not as assumed"), advice}
	}
	return advised{fmt.Errorf("%d things are not as assumed", n), advice}
}
