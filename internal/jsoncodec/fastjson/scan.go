package fastjson

import (
	"encoding/binary"
	"math/bits"
)

// Each scan function reads a token of b at index i and returns the index after it, or -1
// when b has no such token at i. Given -1, every scan function returns -1.

// at returns the byte at i, or 0 beyond the ends of b.
func at(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

// space skips white space, if any.
func space(b []byte, i int) int {
	for c := at(b, i); c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t'); c = at(b, i) {
		i++
	}
	return i
}

// colon skips a colon and white space, and returns the index of the member's value.
func colon(b []byte, i int) int {
	i = space(b, i)
	if at(b, i) != ':' {
		return -1
	}
	return space(b, i+1)
}

// after skips the comma or closing bracket after an element or member. more reports
// whether another element or member follows, at index next.
func after(b []byte, i int, closing byte) (next int, more bool) {
	switch i = space(b, i); at(b, i) {
	case ',':
		return space(b, i+1), true
	case closing:
		return i + 1, false
	}
	return -1, false
}

// skip skips a value. depth is the number of enclosing objects and arrays.
func (d *Decoder) skip(i, depth int) int {
	b := d.b
	switch at(b, i) {
	case '"':
		end, _ := quoted(b, i)
		return end
	case '{':
		return d.skipAll(i, depth+1, '}')
	case '[':
		return d.skipAll(i, depth+1, ']')
	case 'n', 't', 'f':
		return max(literal(b, i, "null"), literal(b, i, "true"), literal(b, i, "false"))
	}
	return number(b, i)
}

const maxDepth = 10_000 // As in json/v2.

// skipAll skips an object or array.
func (d *Decoder) skipAll(i, depth int, closing byte) int {
	b := d.b
	if depth > maxDepth {
		return -1
	}
	i = space(b, i+1)
	if at(b, i) == closing {
		return i + 1
	}
	for more := true; more; {
		if closing == '}' {
			i, _ = quoted(b, i)
			i = colon(b, i)
		}
		i, more = after(b, d.skip(i, depth), closing)
	}
	return i
}

func literal(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return -1
}

// quoted skips a string. plain reports that the string has no escapes and only ASCII.
func quoted(b []byte, i int) (end int, plain bool) {
	const each, high = 0x0101010101010101, 0x8080808080808080
	if at(b, i) != '"' {
		return -1, false
	}
	plain = true
	for i++; ; {
		// Read eight bytes at a time until one of them is a quote, a backslash or a
		// control character. A subtraction can only borrow from bytes after the first
		// match, so the lowest bit found is exact.
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			plain = plain && x&high == 0
			quote, backslash := x^'"'*each, x^'\\'*each
			found := ((quote-each)&^quote | (backslash-each)&^backslash | (x-' '*each)&^x) & high
			if found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		switch c := at(b, i); {
		case c == '"':
			return i + 1, plain
		case c == '\\':
			i, plain = escape(b, i), false
			if i < 0 {
				return -1, false
			}
		case c < ' ': // Or the end of b.
			return -1, false
		default:
			plain = plain && c < 0x80
			i++
		}
	}
}

func escape(b []byte, i int) int {
	switch at(b, i+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if c := at(b, k); !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return -1
			}
		}
		return i + 6
	}
	return -1
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func number(b []byte, i int) int {
	if at(b, i) == '-' {
		i++
	}
	if at(b, i) == '0' {
		i++
	} else {
		i = digits(b, i)
	}
	if at(b, i) == '.' {
		i = digits(b, i+1)
	}
	if at(b, i)|0x20 == 'e' {
		if sign := at(b, i+1); sign == '+' || sign == '-' {
			i++
		}
		i = digits(b, i+1)
	}
	return i
}

func digits(b []byte, i int) int {
	start := i
	for isDigit(at(b, i)) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
