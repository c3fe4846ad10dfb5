package server

import (
	"hash/maphash"
	"net/http"
	"strings"
	"time"
)

// Limits of the details in the journal.
const (
	DetailResponse = 16 << 10 // Bytes kept of a response body.
	DetailBytes    = 32 << 20 // Total bytes of all details, with headers.
)

// Detail is the part of a journal entry that only a server with details keeps.
type Detail struct {
	Number         int         // Of the exchange, from 1. Reset starts again from 1.
	Ended          bool        // The exchange has ended. Until then only Number, Header and Fault are set.
	RequestID      string      // Empty for an archive link.
	Header         http.Header // Of the request, with the key redacted.
	ResponseHeader http.Header // Nil without a response.
	Response       []byte      // At most DetailResponse bytes of the body.
	ResponseSize   int         // Bytes of the body that were sent.
	Limit          int         // Of the key's rate limit; 0 if the request was not counted.
	Remaining      int         // Remaining requests after the exchange.
	Fault          *Fault      // Nil without a fault.
	Throttled      bool        // Rejected because of failed authentications from the same address.
	Repeats        int         // Number of the first exchange with the same write; 0 for the first.
	Took           time.Duration

	write uint64 // Hash of the write; 0 for a read.
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

// details is the accounting of the details in the journal.
type details struct {
	first       int            // Entries up to this number have no detail.
	bytes       int            // Size of all details.
	firstWrites map[uint64]int // Number of the first exchange with a write, by its hash.
}

var writeSeed = maphash.MakeSeed()

// addDetail numbers and counts the detail of an added entry.
func (j *journal) addDetail(e *Entry) {
	d := e.Detail
	d.Number = j.next
	if classOf(e.Method) == ClassWrite {
		d.write = maphash.String(writeSeed, strings.Join([]string{e.Method, e.Path, e.Query, string(e.Body)}, "\n")) | 1
		if j.details.firstWrites == nil {
			j.details.firstWrites = make(map[uint64]int)
		}
		first, known := j.details.firstWrites[d.write]
		if known && mayHaveActed(j.ring[(first-1)%JournalEntries].Status) {
			d.Repeats = first
		} else {
			j.details.firstWrites[d.write] = d.Number
		}
	}
	j.addDetailBytes(d.size())
}

// hasDetail reports whether the journal still has the detail of an entry. It returns
// false for an entry from before a reset.
func (j *journal) hasDetail(e *Entry) bool {
	if e == nil || e.Detail == nil || e.Detail.Number <= j.first || e.Detail.Number > j.next {
		return false
	}
	return j.ring[(e.Detail.Number-1)%JournalEntries] == e
}

// addDetailBytes counts the memory of a detail and drops the oldest details above
// DetailBytes.
func (j *journal) addDetailBytes(size int) {
	d := &j.details
	d.bytes += size
	d.first = max(d.first, j.first)
	for ; d.bytes > DetailBytes && d.first < j.next; d.first++ {
		j.dropDetail(j.ring[d.first%JournalEntries])
	}
}

// dropDetail removes the detail of an entry.
func (j *journal) dropDetail(e *Entry) {
	if d := e.Detail; d != nil {
		j.details.bytes -= d.size()
		e.Detail = nil
		if j.details.firstWrites[d.write] == d.Number {
			delete(j.details.firstWrites, d.write)
		}
	}
}

// redacted returns a copy of a detail without keys.
func (d *Detail) redacted(redactor *strings.Replacer) *Detail {
	if d == nil {
		return nil
	}
	shown := *d
	shown.Header, shown.ResponseHeader = redactHeader(d.Header, redactor), redactHeader(d.ResponseHeader, redactor)
	shown.Response = []byte(redactor.Replace(string(d.Response)))
	if d.Fault != nil {
		fault := *d.Fault
		fault.Key = redact(fault.Key)
		shown.Fault = &fault
	}
	return &shown
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
