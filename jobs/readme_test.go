package jobs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeIsTestedCode checks that the code in the README is a copy of the example.
func TestReadmeIsTestedCode(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.Len(t, blocks, 1)
	require.Contains(t, strings.ReplaceAll(string(example), "\n\t\t", "\n"), blocks[0][1])
}

// alertQuery returns the query of a row in the README's table of alerts.
func alertQuery(t *testing.T, condition string) (query string) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^\\| " + regexp.QuoteMeta(condition) + " \\| `([^`]+)` \\|").FindSubmatch(readme)
	require.NotNil(t, row, condition)
	return string(row[1])
}
