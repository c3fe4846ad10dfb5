package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
)

const (
	gap      = 2   // Spaces between two columns.
	narrow   = 12  // The smallest width of a shortened cell.
	shortID  = 9   // The width of a shortened id.
	partRows = 100 // A table is written in parts of this size.
)

// writeTable writes the rows in parts, so that a command whose output is closed reads no
// further. The first part sets the widths of the columns.
func (p *Printer) writeTable(columns []string, rows iter.Seq2[row, error]) error {
	var widths []int
	var part [][]string
	err := each(rows, func(r row) (err error) {
		cells := mapped(columns, func(column string) string { return p.forPeople(r.value(column)) })
		if part = append(part, cells); len(part) == partRows {
			widths, err = p.writePart(columns, widths, part)
			part = nil
		}
		return err
	})
	_, last := p.writePart(columns, widths, part)
	return cmp.Or(err, last)
}

// writePart writes rows with the widths of an earlier part, or below a header and with widths
// that it returns.
func (p *Printer) writePart(columns []string, widths []int, part [][]string) ([]int, error) {
	if len(part) == 0 {
		return widths, nil
	}
	var text strings.Builder
	if widths == nil {
		head := mapped(columns, func(column string) string { return strings.ToUpper(words(Clean(column))) })
		widths = p.fit(head, part)
		p.writeCells(&text, widths, head, func(string) Style { return Bold })
	}
	for _, cells := range part {
		p.writeCells(&text, widths, cells, StyleOf)
	}
	_, err := io.WriteString(p, text.String())
	return widths, err
}

// mapped returns what a function makes of each element of a list.
func mapped[T, U any](list []T, of func(T) U) []U {
	all := make([]U, len(list))
	for i, element := range list {
		all[i] = of(element)
	}
	return all
}

// words returns the name of a column as words.
func words(column string) string { return strings.NewReplacer("_", " ", ".", " ").Replace(column) }

// writeCells writes one line, without trailing spaces.
func (p *Printer) writeCells(text *strings.Builder, widths []int, cells []string, style func(string) Style) {
	pending := 0 // Spaces to write before the next text.
	for i, width := range widths {
		shown := cells[i]
		if p.Width > 0 {
			shown = truncate(shown, width)
		}
		if shown != "" {
			text.WriteString(strings.Repeat(" ", pending) + p.Paint(style(cells[i]), shown))
			pending = 0
		}
		pending += max(width-Width(shown), 0) + gap
	}
	text.WriteByte('\n')
}

// fit returns the widths of the columns. On a terminal that is too narrow, the last columns
// that do not fit in any way are left out, unless the user chose them. Ids are shortened if
// the others do not fit beside them, and then the widest of the others. An address is shortened
// last: commands take it instead of an id.
func (p *Printer) fit(head []string, rows [][]string) []int {
	widths := make([]int, len(head))
	for i := range head {
		widths[i] = Width(head[i])
		for _, cells := range rows {
			widths[i] = max(widths[i], Width(cells[i]))
		}
	}
	if p.Width <= 0 {
		return widths
	}
	least := p.leastWidths(head, widths)
	for p.columns == nil && len(least) > 1 && total(least) > p.Width {
		least = least[:len(least)-1]
	}
	widths = widths[:len(least)]
	for i := range widths {
		if isID(head[i]) && total(widths) > p.Width && total(least)-least[i]+widths[i] > p.Width {
			widths[i] = least[i]
		}
	}
	for total(widths) > p.Width {
		i := widest(head, widths, least)
		if i < 0 {
			break
		}
		widths[i]--
	}
	return widths
}

// leastWidths returns the widths below which the columns are not shortened.
func (p *Printer) leastWidths(head []string, widths []int) []int {
	least := make([]int, len(head))
	for i, width := range widths {
		switch {
		case isID(head[i]):
			least[i] = min(width, shortID)
		case p.columns == nil && strings.HasSuffix(head[i], "EMAIL"):
			least[i] = min(width, max(narrow, p.Width-gap-narrow))
		default:
			least[i] = min(width, narrow)
		}
	}
	return least
}

// widest returns the widest column that may be shortened further and is no id, or -1.
func widest(head []string, widths, least []int) int {
	found := -1
	for i, width := range widths {
		if !isID(head[i]) && width > least[i] && (found < 0 || width > widths[found]) {
			found = i
		}
	}
	return found
}

func isID(head string) bool { return head == "ID" || strings.HasSuffix(head, " ID") }

// total returns the width of a line with columns of these widths.
func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, width := range widths {
		sum += width
	}
	return sum
}

// writeLine writes the columns of an item that have a text in one line, for a stream of items
// whose widths are not known.
func (p *Printer) writeLine(columns []string, r row) error {
	var cells []string
	for _, column := range columns {
		if text := p.forPeople(r.value(column)); text != "" {
			cells = append(cells, p.Paint(StyleOf(text), text))
		}
	}
	line := strings.Join(cells, strings.Repeat(" ", gap))
	if p.Width > 0 {
		line = truncate(line, p.Width)
	}
	_, err := fmt.Fprintln(p, line)
	return err
}

// writeFields writes one item, with a line for each column that has a text.
func (p *Printer) writeFields(columns []string, r row) error {
	columns = slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return p.forPeople(r.value(column)) == "" })
	width := 0
	for _, column := range columns {
		width = max(width, Width(words(column)))
	}
	var lines strings.Builder
	for _, column := range columns {
		name, text := words(column), p.forPeople(r.value(column))
		lines.WriteString(p.Paint(Faint, name) + strings.Repeat(" ", width-Width(name)+gap) + p.Paint(StyleOf(text), text) + "\n")
	}
	_, err := io.WriteString(p, lines.String())
	return err
}

// plainText returns a value as the text of a cell. A list of texts and numbers is joined.
func plainText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case int, bool:
		return fmt.Sprint(v)
	case []any:
		var texts []string
		for _, element := range v {
			switch element.(type) {
			case string, json.Number, bool:
				texts = append(texts, plainText(element))
			}
		}
		if len(texts) == len(v) {
			return strings.Join(texts, ", ")
		}
	}
	text, _ := encode(value) // Values of cells always encode.
	return string(cleanJSON(text))
}

// forPeople is plainText with times in the user's zone, which a terminal does not name.
func (p *Printer) forPeople(value any) string {
	if t, isTime := timeOf(value); isTime {
		if t.IsZero() {
			return ""
		}
		if p.Terminal {
			return t.In(p.zone).Format("2006-01-02 15:04")
		}
		return t.In(p.zone).Format("2006-01-02 15:04 MST")
	}
	return Clean(plainText(value))
}

func timeOf(value any) (t time.Time, ok bool) {
	text, ok := value.(string)
	if !ok || len(text) < len("2006-01-02T15:04:05Z") || text[4] != '-' {
		return t, false
	}
	t, err := time.Parse(time.RFC3339, text)
	return t, err == nil
}

// StyleOf returns the style of words such as statuses.
func StyleOf(text string) Style {
	switch text {
	case "evaluated", "active", "strong_yes", "yes", "shortlisted", "sent":
		return Green
	case "started", "opened", "submitted", "existing":
		return Yellow
	case "revoked", "flagged", "strong_no", "no", "unknown", "rejected":
		return Red
	case "closed", "expired", "not_sent":
		return Faint
	}
	return Plain
}
