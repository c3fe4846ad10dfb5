// Package dialecthint finds out which of the names that a client had to guess a
// complaint of the service can be about.
//
// A name that was sent is wrong only if the service does not know it, or misses it
// all the same: else its value is. One that was not sent may be what the service
// calls any name that was guessed.
package dialecthint

import (
	"regexp"
	"slices"
)

// Guess is a name that the documentation does not show, and the setting that
// holds it.
type Guess struct {
	Name, Field string
	Format      bool // The name is documented, and how its value is written is the guess.
}

// Complaints are what a refusal says of a request's input: of the whole, and of
// each field by name.
type Complaints struct {
	Whole  []string
	Fields map[string][]string
}

// Of returns the fields of the guesses that the complaints can be about. sent
// tells what else a request held by name.
func (c Complaints) Of(guesses []Guess, sent func(name string) bool) map[string]bool {
	wrong := make(map[string]bool)
	for name, problems := range c.Fields {
		for _, g := range suspects(guesses, name, problems, sent) {
			wrong[g.Field] = true
		}
	}
	for _, text := range c.Whole {
		for _, g := range guesses {
			if namesUnknown(text, g.Name) {
				wrong[g.Field] = true
			}
		}
	}
	return wrong
}

// suspects are the guesses that a complaint about a field can be about.
func suspects(guesses []Guess, name string, problems []string, sent func(string) bool) []Guess {
	if i := slices.IndexFunc(guesses, func(g Guess) bool { return g.Name == name }); i >= 0 {
		if guesses[i].Format || slices.ContainsFunc(problems, func(p string) bool { return complainsOf(p, name) }) {
			return guesses[i : i+1]
		}
		return nil
	}
	if sent(name) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(guesses), func(g Guess) bool { return g.Format })
}

// aboutName matches a complaint that can be about a name rather than about its
// value: all of it, for "the domain of this address is unknown" is about a value.
var aboutName = regexp.MustCompile("(?i)^\\W*(((this|the|a|an) )?(field|key|member|parameter|property) )?((is|was) )?(an? )?" +
	"(unknown|unrecogni[sz]ed|required|missing|not sent)( required)?( (field|key|member|parameter|property))?\\W*$|received undefined\\W*$")

// complainsOf tells whether a problem of a field can be about the field's name.
func complainsOf(problem, name string) bool {
	return aboutName.MatchString(problem) || namesUnknown(problem, name)
}

// namesUnknown tells whether a text complains of a name that it holds.
func namesUnknown(text, name string) bool {
	const kinds, mark = `( (field|key|member|parameter|property|properties)s?(\(s\))?)?( in [a-z ]+)?`, "[\"'`]?"
	quoted := mark + regexp.QuoteMeta(name) + mark
	about := `(?i)\b(unknown|unrecogni[sz]ed|required|missing)` + kinds + `:? (` + mark + `[\w.-]+` + mark + `, ?)*` + quoted + `(\W|$)` +
		`|(^|[^\w.-])` + quoted + ` (is|was) (an )?(unknown|unrecogni[sz]ed|required|missing|not sent)\b`
	return regexp.MustCompile(about).MatchString(text)
}
