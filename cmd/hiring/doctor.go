package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

const doctorLong = `Check the connection, the key, and everything that the client assumes because the
documentation leaves it open (see docs/assumptions.md): names, routes, formats, the
shapes of responses and the behaviour of the API.

The command costs at most 25 reads and ends after three minutes at the latest (--timeout
sets another time). It writes only with a test key, whose changes are not stored.

The exit status is 0 when nothing contradicts the assumptions. With --write it is also 1
when a name that commands need was not decided. A read-only key needs no names of
writes.`

// doctorLimit is far above the usual duration. A server that sends a byte a second uses 20
// seconds for each request.
const doctorLimit = 3 * time.Minute

func (a *app) doctorCommand() *cobra.Command {
	var write string
	var noWrites bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check the connection, the key and the assumptions of the client",
		Long:  doctorLong,
		Args:  cobra.NoArgs,
		Example: "  hiring doctor\n  hiring doctor --write dialect.json && hiring --dialect dialect.json account\n" +
			"  hiring doctor --jq '.findings[] | select(.verdict == \"wrong\")'",
		RunE: func(c *cobra.Command, _ []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			if write != "" {
				if err := checkFile("--write", write, "standard output has the findings"); err != nil {
					return err
				}
			}
			if a.flags.timeout == 0 {
				a.limit(c, doctorLimit)
			}
			report, err := a.runDoctor(c.Context(), noWrites)
			late := errors.Is(err, context.DeadlineExceeded)
			if err != nil && !late {
				return err
			}
			if err := showFindings(printer, report); err != nil {
				return err
			}
			if late {
				ended := "The time limit ended the checks early"
				if write != "" {
					ended += ". " + write + " is not written"
				}
				return adviceError{errors.New(ended), "--timeout sets another limit"}
			}
			if err := a.writeDialect(write, report); err != nil {
				return err
			}
			if write != "" && !report.Contradicted() {
				return neededNames(report)
			}
			return contradiction(report, write)
		},
	}
	command.Flags().StringVar(&write, "write", "", "write the decided names to a `file`, for --dialect, hiring.WithDialect "+
		"and hiring-sandbox -dialect")
	command.Flags().BoolVar(&noWrites, "no-writes", false, "send no writes, not even with a test key")
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
	if err != nil && ctx.Err() == nil {
		return report, adviceError{err, "The server and the key come from " + c.Origin}
	}
	return report, err
}

// showFindings prints findings in their order and, for people, what to change.
func showFindings(p *output.Printer, r doctor.Report) error {
	switch p.Format {
	case output.JSON:
		return p.WriteJSON(r)
	case output.People:
		return showToPeople(p, r)
	}
	table := output.Table[doctor.Finding]{Shown: []string{"group", "name", "verdict", "assumed", "found", "evidence", "change"}}
	return output.List(p, table, output.Of(r.Findings...), output.Selection{})
}

var doctorTitles = map[string]string{ //nolint:gochecknoglobals // a constant table
	"connection": "Connection and key", "dialect": "Names, routes and formats", "requests": "Requests",
	"responses": "Responses", "behaviour": "Behaviour of the API", "document": "Documentation",
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
	_, err := fmt.Fprintf(p, "%d hold, %d do not, %d are new, %d are undecided, %d were not checked. Used %d reads and %d writes.\n",
		r.Count(doctor.Holds), r.Count(doctor.Wrong), r.Count(doctor.Added), r.Count(doctor.Undecided), r.Count(doctor.NotChecked), r.Reads, r.Writes)
	return err
}

// showGroup prints a table, or one line when no check of the group was made.
func showGroup(p *output.Printer, findings []doctor.Finding) error {
	title := p.Paint(output.Bold, doctorTitles[findings[0].Group])
	if !slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Verdict != doctor.NotChecked }) {
		_, err := fmt.Fprintf(p, "%s: not checked, because %s\n\n", title, output.Clean(findings[0].Evidence))
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

// showChanges repeats the evidence, which narrow tables cut off.
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

// writeDialect writes the decided names only, so that a later run checks the others again.
// It fails when no name was decided.
func (a *app) writeDialect(name string, r doctor.Report) error {
	if name == "" {
		return nil
	}
	decided, open := r.Decided()
	if len(decided) == 0 {
		return adviceError{fmt.Errorf("%s was not written: no name was decided", name), "See above why"}
	}
	if _, err := r.Dialect.WithDefaults(); err != nil {
		return fmt.Errorf("%s was not written: %w", name, err)
	}
	members := make([]string, len(decided))
	for i, field := range decided {
		member, err := json.Marshal(map[string]string{dialectMember(field): reflect.ValueOf(r.Dialect).FieldByName(field).String()})
		if err != nil {
			return err
		}
		members[i] = "\n  " + strings.Trim(string(member), "{}")
	}
	err := files.Write(name, func(to *os.File) error {
		_, err := to.WriteString("{" + strings.Join(members, ",") + "\n}\n")
		return err
	})
	if err != nil {
		return err
	}
	note := fmt.Sprintf("%s holds the %d names that were decided. Use it with --dialect, hiring profile set dialect, or "+
		"hiring-sandbox -dialect.", name, len(decided))
	if len(open) > 0 {
		note += "\nUndecided names, which the file does not have: " + strings.Join(open, ", ")
	}
	_, err = fmt.Fprintln(a.err, output.CleanLines(note))
	return err
}

// neededNames returns an error when commands need a name that was not decided.
func neededNames(r doctor.Report) error {
	open := r.NeededUndecided()
	if len(open) == 0 {
		return nil
	}
	return adviceError{fmt.Errorf("Commands need names that were not decided: %s", strings.Join(open, ", ")),
		"See above why; a test key decides more"}
}

// contradiction returns an error when something is not as assumed.
func contradiction(r doctor.Report, written string) error {
	n := r.Count(doctor.Wrong)
	if n == 0 {
		return nil
	}
	advice := "See above what to change"
	if written == "" && r.Dialect != hiring.DefaultDialect() {
		advice = "--write <file> writes the decided names for --dialect"
	}
	if n == 1 {
		return adviceError{errors.New("One thing is not as assumed"), advice}
	}
	return adviceError{fmt.Errorf("%d things are not as assumed", n), advice}
}
