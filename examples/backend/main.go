// Command backend is a web service that invites candidates by a form, each once: README.md says what to copy. Without
// HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox, whose page makes requests fail.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal kills.
	listen := flag.String("listen", "127.0.0.1:8782", "`host:port` to listen on; port 0 takes a free one")
	assessment := flag.String("assessment", "", "the `id` of the assessment to invite to")
	flag.Parse()
	if err := run(ctx, *listen, *assessment, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "backend:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, listen, assessment string, stdout io.Writer) error {
	mux := http.NewServeMux()
	client, assessment, err := connect(assessment, mux)
	if err != nil {
		return err
	}
	a := &app{client: client, assessment: assessment}
	mux.HandleFunc("GET /{$}", a.form)
	mux.HandleFunc("POST /invitations", a.invite)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	// Forms of other sites are refused. Put your sign-in here too.
	server := &http.Server{Handler: http.NewCrossOriginProtection().Handler(mux), ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
		defer cancel()
		stopped <- server.Shutdown(grace)
	}()
	if _, err := fmt.Fprintf(stdout, "open http://%s/\n", listener.Addr()); err != nil {
		return err
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err = <-stopped
	a.sending.Wait() // Each has a deadline. A second signal does not wait.
	return err
}

// connect returns a client and the assessment to invite to: a new one on the embedded sandbox.
func connect(assessment string, mux *http.ServeMux) (*hiring.Client, string, error) {
	logger := hiring.WithLogger(slog.Default()) // Logs each request, without names and addresses.
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		server := sandbox.New()
		mux.Handle("/_sandbox/", console.Handler(server))
		return server.LiveClient(logger), server.AddAssessment("Backend engineer"), nil
	}
	if assessment == "" {
		return nil, "", errors.New("give the assessment to invite to, as in -assessment ID")
	}
	client, err := hiring.FromEnv(logger)
	return client, assessment, err
}
