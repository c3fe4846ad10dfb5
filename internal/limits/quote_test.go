package limits_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain, €uro":               "plain, €uro",
		"two\nlines\tand a tab":     "two lines and a tab",
		"\x1b[31mred\x07\r":         "[31mred",
		"C1 \u009b and \x7f":        "C1  and ",
		"up to \u009f, not\u00a0it": "up to , not\u00a0it",
		"separators \u2028\u2029":   "separators ",
	} {
		assert.Equal(t, want, limits.OneLine(in))
	}
}

func TestQuote(t *testing.T) {
	assert.Equal(t, "<html> Bad gateway", limits.Quote([]byte("<html>\nBad \xffgateway")))
	assert.Equal(t, strings.Repeat("x", limits.MaxQuoted), limits.Quote([]byte(strings.Repeat("x", limits.MaxQuoted))))
	assert.Equal(t, strings.Repeat("x", limits.MaxQuoted)+"…", limits.Quote([]byte(strings.Repeat("x", limits.MaxQuoted+1))))
	assert.Equal(t, strings.Repeat("x", limits.MaxQuoted-1)+"…", limits.Quote([]byte(strings.Repeat("x", limits.MaxQuoted-1)+"€")), "no half letters")
}

func TestClip(t *testing.T) {
	assert.Equal(t, "abc", limits.Clip("abc", 3))
	assert.Equal(t, "abc…", limits.Clip("abcd", 3))
	assert.Equal(t, "ab…", limits.Clip("ab€", 3), "no half letters")
}

func TestAmounts(t *testing.T) {
	pending, missing := limits.Amount{IDs: []string{"a", "b"}, What: "report", State: "pending"}, limits.Amount{IDs: []string{"c\n"}, What: "submission", State: "missing"}
	assert.Equal(t, "2 reports pending (a, b) and 1 submission missing (c )", limits.Amounts(pending, limits.Amount{What: "cow"}, missing))
	assert.Empty(t, limits.Amounts(limits.Amount{What: "cow"}))
	many := limits.Amount{IDs: []string{strings.Repeat("a", 60), "b", "c", "d"}, What: "report", State: "pending"}
	assert.Equal(t, "4 reports pending ("+strings.Repeat("a", 40)+"…, b, c, …)", limits.Amounts(many))
}

func TestUnended(t *testing.T) {
	for in, want := range map[string]string{"It failed.": "It failed", "so: ": "so", "wait...;\r\n": "wait", "a.b": "a.b", "": ""} {
		assert.Equal(t, want, limits.Unended(in))
	}
}

func TestLooksLikeJSON(t *testing.T) {
	for in, want := range map[string]bool{
		`{"data":{}}`: true, " \ufeff\n[": true, `{"candidate":"A`: true, `"text`: true, "12": true, "null": true,
		"": false, " ": false, "<html>": false, "nobody": false, "12 apples": false,
	} {
		assert.Equal(t, want, limits.LooksLikeJSON([]byte(in)), in)
	}
}
