package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// read takes the order of the columns from a header, if there is one. Without a
// name of a file it reads the sample.
func read(name string) ([]hiring.NewInvitation, error) {
	text := sample
	if name != "" {
		file, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text = strings.TrimPrefix(string(file), "\ufeff")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	at, email := 0, 1
	if len(rows) > 0 && !strings.Contains(strings.Join(rows[0], ""), "@") {
		header := strings.Split(strings.ToLower(strings.Join(rows[0], ",")), ",")
		at, email, rows = slices.Index(header, "name"), slices.Index(header, "email"), rows[1:]
	}
	if min(at, email) < 0 || len(rows) > 0 && max(at, email) >= len(rows[0]) {
		return nil, fmt.Errorf("%s: the columns must be name,email", name)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: there are no candidates", name)
	}
	var candidates []hiring.NewInvitation
	for _, row := range rows { // All of them are as long as the first.
		candidates = append(candidates, hiring.NewInvitation{Name: row[at], Email: strings.TrimSpace(row[email])})
	}
	return candidates, nil
}
