package output

import (
	"strings"

	"github.com/spf13/cobra"
)

// Similar returns the known words that a misspelt word may mean, as Cobra finds commands.
func Similar(word string, known ...string) []string {
	words := &cobra.Command{SuggestionsMinimumDistance: 1}
	if len(word) > 3 { // Every short word is within two letters of another.
		words.SuggestionsMinimumDistance = 2
	}
	for _, name := range known {
		words.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	if word == "" {
		return nil
	}
	return words.SuggestionsFor(word)
}

// DidYouMean returns a question to add to a sentence, or "" without any words.
func DidYouMean(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(words, " or ") + "?"
}
