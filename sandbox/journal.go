package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
)

// Limits of the journal. It keeps the newest exchanges within both.
const (
	JournalEntries = 10_000   // Exchanges in the journal.
	JournalBytes   = 32 << 20 // Bytes of all request bodies in the journal.
)

// Limits of the details that a journal keeps.
const (
	DetailResponse = 16 << 10 // Bytes of a response body.
	DetailBytes    = 32 << 20 // Bytes of all details, headers included.
)

// Entry is one exchange in the journal:
//
//	Method string
//	Route  string     the path template below /api/v1, such as /submissions/{id}; empty for an unknown path
//	Path   string     as sent, without the query
//	Query  string     as sent, without the question mark
//	Status int        0 when no response was sent, or none yet
//	Key    string     redacted, as in sk_test_…dbox; empty for none
//	Body   []byte     of a write; at most one byte more than the API accepts
//	At     time.Time
//	Detail *Detail    nil without WithDetails, and after DetailBytes of newer details
type Entry = server.Entry

// Detail is the rest of an exchange. See [WithDetails].
//
//	Number         int          of the exchange, from 1; a reset restarts it
//	Ended          bool         false: only Number, Header and Fault are set
//	RequestID      string       of the response; empty for an archive link
//	Header         http.Header  of the request, with the key redacted
//	ResponseHeader http.Header  of the response; nil when none was sent
//	Response       []byte       of the response body, at most DetailResponse bytes
//	ResponseSize   int          bytes of the response body that were sent
//	Limit          int          of the key's rate limit; 0 when the request was not counted
//	Remaining      int          requests after this exchange
//	Fault          *Fault       that applied; nil for none
//	Throttled      bool         rejected by the throttle
//	Repeats        int          number of the exchange that first sent this write; 0: this one
//	Took           time.Duration
type Detail = server.Detail

// Journal is a list of the exchanges of a server, oldest first.
type Journal []Entry

// Repeated returns the writes that repeat an earlier one, with the same method,
// path, query and body, that may have taken effect: one without a response, with
// a success or with a 5xx. A retry after a 429 is not included.
func (j Journal) Repeated() []Entry {
	return server.Repeated(j)
}

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

// Journal returns a copy of the journal. It holds the exchanges of every
// transport within the limits, those without a response included. Requests to the
// control API are not in it.
func (s *Server) Journal() Journal { return s.server().Journal() }

// ClearJournal empties the journal and changes nothing else.
func (s *Server) ClearJournal() { s.server().ClearJournal() }
