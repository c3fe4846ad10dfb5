package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// collectInterval is how long changes are collected before an event is sent, so that a
	// thousand requests a second make a few events.
	collectInterval = 100 * time.Millisecond
	// keepAliveInterval is how often a comment is sent without a change.
	keepAliveInterval = 15 * time.Second
	// maxEventEntries is the number of entries in one event.
	maxEventEntries = 200
)

// serveEvents sends changes as server-sent events until the client disconnects.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	position := r.Header.Get("Last-Event-ID")
	if position == "" {
		position = r.URL.Query().Get("after")
	}
	s.mu.Lock()
	from := s.changes.revision
	s.mu.Unlock()
	if position != "" {
		after, err := strconv.Atoi(position)
		if err != nil {
			writeControlError(w, http.StatusBadRequest, "INVALID_INPUT", inputError{"after", "give the id of an event, or a position of the journal"})
			return
		}
		from = after
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	text := ": connected\n\n"
	for {
		var wake <-chan struct{}
		if _, err := w.Write([]byte(text)); err != nil || out.Flush() != nil {
			return
		}
		if text, from, wake = s.eventsAfter(from); wake == nil {
			continue
		}
		if text = ": nothing new\n\n"; waitForChange(r, keepAliveInterval, wake) {
			text = ""
			if !waitForChange(r, collectInterval, nil) {
				return
			}
		}
		if r.Context().Err() != nil {
			return
		}
	}
}

// waitForChange waits for a change, for timeout at most. It reports whether there may be
// one.
func waitForChange(r *http.Request, timeout time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-timer.C:
		return wake == nil
	case <-wake:
		return true
	case <-r.Context().Done():
		return false
	}
}

// eventsAfter returns the events after a position and the new position. When nothing has
// changed it returns a channel that is closed at the next change.
func (s *Server) eventsAfter(from int) (text string, position int, wake <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.changes
	if from > c.revision || c.topics[topicReset] > from {
		return fmt.Sprintf("id: %d\nevent: reset\ndata: {}\n\n", c.revision), c.revision, nil
	}
	if from == c.revision {
		if c.wake == nil {
			c.wake = make(chan struct{})
		}
		return "", from, c.wake // Nothing is new.
	}
	var changed []*record
	for e := range s.journal.all() {
		if e.revision > from {
			changed = append(changed, e)
		}
	}
	slices.SortFunc(changed, func(a, b *record) int { return a.revision - b.revision })
	position = c.revision
	if len(changed) > maxEventEntries {
		changed = changed[:maxEventEntries]
		position = changed[maxEventEntries-1].revision
	}
	if len(changed) > 0 {
		entries, redactor := make([]entryJSON, len(changed)), s.redactor()
		for i, e := range changed {
			entries[i] = newEntryJSON(e, redactor, false)
		}
		text = fmt.Sprintf("event: entries\ndata: %s\n\n", encodeControl(map[string]any{"entries": entries}))
	}
	var topics []string
	for topic, revision := range c.topics {
		if revision > from && revision <= position {
			topics = append(topics, topic)
		}
	}
	if slices.Sort(topics); len(topics) > 0 {
		text += fmt.Sprintf("event: changed\ndata: %s\n\n", encodeControl(map[string]any{"changed": topics}))
	}
	if text != "" { // The last event has the position, so that a client that was cut off loses none.
		at := strings.LastIndex(text, "event: ")
		text = text[:at] + fmt.Sprintf("id: %d\n", position) + text[at:]
	}
	return text, position, nil
}
