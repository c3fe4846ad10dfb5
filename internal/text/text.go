// Package text makes one line of whatever others wrote, fit for an error or a
// log: short, without what would break the line or steer a terminal. It also counts in words.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// MaxQuoted is how many bytes Quote shows.
const MaxQuoted = 300

// LooksLikeJSON tells JSON from other text. It also accepts JSON that was cut short, because what is left of
// it may still hold candidates' data.
func LooksLikeJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n\ufeff")
	return len(body) > 0 && strings.IndexByte(`{["`, body[0]) >= 0 || json.Valid(body)
}

// Quote returns at most 300 bytes of text on one line.
func Quote(body []byte) string {
	text := OneLine(strings.ToValidUTF8(string(body[:min(len(body), MaxQuoted)]), ""))
	if len(body) > MaxQuoted {
		text += "…"
	}
	return text
}

// Clip cuts a text that is longer than most bytes.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// OneLine removes what would break a line or steer a terminal.
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

// Amount is how many there are of something.
type Amount struct {
	N           int
	What, State string
}

// Amounts says "2 reports pending and 1 submission missing". What there is none of
// is left out.
func Amounts(all ...Amount) string {
	var parts []string
	for _, a := range all {
		switch a.N {
		case 0:
		case 1:
			parts = append(parts, "1 "+a.What+" "+a.State)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss %s", a.N, a.What, a.State))
		}
	}
	return strings.Join(parts, " and ")
}

// Unended drops what ends a sentence, because the line goes on.
func Unended(s string) string { return strings.TrimRight(s, " \t\r\n.,;:") }
