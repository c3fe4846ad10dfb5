package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) watchCommand() *cobra.Command {
	var options hiring.WatchOptions
	var checkpoint string
	c := &cobra.Command{
		Use:   "watch --checkpoint FILE",
		Short: "Write each submission that is evaluated from now on, as JSON Lines",
		Long: `Watch writes a line of JSON for each submission that is evaluated, as it happens, until
it is stopped. With a checkpoint the same command goes on where it stopped: nothing
is lost, and at most the last line is repeated. Without one a restart begins anew.`,
		Example: "  hiring watch --checkpoint results.state >> results.jsonl\n" +
			"  hiring watch --since 7d --jq '[.candidate.email, .report.ship_score] | @tsv'",
		Args: cobra.NoArgs,
	}
	c.Flags().StringVarP(&options.AssessmentID, "assessment", "a", "", "only submissions of the assessment with this `id`")
	since := a.sinceFlag(c, "begin with what was evaluated since that `time`, rather than now")
	c.Flags().StringVar(&checkpoint, "checkpoint", "", "the `file` that holds how far it has come")
	limit := c.Flags().Int("limit", 0, "end after `n`; 0 never")
	every := intervalFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := a.needLines(); err != nil {
			return err
		}
		options.Since, options.MinInterval, options.MaxInterval = *since, *every, 2**every
		if checkpoint != "" {
			if err := needFolder(checkpoint); err != nil {
				return err
			}
			options.Checkpoint = hiring.FileCheckpoint(checkpoint)
		}
		for submission, err := range first(t.client.Submissions.Watch(ctx, options), *limit) {
			if err != nil {
				return err
			}
			// The checkpoint counts it as delivered when the loop asks for the next.
			if err := output.Line(t.Printer, submission); err != nil {
				return err
			}
		}
		return nil
	})
	return c
}

func needFolder(file string) error {
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return usagef("%s: its folder is not there", file)
	}
	return nil
}
