package sandbox

import (
	"hash/maphash"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// record is an exchange in the journal.
type record struct {
	Entry // With the complete key.

	number       int     // From 1.
	revision     int     // Of the last change.
	organization *string // Nil for a key that the server did not know.
	write        uint64  // Hash of a write; 0 for a read.
	repeats      int     // Number of the first exchange with this write, if that may have acted.
	repeatedBy   int     // Number of the last exchange that repeats this write.
	cleared      bool    // A test removed it from the journal.
}

// journal is a ring buffer of records. It holds pointers, because an exchange changes its
// record until it ends.
type journal struct {
	ring  []*record
	first int // Number of records that were dropped.
	next  int // Number of records so far.
	bytes int

	detailFirst int            // Records up to this number have no detail.
	detailBytes int            // Size of all details.
	firstWrites map[uint64]int // Number of the first exchange with a write, by its hash.
}

var writeSeed = maphash.MakeSeed()

// add adds a record, and drops the oldest ones above the limits.
func (j *journal) add(e *record) {
	if j.next-j.first == JournalEntries {
		j.drop()
	}
	if len(j.ring) < JournalEntries {
		j.ring = append(j.ring, e)
	} else {
		j.ring[j.next%JournalEntries] = e
	}
	j.next++
	e.number = j.next
	j.findRepeated(e)
	if e.Detail != nil {
		e.Detail.Number, e.Detail.Repeats = e.number, e.repeats
		j.addDetailBytes(e.Detail.size())
	}
	j.bytes += len(e.Body)
	for j.bytes > JournalBytes {
		j.drop()
	}
}

// findRepeated finds the earlier write that a write repeats.
func (j *journal) findRepeated(e *record) {
	if classOf(e.Method) != ClassWrite {
		return
	}
	e.write = maphash.String(writeSeed, e.Entry.write()) | 1
	if first := j.get(j.firstWrites[e.write]); first != nil && mayHaveActed(first.Status) {
		e.repeats, first.repeatedBy = first.number, e.number
		return
	}
	if j.firstWrites == nil {
		j.firstWrites = make(map[uint64]int)
	}
	j.firstWrites[e.write] = e.number
}

// get returns the record with a number, or nil.
func (j *journal) get(number int) *record {
	if number <= j.first || number > j.next {
		return nil
	}
	if e := j.ring[(number-1)%JournalEntries]; !e.cleared {
		return e
	}
	return nil
}

// all returns an iterator over the records, oldest first.
func (j *journal) all() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for number := j.first + 1; number <= j.next; number++ {
			if e := j.get(number); e != nil && !yield(e) {
				return
			}
		}
	}
}

// drop removes the oldest record.
func (j *journal) drop() {
	oldest := &j.ring[j.first%JournalEntries]
	j.forget(*oldest)
	*oldest = nil
	j.first++
}

// forget removes the contents of a record.
func (j *journal) forget(e *record) {
	j.bytes -= len(e.Body)
	j.dropDetail(e)
	e.Body, e.cleared = nil, true
	if j.firstWrites[e.write] == e.number {
		delete(j.firstWrites, e.write)
	}
}

// has reports whether the journal still has a record. It returns false for a record from
// before a reset.
func (j *journal) has(e *record) bool { return j.get(e.number) == e }

// addDetailBytes counts the memory of a detail and drops the oldest details above
// DetailBytes.
func (j *journal) addDetailBytes(size int) {
	j.detailBytes += size
	j.detailFirst = max(j.detailFirst, j.first)
	for ; j.detailBytes > DetailBytes && j.detailFirst < j.next; j.detailFirst++ {
		j.dropDetail(j.ring[j.detailFirst%JournalEntries])
	}
}

// dropDetail removes the detail of a record.
func (j *journal) dropDetail(e *record) {
	if e.Detail != nil {
		j.detailBytes -= e.Detail.size()
		e.Detail = nil
	}
}

// size returns the approximate memory of a detail in bytes.
func (d *Detail) size() int {
	size := 256 + len(d.Response)
	for _, header := range []http.Header{d.Header, d.ResponseHeader} {
		for name, values := range header {
			size += 64 + len(name)
			for _, value := range values {
				size += 16 + len(value)
			}
		}
	}
	return size
}

// newDetail returns the detail of an exchange that begins.
func newDetail(r *http.Request) *Detail {
	header := r.Header.Clone()
	for i, value := range header["Authorization"] {
		scheme, token, _ := strings.Cut(value, " ")
		header["Authorization"][i] = "…"
		if strings.EqualFold(scheme, "Bearer") {
			header["Authorization"][i] = scheme + " " + redact(token)
		}
	}
	return &Detail{Header: header}
}

// redacted returns a copy of an entry without keys.
func (e *Entry) redacted(redactor *strings.Replacer) Entry {
	shown := *e
	shown.Key, shown.Path, shown.Query = redact(e.Key), redactor.Replace(e.Path), redactor.Replace(e.Query)
	if e.Body != nil {
		shown.Body = []byte(redactor.Replace(string(e.Body)))
	}
	if e.Detail != nil {
		d := *e.Detail
		d.Header, d.ResponseHeader = redactHeader(d.Header, redactor), redactHeader(d.ResponseHeader, redactor)
		d.Response = []byte(redactor.Replace(string(d.Response)))
		if d.Fault != nil {
			d.Fault = new(*d.Fault)
			d.Fault.Key = redact(d.Fault.Key)
		}
		shown.Detail = &d
	}
	return shown
}

func redactHeader(header http.Header, redactor *strings.Replacer) http.Header {
	shown := header.Clone()
	for _, values := range shown {
		for i := range values {
			values[i] = redactor.Replace(values[i])
		}
	}
	return shown
}

// redactor returns a replacer of all known and revoked keys.
func (s *state) redactor() *strings.Replacer {
	known := slices.Collect(maps.Keys(s.keys))
	for _, key := range s.revoked {
		known = append(known, key.Token)
	}
	slices.Sort(known)
	hidden := make([]string, 0, 2*len(known))
	for _, token := range slices.Backward(known) { // If one token is a prefix of another, the longer one first.
		hidden = append(hidden, token, redact(token))
	}
	return strings.NewReplacer(hidden...)
}
