package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsWaitCommand() *cobra.Command {
	var options hiring.WaitOptions
	c := &cobra.Command{
		Use:   "wait ID...",
		Short: "Wait until the reports of submissions are ready and write each, as JSON Lines",
		Long: `Wait writes a line of JSON for each report as it becomes ready, and ends when all are.
It costs a few requests, however many submissions there are. With - as the only ID
they are read from standard input, one a line. After Ctrl-C, run it again: reports
that are ready come at once.`,
		Example: "  hiring submissions list --status submitted --jq '.[].id' | hiring submissions wait -",
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().StringVarP(&options.AssessmentID, "assessment", "a", "", "all are of the assessment with this `id`, which makes it cheaper")
	every := intervalFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := a.needLines(); err != nil {
			return err
		}
		ids, err := a.ids(t.args)
		if err != nil {
			return err
		}
		progress := a.err.Progress("reports ready:")
		options.MinInterval, options.MaxInterval = *every, 2**every
		options.Progress = func(now hiring.WaitProgress) { a.showWait(progress, now) }
		for ready, err := range t.client.Submissions.WaitReports(ctx, ids, options) {
			progress.Clear()
			if err != nil {
				return err
			}
			if err := output.Line(t.Printer, ready); err != nil {
				return err
			}
		}
		progress.End()
		return nil
	})
	return c
}

func (a *app) showWait(progress *output.Progress, now hiring.WaitProgress) {
	note := ""
	if now.Missing > 0 {
		note = fmt.Sprintf("%d missing, ", now.Missing)
	}
	if !now.NextPoll.IsZero() {
		note += "next look at " + now.NextPoll.In(a.zone).Format("15:04:05")
	}
	progress.Show(now.Ready, now.Total, strings.TrimSuffix(note, ", "))
}

// ids are the arguments, or what standard input says.
func (a *app) ids(args []string) ([]string, error) {
	if len(args) != 1 || args[0] != "-" {
		return args, nil
	}
	var ids []string
	lines := bufio.NewScanner(io.LimitReader(a.in, 64<<20))
	for lines.Scan() {
		if id := strings.TrimSpace(lines.Text()); id != "" {
			ids = append(ids, id)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, usagef("there are no ids on standard input")
	}
	return ids, nil
}

// needLines refuses what a stream without an end cannot be written as.
func (a *app) needLines() error {
	if format := a.flags.output.Format; format != "" && format != string(output.JSONLines) {
		return usagef("-o %s: this writes JSON Lines as they come; -o jsonl is the only way", output.Clean(format))
	}
	return nil
}
