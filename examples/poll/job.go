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
	settings

	client *hiring.Client
	out    *output
	health *health
	log    *slog.Logger
}

// run returns nil when the context ended.
func (j *job) run(ctx context.Context, stdout io.Writer) (err error) {
	if j.to == "" && j.watch.Checkpoint != nil && discards(stdout) {
		return errors.New("standard output is closed or the null device: what the checkpoint says is delivered would be lost; name a file with -out")
	}
	if j.out, err = openOutput(j.to, stdout); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.out.close()) }()
	if j.once {
		err = j.round(ctx)
	} else {
		err = j.forever(ctx)
	}
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
	stop, err := j.health.serve(ctx, j.listen, j.client, j.log)
	if err != nil {
		return err
	}
	defer stop()
	if j.watch.Checkpoint == nil && !j.embedded {
		j.log.Warn("without -checkpoint a restart misses what is evaluated meanwhile")
	}
	j.log.Info("watching")
	j.watch.Progress = j.tell()
	for submission, err := range j.client.Submissions.Watch(ctx, j.watch) {
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
		if j.most--; j.most == 0 {
			break
		}
	}
	return nil
}

// tell logs once an hour what the watch is doing, and why it is slow, if it is.
func (j *job) tell() func(hiring.WaitProgress) {
	var told time.Time
	return func(p hiring.WaitProgress) {
		if time.Since(told) < time.Hour {
			return
		}
		told = time.Now()
		j.log.Info("progress", "since_means", p.Meaning, "unfinished", p.Unfinished, "reads_last_hour", p.ReadsLastHour,
			"next_round", p.NextPoll.UTC().Format(time.TimeOnly), "why_slow", p.Why)
	}
}

// round is for cron: it writes what is new since the last run.
func (j *job) round(ctx context.Context) error {
	state, err := j.watch.Checkpoint.Load(ctx)
	for err == nil {
		var polled hiring.Polled
		polled, err = j.client.Submissions.Poll(ctx, j.watch, state)
		state = polled.State
		// The lines come first: what is saved is never found again.
		if failure := j.write(polled.Submissions...); failure != nil {
			return failure
		}
		if state != "" {
			if failure := j.watch.Checkpoint.Save(context.WithoutCancel(ctx), state); failure != nil {
				return failure
			}
		}
		if err == nil && polled.Wait > 0 {
			j.log.Info("done for now", "wait", polled.Wait.Round(time.Second))
			break
		}
	}
	return err
}

func (j *job) write(submissions ...hiring.Submission) error {
	if err := j.out.write(submissions); err != nil {
		return err
	}
	for i := range submissions {
		j.health.count()
		j.log.Info("delivered", "submission", submissions[i].ID)
	}
	return nil
}
