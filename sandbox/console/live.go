package console

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

const (
	// collectInterval is how long changes are collected before a message is sent, so that a
	// thousand requests a second make a few messages.
	collectInterval = 250 * time.Millisecond
	// refreshInterval is how often a part is sent without a change, because it shows relative
	// times.
	refreshInterval = 15 * time.Second
)

// liveHandler sends a part of a page at once and after each change, as server-sent events,
// until the browser disconnects.
func (c *console) liveHandler(block string, view func(r *http.Request) (page, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		var last []byte
		for {
			changes := c.server.Changes() // Before view, so that a change during view is sent next.
			p, err := view(r)
			if err != nil {
				return
			}
			text, err := c.render(p, block)
			if err != nil {
				return
			}
			if !bytes.Equal(text, last) {
				if sendEvent(w, text) != nil || out.Flush() != nil {
					return
				}
				last = text
			}
			if !waitForChange(r, collectInterval, nil) || !waitForChange(r, refreshInterval, changes) {
				return
			}
		}
	})
}

// waitForChange waits for a change, for timeout at most. It returns false if the browser
// has disconnected.
func waitForChange(r *http.Request, timeout time.Duration, changes <-chan struct{}) bool {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changes:
	case <-r.Context().Done():
		return false
	}
	return true
}

// sendEvent sends text as one event with a data line for each line.
func sendEvent(w http.ResponseWriter, text []byte) error {
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r"), nil), []byte("\n"), []byte("\ndata: "))
	_, err := fmt.Fprintf(w, "event: part\ndata: %s\n\n", text)
	return err
}
