package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// batchInterval is the time between batches of events, so that a thousand requests a
// second cost three searches a second, and what follows an action is shown soon.
const batchInterval = 300 * time.Millisecond

// topic is what has changed, besides entries and candidates.
type topic string

const (
	topicReset       topic = "reset" // Everything must be read again.
	topicSettings    topic = "settings"
	topicFaults      topic = "faults"
	topicKeys        topic = "keys"
	topicClock       topic = "clock"
	topicJournal     topic = "journal" // Entries were removed.
	topicAssessments topic = "assessments"
)

// changes numbers the changes of a server for the event stream.
type changes struct {
	revision int           // Of the last change.
	topics   map[topic]int // Revision of the last change of each topic.
	wake     chan struct{} // Closed at the next change; nil while no stream waits.
}

// revise records a change and returns its number. The lock is held.
func (s *Server) revise() int {
	c := &s.changes
	c.revision++
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
	return c.revision
}

// notify records a change of a topic. The lock is held.
func (s *Server) notify(of topic) {
	s.changes.topics[of] = s.revise()
}

// serveEvents sends changes as server-sent events until the client disconnects.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	var in struct {
		journalFilter

		After *int `json:"after"`
	}
	err := decodeQuery(r, &in)
	if last, invalid := strconv.Atoi(r.Header.Get("Last-Event-ID")); invalid == nil {
		in.After = &last
	}
	conditions, invalid := in.conditions(s.now())
	if err = cmp.Or(err, invalid); err != nil {
		writeControlError(w, err)
		return
	}
	s.mu.Lock()
	from := s.changes.revision
	s.mu.Unlock()
	from = *cmp.Or(in.After, &from)
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(text string) bool {
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	// The timeline moves candidates only when their data is read. Read it at least once a second.
	for connected := send(": connected\n\n"); connected; {
		changed := s.changesAfter(from)
		if text := changed.events(from, conditions); text != "" {
			connected = send(text)
		}
		from = changed.position
		connected = connected && wire.Wait(r.Context(), batchInterval, changed.wake)
	}
}

// batch is what has changed since a position.
type batch struct {
	position   int
	wake       <-chan struct{} // Closed at the next change, if nothing has changed.
	reset      bool
	topics     []topic
	candidates []world.CandidateInfo
	exchanges  []*exchange
	actions    []action
}

// changesAfter returns what has changed since a position. Under the lock it only copies.
func (s *Server) changesAfter(from int) (b batch) {
	now, unlock := s.lock()
	defer unlock()
	c := &control{Server: s, now: now}
	_ = c.visitOrganizations(scope{}, func(_ string, o *world.Organization) {
		for _, one := range o.Candidates() {
			if one.Revision() > from {
				b.candidates = append(b.candidates, one.Info())
			}
		}
	})
	b.position = s.changes.revision
	b.reset = from > b.position || s.changes.topics[topicReset] > from
	if from == b.position {
		if s.changes.wake == nil {
			s.changes.wake = make(chan struct{})
		}
		b.wake = s.changes.wake
		return b
	}
	for topic, revision := range s.changes.topics {
		if revision > from {
			b.topics = append(b.topics, topic)
		}
	}
	b.exchanges = slices.Clone(s.journal.exchanges)
	b.actions = slices.DeleteFunc(slices.Clone(s.journal.actions), func(a action) bool { return a.revision <= from })
	return b
}

// events returns the events of a batch, with the entries that meet the conditions. The last one
// has the position after them, so that a client that was cut off loses none.
func (b *batch) events(from int, conditions []condition) (text string) {
	if b.reset {
		return fmt.Sprintf("id: %d\nevent: reset\ndata: {}\n\n", b.position)
	}
	event := func(name string, data any) {
		text += fmt.Sprintf("event: %s\ndata: %s\n\n", name, encodeControl(map[string]any{name: data}))
	}
	if found := matching(b.exchanges, from, conditions); len(found) > 0 {
		event("entries", copies(found, false))
	}
	if len(b.actions) > 0 {
		event("actions", b.actions)
	}
	if len(b.candidates) > 0 {
		event("candidates", b.candidates)
	}
	if slices.Sort(b.topics); len(b.topics) > 0 {
		event("changed", b.topics)
	}
	if text != "" {
		at := strings.LastIndex(text, "event: ")
		text = text[:at] + fmt.Sprintf("id: %d\n", b.position) + text[at:]
	}
	return text
}
