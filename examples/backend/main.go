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
func run(ctx context.Context, listen, assessment string, stdout io.Writer) (err error) {
	mux, a := http.NewServeMux(), &app{assessment: assessment}
	logger := hiring.WithLogger(slog.Default()) // Logs each request, without names and addresses.
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		server := sandbox.New()
		mux.Handle("/_sandbox/", console.Handler(server))
		a.client, a.assessment = server.LiveClient(logger), server.AddAssessment("Backend engineer")
	} else if a.client, err = hiring.FromEnv(logger); err == nil && assessment == "" {
		err = errors.New("give the assessment to invite to, as in -assessment ID")
	}
	if err != nil {
		return err
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { show(w, http.StatusOK, page{}) })
	mux.HandleFunc("POST /invitations", a.invite)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	// Forms of other sites are refused. Put your sign-in here too.
	server := &http.Server{Handler: http.NewCrossOriginProtection().Handler(mux), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	_, _ = fmt.Fprintf(stdout, "open http://%s/\n", listener.Addr()) // It serves without this line too.
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
	defer cancel()
	err = server.Shutdown(grace)
	a.sending.Wait() // Each has a deadline. A second signal does not wait.
	return err
}
