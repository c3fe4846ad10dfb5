package sandbox

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxExchanges = 10_000   // Exchanges in the journal.
	maxResponses = 1_000    // Newest exchanges whose responses are kept, whatever they are.
	maxResponse  = 16 << 10 // Bytes of a response's body.
)

// exchange is a request with its response in the journal, as the control API shows it: a member
// that is not known is absent. It never changes in the journal: at its end it is replaced. So
// readers need the lock only to copy the list.
type exchange struct {
	Entry

	Number       int     `json:"number"` // From 1; 0 until it is in the journal.
	Ended        bool    `json:"ended"`
	Agent        string  `json:"agent,omitzero"` // The User-Agent header, also in a list without headers.
	KeyID        string  `json:"key_id,omitzero"`
	Organization *string `json:"organization"` // Null for a key that the server did not know.
	// Whom or what it concerns: an address or an assessment.
	Subject string `json:"subject,omitzero"`
	Done    bool   `json:"done,omitzero"` // The work was done, even if the response was lost.
	// When an undo of the page took back what the write did.
	Undone  time.Time `json:"undone,omitzero"`
	Pending bool      `json:"pending,omitzero"` // The report in the response is not ready.
	// Number of the first exchange with this write, if that may have acted.
	Repeats      int        `json:"repeats,omitzero"`
	RepeatedBy   int        `json:"repeated_by,omitzero"` // Number of the last write that repeats this one.
	FromPage     bool       `json:"from_page,omitzero"`   // The page sent the request, not a program.
	RequestID    string     `json:"request_id,omitzero"`
	ResponseSize int        `json:"response_size"`
	ResponseCut  bool       `json:"response_cut,omitzero"` // The journal keeps the beginning of the response.
	Limit        int        `json:"limit,omitzero"`        // Of the key; absent when the request was not counted.
	Remaining    int        `json:"remaining"`
	Throttled    bool       `json:"throttled"`
	Fault        *Fault     `json:"fault,omitzero"`
	FaultID      int        `json:"fault_id,omitzero"`
	Error        *errorJSON `json:"error,omitzero"` // In the response. It is kept longer than the response.
	// The response of the work that was done, which a fault replaced, cut or lost; kept as long as Response.
	Withheld *withheldJSON `json:"withheld,omitzero"`

	counted  bool // The request used one of the rate limit.
	revision int
}

// journal is the newest exchanges.
type journal struct {
	exchanges   []*exchange // In the order of their numbers.
	count       int
	firstWrites map[uint64]int // Number of the first exchange with a write, by its hash.
	actions     []action       // The newest ones.
	run         string         // Differs after each start and reset, from which on numbers begin anew.
}

var writeSeed = maphash.MakeSeed()

// put adds an exchange without a number, or replaces the one with its number.
func (j *journal) put(e *exchange) {
	if e.Number > 0 {
		if i, ok := j.find(e.Number); ok {
			e.RepeatedBy = j.exchanges[i].RepeatedBy // It may have been repeated before its end.
			j.exchanges[i] = e
		}
		return
	}
	j.count++
	e.Number = j.count
	j.findRepeated(e)
	if len(j.exchanges) == maxExchanges {
		j.exchanges[0] = nil
		j.exchanges = j.exchanges[1:]
	}
	j.exchanges = append(j.exchanges, e)
	if i := len(j.exchanges) - 1 - maxResponses; i >= 0 {
		if old := *j.exchanges[i]; classOf(old.Method) != ClassWrite && !old.failed() { // Such as one of many polls.
			old.ResponseHeader, old.Response, old.Withheld = nil, nil, nil
			j.exchanges[i] = &old
		}
	}
}

// find returns the index of an exchange.
func (j *journal) find(number int) (int, bool) {
	return slices.BinarySearchFunc(j.exchanges, number, func(e *exchange, number int) int { return e.Number - number })
}

// findRepeated finds the earlier write that a write of a program repeats.
func (j *journal) findRepeated(e *exchange) {
	if classOf(e.Method) != ClassWrite || e.FromPage {
		return
	}
	write := maphash.String(writeSeed, e.write())
	if i, ok := j.find(j.firstWrites[write]); ok && mayHaveActed(j.exchanges[i].Status) {
		first := *j.exchanges[i]
		first.RepeatedBy, first.revision = e.Number, e.revision
		j.exchanges[i], e.Repeats = &first, first.Number
		return
	}
	if j.firstWrites == nil || len(j.firstWrites) > 2*maxExchanges {
		j.firstWrites = make(map[uint64]int)
	}
	j.firstWrites[write] = e.Number
}

// newEntry returns the entry of a request, in which keys are redacted.
func newEntry(r *http.Request, body []byte, at time.Time) Entry {
	e := Entry{
		Method: r.Method, Path: hideKeys(r.URL.EscapedPath()), Query: hideKeys(r.URL.RawQuery), Key: redact(bearer(r)),
		At: at, Header: r.Header.Clone(),
	}
	for name, values := range e.Header {
		for i, value := range values {
			if scheme, token, _ := strings.Cut(value, " "); name != "Authorization" {
				values[i] = hideKeys(value)
			} else if values[i] = "…"; strings.EqualFold(scheme, "Bearer") { // Also a key that the server does not know.
				values[i] = scheme + " " + redact(token)
			}
		}
	}
	if classOf(r.Method) == ClassWrite && len(body) > 0 {
		e.Body = []byte(hideKeys(string(body)))
	}
	return e
}

// hideKeys redacts everything in a text that has the form of a key.
func hideKeys(text string) string { return keyPattern.ReplaceAllStringFunc(text, redact) }
