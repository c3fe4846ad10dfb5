package output

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// columns measures texts in columns of a terminal. Styles take none.
var columns = displaywidth.Options{ControlSequences: true} //nolint:gochecknoglobals // a constant

// Width returns how many columns of a terminal a text takes.
func Width(text string) int { return columns.String(text) }

// truncate shortens a text to a width.
func truncate(text string, width int) string { return columns.TruncateString(text, width, "…") }

// Wrap breaks a text into lines of a width, at spaces or within words that are longer.
func Wrap(text string, width int) []string {
	var lines []string
	line, used := "", 0
	for word := range strings.SplitSeq(text, " ") {
		if used > 0 && used+1+Width(word) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line, used = "", 0
		} else if line != "" || used > 0 {
			line, used = line+" ", used+1
		}
		for Width(word) > width {
			part := columns.TruncateString(word, width, "")
			if part == "" || !strings.HasPrefix(word, part) { // A letter or a style that cannot be cut.
				break
			}
			lines, word = append(lines, part), word[len(part):]
		}
		line, used = line+word, used+Width(word)
	}
	return append(lines, line)
}
