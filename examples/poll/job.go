package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// job is a watch and where its results go.
type job struct {
	set    settings
	client *hiring.Client
	out    *output
	health *health
	log    *slog.Logger

	progressTold time.Time
}

func newJob(set settings, client *hiring.Client, health *health, log *slog.Logger) *job {
	return &job{set: set, client: client, health: health, log: log}
}

// run returns nil when the context was cancelled, which is how a job is stopped.
func (j *job) run(ctx context.Context, stdout io.Writer) error {
	if j.set.to == "" && j.set.watch.Checkpoint != nil && discards(stdout) {
		return errors.New("standard output is closed or the null device: what the checkpoint says is delivered would be lost; name a file with -out")
	}
	out, err := openOutput(j.set.to, stdout)
	if err != nil {
		return err
	}
	j.out = out
	if j.set.once {
		err = j.once(ctx)
	} else {
		err = j.forever(ctx)
	}
	err = ending(ctx, err)
	if closeErr := out.close(); err == nil {
		err = closeErr
	}
	return err
}

// ending returns the error with which the program ends. The SDK has retried transient
// errors, so every remaining error needs the operator, with two exceptions: a signal is
// not an error, and an error about a rejected state names its flag.
func ending(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	if refused, ok := errors.AsType[*hiring.ParamError](err); ok && refused.Param == "state" {
		return fmt.Errorf("-checkpoint: %w", err)
	}
	return err
}

// forever writes what Watch yields.
func (j *job) forever(ctx context.Context) error {
	stop, err := j.health.serve(ctx, j.set.listen, j.client, j.log)
	if err != nil {
		return err
	}
	defer stop()
	if j.set.watch.Checkpoint == nil && !j.set.embedded {
		j.log.Warn("without -checkpoint a restart misses what is evaluated meanwhile")
	}
	j.log.Info("watching")
	options := j.set.watch
	options.Progress = j.tellProgress
	written := 0
	for submission, err := range j.client.Submissions.Watch(ctx, options) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			// Watch has saved the one before. This one comes again after a restart.
			return ctx.Err()
		}
		// The checkpoint moves past an item when the loop asks for the next one.
		// The line must be on the disk by then, or a crash would lose it; a crash
		// before then repeats it.
		if err := j.write(submission); err != nil {
			return err
		}
		written++
		if written == j.set.most {
			return nil
		}
	}
	return nil
}

// tellProgress logs once an hour what the watch is doing, and why it is slow, if
// it is.
func (j *job) tellProgress(p hiring.WaitProgress) {
	if time.Since(j.progressTold) < time.Hour {
		return
	}
	j.progressTold = time.Now()
	j.log.Info("progress", "since_means", p.SinceMeaning, "unfinished", p.AwaitingGrading, "reads_last_hour", p.ReadsLastHour,
		"next_round", p.NextPoll.UTC().Format(time.TimeOnly), "why_slow", p.SlowReason)
}

// once is for cron: it writes what is new since the last run, in as many rounds as
// that takes.
func (j *job) once(ctx context.Context) error {
	state, err := j.set.watch.Checkpoint.Load(ctx)
	if err != nil {
		return err
	}
	options := j.set.watch
	options.Checkpoint = nil // once loads and saves the state itself.
	for {
		polled, pollErr := j.client.Submissions.Poll(ctx, options, state)
		// Results from before an error are returned with it.
		if err := j.deliver(ctx, polled); err != nil {
			return err
		}
		if pollErr != nil {
			return pollErr
		}
		if polled.Wait > 0 {
			j.log.Info("done for now", "wait", polled.Wait.Round(time.Second))
			return nil
		}
		state = polled.State
	}
}

// deliver writes the lines first: what is saved is never found again. A signal
// does not come between the two.
func (j *job) deliver(ctx context.Context, polled hiring.PollResult) error {
	if err := j.write(polled.Submissions...); err != nil {
		return err
	}
	if polled.State == "" {
		return nil
	}
	return j.set.watch.Checkpoint.Save(context.WithoutCancel(ctx), polled.State)
}

func (j *job) write(submissions ...hiring.Submission) error {
	if err := j.out.write(submissions); err != nil {
		return err
	}
	for _, submission := range submissions {
		j.health.count()
		if submission.Report == nil {
			j.log.Warn("delivered without a report: it cannot be read, or the submission was deleted", "submission", submission.ID)
			continue
		}
		j.log.Info("delivered", "submission", submission.ID)
	}
	return nil
}
