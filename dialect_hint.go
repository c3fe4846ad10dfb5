package hiring

import (
	"regexp"
	"slices"
)

// This file determines which assumed names of the API a validation error can be
// about.
//
// The API's documentation does not show every name, so the client assumes some
// (docs/assumptions.md). An assumed name that was sent is wrong only if the error calls
// the name itself unknown or missing. Otherwise its value is invalid. An error about a
// name that was not sent may concern every assumed name, because that may be the API's
// real name for it.

// assumption is an assumed name and the Dialect field that sets it.
type assumption struct {
	Name, Field string
	Format      bool // The name is documented; only the format of its value is assumed.
}

// wrongFields returns the Dialect fields of the assumptions that the validation messages of a
// 400 response can be about: messages about the whole input, and messages by field name. sent
// reports whether the request held a field with the given name that is not assumed.
func wrongFields(assumptions []assumption, whole []string, fields map[string][]string, sent func(name string) bool) map[string]bool {
	wrong := make(map[string]bool)
	for name, problems := range fields {
		for _, g := range suspects(assumptions, name, problems, sent) {
			wrong[g.Field] = true
		}
	}
	for _, text := range whole {
		for _, g := range assumptions {
			if namesUnknown(text, g.Name) {
				wrong[g.Field] = true
			}
		}
	}
	return wrong
}

// suspects returns the assumptions that a message about the field name can be about.
func suspects(assumptions []assumption, name string, problems []string, sent func(string) bool) []assumption {
	if i := slices.IndexFunc(assumptions, func(g assumption) bool { return g.Name == name }); i >= 0 {
		if assumptions[i].Format || slices.ContainsFunc(problems, func(p string) bool { return complainsOf(p, name) }) {
			return assumptions[i : i+1]
		}
		return nil
	}
	if sent(name) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(assumptions), func(g assumption) bool { return g.Format })
}

// aboutName matches a message that is entirely about a name. It does not match within a
// longer sentence: "the domain of this address is unknown" is about a value.
var aboutName = regexp.MustCompile("(?i)^\\W*(((this|the|a|an) )?(field|key|member|parameter|property) )?((is|was) )?(an? )?" +
	"(unknown|unrecogni[sz]ed|required|missing|not sent)( required)?( (field|key|member|parameter|property))?\\W*$|received undefined\\W*$")

// complainsOf reports whether a message about a field can be about the field's name.
func complainsOf(problem, name string) bool {
	return aboutName.MatchString(problem) || namesUnknown(problem, name)
}

// namesUnknown reports whether a message calls the given name unknown or missing.
func namesUnknown(text, name string) bool {
	const kinds, mark = `( (field|key|member|parameter|property|properties)s?(\(s\))?)?( in [a-z ]+)?`, "[\"'`]?"
	quoted := mark + regexp.QuoteMeta(name) + mark
	about := `(?i)\b(unknown|unrecogni[sz]ed|required|missing)` + kinds + `:? (` + mark + `[\w.-]+` + mark + `, ?)*` + quoted + `(\W|$)` +
		`|(^|[^\w.-])` + quoted + ` (is|was) (an )?(unknown|unrecogni[sz]ed|required|missing|not sent)\b`
	return regexp.MustCompile(about).MatchString(text)
}
