package main

import (
	"reflect"
	"regexp"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The client's errors speak to programmers, of options, fields and methods. Here,
// and nowhere else, they are put into the words of who types a command: flags,
// arguments and variables.

// inputWords are what the client calls an input, and how the command is given it.
var inputWords = map[string]string{ //nolint:gochecknoglobals // a constant table
	"baseURL": "the base URL", "apiKey": "the API key",
	"Name": "--name", "Email": "--email", "ChallengeID": "--challenge", "TimeLimitMinutes": "--minutes",
	"BudgetDollarsCap": "--budget", "SinceSeq": "--since-seq", "Since": "--since", "Lookback": "--since",
	"MinInterval, MaxInterval": "--interval", "MinInterval": "--interval", "MaxInterval": "--interval",
	"id": "ID", "ids": "ID...", "invitationID": "ID", "submissionID": "SUBMISSION", "assessmentID": "--assessment",
	"email": "EMAIL", "method": "METHOD", "path": "PATH", "state": "--checkpoint",
}

var (
	// input is the name before what is wrong with it.
	input = regexp.MustCompile(`(^|; )([A-Za-z]+(?:, [A-Za-z]+)?): `)
	// operation is the method of the client that failed.
	operation = regexp.MustCompile(`(^|; |: |hiring: )(?:hiring: )?(?:(?:Account|Members|Challenges|Assessments|Invitations|Submissions|Events)\.[A-Z][A-Za-z]+|Do|OpenAPI): `)
	// number and duration are what Go's parsers say of a flag's value.
	number   = regexp.MustCompile(`strconv\.\w+: parsing ".*?": [a-z ]+`)
	duration = regexp.MustCompile(`time: [a-z ]+ ".*?"`)
	assumed  = regexp.MustCompile(`Dialect\.([A-Z][A-Za-z]+)(?: (is|may be|is probably) wrong)?`)
)

// otherWords are options that the command has no flag for, or says otherwise.
var otherWords = strings.NewReplacer( //nolint:gochecknoglobals // a constant table
	", or WithInsecureHTTP if that is meant", "",
	": see WithTimeout", "", ": see WithMaxResponseBytes", "",
	"four times what WithMaxResponseBytes allows", "256 MiB",
	"; the path names no id: look at the base URL", "",
	"hiring: ", "",
)

// plainWords puts the text of an error into the words of the command.
func plainWords(text string) string {
	text = operation.ReplaceAllString(text, "$1")
	text = input.ReplaceAllStringFunc(text, func(found string) string {
		part := input.FindStringSubmatch(found)
		if word, ok := inputWords[part[2]]; ok {
			return part[1] + word + ": "
		}
		return found
	})
	text = assumed.ReplaceAllStringFunc(text, func(found string) string {
		part := assumed.FindStringSubmatch(found)
		name := dialectMember(part[1])
		if part[2] == "" {
			return name
		}
		return "the " + name + " of --dialect " + part[2] + " wrong (hiring doctor finds out)"
	})
	text = number.ReplaceAllString(text, "give a number")
	text = duration.ReplaceAllString(text, "give a time as in 30s or 5m")
	return otherWords.Replace(text)
}

// dialectMember is what a field of the dialect is called in a file.
func dialectMember(field string) string {
	if f, ok := reflect.TypeFor[hiring.Dialect]().FieldByName(field); ok {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	}
	return field
}
