package main

import (
	"context"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) watchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "watch",
		Short: "Write each newly evaluated submission as JSON Lines",
		Long: `Write a line of JSON for each submission when it is evaluated, until the command is
stopped. With --checkpoint the same command resumes where it stopped: no submission is
lost, and at most the last line is repeated. Without it a restart starts over.`,
		Example: "  hiring watch --checkpoint results.state >> results.jsonl\n" +
			"  hiring watch --since 7d --jq '[.candidate.email, .report.ship_score] | @tsv'",
		Args: cobra.NoArgs,
	}
	assessment := a.assessmentFilter(c, "only submissions of the assessment with this `id`")
	since := a.sinceFlag(c, "start with submissions evaluated since a `time` (default now)")
	checkpoint := c.Flags().String("checkpoint", "", "the `file` that holds the position to resume from")
	limit := c.Flags().UintP("limit", "L", 0, "end after `n` submissions; 0 means never")
	every := intervalFlag(c)
	c.RunE = writeLines(a, func(ctx context.Context, t task) (iter.Seq2[hiring.Submission, error], error) {
		options := hiring.WatchOptions{AssessmentID: *assessment, Since: *since, MinInterval: *every, MaxInterval: 2 * *every}
		if *checkpoint != "" {
			if err := needFolder(*checkpoint); err != nil {
				return nil, err
			}
			options.Checkpoint = hiring.FileCheckpoint(*checkpoint)
		}
		return output.First(t.client.Submissions.Watch(ctx, options), *limit), nil
	})
	return c
}

func needFolder(file string) error {
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return usagef("%s: the folder does not exist", output.Clean(file))
	}
	return nil
}
