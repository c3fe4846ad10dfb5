package redact

import (
	"strconv"
)

// reading is a way to decode the letters of a text.
type reading int

const (
	plain   reading = iota // Each byte is a character.
	escaped                // A backslash begins an escape.
	nested                 // Several backslashes begin an escape, as in text that was quoted more than once.
)

// isLetter reports whether a byte is an ASCII letter or digit.
var isLetter = func() (is [256]bool) {
	for c := range is {
		is[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return is
}()

// after returns the first letter of b[i:] and its place, or 0 if there is none.
func (r reading) after(b []byte, i int) (letter byte, start, end int) {
	for i < len(b) {
		letter, end = b[i], i+1
		if r != plain && letter == '\\' {
			letter, end = escape(b, i, r == nested)
		}
		if isLetter[letter] {
			return letter, i, end
		}
		i = end
	}
	return 0, i, i
}

// before returns the last letter of b[:i] and its start, or 0 if there is none.
func (r reading) before(b []byte, i int) (letter byte, start int) {
	for ; i > 0; i = start {
		letter, start = b[i-1], i-1
		if r != plain && isLetter[letter] {
			letter, start = escapeBefore(b, i, r == nested)
		}
		if isLetter[letter] {
			return letter, start
		}
	}
	return 0, 0
}

// escape returns the letter that the escape at b[i:] encodes, or 0 if it encodes none, and
// the end of the escape. It decodes the escapes of JSON and of %q. A nested escape may
// begin with several backslashes.
func escape(b []byte, i int, nested bool) (letter byte, end int) {
	i++
	for nested && i < len(b) && b[i] == '\\' {
		i++
	}
	if i == len(b) {
		return 0, i
	}
	var digits int
	switch b[i] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '"', '\\', '/', '\'', 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return 0, i + 1
	default:
		return 0, i
	}
	end = i + 1 + digits
	if len(b) < end {
		return 0, i
	}
	code, err := strconv.ParseUint(string(b[i+1:end]), 16, 32)
	if err != nil {
		return 0, i
	}
	if code < 0x80 && isLetter[code] {
		return byte(code), end
	}
	return 0, end
}

// longestEscape is the length of \U and eight digits in %q.
const longestEscape = 10

// escapeBefore returns the letter of the escape that ends at b[:i] and its start, or the
// byte before i if there is no such escape.
func escapeBefore(b []byte, i int, nested bool) (letter byte, start int) {
	for _, size := range [...]int{2, 4, 6, longestEscape} {
		start = i - size
		if start < 0 || b[start] != '\\' {
			continue
		}
		first := start
		for first > 0 && b[first-1] == '\\' {
			first--
		}
		if nested {
			start = first // The backslash itself is escaped.
		} else if (start-first)%2 == 1 {
			continue // It is escaped itself.
		}
		if letter, end := escape(b, start, nested); end == i {
			return letter, start
		}
	}
	return b[i-1], i - 1
}
