// Package candidates reads the people to invite from a CSV file, and keeps what
// became of each in another.
package candidates

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	hiring "github.com/hiring-assessment/hiring-go"
)

// List is whom a file says to invite.
type List struct {
	People  []hiring.NewInvitation // Each address once.
	Rows    []int                  // Where in the file each stands; the header is row 1.
	Repeats int                    // Rows of an address that came before.
	Ignored []string               // Columns that mean nothing.
}

// Key is what tells one address from another.
func Key(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Read takes a file with a header that names the columns name and email, in any
// order, separated by commas, semicolons or tabs. It reports every row that is
// wrong, with its line, and takes none then.
func Read(file string) (List, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return List{}, err
	}
	list, err := parse(text)
	if err != nil {
		return List{}, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

func parse(text []byte) (List, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return List{}, errors.New("it is not UTF-8: save it as \"CSV UTF-8\"")
	}
	header, _, _ := bytes.Cut(text, []byte("\n"))
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma, rows.FieldsPerRecord, rows.TrimLeadingSpace = separator(header), -1, true
	columns, err := rows.Read()
	if err != nil {
		return List{}, errors.New("it has no header: its first line must name the columns, as in name,email")
	}
	name, email, ignored := find(columns)
	if name < 0 || email < 0 {
		return List{}, errors.New("its first line must name the columns name and email, as in name,email")
	}
	list, err := collect(rows, name, email)
	list.Ignored = ignored
	return list, err
}

// separator is a comma but where spreadsheets write something else.
func separator(header []byte) rune {
	for _, other := range []byte(";\t") {
		if bytes.IndexByte(header, other) >= 0 && bytes.IndexByte(header, ',') < 0 {
			return rune(other)
		}
	}
	return ','
}

func find(columns []string) (name, email int, ignored []string) {
	name, email = -1, -1
	for i, column := range columns {
		switch strings.ToLower(strings.TrimSpace(column)) {
		case "name", "candidate", "candidate_name":
			name = i
		case "email", "e-mail", "mail", "candidate_email":
			email = i
		default:
			ignored = append(ignored, column)
		}
	}
	return name, email, ignored
}

const maxProblems = 5

func collect(rows *csv.Reader, name, email int) (List, error) {
	var list List
	var problems []string
	seen := make(map[string]bool)
	all, err := rows.ReadAll()
	if err != nil {
		return list, fmt.Errorf("it is no CSV: %s", strings.TrimPrefix(err.Error(), "record on "))
	}
	for i, row := range all {
		if slices.IndexFunc(row, func(cell string) bool { return strings.TrimSpace(cell) != "" }) < 0 {
			continue
		}
		person, problem := take(row, name, email)
		if problem != "" {
			problems = append(problems, fmt.Sprintf("row %d: %s", i+2, problem))
			continue
		}
		if key := Key(person.Email); seen[key] {
			list.Repeats++
		} else {
			seen[key] = true
			list.People, list.Rows = append(list.People, person), append(list.Rows, i+2)
		}
	}
	if n := len(problems); n > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	if problems != nil {
		return List{}, errors.New(strings.Join(problems, "; "))
	}
	if len(list.People) == 0 {
		return List{}, errors.New("there is nobody in it")
	}
	return list, nil
}

// take never quotes what is wrong: it could be anything.
func take(row []string, name, email int) (person hiring.NewInvitation, problem string) {
	if max(name, email) >= len(row) {
		return person, "it has too few columns"
	}
	person = hiring.NewInvitation{Name: strings.TrimSpace(row[name]), Email: strings.TrimSpace(row[email])}
	local, domain, _ := strings.Cut(person.Email, "@")
	switch {
	case person.Email == "":
		return person, "the address is missing"
	case local == "" || domain == "" || strings.ContainsAny(person.Email, " ,;<>"):
		return person, "that is no e-mail address"
	case person.Name == "":
		return person, "the name is missing"
	}
	return person, ""
}
