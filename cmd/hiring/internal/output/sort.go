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
			if err == nil && rows == nil {
				err = t.layout().known([]string{name}, &r) // Before more pages are read.
			}
			if broken = err; err != nil {
				break
			}
			all, rows = append(all, item), append(rows, r)
		}
		if rows == nil && broken == nil {
			broken = t.layout().known([]string{name}, nil)
		}
		for _, i := range sorted(rows, name, descending) {
			if !yield(all[i], nil) {
				return
			}
		}
		if broken != nil {
			var none T
			yield(none, broken)
		}
	}
}

// sorted returns the indexes of the rows in order.
func sorted(rows []row, column string, descending bool) []int {
	order, values := make([]int, len(rows)), make([]any, len(rows))
	for i, r := range rows {
		order[i], values[i] = i, r.value(column)
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(values[a], values[b], descending) })
	return order
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
