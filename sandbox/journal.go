package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Entry is one exchange in the journal.
type Entry struct {
	Method         string
	Route          string // The path template below /api/v1, such as /submissions/{id}; empty for an unknown path.
	Path           string // As sent, without the query.
	Query          string // As sent, without the question mark.
	Status         int    // 0 when no response was sent, or none yet.
	Key            string // Redacted, as in sk_test_…dbox; empty for none.
	Header         http.Header
	ResponseHeader http.Header // Of the newest 1,000 exchanges; nil when no response was sent.
	Body           []byte      // Of a write; at most one byte more than the API accepts.
	Response       []byte      // The first 16 KB of the response's body, of the newest 1,000 exchanges.
	At             time.Time
	Took           time.Duration // Real time until the response was sent.
}

// String returns the exchange on one line.
func (e Entry) String() string {
	text := e.Method + " " + e.Path
	if e.Query != "" {
		text += "?" + e.Query
	}
	if e.Status == 0 {
		text += " -> no response"
	} else {
		text += fmt.Sprintf(" -> %d", e.Status)
	}
	if len(e.Body) > 0 {
		text += fmt.Sprintf(" %.300s", e.Body)
	}
	return text
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
	sent := make(map[string]bool)
	for _, e := range j {
		if classOf(e.Method) != ClassWrite {
			continue
		}
		write := e.write()
		if sent[write] {
			repeats = append(repeats, e)
		}
		sent[write] = sent[write] || mayHaveActed(e.Status)
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
// /assessments/{id}/invitations. When there is none, the error names the most
// similar exchange.
func (j Journal) Find(method, route string) (Entry, error) {
	segments := strings.Split(route, "/")
	nearest, best := Entry{}, -1
	for _, e := range slices.Backward(j) {
		if e.Method == method && e.Route == route {
			return e, nil
		}
		similarity := 0
		if e.Method == method {
			similarity++
		}
		for i, segment := range strings.Split(e.Route, "/") {
			if i < len(segments) && segments[i] == segment {
				similarity += 2
			}
		}
		if similarity > best {
			nearest, best = e, similarity
		}
	}
	if len(j) == 0 {
		return Entry{}, fmt.Errorf("sandbox: no %s %s: the journal is empty", method, route)
	}
	return Entry{}, fmt.Errorf("sandbox: no %s %s among %d exchanges; the nearest is %s (route %q)",
		method, route, len(j), nearest, nearest.Route)
}

// Journal returns a copy of the journal: the newest 10,000 exchanges of every transport,
// those without a response included. Requests to the control API are not in it.
func (s *Server) Journal() Journal {
	_, unlock := s.lock()
	defer unlock()
	entries := make(Journal, len(s.journal.records))
	for i, e := range s.journal.records {
		entries[i] = e.Entry.clone()
	}
	return entries
}

// ClearJournal empties the journal and changes nothing else. Numbers of exchanges
// continue.
func (s *Server) ClearJournal() {
	s.must("ClearJournal", func(c *control) error { return c.clearJournal(scope{}) })
}
