package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const (
	// patience is how long no request may succeed: ten polls, or an outage that the
	// operator must know about.
	patience = 10 * time.Minute
	// quotaWindow is how long a watch may wait for its quota's next window.
	quotaWindow = time.Hour
	// stopWithin is how long probes under way may take at the end.
	stopWithin = time.Second
)

// health knows from the client's exchanges whether the watch is getting on.
type health struct {
	mu        sync.Mutex
	delivered int
	success   time.Time // Of the latest request that succeeded.
	due       time.Time // By then another must have.
}

// observe is the client's observer.
func (h *health) observe(_ context.Context, e hiring.Exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if e.Err == nil {
		h.success, h.due = now, now.Add(patience)
	}
	// A watch leaves a tenth of each window to others, then waits for the next window. The
	// server's clock determines when it begins, so the whole tenth is allowed.
	if q := e.RateLimit; !h.success.IsZero() && q.Limit > 0 && q.Remaining <= (q.Limit+9)/10 {
		h.due = now.Add(quotaWindow + patience)
	}
}

func (h *health) count() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.delivered++
}

// status is the body of /readyz.
type status struct {
	Ready          bool       `json:"ready"`
	Delivered      int        `json:"delivered"`    // Since the program was started.
	LastSuccess    *time.Time `json:"last_success"` // Null: no request has succeeded yet.
	ReadsLimit     int        `json:"reads_limit"`  // An hour, from the last response; 0 before the first.
	ReadsRemaining int        `json:"reads_remaining"`
	ReadsReset     *time.Time `json:"reads_reset"` // By the API's clock.
}

func (h *health) status(quota hiring.RateLimit) status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := status{
		Ready: time.Now().Before(h.due), Delivered: h.delivered,
		ReadsLimit: quota.Limit, ReadsRemaining: quota.Remaining,
	}
	if success := h.success.UTC(); !success.IsZero() {
		s.LastSuccess = &success
	}
	if reset := quota.Reset.UTC(); !reset.IsZero() {
		s.ReadsReset = &reset
	}
	return s
}

// handler answers /healthz while the process lives, and /readyz with 503 before
// the first request succeeded and when none has for too long.
func (h *health) handler(client *hiring.Client) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		s := h.status(client.Quota().Read)
		w.Header().Set("Content-Type", "application/json")
		if !s.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(s) // A probe that went away.
	})
	return mux
}

// serve answers probes until stop is called.
func (h *health) serve(ctx context.Context, address string, client *hiring.Client, log *slog.Logger) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-listen: %w", err)
	}
	server := &http.Server{Handler: h.handler(client), ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("health is not served any more", "error", err)
		}
	}()
	log.Info("serving health", "address", listener.Addr().String())
	return func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
		<-done
	}, nil
}
