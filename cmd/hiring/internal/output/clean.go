package output

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Clean returns text in one line, without control characters and bidirectional controls.
// Names and messages come from other people.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case harmless(r):
			return r
		}
		return utf8.RuneError
	}, text)
}

// CleanLines is Clean for a text of several lines, such as a brief in Markdown.
func CleanLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Clean(line)
	}
	return strings.Join(lines, "\n")
}

// harmless reports whether a rune is shown as it is. The zero-width joiners connect
// letters and are kept.
func harmless(r rune) bool {
	return unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d'
}

// cleanJSON escapes the harmful runes of a JSON text, which does not change its value. The
// encoder has escaped those below U+0020.
func cleanJSON(text []byte) []byte {
	if bytes.IndexFunc(text, func(r rune) bool { return r >= 0x7f && !harmless(r) }) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x7f || harmless(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
