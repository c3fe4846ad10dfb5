package server

import (
	"fmt"
	"strings"
	"time"
)

// The journal keeps the newest exchanges, within both bounds: a simulation may
// run for millions of requests.
const (
	JournalEntries = 10_000   // How many exchanges the journal keeps.
	JournalBytes   = 32 << 20 // How many bytes the bodies in the journal have together.
)

// Entry is one exchange.
type Entry struct {
	Method string
	Route  string // The path's template below /api/v1, such as /submissions/{id}; empty for none of the service's.
	Path   string // As it was sent, without the query.
	Query  string // As it was sent, without the question mark.
	Status int    // 0 when no response was sent, or none yet.
	Key    string // Redacted, as in sk_test_…dbox; empty for none.
	Body   []byte // Of a write; at most one byte more than the service takes.
	At     time.Time
	Detail *Detail // The rest of it, of a server WithDetails until DetailBytes push it out; else nil.
}

// String tells the exchange in a line.
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

// Repeated returns the writes that repeat an earlier one, with the same method,
// path, query and body, that may have taken effect.
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

// journal is a ring: the oldest entry is overwritten once it is full. It holds
// pointers, so that an exchange in progress finds its entry wherever it is.
type journal struct {
	ring  []*Entry // with whole keys, which only copies leave out
	first int      // the number of the oldest entry that is kept
	next  int      // the number of the next entry
	bytes int

	details details
}

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
	for j.bytes += len(e.Body); j.bytes > JournalBytes; {
		j.drop()
	}
}

func (j *journal) drop() {
	oldest := &j.ring[j.first%JournalEntries]
	j.bytes -= len((*oldest).Body)
	j.forget(*oldest)
	*oldest = nil
	j.first++
}

// copy also hides keys where none belongs: in a path, a query or a body.
func (j *journal) copy(hide *strings.Replacer) []Entry {
	entries := make([]Entry, 0, j.next-j.first)
	for number := j.first; number < j.next; number++ {
		entries = append(entries, j.ring[number%JournalEntries].hidden(hide))
	}
	return entries
}

func (e *Entry) hidden(hide *strings.Replacer) Entry {
	shown := *e
	shown.Key, shown.Path, shown.Query = redact(e.Key), hide.Replace(e.Path), hide.Replace(e.Query)
	if e.Body != nil {
		shown.Body = []byte(hide.Replace(string(e.Body)))
	}
	shown.Detail = e.Detail.hidden(hide)
	return shown
}
