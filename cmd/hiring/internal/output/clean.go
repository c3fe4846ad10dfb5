package output

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text in one line for a terminal, without control characters and
// bidirectional controls. Names and messages come from other people.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("\n\r\t\u2028\u2029", r):
			return ' '
		case isControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}

// CleanLines is Clean for a text of several lines, such as a brief in Markdown.
func CleanLines(text string) string {
	return strings.Join(mapped(strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), Clean), "\n")
}

// HasControls reports whether a text has control characters or line breaks.
func HasControls(text string) bool { return strings.ContainsFunc(text, isControl) }

func isControl(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// cleanJSON escapes the characters of a JSON text that Clean drops, which does not change its
// value. The encoder has escaped those below U+0020.
func cleanJSON(text []byte) []byte {
	dropped := func(r rune) bool { return r >= 0x7f && (isControl(r) || unicode.Is(unicode.Bidi_Control, r)) }
	if bytes.IndexFunc(text, dropped) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		if dropped(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
