package output

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// layout is what is known about the columns of a table before the first row.
type layout struct {
	shown, more []string
	own         []string
	kind        reflect.Type // Type of the items.
}

// untypedTable is a Table without its type parameter, because the program would contain a
// copy of its methods for each type of item.
type untypedTable struct {
	layout  layout
	things  string
	own     func(item any, column string) (value any, ok bool)
	verbose func(p *Printer, item any) error // May be nil.
}

func (t Table[T]) untyped() untypedTable {
	u := untypedTable{things: t.Things, own: func(item any, column string) (any, bool) {
		own := t.Own[column]
		if own == nil {
			return nil, false
		}
		return own(item.(T)), true
	}}
	u.layout = layout{shown: t.Shown, more: t.More, own: slices.Collect(maps.Keys(t.Own)), kind: reflect.TypeFor[T]()}
	if t.Verbose != nil {
		u.verbose = func(p *Printer, item any) error { return t.Verbose(p, item.(T)) }
	}
	return u
}

// Columns returns the names of all columns of the type.
func (t Table[T]) Columns() []string { return t.untyped().layout.names(nil) }

// members returns the names and types of a type's JSON fields.
func members(kind reflect.Type) map[string]reflect.Type {
	all := make(map[string]reflect.Type)
	if kind.Kind() == reflect.Struct {
		for field := range kind.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				all[name] = field.Type
			}
		}
	}
	return all
}

// typeHas reports whether items of a type can have a column.
func typeHas(kind reflect.Type, column string) bool {
	name, rest, nested := strings.Cut(column, ".")
	member, ok := members(kind)[name]
	if !ok || !nested {
		return ok
	}
	for member.Kind() == reflect.Pointer {
		member = member.Elem()
	}
	if member.Kind() == reflect.Struct && member != reflect.TypeFor[time.Time]() {
		return typeHas(member, rest)
	}
	return member.Kind() == reflect.Interface || member == reflect.TypeFor[json.RawMessage]()
}

// row is one item.
type row struct {
	own     func(column string) (value any, ok bool)
	members map[string]any
}

func (t untypedTable) row(item any) (row, error) {
	r := row{own: func(column string) (any, bool) { return t.own(item, column) }}
	text, err := encode(item)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r.members)
}

func (t untypedTable) rows(items iter.Seq2[any, error]) iter.Seq2[row, error] {
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

// value returns the value of a column, or nil.
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

// has reports whether the item has a column.
func (r row) has(column string) bool {
	object := r.members
	for name := range strings.SplitSeq(column, ".") {
		value, ok := object[name]
		if !ok {
			return false
		}
		object, _ = value.(map[string]any)
	}
	return true
}

// selected returns the columns that the user chose, or else the given ones.
func (p *Printer) selected(otherwise []string) []string {
	if p.columns != nil {
		return p.columns
	}
	return otherwise
}

// known returns an error for a column that the table, the type of its items and the first
// row do not have.
func (l layout) known(columns []string, firstRow *row) error {
	for _, column := range columns {
		switch {
		case slices.Contains(l.shown, column), slices.Contains(l.more, column), slices.Contains(l.own, column):
		case typeHas(l.kind, column):
		case firstRow != nil && firstRow.has(column):
		default:
			return &ColumnError{Column: column, Known: l.names(firstRow)}
		}
	}
	return nil
}

func (l layout) names(firstRow *row) []string {
	names := slices.AppendSeq(slices.Concat(l.shown, l.more, l.own), maps.Keys(members(l.kind)))
	if firstRow != nil {
		names = slices.AppendSeq(names, maps.Keys(firstRow.members))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ColumnError is returned for a column that does not exist.
type ColumnError struct {
	Column string
	Known  []string
}

func (e *ColumnError) Error() string {
	return fmt.Sprintf("There is no column %s.%s Columns: %s, and members of objects as in a.b", Clean(e.Column),
		DidYouMean(Similar(e.Column, e.Known...)), strings.Join(e.Known, ", "))
}

func (p *Printer) writeCSV(l layout, rows iter.Seq2[row, error]) error {
	columns := p.selected(slices.Concat(l.shown, l.more))
	first := true
	for r, err := range rows {
		if err != nil {
			return err
		}
		if first {
			if err := p.writeHeader(l, columns, &r); err != nil {
				return err
			}
		}
		first = false
		cells := make([]any, len(columns))
		for i, column := range columns {
			cells[i] = r.value(column)
		}
		if err := WriteCSV(p, cells...); err != nil {
			return err
		}
	}
	if first {
		return p.writeHeader(l, columns, nil)
	}
	return nil
}

func (p *Printer) writeHeader(l layout, columns []string, firstRow *row) error {
	if err := l.known(columns, firstRow); err != nil {
		return err
	}
	names := make([]any, len(columns))
	for i, column := range columns {
		names[i] = column
	}
	return WriteCSV(p, names...)
}
