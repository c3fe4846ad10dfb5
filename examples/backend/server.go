package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// grace is what requests, and then invitations, get to come to their end.
const grace = 5 * time.Second

// serve answers until the context ends, and lets what was begun come to its end.
func serve(ctx context.Context, address string, app *app, handler http.Handler, stdout io.Writer) error {
	defer app.tasks.end(grace)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second, // More than a page takes whose read times out.
		IdleTimeout:       time.Minute,
		ErrorLog:          slog.NewLogLogger(app.log.Handler(), slog.LevelWarn),
	}
	if _, err := fmt.Fprintf(stdout, "open http://%s/\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(last) != nil {
		app.log.WarnContext(ctx, "some requests did not end in time")
		return server.Close()
	}
	app.log.InfoContext(ctx, "stopped")
	return nil
}
