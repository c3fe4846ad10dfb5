package sandbox

import (
	"fmt"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// URL returns the base URL of a loopback TCP listener, which the first call
// starts. It panics when no port is available, and after Close.
//
// Inside a testing/synctest bubble use Transport, because the clock of a bubble
// stops while a goroutine waits for a socket.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners.closed {
		panic("sandbox: URL was called after Close")
	}
	if s.listeners.tcp == nil {
		tcp, err := wire.NewLoopback(s)
		if err != nil {
			panic(fmt.Sprintf("sandbox: cannot listen on the loopback interface: %v", err))
		}
		s.listeners.tcp = tcp
	}
	return s.listeners.tcp.URL
}

// Close stops the listener of URL and cuts its connections. Transport keeps working,
// because it has no resources to close. A second Close has no effect.
func (s *Server) Close() {
	s.mu.Lock()
	open := s.listeners
	s.listeners = listeners{closed: true}
	s.mu.Unlock()
	if open.tcp != nil {
		open.tcp.Close()
	}
}
