package docs_test

import (
	"cmp"
	"fmt"
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

// TestFiguresOfTheGuides compares the figures of polling with docs/internals/figures.md, which test/wait compares with its simulations.
func TestFiguresOfTheGuides(t *testing.T) {
	t.Parallel()
	least, most := make(map[string]int), make(map[string]int)
	row := regexp.MustCompile("(?m)^\\| `(\\w+)`, ([\\d,]+) \\| \\w+ \\| 3 min \\| (\\d+) \\| [^|]+ \\| (\\d+) s \\|")
	for _, cells := range row.FindAllStringSubmatch(text(t, "docs/internals/figures.md"), -1) {
		of, reads := cells[1]+" "+cells[2], (int(number(t, cells[3]))+5)/10*10
		least[of], most[of] = min(cmp.Or(least[of], reads), reads), max(most[of], reads)
		assert.LessOrEqual(t, number(t, cells[4]), 60.0, "95 % within a minute: %s", cells[0])
	}
	small := fmt.Sprintf("%d to %d reads an hour", min(least["Watch 50"], least["Watch 500"]), max(most["Watch 50"], most["Watch 500"]))
	for _, stated := range [][2]string{
		{"docs/waiting.md", "With up to 500 evaluations a day, 95 % of the results come within a minute, for " + small},
		{"watch.go", small + " at 500 evaluations a day"},
		{"docs/waiting.md", fmt.Sprintf("With 2,000 a day the delay is the same, for %d to %d reads.", least["Watch 2,000"], most["Watch 2,000"])},
		{"docs/operations.md", fmt.Sprintf("about %d reads an hour for 100 ids, %d for 1,000", most["WaitReports 100"], most["WaitReports 1,000"])},
	} {
		read := strings.Join(strings.Fields(strings.ReplaceAll(text(t, stated[0]), "//", "")), " ")
		if !strings.Contains(read, stated[1]) {
			t.Errorf("%s does not say %q", stated[0], stated[1])
		}
	}
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
	assert.Positive(t, loops)
}
