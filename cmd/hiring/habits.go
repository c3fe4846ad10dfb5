package main

import (
	_ "embed" // The table of habits.
	"slices"
	"strings"
)

// habits is a table of what users of other programs type, and of what to use here instead.
//
//go:embed habits.txt
var habits string

// useInstead returns an error with the advice that habits has for the first of the typed words that it
// has, if any.
func useInstead(err error, typed ...string) error {
	if instead := insteadOf(typed...); instead != "" {
		return adviceError{err, "Use " + instead}
	}
	return err
}

// insteadOf returns what to use instead of the first of the typed words that is in habits, or "".
func insteadOf(typed ...string) string {
	for _, word := range typed {
		for line := range strings.Lines(habits) {
			words, instead, _ := strings.Cut(strings.TrimSpace(line), " => ")
			if slices.Contains(strings.Split(words, ", "), word) {
				return instead
			}
		}
	}
	return ""
}
