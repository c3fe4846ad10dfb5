// Command poll is a job that watches an organization, or one assessment, and
// writes each newly evaluated submission as a line of JSON. README.md beside it
// says how to deploy it.
//
// Without HIRING_BASE_URL and HIRING_API_KEY it shows itself on an embedded
// sandbox, whose candidates are through within seconds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	hiring "github.com/hiring-assessment/hiring-go"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // A second signal kills.
	signal.Ignore(syscall.SIGPIPE) // A closed standard output is a failed write, not a silent death.
	os.Exit(exitStatus(run(ctx, os.Args[1:], os.Stdout, os.Stderr)))
}

// exitStatus is 0 when the job was stopped, 1 after an error, and 2 for
// settings that make no sense: those do not mend themselves, and poll.service does
// not start the job again.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errSettings):
		return 2
	}
	return 1
}

// run runs the program and prints its result.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	set, err := parse(args, os.LookupEnv, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errSettings, err)
		_, _ = fmt.Fprintln(stderr, "poll:", err)
		return err
	}
	log := set.logger(stderr)
	if err := work(ctx, set, stdout, log); err != nil {
		log.Error("ended", "error", err)
		return err
	}
	log.Info("stopped")
	return nil
}

// work puts the job together and does it.
func work(ctx context.Context, set settings, stdout io.Writer, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx) // The demonstration ends with the job.
	defer stop()
	health := new(health)
	if set.embedded {
		log.Info("showing five candidates of the embedded sandbox; set HIRING_BASE_URL and HIRING_API_KEY to watch the API")
		client, set := demonstrate(ctx, set, log, health)
		return newJob(set, client, health, log).run(ctx, stdout)
	}
	options := clientOptions(log, health)
	if set.keyFile != "" {
		options = append(options, hiring.WithKeySource(keyFrom(set.keyFile)))
	}
	client, err := hiring.FromEnv(options...)
	if err != nil {
		return err
	}
	return newJob(set, client, health, log).run(ctx, stdout)
}

// clientOptions returns the options of a job's client, which logs and counts each request.
func clientOptions(log *slog.Logger, health *health) []hiring.Option {
	return []hiring.Option{
		hiring.WithLogger(log),
		hiring.WithObserver(health.observe),
		hiring.WithUserAgent("hiring-poll"),
	}
}
