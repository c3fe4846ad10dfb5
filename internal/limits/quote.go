// Package limits shortens text of responses that errors quote.
package limits

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// MaxQuoted is the number of bytes that Quote returns at most, without the ellipsis.
const MaxQuoted = 300

// LooksLikeJSON reports whether body is JSON or begins like JSON. JSON that was cut short
// counts, because it may still contain candidates' data.
func LooksLikeJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n\ufeff")
	return len(body) > 0 && strings.IndexByte(`{["`, body[0]) >= 0 || json.Valid(body)
}

// Quote returns the first MaxQuoted bytes of body on one line, followed by an ellipsis if
// body is longer.
func Quote(body []byte) string {
	text := OneLine(strings.ToValidUTF8(string(body[:min(len(body), MaxQuoted)]), ""))
	if len(body) > MaxQuoted {
		text += "…"
	}
	return text
}

// Clip returns s, cut after most bytes and followed by an ellipsis if s is longer.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// OneLine replaces line breaks and tabs with spaces and removes other control characters.
func OneLine(s string) string {
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

// Amount is some things in a state.
type Amount struct {
	IDs         []string
	What, State string
}

// Amounts formats amounts as in "2 reports pending (a, b) and 1 submission missing (c)". It
// names three of each at most, and omits amounts of 0.
func Amounts(all ...Amount) string {
	var parts []string
	for _, a := range all {
		if len(a.IDs) == 0 {
			continue
		}
		var names []string
		for _, id := range a.IDs[:min(len(a.IDs), 3)] {
			names = append(names, Clip(OneLine(id), 40))
		}
		what, more := a.What, ""
		if len(a.IDs) > 1 {
			what += "s"
		}
		if len(a.IDs) > len(names) {
			more = ", …"
		}
		parts = append(parts, fmt.Sprintf("%d %s %s (%s%s)", len(a.IDs), what, a.State, strings.Join(names, ", "), more))
	}
	return strings.Join(parts, " and ")
}

// Unended returns s without trailing punctuation, so that s can be continued.
func Unended(s string) string { return strings.TrimRight(s, " \t\r\n.,;:") }
