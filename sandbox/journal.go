package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Entry is one exchange in the journal.
type Entry struct {
	Method         string        `json:"method"`
	Route          string        `json:"route"`           // The path template below /api/v1; empty for an unknown path.
	Path           string        `json:"path"`            // As sent, without the query.
	Query          string        `json:"query"`           // As sent, without the question mark.
	Status         int           `json:"status,omitzero"` // 0 when no response was sent, or none yet.
	Key            string        `json:"key"`             // Redacted, as in sk_test_…dbox; empty for none.
	Header         http.Header   `json:"headers,omitzero"`
	ResponseHeader http.Header   `json:"response_headers,omitzero"` // Kept like Response; nil without a response.
	Body           []byte        `json:"body,omitzero"`             // Of a write; at most one byte more than accepted.
	Response       []byte        `json:"response,omitzero"`         // The first 16 KB of the body; see [Server.Journal].
	At             time.Time     `json:"at"`
	Took           time.Duration `json:"took"` // Real time until the response was sent.
	repeats        bool          // See Repeated.
}

func (e Entry) clone() Entry {
	e.Header, e.ResponseHeader, e.Body, e.Response = e.Header.Clone(), e.ResponseHeader.Clone(), bytes.Clone(e.Body), bytes.Clone(e.Response)
	return e
}

// Journal is a list of the exchanges of a server, oldest first.
type Journal []Entry

// Repeated returns the writes that repeat an earlier one, with the same method,
// path, query and body, that may have taken effect: one without a response, with
// a success or with a 5xx. A retry after a 429 is not included.
func (j Journal) Repeated() []Entry {
	var repeats []Entry
	for _, e := range j {
		if e.repeats {
			repeats = append(repeats, e)
		}
	}
	return repeats
}

// write returns a text that is the same for equal writes.
func (e *Entry) write() string {
	return strings.Join([]string{e.Method, e.Path, e.Query, string(e.Body)}, "\n")
}

// mayHaveActed reports whether a client must assume that a write took effect: no
// response, a success or a server error. A 4xx has no effect.
func mayHaveActed(status int) bool { return status < 400 || status >= 500 }

// Find returns the newest exchange of an operation, such as POST and
// /assessments/{id}/invitations. When there is none, the error names the operations of the
// journal.
func (j Journal) Find(method, route string) (Entry, error) {
	var others []string
	for _, e := range slices.Backward(j) {
		if e.Method == method && e.Route == route {
			return e, nil
		}
		others = append(others, e.operation())
	}
	slices.Sort(others)
	return Entry{}, fmt.Errorf("sandbox: no %s %s in the journal, which has %q", method, route, slices.Compact(others))
}

// operation returns the method and the route, or the path if it has none.
func (e *Entry) operation() string { return e.Method + " " + cmp.Or(e.Route, e.Path) }

// operations returns the operations of the journal, sorted, each once.
func (j *journal) operations() []string {
	all := make(map[string]bool)
	for _, e := range j.exchanges {
		all[e.operation()] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Journal returns a copy of the journal: the newest 10,000 exchanges of every transport,
// those without a response included. The newest 1,000 have their responses, and of the others
// writes and those that failed. Requests to the control API are not in it.
func (s *Server) Journal() Journal {
	_, unlock := s.lock()
	defer unlock()
	entries := make(Journal, len(s.journal.exchanges))
	for i, e := range s.journal.exchanges {
		entries[i] = e.Entry.clone()
		entries[i].repeats = e.Repeats > 0
	}
	return entries
}

// ClearJournal empties the journal and changes nothing else. Numbers of exchanges
// continue.
func (s *Server) ClearJournal() {
	s.mustWithLock("ClearJournal", func(c *control) error { return c.clearJournal(scope{}) })
}
