package hiring

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
		assert.Equal(t, want, oneLine(in))
	}
}

func TestQuote(t *testing.T) {
	assert.Equal(t, "<html> Bad gateway", quote("<html>\nBad \xffgateway"))
	assert.Equal(t, strings.Repeat("x", maxQuoted), quote(strings.Repeat("x", maxQuoted)))
	assert.Equal(t, strings.Repeat("x", maxQuoted)+"…", quote(strings.Repeat("x", maxQuoted+1)))
	assert.Equal(t, strings.Repeat("x", maxQuoted-1)+"…", quote(strings.Repeat("x", maxQuoted-1)+"€"), "no half letters")
}

func TestClip(t *testing.T) {
	assert.Equal(t, "abc", clip("abc", 3))
	assert.Equal(t, "abc…", clip("abcd", 3))
	assert.Equal(t, "ab…", clip("ab€", 3), "no half letters")
}

func TestAmounts(t *testing.T) {
	assert.Empty(t, amounts(nil, "report", "pending"))
	assert.Equal(t, "1 submission missing (c )", amounts([]string{"c\n"}, "submission", "missing"))
	assert.Equal(t, "2 reports pending (a, b)", amounts([]string{"a", "b"}, "report", "pending"))
	many := append([]string{strings.Repeat("a", 60)}, strings.Split("bcdefghijk", "")...)
	assert.Equal(t, "11 reports pending ("+strings.Repeat("a", 40)+"…, b, c, d, e, f, g, h, i, j, …)", amounts(many, "report", "pending"))
}

func TestUnended(t *testing.T) {
	for in, want := range map[string]string{"It failed.": "It failed", "so: ": "so", "wait...;\r\n": "wait", "a.b": "a.b", "": ""} {
		assert.Equal(t, want, unended(in))
	}
}

func TestLooksLikeJSON(t *testing.T) {
	for in, want := range map[string]bool{
		`{"data":{}}`: true, " \n[": true, `{"candidate":"A`: true, `"text`: true, "12": true, "null": true,
		"": false, " ": false, "<html>": false, "nobody": false, "12 apples": false,
	} {
		assert.Equal(t, want, looksLikeJSON([]byte(in)), in)
	}
}
