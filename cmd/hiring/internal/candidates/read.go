// Package candidates reads the candidates to invite from a CSV file, and keeps the results
// of an import in another CSV file.
package candidates

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// List is the content of a file of candidates.
type List struct {
	People  []hiring.NewInvitation // Without repeated addresses.
	Lines   []int                  // Line of the file for each person; the header is usually line 1.
	Repeats int                    // Number of rows with an address of an earlier row.
	Ignored int                    // Number of unused columns.
}

// Read reads a text whose header names the columns name and email, in any order, separated
// by commas, semicolons or tabs. As in spreadsheets, a first line such as sep=; names the
// separator, and empty rows do not count. When rows are invalid, the error lists them with their
// lines, and Read returns no people. Errors are sentences without the full stop. They name the
// file, and quote nothing of it, because a file without a header begins with a candidate.
func Read(file string, text []byte) (List, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return List{}, fmt.Errorf("%s is not UTF-8: save it as \"CSV UTF-8\"", file)
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	comma, text := separator(text)
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma, rows.FieldsPerRecord, rows.TrimLeadingSpace = comma, -1, true
	columns, err := rows.Read()
	for err == nil && strings.Join(columns, "") == "" {
		columns, err = rows.Read()
	}
	switch {
	case errors.Is(err, io.EOF):
		return List{}, fmt.Errorf("%s is empty: its first line must name the columns, such as name,email", file)
	case err != nil:
		return List{}, notCSV(file, err)
	}
	name, noName := find(columns, "name", "name", "candidate", "candidatename", "fullname", "candidatefullname", "displayname")
	email, noEmail := find(columns, "email", "email", "mail", "emailaddress", "mailaddress", "candidateemail", "candidateemailaddress")
	if err := cmp.Or(noName, noEmail); err != nil {
		return List{}, fmt.Errorf("The first line of %s %w", file, err)
	}
	return collect(file, rows, name, email, len(columns))
}

// named matches a first line that names the separator, and cells in quotes.
var (
	named = regexp.MustCompile(`^"?(?i:sep)=([,;|\t])"?[,;|\t ]*(\n|$)`)
	cells = regexp.MustCompile(`"[^"]*"`)
)

// separator returns the separator that the first line names, and the text with an empty line instead.
// Otherwise it is a semicolon or a tab if the header has one and no comma outside of quotes, or else
// a comma.
func separator(text []byte) (rune, []byte) {
	if line := named.FindSubmatch(text); line != nil {
		return rune(line[1][0]), append([]byte("\n"), text[len(line[0]):]...)
	}
	header, _, _ := bytes.Cut(cells.ReplaceAll(bytes.TrimLeft(text, ",;\t \n"), nil), []byte("\n"))
	for _, other := range []byte(";\t") {
		if bytes.IndexByte(header, other) >= 0 && bytes.IndexByte(header, ',') < 0 {
			return rune(other), text
		}
	}
	return ',', text
}

// find returns the column with one of the headings. Two such columns are an error, because
// either could be meant.
func find(columns []string, what string, headings ...string) (int, error) {
	found := -1
	for i, column := range columns {
		letters := strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, column)
		switch isNamed := slices.Contains(headings, letters); {
		case isNamed && found >= 0:
			return -1, fmt.Errorf("has two columns for the %s: leave one of them", what)
		case isNamed:
			found = i
		}
	}
	if found < 0 {
		return -1, fmt.Errorf("must name the columns, such as name,email: no column is called %s", what)
	}
	return found, nil
}

func notCSV(file string, err error) error {
	return fmt.Errorf("%s is not CSV with columns such as name,email: %s", file, strings.TrimPrefix(err.Error(), "record on "))
}

const maxProblems = 5

func collect(file string, rows *csv.Reader, name, email, columns int) (List, error) {
	list := List{Ignored: columns - 2}
	var problems []string
	seen := make(map[string]bool) // By address.
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return list, notCSV(file, err)
		}
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		line, _ := rows.FieldPos(0)
		person, problem := take(row, name, email, columns)
		if problem != "" {
			problems = append(problems, fmt.Sprintf("line %d: %s", line, problem))
			continue
		}
		if seen[hiring.AddressKey(person.Email)] {
			list.Repeats++
			continue
		}
		seen[hiring.AddressKey(person.Email)] = true
		list.People, list.Lines = append(list.People, person), append(list.Lines, line)
	}
	if n := len(problems); n > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	if problems != nil {
		return List{}, fmt.Errorf("%s: %s", file, strings.Join(problems, "; "))
	}
	if len(list.People) == 0 {
		return List{}, fmt.Errorf("%s has no rows below its header", file)
	}
	return list, nil
}

// take returns the person of a row.
func take(row []string, name, email, columns int) (person hiring.NewInvitation, problem string) {
	if max(name, email) >= len(row) {
		return person, "too few columns"
	}
	if strings.TrimSpace(strings.Join(row[min(columns, len(row)):], "")) != "" {
		return person, "more columns than the header: put a value with a comma in double quotes"
	}
	person = hiring.NewInvitation{Name: strings.TrimSpace(output.Uncell(row[name])), Email: strings.TrimSpace(output.Uncell(row[email]))}
	return person, Problem(person)
}

// AddressProblem returns what is wrong with an address, or "". What may be on both sides of
// the @, the API decides.
func AddressProblem(email string) string {
	local, domain, _ := strings.Cut(email, "@")
	switch {
	case email == "":
		return "the address is missing"
	case output.HasControls(email) || strings.ContainsFunc(email, func(r rune) bool { return unicode.Is(unicode.Cf, r) }):
		return "the address has invisible characters or line breaks: type it again"
	case strings.ContainsAny(email, ",;<>") || strings.ContainsFunc(email, unicode.IsSpace):
		return "the address has a space or one of , ; < >: give one address"
	case local == "" || domain == "" || strings.Contains(domain, "@"):
		return "the address needs one @ with a text on both sides"
	}
	return ""
}

// Problem returns what is wrong with a candidate, or "". It does not quote the input, which
// may contain a key or control characters.
func Problem(person hiring.NewInvitation) string {
	if problem := AddressProblem(person.Email); problem != "" {
		return problem
	}
	switch {
	case person.Name == "":
		return "the name is missing"
	case output.HasControls(person.Name):
		return "the name has control characters or line breaks: type it again"
	}
	for _, problems := range hiring.FieldErrors(person.Validate()) { // As the run does.
		return "the invitation " + strings.Join(problems, ", ")
	}
	return ""
}
