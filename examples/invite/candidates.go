package main

import (
	_ "embed" // for the sample
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

//go:embed candidates.csv
var sample string

// candidate is a candidate and the line of the file. Logs name the line, because they must
// not contain names and addresses.
type candidate struct {
	line       int
	invitation hiring.NewInvitation
}

// readCandidates reads a CSV file or, if file is empty, the embedded sample.
func readCandidates(file string) ([]candidate, error) {
	if file == "" {
		return parseCandidates(sample)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	candidates, err := parseCandidates(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return candidates, nil
}

// parseCandidates reads the columns name,email, or those that a header names.
func parseCandidates(text string) ([]candidate, error) {
	rows, err := readRows(text)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoCandidates
	}
	name, email, err := columns(rows[0].cells)
	if err != nil {
		return nil, err
	}
	if isHeader(rows[0].cells) {
		rows = rows[1:]
	}
	if len(rows) == 0 {
		return nil, errNoCandidates
	}
	var candidates []candidate
	for _, row := range rows {
		invitation := hiring.NewInvitation{Name: row.cells[name], Email: strings.TrimSpace(row.cells[email])}
		candidates = append(candidates, candidate{row.line, invitation})
	}
	return candidates, nil
}

var errNoCandidates = errors.New("there are no candidates")

// columns returns the indexes of the name and the address.
func columns(first []string) (name, email int, err error) {
	if isHeader(first) {
		name, email = index(first, "name"), index(first, "email")
	} else {
		name, email = 0, 1
	}
	if name < 0 || email < 0 || len(first) < 2 {
		return 0, 0, errors.New("the columns must be name,email")
	}
	return name, email, nil
}

func index(header []string, title string) int {
	return slices.IndexFunc(header, func(cell string) bool { return strings.EqualFold(cell, title) })
}

// isHeader reports whether a row is a header: it contains no address.
func isHeader(row []string) bool {
	return !slices.ContainsFunc(row, func(cell string) bool { return strings.Contains(cell, "@") })
}

type row struct {
	line  int
	cells []string
}

// readRows returns the rows. The CSV reader rejects rows of different lengths.
func readRows(text string) ([]row, error) {
	const byteOrderMark = "\ufeff" // Spreadsheets write it.
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, byteOrderMark)))
	var rows []row
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := reader.FieldPos(0)
		rows = append(rows, row{line, cells})
	}
}
