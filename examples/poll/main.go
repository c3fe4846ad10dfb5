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
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 0 when it was told to stop, 1 after an error, 2
// for settings that make no sense.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	set, err := parse(args, os.LookupEnv, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "poll:", err)
		return 2
	}
	log := set.logger(stderr)
	if err := work(ctx, set, stdout, log); err != nil {
		log.Error("ended", "error", err)
		return 1
	}
	log.Info("stopped")
	return 0
}

// work puts the job together and does it.
func work(ctx context.Context, set settings, stdout io.Writer, log *slog.Logger) (err error) {
	j := job{settings: set, health: new(health), log: log}
	if j.client, err = j.connect(ctx); err != nil {
		return err
	}
	return j.run(ctx, stdout)
}

// connect returns a client of the service or, without one, of a demonstration.
func (j *job) connect(ctx context.Context) (*hiring.Client, error) {
	if j.embedded {
		j.log.Info("showing five candidates of the embedded sandbox; set HIRING_BASE_URL and HIRING_API_KEY to watch the service")
		return demonstrate(ctx, &j.settings, j.log, j.options()...)
	}
	return hiring.FromEnv(j.options()...)
}

func (j *job) options() []hiring.Option {
	return []hiring.Option{hiring.WithLogger(j.log), hiring.WithObserver(j.health.observe), hiring.WithUserAgent("hiring-poll")}
}
