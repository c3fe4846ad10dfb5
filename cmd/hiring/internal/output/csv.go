package output

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// BOM is the byte order mark with which a CSV file begins, because Excel takes a file
// without one for another encoding than UTF-8.
const BOM = "\ufeff"

// writeCSV writes a header and a row for each item. A missing value is an empty cell.
func (p *Printer) writeCSV(columns []string, rows iter.Seq2[row, error]) error {
	header := sync.OnceValue(func() error {
		if p.bom {
			if _, err := io.WriteString(p, BOM); err != nil {
				return err
			}
		}
		return p.writeRow(mapped(columns, func(column string) any { return column }))
	})
	err := each(rows, func(r row) error {
		if err := header(); err != nil {
			return err
		}
		return p.writeRow(mapped(columns, r.value))
	})
	if err == nil {
		err = header() // Of a list without items.
	}
	return err
}

// writeRow writes the cells as they are, except to a terminal.
func (p *Printer) writeRow(cells []any) error {
	var row strings.Builder
	_ = WriteCSV(&row, p.separator, cells...)
	text := row.String()
	if p.Terminal {
		text = CleanLines(text)
	}
	_, err := io.WriteString(p, text)
	return err
}

// WriteCSV writes one row with one call of w.Write. It is the only writer of CSV in this
// program. Every cell that is not a number goes through Cell.
func WriteCSV(w io.Writer, separator rune, cells ...any) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = plainText(cell)
		switch cell.(type) {
		case json.Number, int:
		default:
			safe[i] = Cell(safe[i])
		}
	}
	var line strings.Builder
	rows := csv.NewWriter(&line)
	rows.Comma = separator
	_ = rows.Write(safe) // A strings.Builder returns no error.
	rows.Flush()
	_, err := io.WriteString(w, line.String())
	return err
}

// Cell puts an apostrophe before a text that a spreadsheet would run as a formula. Candidates
// choose their names, so texts are not trusted.
func Cell(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// Uncell returns the text that Cell was given.
func Uncell(cell string) string {
	if text, guarded := strings.CutPrefix(cell, "'"); guarded && isFormula(text) {
		return text
	}
	return cell
}

// isFormula reports whether a spreadsheet may run a text as a formula. Spreadsheets skip
// leading characters that are not visible, and some accept the full-width forms of the others.
func isFormula(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
	first, _ := utf8.DecodeRuneInString(text)
	const minus = '\u2212'
	return first == minus || text != "" && strings.ContainsAny(norm.NFKC.String(string(first)), "=+-@")
}
