package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// watch writes results until the context ends, which is no error.
func watch(ctx context.Context, client *hiring.Client, set settings, out *output) error {
	set.watch.Progress = logHourly()
	written := 0
	for submission, err := range client.Submissions.Watch(ctx, set.watch) {
		if errors.Is(err, context.Canceled) {
			return nil // SIGTERM. The next run resumes at the checkpoint.
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil // The previous submission was saved as delivered, and the next run begins with this one.
		}
		// The checkpoint records this submission when the loop asks for the next one. Its line must be on the disk by
		// then, or a crash loses it. A crash before then repeats it.
		if err := out.write(submission); err != nil {
			return err
		}
		if written++; written == set.most {
			return nil
		}
	}
	return nil
}

// logHourly returns a function that logs the state of a watch after the first poll and once an hour.
func logHourly() func(hiring.WaitProgress) {
	var last time.Time
	return func(p hiring.WaitProgress) {
		if time.Since(last) >= time.Hour {
			last = time.Now()
			slog.Info("watching", "unfinished", p.AwaitingGrading, "reads_last_hour", p.ReadsLastHour,
				"next_poll", p.NextPoll.UTC().Format(time.TimeOnly), "why_slow", p.SlowReason)
		}
	}
}

// once writes what is new since the last run. Cron runs it again.
func once(ctx context.Context, client *hiring.Client, options hiring.WatchOptions, out *output) error {
	checkpoint := options.Checkpoint
	options.Checkpoint = nil // Poll takes and returns its state.
	state, err := checkpoint.Load(ctx)
	if err != nil {
		return err
	}
	for {
		polled, pollErr := client.Submissions.Poll(ctx, options, state)
		if err := out.write(polled.Submissions...); err != nil { // Results from before an error are returned with it.
			return err
		}
		if polled.State != "" { // Saved after its lines, also when a signal arrives in between.
			if err := checkpoint.Save(context.WithoutCancel(ctx), polled.State); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(pollErr, context.Canceled):
			return nil // SIGTERM
		case pollErr != nil || polled.Wait > 0:
			return pollErr
		}
		state = polled.State
	}
}
