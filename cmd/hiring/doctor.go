package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// doctorLimit is far above the usual duration. A server that sends a byte a second uses 20
// seconds for each request.
const doctorLimit = 3 * time.Minute

func (a *app) doctorCommand() *cobra.Command {
	c := command("doctor", "Check the connection, the key and the assumptions of the client")
	c.RunE = a.withPrinter(func(c *cobra.Command, printer *output.Printer, _ []string) error {
		if a.flags.timeout == 0 {
			a.limit(c, doctorLimit)
		}
		server, err := a.connection()
		if err != nil {
			return err
		}
		client, err := a.clientOf(server)
		if err != nil {
			return err
		}
		report, err := doctor.Run(c.Context(), client, server.BaseURL, server.Dialect)
		if err == nil {
			err = showFindings(printer, report)
		}
		return cmp.Or(err, doctorError(report))
	})
	return c
}

// showFindings prints the findings: for people a short text, and all that is known for
// programs.
func showFindings(p *output.Printer, r doctor.Report) error {
	if p.Format == output.JSON {
		return p.WriteJSON(r)
	}
	if p.Format != output.People {
		return output.List(p, output.Table[doctor.Finding]{Shown: []string{"name", "verdict", "found", "evidence", "change"}}, output.Of(r.Findings...))
	}
	text, indent := newReportText(p.Stream), strings.Repeat(" ", 15)
	styles := map[doctor.Verdict]output.Style{doctor.Holds: output.Green, doctor.Wrong: output.Red, doctor.NotChecked: output.Yellow}
	for _, f := range r.Findings {
		name := strings.TrimSuffix(f.Name+": "+output.Clean(f.Found), ": ")
		text.WriteString(p.Paint(styles[f.Verdict], fmt.Sprintf("%-11s", f.Verdict)) + "  " + name + "\n")
		if f.Verdict != doctor.Holds {
			text.flow(indent, output.Clean(f.Evidence))
		}
		if f.Change != "" {
			text.flow(indent, output.Clean("To do: "+f.Change))
		}
	}
	_, err := fmt.Fprintf(p, "%s\n%d ok, %d wrong, %d not checked; %d reads\n",
		text.String(), len(r.With(doctor.Holds)), len(r.With(doctor.Wrong)), len(r.With(doctor.NotChecked)), r.Reads)
	return err
}

// doctorError returns an error when something is wrong or the API ended the checks.
func doctorError(r doctor.Report) error {
	const seeAbove = "See above what to do"
	wrong := len(r.With(doctor.Wrong))
	ended := causedError{errors.New("The checks ended early, because " + r.Stopped), r.Cause}
	switch {
	case errors.Is(r.Cause, context.DeadlineExceeded):
		return adviceError{ended, "--timeout sets another limit"}
	case r.Stopped != "":
		return adviceError{ended, seeAbove}
	case wrong > 0:
		return adviceError{errors.New(counted(wrong, "thing is", "things are") + " not as assumed"), seeAbove}
	}
	return nil
}
