package docs_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests of this file compare statements of the guides with the code.

// TestSpeedInTheReadme compares the sentence of the README with the committed results.
func TestSpeedInTheReadme(t *testing.T) {
	t.Parallel()
	assert.Contains(t, text(t, "README.md"), "Pages decode at least five times as fast as with `net/http` and `encoding/json` by hand")
	works := 0
	for line := range strings.Lines(text(t, "benchmarks/compare/results/linux-amd64.txt")) {
		// The columns are work, transport, peer, µs, times net-http, allocs, limit, bytes and limit.
		cells := strings.Fields(line)
		if len(cells) == 9 && cells[1] == "memory" && cells[2] == "hiring" && cells[0] != "Account" {
			works++
			assert.GreaterOrEqual(t, number(t, cells[4]), 5.0, line)
		}
	}
	assert.Equal(t, 4, works, "invitations, submissions, events, and an iteration over many events")
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return n
}

// TestConfigurationListsEveryOption requires a row with a default and an example for each
// option.
func TestConfigurationListsEveryOption(t *testing.T) {
	t.Parallel()
	guide := text(t, "docs/configuration.md")
	options := regexp.MustCompile(`(?m)^func (With\w+)\([^)]*\) Option \{`).FindAllStringSubmatch(text(t, "options.go"), -1)
	require.Greater(t, len(options), 10)
	for _, option := range options {
		assert.Regexp(t, "(?m)^\\| `"+option[1]+"`: [^|]+ \\| [^|]+ \\| `hiring\\."+option[1]+"\\(.*\\)` \\|$", guide)
	}
}

// TestLoopsOfTheGuidesEndCleanly checks that every loop over Watch in a guide shows how a service ends on SIGTERM, and
// that a submission which cannot be decoded does not end it.
func TestLoopsOfTheGuidesEndCleanly(t *testing.T) {
	t.Parallel()
	loops := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			isLoop := strings.Contains(b.code, "range client.Submissions.Watch(")
			if isLoop && b.lang == "go" {
				loops++
				assert.Contains(t, b.code, "if ctx.Err() != nil {", "%s:%d: results of the poll come after the end of the context", p.name, b.line)
				assert.Regexp(t, `errors\.AsType\[\*hiring\.ItemError\]\(err\); ok \{[^}]*\bcontinue\b`, b.code, "%s:%d", p.name, b.line)
			}
		}
	}
	assert.GreaterOrEqual(t, loops, 2)
}
