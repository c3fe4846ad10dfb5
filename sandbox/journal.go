package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Limits of the journal. It keeps the newest exchanges within both, because a simulation
// may send millions of requests.
const (
	JournalEntries = 10_000   // Exchanges in the journal.
	JournalBytes   = 32 << 20 // Bytes of all request bodies in the journal.
)

// Limits of the details that a journal keeps.
const (
	DetailResponse = 16 << 10 // Bytes of a response body.
	DetailBytes    = 32 << 20 // Bytes of all details, headers included.
)

// Entry is one exchange in the journal.
type Entry struct {
	Method string
	Route  string // The path template below /api/v1, such as /submissions/{id}; empty for an unknown path.
	Path   string // As sent, without the query.
	Query  string // As sent, without the question mark.
	Status int    // 0 when no response was sent, or none yet.
	Key    string // Redacted, as in sk_test_…dbox; empty for none.
	Body   []byte // Of a write; at most one byte more than the API accepts.
	At     time.Time
	Detail *Detail // Nil without WithDetails, and after DetailBytes of newer details.
}

// Detail is the rest of an exchange. See [WithDetails].
type Detail struct {
	Number         int         // Of the exchange, from 1. A reset restarts it.
	Ended          bool        // False: only Number, Header and Fault are set.
	RequestID      string      // Of the response; empty for an archive link.
	Header         http.Header // Of the request, with the key redacted.
	ResponseHeader http.Header // Of the response; nil when none was sent.
	Response       []byte      // Of the response body, at most DetailResponse bytes.
	ResponseSize   int         // Bytes of the response body that were sent.
	Limit          int         // Of the key's rate limit; 0 when the request was not counted.
	Remaining      int         // Requests after this exchange.
	Fault          *Fault      // That applied; nil for none.
	Throttled      bool        // Rejected by the throttle.
	Repeats        int         // Number of the exchange that first sent this write; 0: this one.
	Took           time.Duration
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
