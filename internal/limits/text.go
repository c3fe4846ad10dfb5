package limits

import "unicode/utf8"

// What json/v2 allocates at most, in bytes, including what it replaces meanwhile.
const (
	replacedByte = 16 // For a byte that is not UTF-8, which becomes the three bytes of U+FFFD.
	pathByte     = 32 // For a byte of the JSON pointer in an error.
)

// InvalidBytes returns the number of bytes of a text that are not UTF-8.
func InvalidBytes(text []byte) (n int) {
	if utf8.Valid(text) {
		return 0
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		text = text[size:]
	}
	return n
}

// longPath is the length from which a path counts. Shorter ones take little memory.
const longPath = 1000

// maxDepth is the number of nested values at which json/v2 gives up.
const maxDepth = 10_000

// longestPath returns the greatest length of the names around a value, in bytes: the
// pointer to that value in an error of json/v2 contains them all.
func longestPath(text []byte) (longest int) {
	var names []int // The lengths of the current names by depth.
	path := 0
	for i := 0; i < len(text) && len(names) <= maxDepth; i++ {
		switch text[i] {
		case '{', '[':
			names = append(names, 0)
		case '}', ']':
			if n := len(names); n > 0 {
				path -= names[n-1]
				names = names[:n-1]
			}
		case '"':
			begin := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if n := len(names); n > 0 && followsColon(text, i+1) {
				path += i - begin - names[n-1]
				names[n-1] = i - begin
				longest = max(longest, path)
			}
		}
	}
	if longest < longPath {
		return 0
	}
	return longest
}

// followsColon reports whether the next character from i on, apart from white space, is a colon.
func followsColon(text []byte, i int) bool {
	for ; i < len(text); i++ {
		if c := text[i]; c > ' ' {
			return c == ':'
		}
	}
	return false
}
