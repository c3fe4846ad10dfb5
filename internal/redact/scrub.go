package redact

import (
	"bytes"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// Redacted stands where a key was.
const Redacted = "[redacted]"

// Scrub returns b with [Redacted] in the place of each piece: b itself when there
// is none, else a copy. What separates two strings of JSON stays, so that JSON
// remains JSON.
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

// ScrubWithin is Scrub that ends with the bound's time. Then nothing comes back.
func (f Finder) ScrubWithin(b []byte, within *limits.Bound) ([]byte, error) {
	f.within = within
	clean := f.Scrub(b)
	if within.Stopped != nil {
		return nil, within.Stopped
	}
	return clean, nil
}

// step tells whether there is time to go on.
func (f Finder) step() bool { return f.within == nil || f.within.Step() }

// ScrubString is Scrub for a string.
func (f Finder) ScrubString(s string) string {
	if !f.InString(s) {
		return s
	}
	return string(f.Scrub([]byte(s)))
}

// appendRest appends what of a piece is not the key's but the text's: what ends
// one string and begins the next.
func (f find) appendRest(to, b []byte) []byte {
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

// endsString tells whether b has a quote that is not escaped.
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
