package redact

import (
	"bytes"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// Redacted replaces a key.
const Redacted = "[redacted]"

// Scrub returns b with each piece replaced by [Redacted]: b itself if it contains none,
// else a copy. A separator between two JSON strings within a piece is kept, so that JSON
// stays valid.
func (f Finder) Scrub(b []byte) []byte {
	if !f.In(b) {
		return b
	}
	if f.exact != "" {
		return bytes.ReplaceAll(b, []byte(f.exact), []byte(Redacted))
	}
	clean := make([]byte, 0, len(b))
	for at := 0; at < len(b) && f.step(); {
		letter, next := b[at], at+1
		if letter == '\\' {
			letter, _ = escape(b, at, true)
			next = len(b) - len(bytes.TrimLeft(b[next:], `\`))
		}
		if isLetter[letter] {
			if found, ok := f.around(b, at); ok {
				clean = found.appendRest(append(append(clean, b[:found.start]...), Redacted...), b)
				b, at = b[found.end:], 0
				continue
			}
		}
		at = next
	}
	return append(clean, b...)
}

// ScrubWithin is like Scrub and returns the bound's error when its time ends.
func (f Finder) ScrubWithin(b []byte, within *limits.Bound) ([]byte, error) {
	f.within = within
	clean := f.Scrub(b)
	if within.Stopped != nil {
		return nil, within.Stopped
	}
	return clean, nil
}

// step reports whether the bound allows more time.
func (f Finder) step() bool { return f.within == nil || f.within.Step() }

// ScrubString is like Scrub for a string.
func (f Finder) ScrubString(s string) string {
	if !f.InString(s) {
		return s
	}
	return string(f.Scrub([]byte(s)))
}

// appendRest appends the parts of a piece that belong to the text: the end of one JSON
// string and the beginning of the next.
func (f match) appendRest(to, b []byte) []byte {
	_, _, at := f.read.after(b, f.start)
	for at < f.end {
		_, begin, end := f.read.after(b, at)
		if between := b[at:begin]; endsString(between) {
			to = append(to, between...)
		}
		at = end
	}
	return to
}

// endsString reports whether b has a quote that is not escaped.
func endsString(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			return true
		case '\\':
			i++
		}
	}
	return false
}
