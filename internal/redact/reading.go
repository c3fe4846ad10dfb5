package redact

import "strconv"

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
