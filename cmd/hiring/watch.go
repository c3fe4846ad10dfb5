package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) watchCommand() *cobra.Command {
	c := command("watch", "Write each newly evaluated submission as JSON Lines")
	assessment := a.assessmentFilter(c, "only submissions of this assessment: its id or `name`")
	since := a.timeFlag(c, "since", "start with submissions evaluated since a `time` (default now); does not count once the checkpoint exists")
	checkpoint := c.Flags().String("checkpoint", "", "the `file` that holds the position to resume from")
	once := c.Flags().Bool("once", false, "write what is due and end; needs --checkpoint")
	between := a.intervalFlag(c)
	run := writeLines(a, submissionTable(), func(ctx context.Context, t task) (iter.Seq2[hiring.Submission, error], error) {
		if *once && *checkpoint == "" {
			return nil, usagef("--once needs --checkpoint")
		}
		id, err := a.assessmentID(ctx, t.client, *assessment)
		if err != nil {
			return nil, err
		}
		kept, unlock, err := a.openCheckpoint(ctx, *checkpoint, *since)
		if err != nil {
			return nil, err
		}
		progress := a.err.Progress("results written:")
		options := hiring.WatchOptions{AssessmentID: id, Since: *since, Checkpoint: kept, Progress: func(now hiring.WaitProgress) { now.Total = 0; a.showWait(progress, now) }}
		options.MinInterval, options.MaxInterval = between()
		results := t.client.Submissions.Watch(ctx, options)
		if *once {
			results = pollAll(ctx, t.client, options)
		}
		return func(yield func(hiring.Submission, error) bool) {
			defer unlock()
			a.reportItemErrors(progress, results)(yield)
		}, nil
	})
	c.RunE = func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if !*once && a.stopped.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // A service that was stopped has not failed.
		}
		return err
	}
	return c
}

// openCheckpoint locks a checkpoint: a second watch would write the same results. Without a name
// there is none. It warns when the checkpoint exists, because then since does not count.
func (a *app) openCheckpoint(ctx context.Context, name string, since time.Time) (kept hiring.Checkpoint, unlock func(), err error) {
	if name == "" {
		return nil, func() {}, nil
	}
	unlock, err = files.Lock(name, 0)
	if errors.Is(err, files.ErrNoLocks) {
		err = adviceError{err, "Keep it on a local disk: --checkpoint <file>"}
	}
	if err != nil {
		return nil, nil, err
	}
	kept = hiring.FileCheckpoint(name)
	if state, _ := kept.Load(ctx); state != "" && !since.IsZero() {
		a.warnOnce("--since does not count: the watch resumes from " + name + ".")
	}
	return kept, unlock, nil
}

// pollAll polls until nothing more is due. It saves the position when all submissions of a
// poll are written.
func pollAll(ctx context.Context, client *hiring.Client, o hiring.WatchOptions) iter.Seq2[hiring.Submission, error] {
	checkpoint := o.Checkpoint
	o.Checkpoint = nil
	return func(yield func(hiring.Submission, error) bool) {
		state, err := checkpoint.Load(ctx)
		for more := true; more && err == nil; {
			var polled hiring.PollResult
			polled, err = client.Submissions.Poll(ctx, state, o)
			for _, submission := range polled.Submissions {
				if !yield(submission, nil) {
					return
				}
			}
			for _, unreadable := range polled.Errors {
				if !yield(hiring.Submission{}, unreadable) {
					return
				}
			}
			if state, more = polled.State, polled.More; state != "" {
				err = cmp.Or(err, checkpoint.Save(ctx, state))
			}
			if more && err == nil {
				err = sleep(ctx, polled.Wait)
			}
		}
		if err != nil {
			yield(hiring.Submission{}, err)
		}
	}
}

// reportItemErrors reports each submission that cannot be decoded on standard error, and goes
// on with the others. It ends with an error if there were any. It clears the progress before
// each line.
func (a *app) reportItemErrors(progress *output.Progress, all iter.Seq2[hiring.Submission, error]) iter.Seq2[hiring.Submission, error] {
	return func(yield func(hiring.Submission, error) bool) {
		unreadable := 0
		defer progress.Clear()
		for submission, err := range all {
			progress.Clear()
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
