package sandbox

import "net/http/httptest"

// URL returns the base URL of a loopback TCP listener, which the first call
// starts. It panics when no port is available, and after Close.
//
// Inside a testing/synctest bubble use Transport, because the clock of a bubble
// stops while a goroutine waits for a socket.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		panic("sandbox: URL was called after Close")
	}
	if s.listener == nil {
		s.listener = httptest.NewUnstartedServer(s)
		// Otherwise net/http would respond to OPTIONS * itself, without the envelope.
		s.listener.Config.DisableGeneralOptionsHandler = true
		s.listener.Start()
	}
	return s.listener.URL
}

// Close stops the listener of URL and cuts its connections. Transport keeps working,
// because it has no resources to close. A second Close has no effect.
func (s *Server) Close() {
	s.mu.Lock()
	open := s.listener
	s.listener, s.closed = nil, true
	s.mu.Unlock()
	if open != nil {
		_ = open.Listener.Close() // So that no client connects again.
		open.CloseClientConnections()
		open.Close()
	}
}
