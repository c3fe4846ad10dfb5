// Package redact finds and removes an API key in bytes, also when the key is encoded or
// interrupted by other characters.
//
// Only the key's ASCII letters and digits count, in their order and case. All other
// characters between them are skipped: white space, control characters, the zero bytes of
// UTF-16 and UTF-32, invalid bytes, quotes, and escapes of such characters. A letter may
// also be written as an escape of JSON or of Go's %q. The result is therefore the same
// after a text was decoded, cleaned or quoted.
//
// A piece of the key is 12 consecutive letters of its secret, which is the part after
// sk_live_ or sk_test_. A secret with fewer letters is found only together with its
// prefix, because on its own it may be a word.
package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// Redacted replaces a key.
const Redacted = "[redacted]"

const (
	minPiece = 12
	// minLetters is the smallest number of letters of a key. Removing a shorter key would
	// remove ordinary words, and no real key is that short.
	minLetters = 6
)

// Finder finds one key. The zero value finds nothing. A Finder contains the key and must
// not be part of a value that can be printed.
type Finder struct {
	letters string // Letters of the key with its prefix.
	secret  int    // Index in letters where the secret begins.
	need    int    // Number of consecutive letters of the secret that make a piece.
	anchors []int  // Indexes in letters. Every piece contains at least one of these letters.
	exact   string // The key, if it has too few letters for the search by letters.
	within  *limits.Bound
}

// New returns a Finder of key.
func New(key string) Finder {
	prefix := len(key) - len(withoutPrefix(key))
	f := Finder{letters: lettersOf(key), secret: len(lettersOf(key[:prefix])), need: minPiece}
	switch secret := len(f.letters) - f.secret; {
	case len(key) < minLetters:
		return Finder{}
	case secret == 0 || len(f.letters) < minLetters:
		return Finder{exact: key}
	case secret < minPiece:
		f.secret, f.need = 0, len(f.letters)
	}
	for from := f.secret; from+f.need <= len(f.letters); from++ {
		piece := f.letters[from : from+f.need]
		rarest := letterRarity[strings.IndexAny(letterRarity, piece)]
		from += strings.LastIndexByte(piece, rarest)
		f.anchors = append(f.anchors, from)
	}
	return f
}

// letterRarity contains the letters in order of frequency in the API's JSON, rarest first. The
// JSON has words and field names in lower case, hexadecimal ids and timestamps.
const letterRarity = "QXJKYVWGHUFNLqRBOxPMZCDSzIEAjTkwvygphfubmlsc798645rn31oi2dat0e"

func withoutPrefix(key string) string {
	for _, prefix := range []string{LivePrefix, TestPrefix} {
		if secret, ok := strings.CutPrefix(key, prefix); ok {
			return secret
		}
	}
	return key
}

func lettersOf(s string) string {
	return string(slices.DeleteFunc([]byte(s), func(c byte) bool { return !isLetter[c] }))
}

// In reports whether b contains the key or a piece of it. When the bound's time ends, it
// returns true.
//
// Every response is searched, so In must be faster than decoding. A piece without an escape
// contains an anchor, and IndexByte finds rare letters at the speed of memory. Any other
// piece contains an escape. A text has few of them.
func (f Finder) In(b []byte) bool {
	if f.exact != "" {
		return bytes.Contains(b, []byte(f.exact))
	}
	if len(f.anchors) == 0 || len(b) < f.need {
		return false
	}
	for _, place := range f.anchors {
		for at := 0; ; at++ {
			next := bytes.IndexByte(b[at:], f.letters[place])
			if next < 0 {
				break
			}
			at += next
			if !f.step() || f.aroundAnchor(b, at, place) {
				return true
			}
		}
	}
	return f.aroundEscapes(b, escaped) || bytes.Contains(b, []byte(`\\`)) && f.aroundEscapes(b, nested)
}

// InString is like In for a string.
func (f Finder) InString(s string) bool { return f.In([]byte(s)) }

// aroundAnchor reports whether b[at] is the key's letter at place within a piece.
func (f Finder) aroundAnchor(b []byte, at, place int) bool {
	last := place
	for i := at + 1; i < len(b) && last+1 < len(f.letters); i++ {
		if isLetter[b[i]] {
			if b[i] != f.letters[last+1] {
				break
			}
			last++
		}
	}
	first := place
	for i := at - 1; i >= 0 && first > f.secret; i-- {
		if isLetter[b[i]] {
			if b[i] != f.letters[first-1] {
				break
			}
			first--
		}
	}
	return last+1-first >= f.need
}

// aroundEscapes reports whether b contains a piece with an escape: one that begins with the
// escape of a letter, or one whose letters before its first escape are plain.
func (f Finder) aroundEscapes(b []byte, read reading) bool {
	for begin := 0; ; { // The end of the previous escape.
		next := bytes.IndexByte(b[begin:], '\\')
		if next < 0 {
			return false
		}
		if !f.step() {
			return true
		}
		at := begin + next
		letter, end := escape(b, at, read == nested)
		if letter != 0 || f.crosses(b[begin:at], b[end:], read) {
			for start := f.back(b, begin, at); start <= at; _, _, start = read.after(b, start) {
				if f.pieceAt(b, start, read) > 0 {
					return true
				}
			}
		}
		begin = end
	}
}

// crosses reports whether the last letter before an escape and the first letter after it
// follow each other in the key. Most escapes end here.
func (f Finder) crosses(before, after []byte, read reading) bool {
	i := len(before) - 1
	for i >= 0 && !isLetter[before[i]] {
		i--
	}
	if i < 0 || strings.IndexByte(f.letters, before[i]) < 0 {
		return false
	}
	next, _, _ := read.after(after, 0)
	return strings.Contains(f.letters, string([]byte{before[i], next}))
}

// back returns where in b[begin:at] a piece begins at the earliest that reaches b[at].
func (f Finder) back(b []byte, begin, at int) int {
	for letters := 1; at > begin && letters < f.need; at-- {
		if isLetter[b[at-1]] {
			letters++
		}
	}
	return at
}

// pieceAt returns the end of the longest piece whose first letter is at b[at:], or 0. The
// prefix is part of a piece only if all of it is there: a part may be an ordinary word.
func (f Finder) pieceAt(b []byte, at int, read reading) (end int) {
	letter, _, first := read.after(b, at)
	for begin := range len(f.letters) - f.need + 1 {
		if f.letters[begin] != letter || begin > 0 && begin < f.secret {
			continue
		}
		last, stop := begin, first
		for last+1 < len(f.letters) {
			letter, _, after := read.after(b, stop)
			if letter != f.letters[last+1] {
				break
			}
			last, stop = last+1, after
		}
		if last+1-max(begin, f.secret) >= f.need {
			end = max(end, stop)
		}
	}
	return end
}

// Scrub returns b with each piece replaced by [Redacted]: b itself if it contains none,
// else a copy.
func (f Finder) Scrub(b []byte) []byte {
	if !f.In(b) {
		return b
	}
	if f.exact != "" {
		return bytes.ReplaceAll(b, []byte(f.exact), []byte(Redacted))
	}
	for _, read := range []reading{escaped, nested, plain} {
		b = f.scrub(b, read)
	}
	return b
}

func (f Finder) scrub(b []byte, read reading) []byte {
	clean := make([]byte, 0, len(b))
	for at := 0; f.step(); {
		letter, start, next := read.after(b, at)
		if letter == 0 {
			break
		}
		if end := f.pieceAt(b, start, read); end > 0 {
			clean = append(append(clean, b[:start]...), Redacted...)
			b, next = b[end:], 0
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
