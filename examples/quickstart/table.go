package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// table is text in columns. Whatever goes in becomes printable here, and nowhere
// else: names come from outside, and must neither steer the terminal nor make up
// columns and lines of their own.
type table struct {
	text    strings.Builder
	columns *tabwriter.Writer // Writes to text, which never fails.
}

func newTable() *table {
	t := new(table)
	t.columns = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	return t
}

// title begins a part.
func (t *table) title(format string, values ...any) {
	fmt.Fprintln(t.columns)
	t.line(format, values...)
}

func (t *table) line(format string, values ...any) {
	fmt.Fprintln(t.columns, printable(fmt.Sprintf(format, values...)))
}

func (t *table) row(cells ...string) {
	var clean []string
	for _, cell := range cells {
		clean = append(clean, printable(cell))
	}
	fmt.Fprintln(t.columns, strings.Join(clean, "\t"))
}

func (t *table) print(out io.Writer) error {
	if err := t.columns.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if _, err := io.WriteString(out, t.text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printable replaces what a terminal would obey: names come from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		joinsLetters := r == '\u200c' || r == '\u200d'
		if unicode.IsGraphic(r) || joinsLetters {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
