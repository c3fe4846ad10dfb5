package output

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Sorted returns a list sorted by a column, in descending order if the name begins with
// "-". It reads the whole list first. Items without a value come last.
func Sorted[T any](t Table[T], items iter.Seq2[T, error], column string) iter.Seq2[T, error] {
	name, descending := strings.CutPrefix(column, "-")
	u := t.untyped()
	return func(yield func(T, error) bool) {
		var all []T
		var values []any
		var broken error
		for item, err := range items {
			var r row
			if err == nil {
				r, err = u.row(item)
			}
			if err == nil && values == nil {
				err = u.layout.known([]string{name}, &r) // Before more pages are read.
			}
			broken = err
			if err != nil {
				break
			}
			all, values = append(all, item), append(values, r.value(name))
		}
		if values == nil && broken == nil {
			broken = u.layout.known([]string{name}, nil)
		}
		for _, i := range sorted(values, descending) {
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

// sorted returns the indexes of the values in sorted order.
func sorted(values []any, descending bool) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(values[a], values[b], descending) })
	return order
}

// compare sorts numbers before texts, and missing values last in both directions.
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
	text = strings.ToLower(plainText(value))
	if text == "" {
		return 2, 0, ""
	}
	return 1, 0, text
}
