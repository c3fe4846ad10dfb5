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
	c := command("sandbox", "Start a fake server and print the variables to export")
	c.RunE = func(c *cobra.Command, _ []string) error { return a.serveSandbox(c.Context(), addr) }
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8780", "the `host:port` to listen on (default 127.0.0.1:8780); port 0 means a free port")
	return c
}

// eagerCandidates have a report two minutes after the invitation.
var eagerCandidates = sandbox.Timeline{Open: 10 * time.Second, Begin: 20 * time.Second, Submit: time.Minute, Evaluate: 30 * time.Second} //nolint:gochecknoglobals // a constant

func (a *app) serveSandbox(ctx context.Context, addr string) error {
	if a.flags.profile != "" { // As in -p 8080.
		return adviceError{usagef("sandbox uses no profile"), "--addr 127.0.0.1:8080 chooses the port"}
	}
	dialect, err := readDialect(a.flags.dialect)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return adviceError{err, "Choose another address with --addr"}
	}
	server := &http.Server{Handler: sandbox.New(sandbox.WithDialect(dialect), sandbox.WithTimeline(eagerCandidates)), ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	_, _ = fmt.Fprintf(a.out, "export %s=http://%s\nexport %s=%s\n", envBaseURL, listener.Addr(), envKey, sandbox.TestKey)
	_, _ = fmt.Fprintf(a.err, `The sandbox is listening. Ctrl-C stops it.
This is a test key: there is sample data, and no change is stored.
To create assessments, invite candidates and see reports after two minutes, use the live key:
export %s=%s
`, envKey, sandbox.LiveKey)
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}
