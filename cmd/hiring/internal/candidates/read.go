// Package candidates reads the candidates to invite from a CSV file, and writes the result
// of each to another CSV file.
package candidates

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	hiring "github.com/hiring-assessment/hiring-go"
)

// List is the content of a file of candidates.
type List struct {
	People  []hiring.NewInvitation // Without repeated addresses.
	Lines   []int                  // Line of the file for each person; the header is usually line 1.
	Repeats int                    // Number of rows with an address of an earlier row.
	Renamed []int                  // Lines of those rows that have another name than the earlier row.
	Ignored []string               // Unused columns.
}

// Key returns the same text for every spelling of an address: upper and lower case, and
// Unicode normal forms. Letters with several lower-case forms, such as the Greek sigma, are
// one letter.
func Key(email string) string {
	return norm.NFC.String(strings.Map(folded, norm.NFC.String(strings.TrimSpace(email))))
}

// folded returns one letter for all its forms.
func folded(r rune) rune {
	r = unicode.ToLower(r)
	first := r
	for form := unicode.SimpleFold(r); form != r; form = unicode.SimpleFold(form) {
		first = min(first, form)
	}
	return first
}

// Read reads a file whose header names the columns name and email, in any order, separated
// by commas, semicolons or tabs. When rows are invalid, the error lists them with their
// lines, and Read returns no people.
func Read(file string) (List, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return List{}, err
	}
	return parse(file, text)
}

// parse returns errors as sentences, without the full stop.
func parse(file string, text []byte) (List, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return List{}, fmt.Errorf("%s is not UTF-8: save it as \"CSV UTF-8\"", file)
	}
	header, _, _ := bytes.Cut(text, []byte("\n"))
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma, rows.FieldsPerRecord, rows.TrimLeadingSpace = separator(header), -1, true
	columns, err := rows.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return List{}, notCSV(file, err)
	}
	if err != nil {
		return List{}, fmt.Errorf("%s has no header: name the columns in its first line, as in name,email", file)
	}
	name, email, ignored, err := find(columns)
	if err != nil {
		return List{}, err
	}
	switch found := strings.Join(columns, ", "); {
	case email < 0:
		return List{}, errors.New("No email column. Found: " + found)
	case name < 0:
		return List{}, errors.New("No name column. Found: " + found)
	}
	list, err := collect(file, rows, name, email, len(columns))
	list.Ignored = ignored
	return list, err
}

// separator returns a semicolon or a tab if the header has one and no comma, or else a
// comma.
func separator(header []byte) rune {
	for _, other := range []byte(";\t") {
		if bytes.IndexByte(header, other) >= 0 && bytes.IndexByte(header, ',') < 0 {
			return rune(other)
		}
	}
	return ','
}

// find returns the columns of names and addresses, -1 for a missing one. Two columns with
// the same meaning are an error, because either could be meant. That includes headings
// that are not accepted alone, such as "full name".
func find(columns []string) (name, email int, ignored []string, err error) {
	names, emails := []string{}, []string{}
	name, email = -1, -1
	for i, column := range columns {
		heading := strings.ToLower(strings.TrimSpace(strings.Map(visible, column)))
		letters := strings.NewReplacer(" ", "", "_", "", "-", "", ".", "").Replace(heading)
		switch heading {
		case "name", "candidate", "candidate_name":
			name = i
		case "email", "e-mail", "mail", "candidate_email":
			email = i
		default:
			ignored = append(ignored, column)
		}
		switch letters {
		case "name", "candidate", "candidatename", "fullname", "candidatefullname", "displayname":
			names = append(names, column)
		case "email", "mail", "emailaddress", "mailaddress", "candidateemail", "candidateemailaddress":
			emails = append(emails, column)
		}
	}
	if name >= 0 && len(names) > 1 {
		err = twoColumns("names", names)
	}
	if email >= 0 && len(emails) > 1 {
		err = errors.Join(err, twoColumns("addresses", emails))
	}
	return name, email, ignored, err
}

func twoColumns(what string, columns []string) error {
	return fmt.Errorf("two columns of %s: %s; leave one of them", what, strings.Join(columns, ", "))
}

func notCSV(file string, err error) error {
	return fmt.Errorf("%s is not CSV: %s", file, strings.TrimPrefix(err.Error(), "record on "))
}

const maxProblems = 5

func collect(file string, rows *csv.Reader, name, email, columns int) (List, error) {
	var list List
	var problems []string
	seen := make(map[string]string) // Names by address.
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return list, notCSV(file, err)
		}
		if slices.IndexFunc(row, func(cell string) bool { return strings.TrimSpace(cell) != "" }) < 0 {
			continue
		}
		line, _ := rows.FieldPos(0)
		person, problem := take(row, name, email, columns)
		if problem != "" {
			problems = append(problems, fmt.Sprintf("line %d: %s", line, problem))
			continue
		}
		key := Key(person.Email)
		if earlier, repeated := seen[key]; repeated {
			list.Repeats++
			if norm.NFC.String(person.Name) != norm.NFC.String(earlier) {
				list.Renamed = append(list.Renamed, line)
			}
		} else {
			seen[key] = person.Name
			list.People, list.Lines = append(list.People, person), append(list.Lines, line)
		}
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

// take returns the person of a row. A problem does not quote the input, which may contain
// a key or control characters.
func take(row []string, name, email, columns int) (person hiring.NewInvitation, problem string) {
	if max(name, email) >= len(row) {
		return person, "too few columns"
	}
	if strings.TrimSpace(strings.Join(row[min(columns, len(row)):], "")) != "" {
		return person, "more columns than the header: put a value with a comma in double quotes"
	}
	person = hiring.NewInvitation{Name: strings.TrimSpace(row[name]), Email: norm.NFC.String(strings.TrimSpace(row[email]))}
	switch {
	case person.Email == "":
		return person, "the address is missing"
	case EmailProblem(person.Email) != "":
		return person, EmailProblem(person.Email)
	case !isAddress(person.Email):
		return person, "not an e-mail address"
	case strings.Map(visible, person.Name) == "":
		return person, "the name is missing"
	case NameProblem(person.Name) != "":
		return person, NameProblem(person.Name)
	}
	return person, ""
}

// EmailProblem returns an error text for an address with invisible characters, or "".
func EmailProblem(email string) string {
	if strings.ContainsFunc(email, isInvisible) {
		return "the address has invisible characters or line breaks: type it again"
	}
	return ""
}

// isInvisible reports whether a character is invisible: control characters, line breaks,
// bidirectional controls and zero-width characters.
func isInvisible(r rune) bool {
	const blankBraille = '\u2800'
	return !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' ' || r == blankBraille ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

// NameProblem returns an error text for a name with invisible characters, or "". Spaces of
// every kind are allowed. The joiners U+200C and U+200D are allowed between two letters, because Persian
// and Indic names need them. Bidirectional controls are not allowed, because they make a
// name look like another. Letters that are written from right to left need none.
func NameProblem(name string) string {
	runes := []rune(name)
	letter := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsMark(runes[i]))
	}
	for i, r := range runes {
		joiner := (r == '\u200c' || r == '\u200d') && letter(i-1) && letter(i+1)
		if !joiner && isInvisible(r) && !unicode.Is(unicode.Zs, r) {
			return "the name has invisible characters or line breaks: type it again"
		}
	}
	return ""
}

// visible drops invisible characters in strings.Map.
func visible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	return r
}

// isAddress reports whether a text has the form of one address. The API decides whether
// the address is valid.
func isAddress(text string) bool {
	local, domain, _ := strings.Cut(text, "@")
	return local != "" && domain != "" && !strings.ContainsAny(domain, "@") && !strings.ContainsAny(text, " ,;<>")
}
