package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// inputWords maps the key of an input in hiring.FieldErrors to the flag or argument.
var inputWords = map[string]string{ //nolint:gochecknoglobals // a constant table
	"baseURL": "the base URL", "apiKey": "the API key", "id": "the id", "email": "the e-mail address", "time_limit_minutes": "--minutes",
	"budget_dollars_cap": "--budget", "since_seq": "--since-seq", "state": "--checkpoint", "WithTimeout": "--timeout",
	"MinInterval, MaxInterval": "--interval", "MinInterval": "--interval", "MaxInterval": "--interval",
}

// adviceWords replaces options and fields of Go in the client's advice.
var adviceWords = strings.NewReplacer( //nolint:gochecknoglobals // a constant table
	"see WithTimeout", "--timeout sets another limit", "see WithMaxResponseBytes", "", "WithInsecureHTTP if that is meant", "HIRING_INSECURE_HTTP=true for a private host",
	"30*time.Second", "30s", "WatchOptions.AssessmentID", "--assessment",
)

// limitWords replaces how the client says that a time limit was reached.
var limitWords = strings.NewReplacer( //nolint:gochecknoglobals // a constant table
	context.DeadlineExceeded.Error(), "the time limit was reached", "the context's deadline had passed", "the time limit was reached",
)

var (
	innerCapital  = regexp.MustCompile(`\B[A-Z]`)
	operationName = regexp.MustCompile(`^[A-Z]\w+\.[A-Z]\w+: `) // Of an error that is not an Error.
)

// errorText returns the text of an error as users see it: one line that ends with a full
// stop, without the advice that depends on the exit status. The client's errors are written
// from their fields.
func errorText(err error) string {
	if caused, ok := errors.AsType[causedError](err); ok {
		err = caused.error
	}
	text, ofClient := strings.CutPrefix(err.Error(), "hiring: ")
	if wait, ok := errors.AsType[*hiring.WaitError](err); ok {
		text = strings.TrimPrefix((&hiring.WaitError{Missing: wait.Missing, Pending: wait.Pending}).Error(), "hiring: ") + ": " + errorText(wait.Err)
	} else if failure, ok := errors.AsType[*hiring.Error](err); ok {
		shown := *failure
		shown.Operation = ""
		shown.Hint, _, _ = strings.Cut(adviceWords.Replace(failure.Hint), ", or correct Dialect.")
		if strings.Contains(shown.Hint, "Dialect.") || failure.Operation == "Do" && failure.Code == hiring.ErrNotFound { // hiring doctor checks the dialect; a path was typed.
			shown.Hint = ""
		}
		text, ofClient = strings.CutPrefix(shown.Error(), "hiring: ")
	} else if inputs := hiring.FieldErrors(err); inputs != nil {
		text, ofClient = inputText(inputs), true
	}
	text = limitWords.Replace(operationName.ReplaceAllString(text, ""))
	if ofClient {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return withFullStop(text)
}

// inputText returns what is wrong with each input. The fields of a dialect have their names
// of the dialect file.
func inputText(inputs map[string][]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		shown := cmp.Or(inputWords[name], strings.ToLower(innerCapital.ReplaceAllString(name, "_$0")))
		all = append(all, shown+": "+adviceWords.Replace(strings.Join(inputs[name], ", ")))
	}
	return strings.Join(slices.Compact(all), "; ")
}

// withFullStop adds a full stop, unless text ends with a punctuation mark.
func withFullStop(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}
