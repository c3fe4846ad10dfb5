package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// layout is what is known of the columns of a table before its first row.
type layout struct {
	shown, more []string
	own         []string
	members     []string // Of the JSON objects, as far as their type says.
}

func (t Table[T]) layout() layout {
	l := layout{shown: t.Shown, more: t.More, own: slices.Collect(maps.Keys(t.Own))}
	kind := reflect.TypeFor[T]()
	if kind.Kind() != reflect.Struct {
		return l
	}
	for field := range kind.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			l.members = append(l.members, name)
		}
	}
	return l
}

// row is one item as columns see it. It has no type parameter: a program has as
// many copies of what has one as there are kinds of items.
type row struct {
	own     func(column string) (value any, ok bool)
	members map[string]any
}

func (t Table[T]) row(item T) (row, error) {
	r := row{own: func(column string) (any, bool) {
		if own := t.Own[column]; own != nil {
			return own(item), true
		}
		return nil, false
	}}
	text, err := encode(item)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r.members)
}

func (t Table[T]) rows(items iter.Seq2[T, error]) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for item, err := range items {
			var r row
			if err == nil {
				r, err = t.row(item)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// value of a column; nil where there is none.
func (r row) value(column string) any {
	if own, ok := r.own(column); ok {
		return own
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
func (r row) has(column string) bool {
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
// misspelt, and would be empty all the way down. Where there is no row, what is
// inside of a member is believed.
func (l layout) known(columns []string, firstRow *row) error {
	for _, column := range columns {
		member, _, _ := strings.Cut(column, ".")
		switch {
		case slices.Contains(l.shown, column), slices.Contains(l.more, column), slices.Contains(l.own, column):
		case firstRow == nil && slices.Contains(l.members, member):
		case firstRow != nil && firstRow.has(column):
		default:
			return &ColumnError{Column: column, Known: l.names(firstRow)}
		}
	}
	return nil
}

func (l layout) names(firstRow *row) []string {
	names := slices.Concat(l.shown, l.more, l.own, l.members)
	if firstRow != nil {
		names = slices.AppendSeq(names, maps.Keys(firstRow.members))
	}
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

func (p *Printer) writeCSV(l layout, rows iter.Seq2[row, error]) error {
	columns := p.selected(slices.Concat(l.shown, l.more))
	w := csv.NewWriter(p)
	first := true
	for r, err := range rows {
		if err != nil {
			return err
		}
		if first {
			if err := l.known(columns, &r); err != nil {
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
		if err := l.known(columns, nil); err != nil {
			return err
		}
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
