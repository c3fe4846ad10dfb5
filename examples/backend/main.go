// Command backend is an HTTP service that invites candidates by a form and shows
// how far they are. README.md beside it says what it is a model of.
//
// Without HIRING_BASE_URL and HIRING_API_KEY it shows itself on an embedded
// sandbox, whose candidates are through within two minutes.
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
	"strings"
	"syscall"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal kills.
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "backend:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("backend", flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("listen", "127.0.0.1:8782", "`host:port` to listen on; port 0 takes a free one")
	assessment := flags.String("assessment", "", "the `id` of the assessment to invite to")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	client, err := connect(assessment)
	if err != nil {
		return err
	}
	return serve(ctx, *address, newApp(client, *assessment, log).handler(), stdout)
}

// connect returns a client of the service or, without one, of an embedded
// sandbox with an assessment of its own.
func connect(assessment *string) (*hiring.Client, error) {
	if os.Getenv("HIRING_BASE_URL") != "" || os.Getenv("HIRING_API_KEY") != "" {
		if *assessment == "" {
			return nil, errors.New("give the assessment to invite to, as in -assessment ID")
		}
		return hiring.FromEnv()
	}
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{
		Open: 10 * time.Second, Begin: 20 * time.Second, Submit: 30 * time.Second, Evaluate: 30 * time.Second,
	}))
	*assessment = server.AddAssessment("Backend engineer")
	return server.LiveClient(), nil
}
