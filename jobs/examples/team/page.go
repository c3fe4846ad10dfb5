package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"
	"riverqueue.com/riverui"
)

// page is River's web page, or the metrics. River's page shows the contents of jobs, so
// in production it needs a login.
type page struct {
	address string
	server  *http.Server
}

func serveRiver[TTx any](ctx context.Context, listen string, client *river.Client[TTx], log *slog.Logger) (*page, error) {
	handler, err := riverui.NewHandler(&riverui.HandlerOpts{Endpoints: riverui.NewEndpoints(client, nil), Logger: log})
	if err != nil {
		return nil, err
	}
	if err := handler.Start(ctx); err != nil {
		return nil, err
	}
	return serve(ctx, listen, handler, log)
}

// serveMetrics serves the metrics for Prometheus, which contain no candidate data.
func serveMetrics(ctx context.Context, listen string, log *slog.Logger) (*page, error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.Handler())
	return serve(ctx, listen, mux, log)
}

func serve(ctx context.Context, listen string, handler http.Handler, log *slog.Logger) (*page, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, err
	}
	p := &page{listener.Addr().String(), &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
	go func() {
		if err := p.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("serving the page failed", "error", err)
		}
	}()
	return p, nil
}

func (p *page) close() { _ = p.server.Close() }
