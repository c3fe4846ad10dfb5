package sandbox

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxRecords   = 10_000   // Exchanges in the journal.
	maxResponses = 1_000    // Newest exchanges whose responses are kept.
	maxResponse  = 16 << 10 // Bytes of a response's body.
)

// record is an exchange in the journal. A record in the journal never changes: an exchange
// that ends replaces its record. So readers need the lock only to copy the list.
type record struct {
	Entry
	recordInfo

	revision int
}

// recordInfo is the part of a record that the control API shows and Entry does not have. A
// member that is not known is absent.
type recordInfo struct {
	Number       int     `json:"number"` // From 1; 0 until it is in the journal.
	Ended        bool    `json:"ended"`
	KeyID        string  `json:"key_id,omitzero"`
	Organization *string `json:"organization"`     // Null for a key that the server did not know.
	Repeats      int     `json:"repeats,omitzero"` // Number of the first exchange with this write, if that may have acted.
	RequestID    string  `json:"request_id,omitzero"`
	ResponseSize int     `json:"response_size"`
	Limit        int     `json:"limit,omitzero"` // Of the key; absent when the request was not counted.
	Remaining    int     `json:"remaining"`
	Throttled    bool    `json:"throttled"`
	Fault        *Fault  `json:"fault,omitzero"`
}

// journal is the newest records.
type journal struct {
	records     []*record // In the order of their numbers.
	count       int
	firstWrites map[uint64]int // Number of the first exchange with a write, by its hash.
}

var writeSeed = maphash.MakeSeed()

// put adds a record without a number, or replaces the one with its number.
func (j *journal) put(e *record) {
	if e.Number > 0 {
		if i, ok := j.find(e.Number); ok {
			j.records[i] = e
		}
		return
	}
	j.count++
	e.Number = j.count
	j.findRepeated(e)
	if len(j.records) == maxRecords {
		j.records[0] = nil
		j.records = j.records[1:]
	}
	j.records = append(j.records, e)
	if i := len(j.records) - 1 - maxResponses; i >= 0 {
		old := *j.records[i]
		old.ResponseHeader, old.Response = nil, nil
		j.records[i] = &old
	}
}

// find returns the index of a record.
func (j *journal) find(number int) (int, bool) {
	return slices.BinarySearchFunc(j.records, number, func(e *record, number int) int { return e.Number - number })
}

// findRepeated finds the earlier write that a write repeats.
func (j *journal) findRepeated(e *record) {
	if classOf(e.Method) != ClassWrite {
		return
	}
	write := maphash.String(writeSeed, e.write())
	if i, ok := j.find(j.firstWrites[write]); ok && mayHaveActed(j.records[i].Status) {
		e.Repeats = j.records[i].Number
		return
	}
	if j.firstWrites == nil || len(j.firstWrites) > 2*maxRecords {
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
