package output

import (
	"cmp"
	"context"
	"io"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const (
	gap       = 2  // Spaces between two columns.
	narrowest = 12 // The smallest width of a shortened cell.
	shortID   = 9  // The smallest width of a shortened id.
	narrow    = 80 // On narrower screens, ids are shortened before other cells are.
)

// writeTable collects all rows, because the widths of the columns depend on them. Cells
// are shortened to fit a terminal.
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
			cells[i] = p.inTable(r.value(column))
		}
		lines = append(lines, cells)
	}
	if len(lines) == 0 {
		return cmp.Or(broken, l.known(columns, nil))
	}
	if p.columns == nil {
		columns = columns[:p.roomFor(headers(columns), lines)]
	}
	return cmp.Or(p.page(p.tableText(headers(columns), lines)), broken)
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

// page writes a text, through the pager if it is longer than the screen.
func (p *Printer) page(text string) error {
	words := strings.Fields(p.Pager)
	if file, ok := p.Writer.(*os.File); ok && p.Terminal && len(words) > 0 && p.Height > 0 && strings.Count(text, "\n") >= p.Height {
		pager := exec.CommandContext(context.Background(), words[0], words[1:]...) //nolint:gosec // the user's pager, which the user ends
		pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), file, os.Stderr
		if os.Getenv("LESS") == "" {
			pager.Env = append(os.Environ(), "LESS=FRX") // As git does: colors, and the text stays on the screen.
		}
		if pager.Start() == nil {
			_ = pager.Wait() // The user may quit it at any line.
			return nil
		}
	}
	_, err := io.WriteString(p, text)
	return err
}

func (p *Printer) tableText(head []string, rows [][]string) string {
	widths := p.fit(head, rows)
	var text strings.Builder
	p.writeCells(&text, widths, head, func(string) Style { return Bold })
	for _, row := range rows {
		p.writeCells(&text, widths, row[:len(head)], StyleOf)
	}
	return text.String()
}

// writeCells writes one line, without trailing spaces.
func (p *Printer) writeCells(text *strings.Builder, widths []int, cells []string, style func(string) Style) {
	pending := 0 // Spaces to write before the next text.
	for i, cell := range cells {
		shown := truncate(cell, widths[i])
		if shown != "" {
			text.WriteString(strings.Repeat(" ", pending))
			text.WriteString(p.Paint(style(cell), shown))
			pending = 0
		}
		pending += widths[i] - Width(shown) + gap
	}
	text.WriteByte('\n')
}

// roomFor returns how many of the columns, from the first, fit without becoming too
// narrow.
func (p *Printer) roomFor(head []string, rows [][]string) int {
	total := -gap
	for i, width := range widthsOf(head, rows) {
		total += gap + min(width, least(head[i]))
		if p.Width > 0 && total > p.Width {
			return max(i, 1)
		}
	}
	return len(head)
}

// least is the smallest width of a shortened cell of a column.
func least(head string) int {
	if isIDColumn(head) {
		return shortID
	}
	return narrowest
}

func widthsOf(head []string, rows [][]string) []int {
	widths := make([]int, len(head))
	for i := range head {
		widths[i] = Width(head[i])
		for _, row := range rows {
			widths[i] = max(widths[i], Width(row[i]))
		}
	}
	return widths
}

// fit returns the widths of the columns. When they do not fit a terminal, the widest ones
// become narrower. An id stays whole on a wide terminal if the others fit beside it. Else it
// is shortened at once, because the part of an id is of no use, and the others keep the room.
func (p *Printer) fit(head []string, rows [][]string) []int {
	widths := widthsOf(head, rows)
	whole, beside := gap*(len(head)-1), gap*(len(head)-1) // With whole columns, and with whole ids only.
	for i, width := range widths {
		whole += width
		if beside += width; !isIDColumn(head[i]) {
			beside -= max(0, width-narrowest)
		}
	}
	if p.Width <= 0 || whole <= p.Width {
		return widths
	}
	for i, width := range widths {
		if isIDColumn(head[i]) && (p.Width < narrow || beside > p.Width) {
			widths[i] = min(width, shortID)
			whole -= width - widths[i]
		}
	}
	for ; whole > p.Width; whole-- {
		widest := -1
		for i, width := range widths {
			if width > narrowest && !isIDColumn(head[i]) && (widest < 0 || width > widths[widest]) {
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

func isIDColumn(head string) bool { return head == "ID" || strings.HasSuffix(head, " ID") }

// writeFields writes one item, with a line for each column that has a text.
func (p *Printer) writeFields(l layout, r row) error {
	columns := p.selected(slices.Concat(l.shown, l.more))
	if err := l.known(columns, &r); err != nil {
		return err
	}
	var names, texts []string
	width := 0
	for _, column := range columns {
		if text := p.forPeople(r.value(column)); text != "" {
			name := words(column)
			names, texts, width = append(names, name), append(texts, text), max(width, Width(name))
		}
	}
	var lines strings.Builder
	for i, name := range names {
		lines.WriteString(p.Paint(Faint, name) + pad(name, width+gap))
		lines.WriteString(p.Paint(StyleOf(texts[i]), texts[i]) + "\n")
	}
	_, err := io.WriteString(p, lines.String())
	return err
}
