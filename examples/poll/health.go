package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// patience is how long no request may succeed: an hour for the next window of the rate limit, and ten minutes.
const patience = 70 * time.Minute

// health is the time of the last request that succeeded.
type health struct{ success atomic.Pointer[time.Time] }

// observe is the client's observer.
func (h *health) observe(_ context.Context, e hiring.Exchange) {
	if now := time.Now(); e.Err == nil {
		h.success.Store(&now)
	}
}

// ServeHTTP responds to /healthz with 200 while the process runs. It responds to /readyz with 503 before the first
// request succeeded and when none has for too long.
func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch success := h.success.Load(); {
	case r.URL.Path == "/readyz" && (success == nil || time.Since(*success) > patience):
		http.Error(w, "no request to the API has succeeded lately", http.StatusServiceUnavailable)
	case r.URL.Path == "/readyz" || r.URL.Path == "/healthz":
		_, _ = fmt.Fprintln(w, "ok")
	default:
		http.NotFound(w, r)
	}
}

// serve responds to probes until stop is called.
func (h *health) serve(ctx context.Context, address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-listen: %w", err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}
