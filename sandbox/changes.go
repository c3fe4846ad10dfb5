package sandbox

// changes numbers the changes of a server for the event stream.
type changes struct {
	revision int            // Of the last change.
	topics   map[string]int // Revision of the last change of each topic.
	wake     chan struct{}  // Closed at the next change; nil while no stream waits.
}

// topicReset is the topic of a reset: everything must be read again.
const topicReset = "reset"

// notify records a change of topics. The lock is held.
func (s *Server) notify(topics ...string) {
	c := &s.changes
	c.revision++
	if c.topics == nil {
		c.topics = make(map[string]int)
	}
	for _, topic := range topics {
		c.topics[topic] = c.revision
	}
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// touch records a change of a journal entry. The lock is held.
func (s *Server) touch(e *record) {
	s.notify()
	e.revision = s.changes.revision
}
