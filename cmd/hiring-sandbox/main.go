// Command hiring-sandbox serves the sandbox over HTTP, for test suites in any
// language and for trying the API with curl.
//
//	hiring-sandbox -addr 127.0.0.1:8780
//
// It prints the address of its page (see package sandbox/console), the base URL and the
// keys. It stops on SIGINT or SIGTERM. The control API under /_sandbox/ (see
// sandbox.WithControlFromAnyHost) does what the methods of sandbox.Server do in a Go test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the program and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	config, err := parseFlags(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil && config.version {
		_, _ = fmt.Fprintln(stdout, "hiring-sandbox", hiring.Version)
		return 0
	}
	if err == nil {
		err = serve(ctx, config, stdout, stderr)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "hiring-sandbox: %v\n", err)
		return 1
	}
	return 0
}

// shutdownTimeout is how long requests in progress may take after a signal.
const shutdownTimeout = 5 * time.Second

// serve serves the sandbox until ctx ends.
func serve(ctx context.Context, config settings, stdout, stderr io.Writer) error {
	sandboxServer, err := newServer(config.options)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", config.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program; choose another address with -addr", config.addr)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", config.addr, err)
	}
	handler := console.Handler(sandboxServer)
	if !config.quiet {
		handler = logged(handler, stderr)
	}
	// A response that a fault delays must not delay the end of the program. Delayed
	// responses end when the listener is closed and not before, because a client that
	// loses its connection may connect again at once.
	requests, endRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer endRequests()
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: time.Minute,
		DisableGeneralOptionsHandler: true, // Otherwise net/http would respond to OPTIONS * without the envelope.
		BaseContext:                  func(net.Listener) context.Context { return requests },
	}
	server.RegisterOnShutdown(endRequests)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	printAddresses(stdout, listener.Addr(), config.keys)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(shutdownCtx) != nil {
		_ = server.Close()
	}
	_, _ = fmt.Fprintln(stdout, "stopped")
	return nil
}

// newServer creates the server. It returns the panic of an invalid option as an error,
// because the options come from flags.
func newServer(options []sandbox.Option) (s *sandbox.Server, err error) {
	defer func() {
		if cause, ok := recover().(string); ok {
			err = errors.New(cause)
		}
	}()
	return sandbox.New(options...), nil
}

// printAddresses prints the addresses and keys that a client needs.
func printAddresses(stdout io.Writer, address net.Addr, keys []sandbox.Key) {
	host := address.String()
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	_, _ = fmt.Fprintf(stdout, "See what your program does, and play the candidates: http://%s/_sandbox/\n\n", host)
	_, _ = fmt.Fprintf(stdout, "The hiring sandbox is listening; Ctrl-C stops it.\n\n  HIRING_BASE_URL=http://%s\n", host)
	for _, known := range []struct{ token, description string }{
		{sandbox.TestKey, "test mode, every scope"},
		{sandbox.ReadOnlyKey, "test mode, read only"},
		{sandbox.WriteKey, "test mode, read and write"},
		{sandbox.LiveKey, "live, every scope"},
	} {
		_, _ = fmt.Fprintf(stdout, "  HIRING_API_KEY=%-25s # %s\n", known.token, known.description)
	}
	for _, key := range keys {
		_, _ = fmt.Fprintf(stdout, "  HIRING_API_KEY=%-25s # %s %s\n", key.Token, key.Scope, key.Organization)
	}
	_, _ = fmt.Fprintf(stdout, `
  %-38s # test mode: an invitation to it returns 402
  %-38s # test mode and live: this id returns 404

  Control API: curl http://%s/_sandbox/

`, sandbox.PlanLimitEmail, sandbox.UnknownID, host)
}
