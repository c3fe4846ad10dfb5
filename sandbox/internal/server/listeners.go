package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/serverclock"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// listeners are closed by Close.
type listeners struct {
	tcp    *wire.Loopback
	pipes  []*wire.Pipe
	closed bool
}

// Listener returns a new in-memory listener. Close closes it.
func (s *Server) Listener() *wire.Pipe {
	l := wire.NewPipe()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners.closed {
		_ = l.Close()
	} else {
		s.listeners.pipes = append(s.listeners.pipes, l)
	}
	return l
}

// URL returns the base URL of a loopback listener, which the first call
// starts.
func (s *Server) URL() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners.closed {
		return "", errURLAfterClose
	}
	if s.listeners.tcp == nil {
		tcp, err := wire.NewLoopback(s)
		if err != nil {
			return "", fmt.Errorf("cannot listen on the loopback interface: %w", err)
		}
		s.listeners.tcp = tcp
		serverclock.Register(strings.TrimPrefix(tcp.URL, "http://"), &s.clientClock)
	}
	return s.listeners.tcp.URL, nil
}

var errURLAfterClose = errors.New("URL was called after Close")

// Close closes the listeners and the connections of the loopback listener.
func (s *Server) Close() {
	s.mu.Lock()
	open := s.listeners
	s.listeners = listeners{closed: true}
	s.mu.Unlock()
	for _, pipe := range open.pipes {
		_ = pipe.Close()
	}
	if open.tcp != nil {
		serverclock.Unregister(strings.TrimPrefix(open.tcp.URL, "http://"))
		open.tcp.Close()
	}
}
