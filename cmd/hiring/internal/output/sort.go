package output

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// sorted returns items sorted by a column, in descending order if the name begins with
// "-". It reads the whole list first. Items without a value come last.
func (t untypedTable) sorted(items iter.Seq2[any, error], column string) iter.Seq2[any, error] {
	name, descending := strings.CutPrefix(column, "-")
	type keyed struct{ item, value any }
	return func(yield func(any, error) bool) {
		var all []keyed
		var broken error
		for item, err := range items {
			var r row
			if err == nil {
				r, err = t.row(item)
			}
			if err == nil && all == nil {
				err = t.layout.known([]string{name}, &r) // Before more pages are read.
			}
			broken = err
			if err != nil {
				break
			}
			all = append(all, keyed{item, r.value(name)})
		}
		if all == nil && broken == nil {
			broken = t.layout.known([]string{name}, nil)
		}
		slices.SortStableFunc(all, func(a, b keyed) int { return compare(a.value, b.value, descending) })
		for _, k := range all {
			if !yield(k.item, nil) {
				return
			}
		}
		if broken != nil {
			yield(nil, broken)
		}
	}
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
