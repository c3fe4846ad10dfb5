package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// doctorLimit is far above the usual duration. A server that sends a byte a second uses 20
// seconds for each request.
const doctorLimit = 3 * time.Minute

func (a *app) doctorCommand() *cobra.Command {
	var write string
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check the connection, the key and the assumptions of the client",
		RunE: func(c *cobra.Command, _ []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			if write != "" {
				if _, err := files.Target(write); err != nil {
					return err
				}
			}
			if a.flags.timeout == 0 {
				a.limit(c, doctorLimit)
			}
			report, err := a.runDoctor(c.Context())
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			if err = showFindings(printer, report); err != nil {
				return err
			}
			if write != "" && report.Stopped == "" {
				err = a.writeDialect(write, report)
			}
			return cmp.Or(err, doctorError(report, write))
		},
	}
	command.Flags().StringVar(&write, "write", "", "write the names that were found to a `file`, for --dialect, hiring.WithDialect "+
		"and hiring-sandbox -dialect")
	_ = command.MarkFlagFilename("write", "json")
	return command
}

func (a *app) runDoctor(ctx context.Context) (doctor.Report, error) {
	c, err := a.connection()
	if err != nil {
		return doctor.Report{}, err
	}
	options, err := a.options(c.BaseURL)
	if err != nil {
		return doctor.Report{}, err
	}
	config := doctor.Config{BaseURL: c.BaseURL, Key: c.Key, Dialect: c.Dialect, Options: options}
	if c.Transport != nil {
		config.HTTP = &http.Client{Transport: c.Transport}
	}
	report, err := doctor.Run(ctx, config)
	if err != nil && ctx.Err() == nil {
		return report, adviceError{err, "The server and the key come from " + c.Origin}
	}
	return report, err
}

// showFindings prints the findings: for people a short text, and all that is known for
// programs.
func showFindings(p *output.Printer, r doctor.Report) error {
	switch p.Format {
	case output.JSON:
		return p.WriteJSON(r)
	case output.People:
	default:
		table := output.Table[doctor.Finding]{Shown: []string{"name", "verdict", "found", "evidence", "change"}}
		return output.List(p, table, output.Of(r.Findings...))
	}
	width := min(100, cmp.Or(p.Width, 100)) // Also when the output is not a terminal.
	text := new(strings.Builder)
	indented := func(indent int, line string) {
		for _, part := range output.Wrap(output.Clean(line), max(width-indent, 20)) {
			text.WriteString(strings.Repeat(" ", indent) + strings.TrimSpace(part) + "\n")
		}
	}
	styles := map[doctor.Verdict]output.Style{doctor.Holds: output.Green, doctor.Wrong: output.Red, doctor.NotChecked: output.Yellow}
	for _, f := range r.Findings {
		text.WriteString(p.Paint(styles[f.Verdict], fmt.Sprintf("%-11s", f.Verdict)) + "  " + f.Name)
		if f.Found != "" {
			text.WriteString(": " + output.Clean(f.Found))
		}
		text.WriteByte('\n')
		if f.Verdict != doctor.Holds {
			indented(15, f.Evidence)
		}
		if f.Change != "" {
			indented(15, "To do: "+f.Change)
		}
	}
	fmt.Fprintf(text, "\n%d ok, %d wrong, %d not checked; %d reads\n",
		len(r.With(doctor.Holds)), len(r.With(doctor.Wrong)), len(r.With(doctor.NotChecked)), r.Reads)
	_, err := fmt.Fprint(p, text.String())
	return err
}

// writeDialect writes only the names that were found, so that a later run checks the others
// again.
func (a *app) writeDialect(name string, r doctor.Report) error {
	names := r.Decided()
	if err := files.Write(name, files.JSON(names)); err != nil {
		return err
	}
	return a.printDone(fmt.Sprintf("%s has the %d names that were found. Use it with --dialect, also of hiring profile use, or with "+
		"hiring-sandbox -dialect.", output.Clean(name), len(names)))
}

// doctorError returns an error when something is wrong or the API ended the checks.
func doctorError(r doctor.Report, written string) error {
	wrong := len(r.With(doctor.Wrong))
	err := adviceError{errors.New(counted(wrong, "thing is", "things are") + " not as assumed"), "See above what to do"}
	switch {
	case r.Stopped != "":
		text := "The checks ended early, because " + r.Stopped
		if written != "" {
			text += ". " + written + " is not written"
		}
		err.error = causedError{errors.New(text), r.Cause}
		if errors.Is(r.Cause, context.DeadlineExceeded) {
			err.advice = "--timeout sets another limit"
		}
	case wrong == 0:
		return nil
	case written == "" && r.Dialect != hiring.DefaultDialect():
		err.advice = "--write <file> writes the names that were found for --dialect"
	}
	return err
}
