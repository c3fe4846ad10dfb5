package server

import (
	"hash/maphash"
	"net/http"
	"strings"
	"time"
)

// What the journal keeps of details, whatever else it keeps.
const (
	DetailReply = 16 << 10 // How many bytes of a response's body it keeps.
	DetailBytes = 32 << 20 // How many bytes all details have together, headers included.
)

// Detail is the rest of an exchange.
type Detail struct {
	Number      int         // Of the exchange, from 1; a reset begins anew.
	Ended       bool        // The following fields are set, and not only Header and Fault.
	RequestID   string      // Of the response; empty for a link to an archive.
	Header      http.Header // Of the request, the key redacted.
	ReplyHeader http.Header // Nil when no response was sent.
	Reply       []byte      // What was sent of the body, at most DetailReply bytes of it.
	ReplySize   int         // How many bytes of the body were sent.
	Limit       int         // Of the key's quota for such requests; 0 when nothing was counted yet.
	Remaining   int         // What was left of it after the exchange.
	Fault       *Fault      // That acted; nil for none.
	Throttled   bool        // Refused because of bad keys from the same address.
	Repeats     int         // The number of the exchange that first sent this very write; 0: this one.
	Took        time.Duration

	write uint64 // What tells a write from others; 0 for a read.
}

// size is about what a detail takes of memory.
func (d *Detail) size() int {
	size := 256 + len(d.Reply)
	for _, header := range []http.Header{d.Header, d.ReplyHeader} {
		for name, values := range header {
			size += 64 + len(name)
			for _, value := range values {
				size += 16 + len(value)
			}
		}
	}
	return size
}

// newDetail is what is known of an exchange at its beginning.
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

// details are the journal's account of what it keeps beyond its entries.
type details struct {
	first int // no older entry has a detail
	bytes int
	sent  map[uint64]int // the first exchange that sent a write
}

var writes = maphash.MakeSeed()

// addDetail is the part of add for an entry that has one.
func (j *journal) addDetail(e *Entry) {
	d := e.Detail
	d.Number = j.next
	if classOf(e.Method) == ClassWrite {
		d.write = maphash.String(writes, strings.Join([]string{e.Method, e.Path, e.Query, string(e.Body)}, "\n")) | 1
		if j.details.sent == nil {
			j.details.sent = make(map[uint64]int)
		}
		first, ok := j.details.sent[d.write]
		ok = ok && mayHaveActed(j.ring[(first-1)%JournalEntries].Status)
		if ok {
			d.Repeats = first
		} else {
			j.details.sent[d.write] = d.Number
		}
	}
	j.grow(d.size())
}

// keeps reports whether the detail of an entry is still there, also after a reset.
func (j *journal) keeps(e *Entry) bool {
	if e == nil || e.Detail == nil || e.Detail.Number <= j.first || e.Detail.Number > j.next {
		return false
	}
	return j.ring[(e.Detail.Number-1)%JournalEntries] == e
}

// grow makes room for what a detail takes: the oldest ones make it.
func (j *journal) grow(by int) {
	j.details.bytes += by
	for j.details.first = max(j.details.first, j.first); j.details.bytes > DetailBytes && j.details.first < j.next; j.details.first++ {
		j.forget(j.ring[j.details.first%JournalEntries])
	}
}

// forget takes an entry its detail.
func (j *journal) forget(e *Entry) {
	if d := e.Detail; d != nil {
		j.details.bytes -= d.size()
		e.Detail = nil
		if j.details.sent[d.write] == d.Number {
			delete(j.details.sent, d.write)
		}
	}
}

// hidden is a copy of a detail without keys.
func (d *Detail) hidden(hide *strings.Replacer) *Detail {
	if d == nil {
		return nil
	}
	shown := *d
	shown.Header, shown.ReplyHeader = hideIn(d.Header, hide), hideIn(d.ReplyHeader, hide)
	shown.Reply = []byte(hide.Replace(string(d.Reply)))
	if d.Fault != nil {
		fault := *d.Fault
		fault.Key = redact(fault.Key)
		shown.Fault = &fault
	}
	return &shown
}

func hideIn(header http.Header, hide *strings.Replacer) http.Header {
	shown := header.Clone()
	for _, values := range shown {
		for i := range values {
			values[i] = hide.Replace(values[i])
		}
	}
	return shown
}
