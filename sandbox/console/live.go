package console

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

const (
	// settle is how long news are gathered, so that a thousand requests a second
	// are a few messages.
	settle = 250 * time.Millisecond
	// breath is how often a part is sent anew though nothing has happened: time
	// goes on.
	breath = 15 * time.Second
)

// follow sends a part of a page, as the view has it, now and after each change,
// for as long as the browser listens.
func (c *console) follow(block string, view func(r *http.Request) (page, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		var last []byte
		for {
			news := c.server.News() // before looking: what comes meanwhile is told next time
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
			if !pause(r, settle, nil) || !pause(r, breath, news) {
				return
			}
		}
	})
}

// pause lets time pass, at most until something comes. It returns false when the
// browser has left.
func pause(r *http.Request, most time.Duration, until <-chan struct{}) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-until:
	case <-r.Context().Done():
		return false
	}
	return true
}

// sendEvent sends text as one message: each line is one of data.
func sendEvent(w http.ResponseWriter, text []byte) error {
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r"), nil), []byte("\n"), []byte("\ndata: "))
	_, err := fmt.Fprintf(w, "event: part\ndata: %s\n\n", text)
	return err
}
