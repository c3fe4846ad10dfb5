package output

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Sorted returns a list in the order of a column, from the highest with a "-"
// before its name. It reads all of the list first. What has no value comes last.
func Sorted[T any](t Table[T], items iter.Seq2[T, error], column string) iter.Seq2[T, error] {
	name, descending := strings.CutPrefix(column, "-")
	return func(yield func(T, error) bool) {
		rows, err := collect(t, items)
		if len(rows) > 0 {
			if unknown := rows[0].known([]string{name}); unknown != nil {
				rows, err = nil, unknown
			}
		}
		slices.SortStableFunc(rows, func(a, b row[T]) int { return compare(a.value(name), b.value(name), descending) })
		for _, r := range rows {
			if !yield(r.item, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

func collect[T any](t Table[T], items iter.Seq2[T, error]) (rows []row[T], err error) {
	for item, err := range items {
		if err != nil {
			return rows, err
		}
		r, err := newRow(t, item)
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// compare puts numbers before texts, and nothing last, whichever way it goes.
func compare(a, b any, descending bool) int {
	kind, number, text := sortKey(a)
	otherKind, otherNumber, otherText := sortKey(b)
	if kind != otherKind {
		return cmp.Compare(kind, otherKind)
	}
	order := cmp.Or(cmp.Compare(number, otherNumber), cmp.Compare(text, otherText))
	if descending {
		return -order
	}
	return order
}

func sortKey(value any) (kind int, number float64, text string) {
	switch v := value.(type) {
	case float64:
		return 0, v, ""
	case int:
		return 0, float64(v), ""
	}
	if text = strings.ToLower(plainText(value)); text == "" {
		return 2, 0, ""
	}
	return 1, 0, text
}
