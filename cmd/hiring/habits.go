package main

import (
	"cmp"
	_ "embed" // The table of habits.
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
		if instead := insteadOfWords()[word]; instead != "" {
			return instead
		}
	}
	return ""
}

// insteadOfWords returns habits as a map.
func insteadOfWords() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(habits) {
		words, instead, _ := strings.Cut(strings.TrimSpace(line), " => ")
		for word := range strings.SplitSeq(words, ", ") {
			all[word] = instead
		}
	}
	return all
}

// insteadOfSimilar returns what to use instead of the words in habits that are similar to a name below
// a command, if all of them lead to the same.
func insteadOfSimilar(path, name string) (found string) {
	var words []string
	for word := range insteadOfWords() {
		words = append(words, strings.TrimPrefix(word, path))
	}
	for _, word := range similar(name, words) {
		instead := insteadOf(path + word)
		if found != "" && instead != "" && instead != found {
			return ""
		}
		found = cmp.Or(instead, found)
	}
	return found
}
