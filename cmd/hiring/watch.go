package main

import (
	"context"
	"errors"
	"fmt"
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
	}
	assessment := a.assessmentFilter(c, "only submissions of this assessment: its id or `name`")
	since := a.timeFlag(c, "since", "start with submissions evaluated since a `time` (default now)")
	checkpoint := c.Flags().String("checkpoint", "", "the `file` that holds the position to resume from")
	limit := c.Flags().UintP("limit", "L", 0, "end after `n` submissions; 0 means never")
	every := intervalFlag(c)
	c.RunE = writeLines(a, submissionTable(), func(ctx context.Context, t task) (iter.Seq2[hiring.Submission, error], error) {
		id, err := assessment.id(ctx, t.client)
		if err != nil {
			return nil, err
		}
		options := hiring.WatchOptions{AssessmentID: id, Since: *since, MinInterval: *every, MaxInterval: 2 * *every}
		if *checkpoint != "" {
			if err := needFolder(*checkpoint, *checkpoint); err != nil {
				return nil, err
			}
			options.Checkpoint = hiring.FileCheckpoint(*checkpoint)
		}
		return a.reportItemErrors(watchFirst(ctx, *limit, func(ctx context.Context) iter.Seq2[hiring.Submission, error] {
			return t.client.Submissions.Watch(ctx, options)
		})), nil
	})
	return c
}

// watchFirst returns the first n submissions of a watch; 0 means all. A watch records a
// submission as delivered when it is asked for the next one. So after the last one the
// watch continues with a context that has ended, and sends nothing more.
func watchFirst(ctx context.Context, n uint, watch func(context.Context) iter.Seq2[hiring.Submission, error]) iter.Seq2[hiring.Submission, error] {
	return func(yield func(hiring.Submission, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		written := uint(0)
		for submission, err := range watch(ctx) {
			if n > 0 && written == n && (err == nil || errors.Is(err, context.Canceled)) {
				return
			}
			if !yield(submission, err) {
				return
			}
			if err != nil {
				continue
			}
			if written++; written == n {
				stop()
			}
		}
	}
}

// reportItemErrors reports each submission that cannot be decoded on standard error, and goes
// on with the others. It ends with an error if there were any.
func (a *app) reportItemErrors(all iter.Seq2[hiring.Submission, error]) iter.Seq2[hiring.Submission, error] {
	return func(yield func(hiring.Submission, error) bool) {
		unreadable := 0
		for submission, err := range all {
			if item, ok := errors.AsType[*hiring.ItemError](err); ok {
				unreadable++
				_, _ = fmt.Fprintf(a.err, "Submission %s cannot be read: %s\n", output.Clean(item.ID), output.Clean(errorText(item.Err)))
				continue
			}
			if !yield(submission, err) {
				return
			}
		}
		if unreadable > 0 {
			yield(hiring.Submission{}, fmt.Errorf("%s cannot be read", counted(unreadable, "submission", "submissions")))
		}
	}
}

// needFolder returns an error when the folder of a file does not exist. path is where the
// name leads to.
func needFolder(name, path string) error {
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) {
		return usagef("%s: the folder does not exist", name)
	}
	return nil
}
