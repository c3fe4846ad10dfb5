// Command backend is an HTTP service that invites candidates by a form and shows
// how far they are, with the right answer to every failure. README.md beside it
// says what each file is a model of.
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
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal kills.
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
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
	if err := flags.Parse(args); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		return demonstrate(ctx, *address, log, stdout)
	}
	if *assessment == "" {
		return errors.New("give the assessment to invite to, as in -assessment ID")
	}
	client, err := hiring.FromEnv(options(log)...)
	if err != nil {
		return err
	}
	app, err := newApp(client, *assessment, log)
	if err != nil {
		return err
	}
	return serve(ctx, *address, app, app.handler(), stdout)
}

// demonstrate serves on an embedded sandbox, whose own page is there too: it
// makes things go wrong at a click.
func demonstrate(ctx context.Context, address string, log *slog.Logger, stdout io.Writer) error {
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{
		Open: 10 * time.Second, Begin: 20 * time.Second, Submit: 30 * time.Second, Evaluate: 30 * time.Second,
	}))
	assessment := server.AddAssessment("Backend engineer")
	app, err := newApp(server.LiveClient(options(log)...), assessment, log)
	if err != nil {
		return err
	}
	app.mode, app.console = "Embedded sandbox: nobody gets an e-mail.", "/_sandbox/"
	mux := http.NewServeMux()
	mux.Handle("/", app.handler())
	mux.Handle(app.console, console.Handler(server))
	return serve(ctx, address, app, mux, stdout)
}
