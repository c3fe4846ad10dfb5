package main

import (
	"errors"
	"reflect"
	"regexp"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The client's errors name arguments, options and fields of Go. This file replaces these
// names by flags, arguments and members of the dialect file. The rest of a text stays.

// inputWords maps the Go name of an input to the flag or argument.
var inputWords = map[string]string{ //nolint:gochecknoglobals // a constant table
	"baseURL": "the base URL", "apiKey": "the API key", "ChallengeID": "--challenge", "TimeLimitMinutes": "--minutes",
	"BudgetDollarsCap": "--budget", "SinceSeq": "--since-seq", "Since": "--since", "Lookback": "--since", "Name": "the name",
	"MinInterval, MaxInterval": "--interval", "MinInterval": "--interval", "MaxInterval": "--interval", "Email": "the e-mail address",
	"id": "the id", "ids": "the ids", "invitationID": "the invitation's id", "submissionID": "the submission's id",
	"assessmentID": "--assessment", "email": "the e-mail address", "method": "the method", "path": "the path", "state": "--checkpoint",
}

var (
	// optionWords replaces advice for programmers.
	optionWords = strings.NewReplacer( //nolint:gochecknoglobals // a constant table
		": see WithTimeout", ": --timeout sets another limit", ": see WithMaxResponseBytes", "",
		", or WithInsecureHTTP if that is meant", "", "context deadline exceeded", "the time limit was reached", "\n", "; ",
	)
	goName       = regexp.MustCompile(`(?:(^|[:;(] )hiring: )|\b(?:[A-Z][a-z]+\.[A-Z][A-Za-z]+|EnsureAll|Do|OpenAPI): `)
	dialectField = regexp.MustCompile(`Dialect\.([A-Z][A-Za-z]+)`)
	plainWord    = regexp.MustCompile(`^[a-z][a-z']*[ ,:;.]`)
)

// errorText returns the text of an error as users see it: one line that ends with a full
// stop, without the advice that depends on the exit status.
func errorText(err error) string {
	text := err.Error()
	visit(err, func(e error) {
		if rejected, ok := e.(*hiring.ParamError); ok { //nolint:errorlint // each layer is visited
			if word, known := inputWords[rejected.Param]; known {
				text = strings.Replace(text, rejected.Param+": ", word+": ", 1)
			}
		}
	})
	byClient := strings.HasPrefix(text, "hiring: ")
	text = goName.ReplaceAllString(optionWords.Replace(dialectWords(text)), "$1")
	if byClient && plainWord.MatchString(text) {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return withFullStop(text)
}

// visit calls see with an error and every error in it.
func visit(err error, see func(error)) {
	see(err)
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, inner := range joined.Unwrap() {
			visit(inner, see)
		}
	} else if inner := errors.Unwrap(err); inner != nil {
		visit(inner, see)
	}
}

// dialectWords replaces fields of Dialect by members of the dialect file.
func dialectWords(text string) string {
	return dialectField.ReplaceAllStringFunc(text, func(found string) string {
		return dialectMember(strings.TrimPrefix(found, "Dialect.")) + " of the dialect"
	})
}

// dialectMember returns the name of a dialect field in the dialect file.
func dialectMember(field string) string {
	if f, ok := reflect.TypeFor[hiring.Dialect]().FieldByName(field); ok {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	}
	return field
}

// withFullStop adds a full stop, unless text ends with a punctuation mark.
func withFullStop(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}
