package hiring

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOf(t *testing.T) {
	guesses := []assumption{{Name: "page_size", Field: "Size"}, {Name: "cursor", Field: "Cursor"}, {Name: "since", Field: "Layout", Format: true}}
	for name, c := range map[string]struct {
		whole string
		field string
		says  string
		want  string
	}{
		"nothing":                        {},
		"its value":                      {field: "page_size", says: "must be at most 100"},
		"its value, unknown":             {field: "page_size", says: "the domain of this address is unknown"},
		"its name":                       {field: "page_size", says: "is unknown", want: "Size"},
		"its name, by zod":               {field: "page_size", says: "Invalid input: expected number, received undefined", want: "Size"},
		"its name, in a sentence":        {field: "page_size", says: "unrecognized parameter 'page_size'", want: "Size"},
		"a format, whatever it says":     {field: "since", says: "must be a date", want: "Layout"},
		"what was not sent":              {field: "limit", says: "is required", want: "Cursor Size"},
		"what was sent, but no guess":    {field: "status", says: "is unknown"},
		"a text names one":               {whole: "Unknown parameter: cursor", want: "Cursor"},
		"a text names several":           {whole: "unrecognized keys: 'page_size', 'cursor'", want: "Cursor Size"},
		"a text names one among others":  {whole: "cursor is required", want: "Cursor"},
		"a text holds the name":          {whole: "the cursor has expired"},
		"a text names something like it": {whole: "unknown parameter my_cursor"},
	} {
		fields := map[string][]string{}
		if c.field != "" {
			fields[c.field] = []string{c.says}
		}
		wrong := wrongFields(guesses, []string{c.whole}, fields, func(name string) bool { return name == "status" })
		assert.Equal(t, c.want, strings.Join(slices.Sorted(maps.Keys(wrong)), " "), name)
	}
}
