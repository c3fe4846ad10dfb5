package wire

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Loopback is a server on a free port of the loopback interface.
type Loopback struct {
	URL string // Base URL without a trailing slash.

	server *http.Server
	done   chan struct{}
}

// NewLoopback starts a server. It returns an error if no port is available.
func NewLoopback(h http.Handler) (*Loopback, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Loopback{
		URL: "http://" + listener.Addr().String(),
		// Otherwise net/http would respond to OPTIONS * itself, without the envelope.
		server: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, DisableGeneralOptionsHandler: true},
		done:   make(chan struct{}),
	}
	go func() {
		defer close(l.done)
		_ = l.server.Serve(listener) // Always ErrServerClosed.
	}()
	return l, nil
}

// Close stops the server, closes its connections and waits until the goroutine has ended.
func (l *Loopback) Close() {
	_ = l.server.Close()
	<-l.done
}
