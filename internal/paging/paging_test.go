package paging_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// TestNewItems has the pages of a list, and what of them is new.
func TestNewItems(t *testing.T) {
	for name, c := range map[string]struct {
		style       paging.Style
		pages, want [][]string
	}{
		"nothing twice":             {paging.ByCursor, [][]string{{"a", "b"}, {"c"}}, [][]string{{"a", "b"}, {"c"}}},
		"of the page before":        {paging.ByCursor, [][]string{{"a", "b"}, {"b", "c"}}, [][]string{{"a", "b"}, {"c"}}},
		"of an earlier page":        {paging.ByCursor, [][]string{{"a"}, {"b"}, {"a"}}, [][]string{{"a"}, {"b"}, {"a"}}},
		"on one page":               {paging.ByCursor, [][]string{{"a", "b", "a", "a"}}, [][]string{{"a", "b"}}},
		"without an id":             {paging.ByCursor, [][]string{{"", ""}, {""}}, [][]string{{"", ""}, {""}}},
		"by page: nothing twice":    {paging.ByPage, [][]string{{"a", "b"}, {"c"}}, [][]string{{"a", "b"}, {"c"}}},
		"by page: any earlier page": {paging.ByPage, [][]string{{"a"}, {"b"}, {"a", "c"}}, [][]string{{"a"}, {"b"}, {"c"}}},
		"by page: on one page":      {paging.ByPage, [][]string{{"a", "a", "b"}}, [][]string{{"a", "b"}}},
		"no style yet: on one page": {paging.ByMeta, [][]string{{"a", "a", "b"}}, [][]string{{"a", "b"}}},
	} {
		it := paging.List{Style: c.style}.Begin(2, nil)
		for i, page := range c.pages {
			assert.Equal(t, c.want[i], paging.ByID(&it, page, func(s *string) string { return *s }), "%s, page %d", name, i+1)
		}
	}
}

// TestNewEntries has a page of a log that is read from after seq 5 on.
func TestNewEntries(t *testing.T) {
	for _, c := range []struct {
		page, want []int64
		last       int64
	}{
		{nil, []int64{}, 5},
		{[]int64{6, 7, 9}, []int64{6, 7, 9}, 9},
		{[]int64{4, 5, 6}, []int64{6}, 6},
		{[]int64{6, 6, 7, 7, 6}, []int64{6, 7}, 7},
		{[]int64{9, 6, 9, 6, 7}, []int64{9, 6, 7}, 9},
		{[]int64{5, 3}, []int64{}, 5},
	} {
		it := paging.List{Style: paging.BySeq}.Begin(0, &paging.Position{Style: paging.BySeq, Seq: 5})
		fresh, last := paging.BySequence(&it, c.page, func(n *int64) int64 { return *n })
		assert.ElementsMatch(t, c.want, fresh)
		assert.Equal(t, c.last, last)
	}
}

// TestAdvance has what a page says about the next one.
func TestAdvance(t *testing.T) {
	full, empty := paging.Counts{All: 2, New: 2, Last: 9}, paging.Counts{Last: 5}
	repeated := paging.Counts{All: 2, Last: 5}
	byPage, byCursor := paging.Position{Style: paging.ByPage, Page: 3}, paging.Position{Style: paging.ByCursor, Cursor: "c"}
	bySeq, byMeta := paging.Position{Style: paging.BySeq, Seq: 5}, paging.Position{Page: 1}
	for name, c := range map[string]struct {
		at     paging.Position
		counts paging.Counts
		meta   paging.Meta
		next   paging.Position // Style 0: no page follows.
		stuck  string
		field  string
	}{
		"a page follows":                {byPage, full, paging.Meta{Page: new(3), HasMore: new(true)}, paging.Position{Style: paging.ByPage, Page: 4}, "", ""},
		"the last page":                 {byPage, full, paging.Meta{Page: new(3), HasMore: new(false)}, paging.Position{}, "", ""},
		"another page":                  {byPage, full, paging.Meta{Page: new(1), HasMore: new(true)}, paging.Position{}, "requested page 3 but received page 1", "PageParam"},
		"another page, the last one":    {byPage, full, paging.Meta{Page: new(1), HasMore: new(false)}, paging.Position{}, "requested page 3 but received page 1", "PageParam"},
		"a repeated page with a number": {byPage, repeated, paging.Meta{Page: new(3), HasMore: new(true)}, paging.Position{Style: paging.ByPage, Page: 4}, "", ""},
		"a repeated page without one":   {byPage, repeated, paging.Meta{HasMore: new(true)}, paging.Position{}, "repeats", "PageParam"},
		"an empty page":                 {byPage, empty, paging.Meta{HasMore: new(true)}, paging.Position{Style: paging.ByPage, Page: 4}, "", ""},
		"a cursor follows":              {byCursor, full, paging.Meta{Cursor: "d"}, paging.Position{Style: paging.ByCursor, Cursor: "d"}, "", ""},
		"a cursor, but no more":         {byCursor, full, paging.Meta{Cursor: "d", HasMore: new(false)}, paging.Position{}, "", ""},
		"no cursor":                     {byCursor, full, paging.Meta{Cursors: true}, paging.Position{}, "", ""},
		"more, but no cursor":           {byCursor, full, paging.Meta{HasMore: new(true)}, paging.Position{}, "no cursor", ""},
		"the same cursor":               {byCursor, full, paging.Meta{Cursor: "c"}, paging.Position{}, "same cursor", "CursorParam"},
		"a repeated page by cursor":     {byCursor, repeated, paging.Meta{Cursor: "d"}, paging.Position{}, "repeats", "CursorParam"},
		"entries follow":                {bySeq, full, paging.Meta{HasMore: new(true)}, paging.Position{Style: paging.BySeq, Seq: 9}, "", ""},
		"entries follow, by cursor":     {bySeq, full, paging.Meta{Cursor: "9"}, paging.Position{Style: paging.BySeq, Seq: 9}, "", ""},
		"no entry, but a cursor":        {bySeq, empty, paging.Meta{Cursor: "8"}, paging.Position{Style: paging.BySeq, Seq: 8}, "", ""},
		"no entry, the same cursor":     {bySeq, empty, paging.Meta{Cursor: "5"}, paging.Position{}, "", ""},
		"repeated entries":              {bySeq, repeated, paging.Meta{HasMore: new(true)}, paging.Position{}, "repeats", ""},
		"style: cursor":                 {byMeta, full, paging.Meta{Cursor: "d", Page: new(1)}, paging.Position{Style: paging.ByCursor, Page: 1, Cursor: "d"}, "", ""},
		"style: page":                   {byMeta, full, paging.Meta{Page: new(1), HasMore: new(true)}, paging.Position{Style: paging.ByPage, Page: 2}, "", ""},
		"style: more":                   {byMeta, full, paging.Meta{HasMore: new(true)}, paging.Position{Style: paging.ByPage, Page: 2}, "", ""},
		"style: neither":                {byMeta, full, paging.Meta{}, paging.Position{}, "", ""},
	} {
		it := paging.List{}.Begin(0, &c.at)
		more, stuck := it.Advance(c.counts, c.meta)
		assert.Equal(t, c.next.Style != 0, more, name)
		if c.stuck != "" {
			require.NotNil(t, stuck, name)
			assert.Contains(t, stuck.What, c.stuck, name)
			assert.Equal(t, c.field, stuck.Field, name)
			continue
		}
		assert.Nil(t, stuck, name)
		if more {
			assert.Equal(t, c.next, it.At, name)
		}
	}
}

// TestPagesThatNeverEnd: three empty pages in a row, and a hundred that repeat what earlier ones have shown.
func TestPagesThatNeverEnd(t *testing.T) {
	for limit, counts := range map[int]paging.Counts{3: {}, 100: {All: 2}} {
		it, pages := paging.List{Style: paging.ByPage}.Begin(2, nil), 0
		for more := true; more; pages++ {
			var stuck *paging.Stuck
			if more, stuck = it.Advance(counts, paging.Meta{Page: new(pages + 1), HasMore: new(true)}); !more {
				require.NotNil(t, stuck, fmt.Sprint(limit))
			}
		}
		assert.Equal(t, limit, pages)
	}
}
