package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

// TestEveryCellOfCSVIsGuarded checks texts, texts in lists, and names of columns.
func TestEveryCellOfCSVIsGuarded(t *testing.T) {
	t.Parallel()
	type thing struct {
		Name  string         `json:"name"`
		List  []string       `json:"list"`
		Extra map[string]int `json:"extra"`
	}
	for _, hostile := range []string{
		"=1+1", "+1", "-1+1", "@SUM(1)", " =1+1", "\t=1+1", "\r\n=1+1", "\u00a0=1+1", "\u3000=1+1", "\u200d=1+1", "\x00=1+1",
		"\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20x", "\ufe661+1", "\u22121", " \uff1d1",
	} {
		for _, columns := range [][]string{{"name", "list"}, {"list", "name", "extra." + hostile}} {
			var text bytes.Buffer
			p, err := NewPrinter(Stream{Writer: &text}, Options{Format: "csv", Columns: columns}, time.UTC)
			require.NoError(t, err)
			table := Table[thing]{Shown: []string{"name"}}
			if len(columns) == 3 {
				columns[2], p.columns[2] = hostile, hostile
				table.More = []string{hostile}
			}
			item := thing{Name: hostile, List: []string{hostile, "b"}}
			require.NoError(t, List(p, table, hiring.PagerOf(item).All(t.Context())))
			rows, err := csv.NewReader(&text).ReadAll()
			require.NoError(t, err)
			for _, row := range rows {
				for _, cell := range row {
					if strings.ContainsAny(cell, "=+-@\u2212\uff1d\uff0b\uff0d\uff20\ufe66") {
						assert.True(t, strings.HasPrefix(cell, "'"), "%q of %q", cell, hostile)
					}
				}
			}
		}
	}
}

// TestCellsThatAreNoFormulas: such cells are not changed.
func TestCellsThatAreNoFormulas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Ada", "a=b", "2026-03-15T12:00:00Z", "'quoted'", "{\"a\":1}"} {
		assert.Equal(t, text, Cell(text))
		assert.Equal(t, text, Uncell(Cell(text)))
	}
	for _, text := range []string{"=1", " =1", "-5", "+49 151 23456", "\uff20ada"} {
		assert.Equal(t, "'"+text, Cell(text))
		assert.Equal(t, text, Uncell(Cell(text)))
	}
	var row bytes.Buffer
	require.NoError(t, WriteCSV(&row, ',', "-5", -5, json.Number("-12.5"), nil, true, []any{json.Number("-5")}))
	assert.Equal(t, "'-5,-5,-12.5,,true,'-5\n", row.String(), "a number is no formula")
}
