package fastjson_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

// listOf returns a list of n copies of text, or of text with a number.
func listOf(n int, text string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = text
		if strings.Contains(text, "%") {
			all[i] = fmt.Sprintf(text, i)
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

const aTime = `"2026-03-01T12:30:45.678Z"`

// TestAllocationsAreCounted checks that the counted memory is what is kept, plus at most an
// eighth and a chunk. A long list does not make the next one long, and a repeated text
// needs no memory.
func TestAllocationsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		before, text string
		least, most  int64
	}{
		"a long value":            {"", `{"raw":"` + strings.Repeat("x", 100_000) + `"}`, 100_000, 113_000},
		"one longer than a chunk": {"", `{"raw":"` + strings.Repeat("x", 5000) + `"}`, 5000, 5700},
		"many short values":       {"", `{"parts":` + listOf(5000, `{"n":%d}`) + `}`, 5000 * 24, 5000*24*9/8 + 100},
		"many members":            {"", `{` + strings.Trim(listOf(2000, `"k%04d":"0123456789"`), "[]") + `}`, 498_000, 508_000},
		"a list":                  {"", `{"names":` + listOf(5000, `""`) + `}`, 5000 * 16, 5000*25*9/8 + 100},
		"a list as before":        {`{"names":` + listOf(1000, `""`) + `}`, `{"names":` + listOf(1000, `""`) + `}`, 1000 * 16, 1000*25*9/8 + 100},
		"a short one behind":      {`{"parts":` + listOf(5000, `{}`) + `}`, `{"parts":[{}]}`, 24, 100},
		"behind a very long one":  {`{"parts":` + listOf(20_000, `{}`) + `}`, `{"parts":[{}],"id":"` + strings.Repeat("x", 600_000) + `"}`, 600_000, 680_000},
		"the same text":           {"", `{"names":` + listOf(50, `"`+strings.Repeat("s", 30)+`"`) + `}`, 50*16 + 30, 50*16*9/8 + 100},
		"others, that are long":   {"", `{"names":` + listOf(50, `"`+strings.Repeat("s", 50)+`"`) + `}`, 50 * (16 + 50), 50 * (16 + 60) * 9 / 8},
		"a pointer":               {"", `{"part":{}}`, 24, 24*9/8 + 100},
		"times":                   {"", `{"times":` + listOf(160, aTime) + `}`, 160 * (8 + 24), 160*(8+24)*9/8 + 100},
		"a time behind another":   {`{"times":[` + aTime + `]}`, `{"times":[` + aTime + `]}`, 8 + 16*24, (8+16*24)*9/8 + 100},
	} {
		fresh := newThingReader()
		if c.before != "" {
			require.NoError(t, read(unbound(), fresh, c.before, new(thing)), name)
		}
		within := unbound()
		require.NoError(t, read(within, fresh, c.text, new(thing)), name)
		took := math.MaxInt64 - within.Left
		assert.True(t, took >= c.least && took <= c.most, "%s: %d is not within %d and %d", name, took, c.least, c.most)
	}
}

func TestSpareIsUsedAfterALongerList(t *testing.T) {
	fresh := newThingReader()
	require.NoError(t, read(unbound(), fresh, `{"parts":`+listOf(1000, `{}`)+`}`, new(thing)))
	spare, within := make([]part, 4), unbound()
	var got thing
	require.NoError(t, fastjson.Decode(within, []byte(`{"parts":[{},{}],"id":"`+strings.Repeat("x", 50_000)+`"}`), fresh, &got, fastjson.List{Spare: spare}, codec.Reading))
	assert.Same(t, &spare[0], &got.Parts[0])
	assert.Less(t, math.MaxInt64-within.Left, int64(57_000))
}

// ended is a context that has ended.
type ended struct{}

func (ended) Err() error { return context.Canceled }

// TestDecodingEndsWithTheContext checks this for many values of each kind, the second time
// when the length of lists is known.
func TestDecodingEndsWithTheContext(t *testing.T) {
	repeated := func(member string) string { return "{" + strings.Repeat(member+",", 5000) + member + "}" }
	for name, text := range map[string]string{
		"texts":               `{"names":` + listOf(5000, aTime) + `}`,
		"objects":             `{"parts":` + listOf(5000, `{"n":1,"label":"a label"}`) + `}`,
		"members in order":    `{"parts":[` + repeated(`"n":1,"label":""`) + `]}`,
		"members in disorder": `{"parts":[` + repeated(`"label":"","n":1`) + `]}`,
		"unknown members":     repeated(`"unknown":1`),
		"skipped members":     `{"parts":[` + repeated(`"unknown":1`) + `]}`,
		"an array, unchanged": `{"raw":` + listOf(5000, `1`) + `}`,
	} {
		require.NoError(t, read(unbound(), readThing, text, new(thing)), name)
		within := unbound()
		within.Until = ended{}
		require.Equal(t, context.Canceled, read(within, readThing, text, new(thing)), name)
	}
}
