package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func (a *app) sandboxCommand() *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use:   "sandbox",
		Short: "Start a fake of the service and print what to export",
		Long: `Sandbox serves a fake of the service on this machine until it is stopped, for trying
out this program, the SDK and programs in any language. With its live key, candidates
who are invited open, begin and hand in by themselves, and have a report two minutes
later. The program hiring-sandbox does the same and can do more.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.serveSandbox(c.Context(), addr) },
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8780", "`host:port` to listen on; port 0 takes a free one")
	return c
}

// eagerCandidates are as fast as somebody is patient who tries the program out.
var eagerCandidates = sandbox.Timeline{ //nolint:gochecknoglobals // a constant
	Open: 10 * time.Second, Begin: 20 * time.Second, Submit: time.Minute, Evaluate: 30 * time.Second,
}

func (a *app) serveSandbox(ctx context.Context, addr string) error {
	dialect, err := readDialect(a.flags.dialect)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return advised{err, "choose another address with --addr"}
	}
	server := &http.Server{
		Handler: sandbox.New(sandbox.WithDialect(dialect), sandbox.WithTimeline(eagerCandidates)), ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	_, _ = fmt.Fprintf(a.out, "export %s=http://%s\nexport %s=%s\n", envBaseURL, listener.Addr(), envKey, sandbox.TestKey)
	_, _ = fmt.Fprintf(a.err, "The sandbox is listening; Ctrl-C stops it.\nThis key is of test mode: there is sample data, and nothing that is written is kept.\n"+
		"To create and invite, in an organization that is empty at first, and see reports after two minutes:\nexport %s=%s\n", envKey, sandbox.LiveKey)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}
