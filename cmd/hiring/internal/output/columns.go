package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Table describes how one kind of item is shown. A column is the path of a JSON field, as
// in candidate.email, or has a function of its own.
type Table[T any] struct {
	Things  string   // What the items are, as in "invitations".
	Shown   []string // Columns for people by default.
	More    []string // Additional columns in CSV.
	Links   []string // Members with signed links, which no output has.
	Own     map[string]func(T) any
	JSON    func(T) any             // What JSON without columns has of an item; nil means all of it.
	Verbose func(*Printer, T) error // Replaces the lines that One prints for people; may be nil.
}

// row is one item, as JSON and with the values of its own columns.
type row struct {
	text    []byte
	own     map[string]any
	members map[string]any
}

// row returns an item without its signed links, which work without a key. The members of the
// JSON object are then in the order of their names.
func (t Table[T]) row(item T) row {
	r := row{own: make(map[string]any, len(t.Own))}
	for column, value := range t.Own {
		r.own[column] = value(item)
	}
	r.text, _ = encode(item) // Resources always encode.
	_ = decode(r.text, &r.members)
	if t.Links != nil {
		for _, name := range t.Links {
			delete(r.members, name)
		}
		r.text, _ = encode(r.members)
	}
	if t.JSON != nil {
		r.text, _ = encode(t.JSON(item))
	}
	r.addOwn()
	return r
}

// addOwn adds the own columns to the JSON, unless it has members with their names: users look for what the table shows.
func (r *row) addOwn() {
	var shown map[string]any
	_ = decode(r.text, &shown)
	for _, column := range slices.Sorted(maps.Keys(r.own)) {
		if _, has := shown[column]; !has && shown != nil && column != "verdict" { // JSON has the verdict, and not only its label.
			value, _ := encode(r.own[column])
			r.text = fmt.Appendf(r.text[:len(r.text)-1], ",%q:%s}", column, value)
		}
	}
}

// Sort sorts items by a column, in descending order if the name begins with "-": texts as people
// sort them, with É beside E. Items without a value come last.
func Sort[T any](t Table[T], items []T, column string) error {
	name, descending := strings.CutPrefix(column, "-")
	type keyed struct {
		item T
		key  sortKey
	}
	first, names := row{}, []string{name}
	if len(items) > 0 {
		first = t.row(items[0])
	}
	if err := t.known(names, first); err != nil {
		return err
	}
	all := mapped(items, func(item T) keyed { return keyed{item, sortKeyOf(t.row(item).value(names[0]))} })
	texts := collate.New(language.Und, collate.IgnoreCase, collate.Numeric)
	slices.SortStableFunc(all, func(a, b keyed) int {
		order := cmp.Or(cmp.Compare(a.key.number, b.key.number), texts.CompareString(a.key.text, b.key.text))
		if descending {
			order = -order
		}
		return cmp.Or(cmp.Compare(a.key.kind, b.key.kind), order)
	})
	for i, k := range all {
		items[i] = k.item
	}
	return nil
}

// sortKey is a value to sort by: numbers before texts and times, and missing values last, in both directions.
type sortKey struct {
	kind   int
	number float64
	text   string
}

func sortKeyOf(value any) sortKey {
	text := plainText(value)
	number, err := strconv.ParseFloat(text, 64)
	at, noTime := time.Parse(time.RFC3339, text)
	switch {
	case text == "":
		return sortKey{kind: 2}
	case err == nil:
		return sortKey{number: number}
	case noTime == nil: // Package collate puts the hour 00 after 23.
		return sortKey{kind: 1, number: float64(at.UnixMilli())}
	}
	return sortKey{kind: 1, text: text}
}

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

// find returns the value of a column.
func (r row) find(column string) (value any, found bool) {
	if own, ok := r.own[column]; ok {
		return own, true
	}
	value = r.members
	for name := range strings.SplitSeq(column, ".") {
		object, _ := value.(map[string]any)
		if value, found = object[name]; !found {
			return nil, false
		}
	}
	return value, true
}

// value returns the value of a column, or nil.
func (r row) value(column string) any {
	value, _ := r.find(column)
	return value
}

// encode returns columns as a JSON object, in their order.
func (r row) encode(columns []string) []byte {
	text := []byte("{")
	for i, column := range columns {
		if i > 0 {
			text = append(text, ',')
		}
		name, _ := encode(column)
		value, _ := encode(r.value(column)) // It was decoded from JSON.
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}')
}

// known returns an error for a column that the table, the type of its items and the first
// row do not have. It corrects names that differ only in letter case and punctuation.
func (t Table[T]) known(columns []string, first row) error {
	names := t.names(first)
	for i, column := range columns {
		_, found := first.find(column)
		known := found || slices.Contains(t.ownColumns(), column) || typeHas(reflect.TypeFor[T](), column)
		same := slices.IndexFunc(names, func(name string) bool { return letters(name) == letters(column) })
		switch {
		case known && !slices.Contains(t.Links, column):
		case same >= 0:
			columns[i] = names[same]
		default:
			return &ColumnError{Column: column, Known: names}
		}
	}
	return nil
}

// letters returns the letters and digits of a name, as in createdat for CREATED AT and createdAt.
func letters(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// ownColumns returns the columns that the table names.
func (t Table[T]) ownColumns() []string {
	return slices.AppendSeq(slices.Concat(t.Shown, t.More), maps.Keys(t.Own))
}

// names returns the names of all columns, and of those that the first row has besides.
func (t Table[T]) names(first row) []string {
	names := slices.AppendSeq(t.ownColumns(), maps.Keys(members(reflect.TypeFor[T]())))
	names = slices.AppendSeq(names, maps.Keys(first.members))
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(t.Links, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// ColumnError is returned for a column that does not exist.
type ColumnError struct {
	Column string
	Known  []string
}

func (e *ColumnError) Error() string {
	return fmt.Sprintf("There is no column %s. Columns: %s, and members of objects as in a.b", Clean(e.Column), strings.Join(e.Known, ", "))
}
