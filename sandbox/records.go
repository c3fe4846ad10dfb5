package sandbox

import (
	"hash/maphash"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	maxRecords   = 10_000   // Exchanges in the journal.
	maxResponses = 1_000    // Newest exchanges whose responses are kept.
	maxResponse  = 16 << 10 // Bytes of a response's body.
)

// record is an exchange in the journal. A record in the journal never changes: an exchange
// that ends replaces its record. So readers need the lock only to copy the list.
type record struct {
	Entry // With the complete key.

	number           int // From 1; 0 until it is in the journal.
	revision         int
	ended            bool
	keyID            string
	organization     *string // Nil for a key that the server did not know.
	repeats          int     // Number of the first exchange with this write, if that may have acted.
	requestID        string
	responseSize     int
	limit, remaining int // Of the key's rate limit; limit is 0 when the request was not counted.
	fault            *Fault
	throttled        bool
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
	if e.number > 0 {
		if i, ok := j.find(e.number); ok {
			j.records[i] = e
		}
		return
	}
	j.count++
	e.number = j.count
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
	return slices.BinarySearchFunc(j.records, number, func(e *record, number int) int { return e.number - number })
}

// findRepeated finds the earlier write that a write repeats.
func (j *journal) findRepeated(e *record) {
	if classOf(e.Method) != ClassWrite {
		return
	}
	write := maphash.String(writeSeed, e.write())
	if i, ok := j.find(j.firstWrites[write]); ok && mayHaveActed(j.records[i].Status) {
		e.repeats = j.records[i].number
		return
	}
	if j.firstWrites == nil || len(j.firstWrites) > 2*maxRecords {
		j.firstWrites = make(map[uint64]int)
	}
	j.firstWrites[write] = e.number
}

// records returns the records, and what hides the keys in them.
func (s *Server) records() ([]*record, redactor) {
	_, unlock := s.lock()
	defer unlock()
	return slices.Clone(s.journal.records), s.redactor()
}

// redactor replaces the keys that a server accepts or has revoked.
type redactor struct{ *strings.Replacer }

func (s *state) redactor() redactor {
	known := slices.Collect(maps.Keys(s.keys))
	for _, key := range s.revoked {
		known = append(known, key.Token)
	}
	slices.Sort(known)
	hidden := make([]string, 0, 2*len(known))
	for _, token := range slices.Backward(known) { // If one token is a prefix of another, the longer one first.
		hidden = append(hidden, token, redact(token))
	}
	return redactor{strings.NewReplacer(hidden...)} // Built at its first use.
}

func (r redactor) bytes(text []byte) []byte {
	if text == nil {
		return nil
	}
	return []byte(r.Replace(string(text)))
}

func (r redactor) header(header http.Header) http.Header {
	shown := header.Clone()
	for _, values := range shown {
		for i := range values {
			values[i] = r.Replace(values[i])
		}
	}
	return shown
}

// redacted returns an entry without keys.
func (e *record) redacted(hide redactor) Entry {
	shown := e.Entry
	shown.Key, shown.Path, shown.Query = redact(e.Key), hide.Replace(e.Path), hide.Replace(e.Query)
	shown.Header, shown.ResponseHeader = hide.header(e.Header), hide.header(e.ResponseHeader)
	shown.Body, shown.Response = hide.bytes(e.Body), hide.bytes(e.Response)
	return shown
}

// headerWithoutKey returns a copy of a request's header. A key in it is redacted, also one
// that the server does not know.
func headerWithoutKey(header http.Header) http.Header {
	header = header.Clone()
	for i, value := range header["Authorization"] {
		scheme, token, _ := strings.Cut(value, " ")
		header["Authorization"][i] = "…"
		if strings.EqualFold(scheme, "Bearer") {
			header["Authorization"][i] = scheme + " " + redact(token)
		}
	}
	return header
}
