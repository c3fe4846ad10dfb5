package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// row is one item as columns see it.
type row[T any] struct {
	table   Table[T]
	item    T
	members map[string]any
}

func newRow[T any](t Table[T], item T) (row[T], error) {
	r := row[T]{table: t, item: item}
	text, err := encode(item)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r.members)
}

// value of a column; nil where there is none.
func (r row[T]) value(column string) any {
	if own := r.table.Own[column]; own != nil {
		return own(r.item)
	}
	var value any = r.members
	for name := range strings.SplitSeq(column, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

// has tells whether this item has such a column, or may have it: what is null has
// members that nobody sees.
func (r row[T]) has(column string) bool {
	object := r.members
	for name := range strings.SplitSeq(column, ".") {
		value, ok := object[name]
		if !ok {
			return false
		}
		if value == nil {
			return true
		}
		object, _ = value.(map[string]any)
	}
	return true
}

// selected are the columns that the user chose, else those given.
func (p *Printer) selected(otherwise []string) []string {
	if p.columns != nil {
		return p.columns
	}
	return otherwise
}

// known refuses a column that neither the table nor its first row has: it is
// misspelt, and would be empty all the way down.
func (r row[T]) known(columns []string) error {
	for _, column := range columns {
		if r.has(column) || r.table.Own[column] != nil || slices.Contains(r.table.Shown, column) || slices.Contains(r.table.More, column) {
			continue
		}
		return &ColumnError{Column: column, Known: r.names()}
	}
	return nil
}

func (r row[T]) names() []string {
	names := slices.Concat(r.table.Shown, r.table.More, slices.Collect(maps.Keys(r.table.Own)), slices.Collect(maps.Keys(r.members)))
	slices.Sort(names)
	return slices.Compact(names)
}

// ColumnError is a column that the user names and nothing has.
type ColumnError struct {
	Column string
	Known  []string
}

func (e *ColumnError) Error() string {
	return fmt.Sprintf("there is no column %q; there are %s, and members of those that are objects, as in a.b",
		Clean(e.Column), strings.Join(e.Known, ", "))
}

func writeCSV[T any](p *Printer, t Table[T], items iter.Seq2[T, error]) error {
	columns := p.selected(slices.Concat(t.Shown, t.More))
	w := csv.NewWriter(p)
	first := true
	for item, err := range items {
		if err != nil {
			return err
		}
		r, err := newRow(t, item)
		if err != nil {
			return err
		}
		if first {
			if err := r.known(columns); err != nil {
				return err
			}
			_ = w.Write(columns) // Flush tells
		}
		first = false
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = forSpreadsheet(r.value(column))
		}
		_ = w.Write(cells)
		w.Flush()
		if err := w.Error(); err != nil {
			return err
		}
	}
	if first {
		_ = w.Write(columns)
		w.Flush()
	}
	return w.Error()
}

// forSpreadsheet writes times as the service does.
func forSpreadsheet(value any) string {
	if text, isText := value.(string); isText {
		return Cell(text)
	}
	return plainText(value)
}

// Cell takes from a text what a spreadsheet would run as a formula: candidates
// choose their names.
func Cell(text string) string {
	text = CleanLines(text)
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}
