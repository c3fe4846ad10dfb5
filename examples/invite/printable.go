package main

import (
	"strings"
	"unicode"
)

// printable replaces control characters, which a terminal would execute: the text may
// contain names from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		joinsLetters := r == '\u200c' || r == '\u200d'
		if unicode.IsGraphic(r) || joinsLetters {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
