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
		var all []T
		var rows []row
		var broken error
		for item, err := range items {
			var r row
			if err == nil {
				r, err = t.row(item)
			}
			if broken = err; err != nil {
				break
			}
			all, rows = append(all, item), append(rows, r)
		}
		order, unknown := sorted(t.layout(), rows, name, descending)
		for _, i := range order {
			if !yield(all[i], nil) {
				return
			}
		}
		if broken = cmp.Or(unknown, broken); broken != nil {
			var none T
			yield(none, broken)
		}
	}
}

// sorted returns where each row comes from.
func sorted(l layout, rows []row, column string, descending bool) (order []int, unknown error) {
	var first *row
	if len(rows) > 0 {
		first = &rows[0]
	}
	if err := l.known([]string{column}, first); err != nil {
		return nil, err
	}
	values := make([]any, len(rows))
	for i, r := range rows {
		order, values[i] = append(order, i), r.value(column)
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(values[a], values[b], descending) })
	return order, nil
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
