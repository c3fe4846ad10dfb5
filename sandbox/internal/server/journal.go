package server

import (
	"fmt"
	"strings"
	"time"
)

// Limits of the journal. It keeps the newest exchanges, because a simulation may send
// millions of requests.
const (
	JournalEntries = 10_000   // Maximum number of exchanges.
	JournalBytes   = 32 << 20 // Maximum total size of the bodies.
)

// Entry is one exchange.
type Entry struct {
	Method string
	Route  string // The template of the path below /api/v1, such as /submissions/{id}; empty for an unknown path.
	Path   string // As sent, without the query.
	Query  string // As sent, without the question mark.
	Status int    // 0 without a response, and until then.
	Key    string // Redacted, as in sk_test_…dbox; empty for none.
	Body   []byte // Of a write; at most one byte more than the API accepts.
	At     time.Time
	Detail *Detail // Nil unless the server was created WithDetails and DetailBytes suffice.
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

// Repeated returns the writes that repeat an earlier write that may have taken effect.
// Method, path, query and body are equal.
func Repeated(entries []Entry) []Entry {
	var repeats []Entry
	sent := make(map[string]bool)
	for _, e := range entries {
		if classOf(e.Method) != ClassWrite {
			continue
		}
		write := strings.Join([]string{e.Method, e.Path, e.Query, string(e.Body)}, "\n")
		if sent[write] {
			repeats = append(repeats, e)
		}
		sent[write] = sent[write] || mayHaveActed(e.Status)
	}
	return repeats
}

// mayHaveActed reports whether a client must assume that a write took effect: no
// response, a success or a server error. A 4xx has no effect.
func mayHaveActed(status int) bool { return status < 400 || status >= 500 }

// journal is a ring buffer of entries. It holds pointers, because an exchange changes its
// entry until it ends.
type journal struct {
	ring  []*Entry // With complete keys; entries returns redacted copies.
	first int      // Number of the oldest entry.
	next  int      // Number of the next entry.
	bytes int

	details details
}

// add adds an entry, and drops the oldest ones above the limits.
func (j *journal) add(e *Entry) {
	if j.next-j.first == JournalEntries {
		j.drop()
	}
	if len(j.ring) < JournalEntries {
		j.ring = append(j.ring, e)
	} else {
		j.ring[j.next%JournalEntries] = e
	}
	j.next++
	if e.Detail != nil {
		j.addDetail(e)
	}
	j.bytes += len(e.Body)
	for j.bytes > JournalBytes {
		j.drop()
	}
}

// drop removes the oldest entry.
func (j *journal) drop() {
	oldest := &j.ring[j.first%JournalEntries]
	j.bytes -= len((*oldest).Body)
	j.dropDetail(*oldest)
	*oldest = nil
	j.first++
}

// entries returns copies of the entries. Keys are also redacted in paths, queries and
// bodies.
func (j *journal) entries(redactor *strings.Replacer) []Entry {
	entries := make([]Entry, 0, j.next-j.first)
	for number := j.first; number < j.next; number++ {
		entries = append(entries, j.ring[number%JournalEntries].redacted(redactor))
	}
	return entries
}

// redacted returns a copy of an entry without keys.
func (e *Entry) redacted(redactor *strings.Replacer) Entry {
	shown := *e
	shown.Key, shown.Path, shown.Query = redact(e.Key), redactor.Replace(e.Path), redactor.Replace(e.Query)
	if e.Body != nil {
		shown.Body = []byte(redactor.Replace(string(e.Body)))
	}
	shown.Detail = e.Detail.redacted(redactor)
	return shown
}
