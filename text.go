package hiring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxQuoted is the number of bytes that quote returns at most, without the ellipsis.
const maxQuoted = 300

// looksLikeJSON reports whether body is JSON or begins like JSON. JSON that was cut short
// counts, because it may still contain candidates' data.
func looksLikeJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) > 0 && strings.IndexByte(`{["`, body[0]) >= 0 || json.Valid(body)
}

// quote returns the first maxQuoted bytes of a text on one line, followed by an ellipsis if
// it is longer.
func quote(text string) string { return oneLine(strings.ToValidUTF8(clip(text, maxQuoted), "")) }

// clip returns s, cut after most bytes and followed by an ellipsis if s is longer.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// oneLine replaces line breaks and tabs with spaces and removes other control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return -1
		}
		return r
	}, s)
}

// maxNamed is the number of ids that amounts names.
const maxNamed = 10

// amounts formats the number of things with those ids in a state, as in "2 reports pending (a, b)", or "" for none.
func amounts(ids []string, what, state string) string {
	if len(ids) == 0 {
		return ""
	}
	var names []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		names = append(names, clip(oneLine(id), 40))
	}
	more := ""
	if len(ids) > 1 {
		what += "s"
	}
	if len(ids) > maxNamed {
		more = ", …"
	}
	return fmt.Sprintf("%d %s %s (%s%s)", len(ids), what, state, strings.Join(names, ", "), more)
}

// unended returns s without trailing punctuation, so that s can be continued.
func unended(s string) string { return strings.TrimRight(s, " \t\r\n.,;:") }

// sameID reports whether two ids are the same UUID, or the same text: case, hyphens and braces do not matter.
func sameID(a, b string) bool {
	plain := strings.NewReplacer("-", "", "{", "", "}", "").Replace
	return a == b || strings.EqualFold(plain(a), plain(b))
}
