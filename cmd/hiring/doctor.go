package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

const doctorLong = `Check the connection, the key, and what the client assumes because the documentation
leaves it open (see docs/assumptions.md): names, routes, formats, the shapes of responses
and the behaviour of the API. What the client cannot read is wrong.

The command costs at most 40 reads, usually 21, and ends after three minutes at the
latest (--timeout sets another time). It writes only with a test key, whose changes are
not stored.

It prints what to change first, then what is undecided and what to do about it. --all also
prints what holds. -o json always has everything.

The exit status is 0 when everything holds and 1 when something is wrong or undecided.
When the API ended the checks, it is that of the cause: 4 when the key was rejected, 5
when the rate limit is reached. A read-only key needs no names of writes.`

// doctorLimit is far above the usual duration. A server that sends a byte a second uses 20
// seconds for each request.
const doctorLimit = 3 * time.Minute

func (a *app) doctorCommand() *cobra.Command {
	var write string
	var noWrites, all bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check the connection, the key and the assumptions of the client",
		Long:  doctorLong,
		Example: "  hiring doctor\n  hiring doctor --all\n  hiring doctor --write dialect.json && hiring --dialect dialect.json account\n" +
			"  hiring doctor --jq '.findings[] | select(.verdict == \"wrong\")'",
		RunE: func(c *cobra.Command, _ []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			if write != "" {
				if _, err := checkFile("--write", write, "standard output has the findings"); err != nil {
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
			if err := showFindings(printer, report, all); err != nil {
				return err
			}
			if late {
				ended := "The time limit ended the checks early"
				if write != "" {
					ended += ". " + write + " is not written"
				}
				return adviceError{errors.New(ended), "--timeout sets another limit"}
			}
			if err := a.writeDialect(write, report); err != nil && report.Stopped == "" {
				return err
			}
			return doctorError(report, write)
		},
	}
	command.Flags().StringVar(&write, "write", "", "write the decided names to a `file`, for --dialect, hiring.WithDialect "+
		"and hiring-sandbox -dialect")
	command.Flags().BoolVar(&noWrites, "no-writes", false, "send no writes, not even with a test key")
	command.Flags().BoolVar(&all, "all", false, "print what holds, too")
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

// showFindings prints the findings. Programs get all of them.
func showFindings(p *output.Printer, r doctor.Report, all bool) error {
	switch p.Format {
	case output.JSON:
		return p.WriteJSON(r)
	case output.People:
		return showToPeople(p, r, all)
	}
	table := output.Table[doctor.Finding]{Shown: []string{"group", "name", "verdict", "assumed", "found", "evidence", "change"}}
	return output.List(p, table, output.Of(r.Findings...))
}

// doctorWidth is the longest line for people, also when the output is not a terminal.
const doctorWidth = 100

// showToPeople prints what to change, what is undecided, and with all what holds.
func showToPeople(p *output.Printer, r doctor.Report, all bool) error {
	text := new(strings.Builder)
	section := func(title string, findings []doctor.Finding, show func(doctor.Finding) (head, evidence string)) {
		if len(findings) > 0 {
			text.WriteString(p.Paint(output.Bold, title) + "\n")
		}
		for rest := findings; len(rest) > 0; {
			head, evidence := show(rest[0])
			names := []string{rest[0].Name}
			for rest = rest[1:]; len(rest) > 0; rest = rest[1:] {
				if otherHead, otherEvidence := show(rest[0]); otherHead != head || otherEvidence != evidence {
					break
				}
				names = append(names, rest[0].Name)
			}
			writeIndented(p, text, 2, strings.Join(names, ", ")+": "+head)
			writeIndented(p, text, 6, evidence)
		}
		if len(findings) > 0 {
			text.WriteByte('\n')
		}
	}
	change := func(f doctor.Finding) (head, evidence string) {
		if f.Found == "" || strings.Contains(f.Change, f.Found) {
			return f.Change, f.Evidence
		}
		return f.Change, f.Found + ": " + f.Evidence
	}
	section("What to change", r.With(doctor.Wrong), change)
	section("Undecided", r.With(doctor.Undecided), change)
	section("Not checked", r.With(doctor.NotChecked), func(f doctor.Finding) (head, evidence string) { return f.Evidence, "" })
	if all {
		section("What holds", r.With(doctor.Holds, doctor.Added, doctor.NotNeeded), func(f doctor.Finding) (head, evidence string) {
			return cmp.Or(f.Found, string(f.Verdict)), f.Evidence
		})
	}
	fmt.Fprintf(text, "%d hold, %d wrong, %d new, %d undecided, %d not checked; %d reads and %d writes\n",
		len(r.With(doctor.Holds, doctor.NotNeeded)), len(r.With(doctor.Wrong)), len(r.With(doctor.Added)), len(r.With(doctor.Undecided)),
		len(r.With(doctor.NotChecked)), r.Reads, r.Writes)
	_, err := fmt.Fprint(p, text.String())
	return err
}

// writeIndented writes a text in lines that fit the terminal and doctorWidth.
func writeIndented(p *output.Printer, to *strings.Builder, indent int, text string) {
	if text == "" {
		return
	}
	width := doctorWidth
	if p.Width > 0 {
		width = min(width, p.Width)
	}
	for _, line := range output.Wrap(output.Clean(text), max(width-indent, 20)) {
		to.WriteString(strings.Repeat(" ", indent) + strings.TrimSpace(line) + "\n")
	}
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
	names := make(map[string]string)
	for _, field := range decided {
		names[dialectMember(field)] = reflect.ValueOf(r.Dialect).FieldByName(field).String()
	}
	if err := files.WriteJSON(name, names); err != nil {
		return err
	}
	note := fmt.Sprintf("%s holds the %d names that were decided. Use it with --dialect, also of hiring profile use, or with "+
		"hiring-sandbox -dialect.", name, len(decided))
	if len(open) > 0 {
		note += "\nUndecided names, which the file does not have: " + strings.Join(open, ", ")
	}
	_, err := fmt.Fprintln(a.err, output.CleanLines(note))
	return err
}

// doctorError returns an error unless everything holds.
func doctorError(r doctor.Report, written string) error {
	wrong, undecided, left := len(r.With(doctor.Wrong)), len(r.With(doctor.Undecided)), len(r.With(doctor.NotChecked))
	decided, open := r.Decided()
	if r.Stopped != "" && left > 0 {
		advice := "See above what to change"
		if wrong == 0 {
			advice = "Run it again when that is solved"
		}
		text := fmt.Sprintf("%d checks were left out, because %s", left, r.Stopped)
		if written != "" && len(decided) == 0 {
			text += ". " + written + " is not written"
		}
		return adviceError{causedError{errors.New(text), r.Cause}, advice}
	}
	advice := "See above what to change"
	if written == "" && r.Dialect != hiring.DefaultDialect() {
		advice = "--write <file> writes the decided names for --dialect"
	}
	switch {
	case wrong > 0:
		return adviceError{errors.New(counted(wrong, "thing is", "things are") + " not as assumed"), advice}
	case len(open) > 0:
		return adviceError{errors.New("Commands may need names that are undecided: " + strings.Join(open, ", ")), "See above what to do"}
	case undecided > 0:
		return adviceError{errors.New(counted(undecided, "thing is", "things are") + " undecided"), "See above what to do"}
	}
	return nil
}
