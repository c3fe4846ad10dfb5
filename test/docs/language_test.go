package docs_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	listMarker  = regexp.MustCompile(`^ *([-*]|\d+\.) `)
	sentenceEnd = regexp.MustCompile(`[.!?]\)?(\s+|$)`)
)

// sentences returns the sentences of a page's paragraphs and list items, without
// tables, headings and code. Code in a sentence counts as one word.
func sentences(p page) (all []string) {
	for _, passage := range p.passages {
		if passage.code || strings.HasPrefix(passage.text, "|") {
			continue
		}
		text := listMarker.ReplaceAllString(passage.text, "")
		text = linkTarget.ReplaceAllString(codeSpan.ReplaceAllString(text, "code"), "]")
		for _, sentence := range sentenceEnd.Split(text, -1) {
			if words := strings.Fields(sentence); len(words) > 1 {
				all = append(all, strings.Join(words, " "))
			}
		}
	}
	return all
}

// isUserGuide reports whether a page is for users of the SDK: no record of changes,
// no internals.
func isUserGuide(name string) bool {
	return path.Dir(name) == "docs" || name == "README.md" || strings.HasPrefix(name, "examples/")
}

// TestGuidesUseShortSentences measures the average length of the sentences of each
// user guide.
func TestGuidesUseShortSentences(t *testing.T) {
	t.Parallel()
	const most = 15.0
	measured := 0
	for _, p := range pages(t) {
		if !isUserGuide(p.name) {
			continue
		}
		words, longest, all := 0, "", sentences(p)
		require.NotEmpty(t, all, p.name)
		for _, sentence := range all {
			words += len(strings.Fields(sentence))
			if len(strings.Fields(sentence)) > len(strings.Fields(longest)) {
				longest = sentence
			}
		}
		average := float64(words) / float64(len(all))
		t.Logf("%-40s %4.1f words a sentence, %3d sentences", p.name, average, len(all))
		assert.LessOrEqual(t, average, most, "%s: words a sentence; the longest sentence is: %s", p.name, longest)
		measured++
	}
	require.Greater(t, measured, 20)
	assert.Equal(t, []string{"One sentence", "Another one with code in it", "An item"},
		sentences(cut("x", "# Title\n\nOne sentence. Another\none with `code that counts` in it.\n\n| a | table |\n|---|---|\n\n- An item.\n\n```go\ncode\n```\n")))
}
