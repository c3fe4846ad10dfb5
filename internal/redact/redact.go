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

const (
	minPiece = 12
	// fewest is the smallest number of letters of a key. Removing a shorter key would
	// remove ordinary words, and no real key is that short.
	minLetters = 6
)

// Finder finds one key. The zero value finds nothing. A Finder contains the key and must
// not be part of a value that can be printed.
type Finder struct {
	letters string   // Letters of the key with its prefix.
	secret  int      // Index in letters where the secret begins.
	need    int      // Number of consecutive letters of the secret that make a piece.
	anchors []anchor // Every piece contains at least one of them.
	exact   string   // The key, if it has too few letters for the search by letters.
	within  *limits.Bound
}

// anchor is a letter of the key at which the search begins.
type anchor struct {
	letter byte
	place  int // Index in letters.
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
	f.anchors = f.chooseAnchors()
	return f
}

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

// letterRarity contains the letters in order of frequency in the API's JSON, rarest first. The
// JSON has words and field names in lower case, hexadecimal ids and timestamps.
const letterRarity = "QXJKYVWGHUFNLqRBOxPMZCDSzIEAjTkwvygphfubmlsc798645rn31oi2dat0e"

// chooseAnchors returns rare letters such that every piece contains one. It chooses the rarest of
// the first need letters, and continues after the chosen one.
func (f Finder) chooseAnchors() []anchor {
	var chosen []anchor
	for from := f.secret; from+f.need <= len(f.letters); {
		place := from
		for i := from; i < from+f.need; i++ {
			if strings.IndexByte(letterRarity, f.letters[i]) <= strings.IndexByte(letterRarity, f.letters[place]) {
				place = i
			}
		}
		chosen = append(chosen, anchor{f.letters[place], place})
		from = place + 1
	}
	return chosen
}

// In reports whether b contains the key or a piece of it. When the bound's time ends, it
// returns true.
func (f Finder) In(b []byte) bool {
	if f.exact != "" {
		return bytes.Contains(b, []byte(f.exact))
	}
	if len(b) < f.need {
		return false
	}
	escapes := bytes.IndexByte(b, '\\')
	for i, a := range f.anchors {
		if slices.ContainsFunc(f.anchors[:i], func(before anchor) bool { return before.letter == a.letter }) {
			continue
		}
		for at := 0; ; at++ {
			next := bytes.IndexByte(b[at:], a.letter)
			if next < 0 {
				break
			}
			at += next
			if !f.step() {
				return true
			}
			if f.matchesAnchor(b, at, f.anchors[i:], escapes >= 0) {
				return true
			}
		}
	}
	return escapes >= 0 && f.inEscapes(b, escapes)
}

// matchesAnchor reports whether the letter at b[at] is one of the anchors of a piece.
func (f Finder) matchesAnchor(b []byte, at int, anchors []anchor, escapes bool) bool {
	for _, a := range anchors {
		if a.letter == b[at] && !f.standsAlone(b, at, a.place) {
			if _, found := f.align(b, at, a, escapes); found {
				return true
			}
		}
	}
	return false
}

// InString is like In for a string.
func (f Finder) InString(s string) bool { return f.In([]byte(s)) }

// inEscapes reports whether an escape in b[at:] is part of a piece. It checks escapes
// only, because few of them encode a letter.
func (f Finder) inEscapes(b []byte, at int) bool {
	for {
		letter, end := escape(b, at, true)
		if !f.step() {
			return true
		}
		if letter != 0 {
			if _, found := f.around(b, at); found {
				return true
			}
		}
		next := bytes.IndexByte(b[end:], '\\')
		if next < 0 {
			return false
		}
		at = end + next
	}
}

// standsAlone reports whether the letter at b[at] cannot be the key's letter at place,
// because a neighbouring letter differs from the key's. It is a fast check that excludes
// most matches of an anchor.
func (f Finder) standsAlone(b []byte, at, place int) bool {
	last := f.endsAt(b, at, place)
	if last && place+1 < f.secret+f.need {
		return true
	}
	return (last || place+f.need > len(f.letters)) && f.beginsAt(b, at, place)
}

// endsAt reports whether the letter after b[at] differs from the key's letter after place.
func (f Finder) endsAt(b []byte, at, place int) bool {
	for at++; at < len(b); at++ {
		if isLetter[b[at]] {
			return place+1 == len(f.letters) || b[at] != f.letters[place+1]
		}
		if b[at] == '\\' {
			return false // It may begin an escape.
		}
	}
	return true
}

// beginsAt reports whether the letter before b[at] differs from the key's letter before
// place.
func (f Finder) beginsAt(b []byte, at, place int) bool {
	for at--; at >= 0; at-- {
		if isLetter[b[at]] {
			return (place == 0 || b[at] != f.letters[place-1]) &&
				bytes.IndexByte(b[max(0, at-longestEscape):at], '\\') < 0 // It may end an escape.
		}
	}
	return true
}

// match is the position of a piece.
type match struct {
	start, end int
	read       reading
}

// around returns the piece that has an anchor at b[at:].
func (f Finder) around(b []byte, at int) (match, bool) {
	for _, a := range f.anchors {
		if found, ok := f.align(b, at, a, true); ok {
			return found, true
		}
	}
	return match{}, false
}

// align returns the piece whose anchor a is at b[at:]. escapes reports whether b has
// escapes.
func (f Finder) align(b []byte, at int, a anchor, escapes bool) (match, bool) {
	if escapes {
		for _, read := range []reading{escaped, nested} {
			if found, ok := f.extend(b, at, a, read); ok {
				return found, true
			}
		}
	}
	return f.extend(b, at, a, plain)
}

// extend extends the match at b[at] to both sides while the letters are the key's.
func (f Finder) extend(b []byte, at int, a anchor, read reading) (match, bool) {
	letter, start, end := read.after(b, at)
	if letter != a.letter {
		return match{}, false
	}
	first, begin := a.place, start
	for first > 0 {
		letter, before := read.before(b, begin)
		if letter != f.letters[first-1] {
			break
		}
		first--
		begin = before
		if first >= f.secret || first == 0 { // A part of the prefix may be an ordinary word.
			start = begin
		}
	}
	last := a.place
	for last+1 < len(f.letters) {
		letter, _, after := read.after(b, end)
		if letter != f.letters[last+1] {
			break
		}
		last++
		end = after
	}
	return match{start, end, read}, last+1-max(first, f.secret) >= f.need
}
