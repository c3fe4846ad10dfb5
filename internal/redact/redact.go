// Package redact finds an API key in bytes, however they spell it or break it
// up.
//
// What counts are the key's ASCII letters and digits, in their order and case.
// Whatever else stands between them is passed over: blanks, control characters,
// the zeros of UTF-16 and UTF-32, bytes that are no text, quotes, escapes that
// stand for any of these. An escape of JSON or of Go's %q may also stand for a
// letter itself. So what is found stays the same when text is decoded, cleaned or
// quoted.
//
// A piece is 12 letters of the secret in a row: of the part behind sk_live_ or
// sk_test_. A secret that has fewer is found only together with its prefix, as
// the whole key: by itself it may be a word.
package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

const (
	piece = 12
	// fewest letters make a key: those of a shorter one, which no service hands
	// out, would be wiped from every text.
	fewest = 6
)

// Finder looks for one key. The zero value finds nothing. It holds the key: keep
// it out of what can be printed.
type Finder struct {
	letters string   // Of the key, its prefix included.
	secret  int      // Where those of the secret begin.
	need    int      // So many of the secret's in a row are a piece.
	anchors []anchor // Every piece has one of them.
	exact   string   // The key, when it has too few letters to go by.
	within  *limits.Bound
}

// anchor is a letter that the search begins at.
type anchor struct {
	letter byte
	place  int // In letters.
}

// New returns the finder of a key.
func New(key string) Finder {
	prefix := len(key) - len(withoutPrefix(key))
	f := Finder{letters: lettersOf(key), secret: len(lettersOf(key[:prefix])), need: piece}
	switch secret := len(f.letters) - f.secret; {
	case len(key) < fewest:
		return Finder{}
	case secret == 0 || len(f.letters) < fewest:
		return Finder{exact: key}
	case secret < piece:
		f.secret, f.need = 0, len(f.letters)
	}
	f.anchors = f.choose()
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

// rare orders letters by how rare they are in the service's JSON: words and
// member names in lower case, ids in hexadecimal, timestamps.
const rare = "QXJKYVWGHUFNLqRBOxPMZCDSzIEAjTkwvygphfubmlsc798645rn31oi2dat0e"

// choose returns the rarest letters that no piece can be without: of each need
// letters in a row, the next begins behind the one that was chosen before.
func (f Finder) choose() []anchor {
	var chosen []anchor
	for from := f.secret; from+f.need <= len(f.letters); {
		place := from
		for i := from; i < from+f.need; i++ {
			if strings.IndexByte(rare, f.letters[i]) <= strings.IndexByte(rare, f.letters[place]) {
				place = i
			}
		}
		chosen = append(chosen, anchor{f.letters[place], place})
		from = place + 1
	}
	return chosen
}

// In tells whether b holds the key or a piece of it.
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
			if f.hit(b, at, f.anchors[i:], escapes >= 0) {
				return true
			}
		}
	}
	return escapes >= 0 && f.spelledIn(b, escapes)
}

// hit tells whether the letter at b[at] is one of the anchors of a piece.
func (f Finder) hit(b []byte, at int, anchors []anchor, escapes bool) bool {
	for _, a := range anchors {
		if a.letter == b[at] && !f.standsAlone(b, at, a.place) {
			if _, found := f.align(b, at, a, escapes); found {
				return true
			}
		}
	}
	return false
}

// InString is In for a string.
func (f Finder) InString(s string) bool { return f.In([]byte(s)) }

// spelledIn tells whether an escape in b[at:] is part of a piece. It goes from
// escape to escape, because nearly none stands for a letter.
func (f Finder) spelledIn(b []byte, at int) bool {
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

// standsAlone tells at a glance that the letter at b[at] cannot be the key's at
// place, because other letters stand where the key's would have to. Nearly all
// hits end here.
func (f Finder) standsAlone(b []byte, at, place int) bool {
	last := f.endsAt(b, at, place)
	if last && place+1 < f.secret+f.need {
		return true
	}
	return (last || place+f.need > len(f.letters)) && f.beginsAt(b, at, place)
}

// endsAt tells that the letter behind b[at] is not the key's behind place.
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

// beginsAt tells that the letter before b[at] is not the key's before place.
func (f Finder) beginsAt(b []byte, at, place int) bool {
	for at--; at >= 0; at-- {
		if isLetter[b[at]] {
			return (place == 0 || b[at] != f.letters[place-1]) &&
				bytes.IndexByte(b[max(0, at-longestEscape):at], '\\') < 0 // It may end an escape.
		}
	}
	return true
}

// find is where a piece stands.
type find struct {
	start, end int
	read       reading
}

// around returns the piece that the letter at b[at:] is an anchor of.
func (f Finder) around(b []byte, at int) (find, bool) {
	for _, a := range f.anchors {
		if found, ok := f.align(b, at, a, true); ok {
			return found, true
		}
	}
	return find{}, false
}

// align takes the letter at b[at:] for an anchor. escapes tells whether b has any.
func (f Finder) align(b []byte, at int, a anchor, escapes bool) (find, bool) {
	if escapes {
		for _, read := range []reading{escaped, nested} {
			if found, ok := f.extend(b, at, a, read); ok {
				return found, true
			}
		}
	}
	return f.extend(b, at, a, plain)
}

// extend looks how far the neighbours of a letter are the key's too.
func (f Finder) extend(b []byte, at int, a anchor, read reading) (find, bool) {
	letter, start, end := read.after(b, at)
	if letter != a.letter {
		return find{}, false
	}
	first, begin := a.place, start
	for first > 0 {
		letter, before := read.before(b, begin)
		if letter != f.letters[first-1] {
			break
		}
		first--
		begin = before
		if first >= f.secret || first == 0 { // A part of the prefix may be a word of the text's own.
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
	return find{start, end, read}, last+1-max(first, f.secret) >= f.need
}
