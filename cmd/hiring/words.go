package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The client's errors name options, fields and methods of Go. This file translates them to
// flags, arguments and variables.

// inputWords maps the Go name of an input to the flag or argument.
var inputWords = map[string]string{ //nolint:gochecknoglobals // a constant table
	"baseURL": "the base URL", "apiKey": "the API key",
	"Name": "--name", "Email": "--email", "ChallengeID": "--challenge", "TimeLimitMinutes": "--minutes",
	"BudgetDollarsCap": "--budget", "SinceSeq": "--since-seq", "Since": "--since", "Lookback": "--since",
	"MinInterval, MaxInterval": "--interval", "MinInterval": "--interval", "MaxInterval": "--interval",
	"id": "the id", "ids": "the ids", "invitationID": "the invitation's id", "submissionID": "the submission's id",
	"assessmentID": "--assessment", "email": "the e-mail address",
	"method": "the method", "path": "the path", "state": "--checkpoint",
}

// hintWords maps hints for programmers to hints for users. An empty string removes the
// hint.
var hintWords = map[string]string{ //nolint:gochecknoglobals // a constant table
	"see WithTimeout":          "--timeout sets another limit",
	"see WithMaxResponseBytes": "",
}

// resources maps the Go name of a service or method to the resource that its id names.
var resources = map[string]string{ //nolint:gochecknoglobals // a constant table
	"Challenges": "Challenge", "Assessments": "Assessment", "Submissions": "Submission", "Events": "Submission",
	"Invitations": "Assessment", "Invitations.Resend": "Invitation", "Invitations.Revoke": "Invitation",
}

// errorText returns the text of an error as users see it, without the advice that depends
// on the exit status. It is one line that ends with a full stop or with the details of a
// response.
func errorText(err error) string {
	text := withFullStop(describe(err))
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		text += details(failure)
	}
	return text
}

// describe returns the text of an error. The texts of client errors inside it are
// replaced.
func describe(err error) string {
	switch e := err.(type) { //nolint:errorlint // each layer is described in its turn
	case *hiring.Error:
		return failureText(e)
	case *hiring.ParamError:
		return inputText(e)
	}
	text := ownText(err)
	var inner []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		inner = joined.Unwrap()
	} else if wrapped := errors.Unwrap(err); wrapped != nil {
		inner = []error{wrapped}
	}
	if inner == nil && strings.HasPrefix(err.Error(), "hiring: ") {
		return capitalized(text)
	}
	for _, e := range inner {
		text = strings.Replace(strings.Replace(text, "hiring: "+ownText(e), ownText(e), 1), ownText(e), describe(e), 1)
	}
	return text
}

// ownText returns the text of an error in one line, without the module's name.
func ownText(err error) string { return strings.TrimPrefix(joinLines(err.Error()), "hiring: ") }

// inputText says which flag or argument is wrong, and why.
func inputText(e *hiring.ParamError) string {
	name := e.Param
	if word, ok := inputWords[name]; ok {
		name = word
	} else if field, ok := strings.CutPrefix(name, "Dialect."); ok {
		name = dialectMember(field)
	}
	return name + ": " + strings.TrimSuffix(e.Problem, ", or WithInsecureHTTP if that is meant")
}

const maxMessage = 4 << 10

// failureText builds sentences from the fields of a failed call.
func failureText(e *hiring.Error) string {
	text := capitalized(strings.TrimSuffix(clip(e.Message), ".")) + complaints(e)
	if e.Status == http.StatusNotFound && e.Code == hiring.ErrNotFound {
		text = notFound(e)
	}
	text = withFullStop(text)
	for _, hint := range hints(e) {
		text += " " + withFullStop(capitalized(hint))
	}
	switch e.Outcome { //nolint:exhaustive // nothing else to say
	case hiring.OutcomeUnknown:
		text += " The outcome is unknown."
	case hiring.OutcomeDone:
		text += " The change was made."
	}
	if e.RetryAfter > 0 {
		text += " Retry after " + (e.RetryAfter + time.Second - 1).Truncate(time.Second).String() + "."
	}
	return strings.TrimSuffix(text, ".")
}

// notFound says what was not found, and what to check.
func notFound(e *hiring.Error) string {
	if !strings.Contains(e.Route, "{") {
		return "Path not found: check the path and the base URL; hiring api /openapi.json --jq '.paths | keys' lists the paths"
	}
	service, _, _ := strings.Cut(e.Operation, ".")
	return cmp.Or(resources[e.Operation], resources[service], "Resource") + " not found: check the id and the key's organization"
}

// complaints returns the API's messages about the input, by field.
func complaints(e *hiring.Error) string {
	form, fields := e.Fields()
	parts := slices.Clone(form)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, strings.TrimSuffix(name+": "+strings.Join(fields[name], ", "), ": "))
	}
	if len(parts) == 0 {
		return ""
	}
	for i, part := range parts {
		parts[i] = strings.TrimSuffix(part, ".")
	}
	return ": " + clip(strings.Join(parts, "; "))
}

// hints returns the hints of a failed call, with the names of the dialect file.
func hints(e *hiring.Error) []string {
	var all []string
	for _, hint := range e.Hints {
		about := func(field string) bool { return strings.Contains(hint, "Dialect."+field) }
		word, known := hintWords[hint]
		switch {
		case slices.ContainsFunc(e.DialectFields, about), known && word == "":
		case strings.HasPrefix(hint, "the path has no id") && e.Code == hiring.ErrNotFound: // notFound gives the same advice.
		case known:
			all = append(all, word)
		default:
			all = append(all, hint)
		}
	}
	var members []string
	for _, field := range e.DialectFields {
		members = append(members, dialectMember(field))
	}
	if members != nil {
		all = append(all, fmt.Sprintf("Or the dialect's %s is wrong: hiring doctor checks it", strings.Join(members, " or ")))
	}
	return all
}

// details returns what support asks for: status, code, attempts and request id.
func details(e *hiring.Error) string {
	var parts []string
	status := string(e.Code)
	if e.Status != 0 {
		status = strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Code))
	}
	if status != "" {
		parts = append(parts, clip(status))
	}
	if e.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", e.Attempts))
	}
	if e.RequestID != "" {
		parts = append(parts, "request "+clip(e.RequestID))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func clip(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + "…"
}

// dialectMember returns the name of a dialect field in the dialect file.
func dialectMember(field string) string {
	if f, ok := reflect.TypeFor[hiring.Dialect]().FieldByName(field); ok {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	}
	return field
}

// capitalized returns text with a capital letter, unless its first word is a name.
func capitalized(text string) string {
	first, _, _ := strings.Cut(text, " ")
	for i, r := range strings.TrimRight(first, ",:;") {
		if (r < 'a' || r > 'z') && (i == 0 || r != '\'') {
			return text
		}
	}
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// withFullStop adds a full stop, unless text ends with a punctuation mark.
func withFullStop(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// joinLines joins lines with semicolons.
func joinLines(text string) string {
	var line string
	for part := range strings.Lines(text) {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case line == "":
			line = part
		case strings.HasSuffix(line, "?"):
			line += " " + part
		default:
			line += "; " + part
		}
	}
	return line
}

var dialectField = regexp.MustCompile(`Dialect\.([A-Z][A-Za-z]+)`)

// warningText translates a warning of the client.
func warningText(text string) string {
	return dialectField.ReplaceAllStringFunc(text, func(found string) string {
		return "the " + dialectMember(strings.TrimPrefix(found, "Dialect.")) + " of --dialect"
	})
}
