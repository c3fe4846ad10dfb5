package output

import (
	"encoding/csv"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// WriteCSV writes one row with one call of w.Write. It is the only writer of CSV in this
// program. Every cell that is not a number goes through Cell.
func WriteCSV(w io.Writer, cells ...any) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = plainText(cell)
		switch cell.(type) {
		case float64, int:
		default:
			safe[i] = Cell(safe[i])
		}
	}
	var line strings.Builder
	rows := csv.NewWriter(&line)
	_ = rows.Write(safe) // Error returns this error.
	rows.Flush()
	if err := rows.Error(); err != nil {
		return err
	}
	_, err := io.WriteString(w, line.String())
	return err
}

// Cell removes control characters from a text, and puts an apostrophe before a text that a
// spreadsheet would run as a formula. Candidates choose their names, so texts are not
// trusted.
func Cell(text string) string {
	text = CleanLines(text)
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// Uncell returns the text that Cell was given, without the removed characters.
func Uncell(cell string) string {
	if text, guarded := strings.CutPrefix(cell, "'"); guarded && isFormula(text) {
		return text
	}
	return cell
}

// isFormula reports whether a spreadsheet may run a text as a formula. Spreadsheets skip
// leading white space, and some accept the full-width forms of the characters.
func isFormula(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	first, _ := utf8.DecodeRuneInString(text)
	const minus = '\u2212'
	return first == minus || text != "" && strings.ContainsAny(norm.NFKC.String(string(first)), "=+-@")
}
