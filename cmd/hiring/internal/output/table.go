package output

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const (
	gap       = 2  // Spaces between two columns.
	narrowest = 12 // The smallest width of a shortened cell.
)

// writeTable collects all rows, because the widths of the columns depend on them. Cells
// are shortened to fit a terminal, except ids, which users copy.
func (p *Printer) writeTable(l layout, rows iter.Seq2[row, error]) error {
	columns := p.selected(l.shown)
	var lines [][]string
	var broken error
	for r, err := range rows {
		broken = err
		if err != nil {
			break
		}
		if lines == nil {
			if err := l.known(columns, &r); err != nil {
				return err
			}
		}
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = p.forPeople(r.value(column))
		}
		lines = append(lines, cells)
	}
	if len(lines) == 0 {
		return cmp.Or(broken, l.known(columns, nil))
	}
	if p.columns == nil {
		columns = columns[:p.roomFor(headers(columns), lines)]
	}
	return cmp.Or(p.WriteRows(headers(columns), lines), broken)
}

func headers(columns []string) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = strings.ToUpper(words(Clean(column)))
	}
	return names
}

// words returns the name of a column as words.
func words(column string) string { return strings.NewReplacer("_", " ", ".", " ").Replace(column) }

// WriteRows writes a table of clean texts.
func (p *Printer) WriteRows(head []string, rows [][]string) error {
	widths := p.fit(head, rows)
	var text strings.Builder
	p.writeCells(&text, widths, head, func(string) Style { return Bold })
	for _, row := range rows {
		p.writeCells(&text, widths, row[:len(head)], StyleOf)
	}
	_, err := fmt.Fprint(p, text.String())
	return err
}

// writeCells writes one line, without trailing spaces.
func (p *Printer) writeCells(text *strings.Builder, widths []int, cells []string, style func(string) Style) {
	pending := 0 // Spaces to write before the next text.
	for i, cell := range cells {
		shown := cut(cell, widths[i])
		if shown != "" {
			text.WriteString(strings.Repeat(" ", pending))
			text.WriteString(p.Paint(style(cell), shown))
			pending = 0
		}
		pending += widths[i] - ansi.StringWidth(shown) + gap
	}
	text.WriteByte('\n')
}

// roomFor returns how many of the columns, from the first, fit without becoming too
// narrow.
func (p *Printer) roomFor(head []string, rows [][]string) int {
	total := -gap
	for i, width := range widthsOf(head, rows) {
		total += gap + width
		if !isID(head[i]) && width > narrowest {
			total -= width - narrowest
		}
		if p.Width > 0 && total > p.Width {
			return max(i, 1)
		}
	}
	return len(head)
}

func widthsOf(head []string, rows [][]string) []int {
	widths := make([]int, len(head))
	for i := range head {
		widths[i] = ansi.StringWidth(head[i])
		for _, row := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	return widths
}

// fit returns the widths of the columns. On a terminal, the widest columns that may be
// shortened become narrower until all fit.
func (p *Printer) fit(head []string, rows [][]string) []int {
	widths, total := widthsOf(head, rows), gap*(len(head)-1)
	for _, width := range widths {
		total += width
	}
	for ; p.Width > 0 && total > p.Width; total-- {
		widest := -1
		for i, width := range widths {
			if width > narrowest && !isID(head[i]) && (widest < 0 || width > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// cut shortens a cell to a width. Of a time, only the day stays.
func cut(cell string, width int) string {
	if ansi.StringWidth(cell) > width && len(cell) > len(timeLayout)-4 && cell[4] == '-' && cell[7] == '-' && cell[13] == ':' {
		return cell[:len(dayLayout)]
	}
	return ansi.Truncate(cell, width, "…")
}

func isID(head string) bool { return head == "ID" || strings.HasSuffix(head, " ID") }

// writeFields writes one item, with a line for each column.
func (p *Printer) writeFields(l layout, r row) error {
	columns := p.selected(slices.Concat(l.shown, l.more))
	if err := l.known(columns, &r); err != nil {
		return err
	}
	fields := make([]Field, len(columns))
	for i, column := range columns {
		fields[i] = Field{Name: words(column), Text: p.forPeople(r.value(column))}
	}
	return p.WriteFields(fields...)
}

// Field is a name and a text.
type Field struct{ Name, Text string }

// WriteFields writes a line for each field with a text.
func (p *Printer) WriteFields(fields ...Field) error {
	width := 0
	for _, field := range fields {
		if field.Text != "" {
			width = max(width, ansi.StringWidth(field.Name))
		}
	}
	var text strings.Builder
	for _, field := range fields {
		if field.Text == "" {
			continue
		}
		text.WriteString(p.Paint(Faint, field.Name) + strings.Repeat(" ", width-ansi.StringWidth(field.Name)+gap))
		text.WriteString(p.Paint(StyleOf(field.Text), field.Text) + "\n")
	}
	_, err := fmt.Fprint(p, text.String())
	return err
}
