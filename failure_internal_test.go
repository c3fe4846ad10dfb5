package hiring

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
