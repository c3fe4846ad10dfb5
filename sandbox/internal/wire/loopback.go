package wire

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Loopback is a server at a free port of the loopback interface.
type Loopback struct {
	URL string // The base URL, without a slash at its end.

	server *http.Server
	done   chan struct{}
}

// NewLoopback starts to serve. It fails when no port can be had.
func NewLoopback(h http.Handler) (*Loopback, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Loopback{
		URL: "http://" + listener.Addr().String(),
		// Without DisableGeneralOptionsHandler net/http would answer OPTIONS * itself, outside the envelope.
		server: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, DisableGeneralOptionsHandler: true},
		done:   make(chan struct{}),
	}
	go func() {
		defer close(l.done)
		_ = l.server.Serve(listener) // always ErrServerClosed: Close is the only way out
	}()
	return l, nil
}

// Close stops serving, cuts the connections and waits until nothing runs.
func (l *Loopback) Close() {
	_ = l.server.Close()
	<-l.done
}
