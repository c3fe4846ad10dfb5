package main

import (
	"strings"
	"unicode"
)

// printable replaces what a terminal would obey: names come from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		joinsLetters := r == '\u200c' || r == '\u200d'
		if unicode.IsGraphic(r) || joinsLetters {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
