package hiring_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	return string(text)
}

// TestReadmeCodeIsTestedCode finds each Go block of the README, whatever its
// indentation, in a file of examples or tests.
func TestReadmeCodeIsTestedCode(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("examples/*/main*.go")
	require.NoError(t, err)
	for _, pattern := range []string{"example*_test.go", "sandbox/example*_test.go"} {
		examples, err := filepath.Glob(pattern)
		require.NoError(t, err)
		names = append(names, examples...)
	}
	files := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		files[name] = unindented(string(text))
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(readme(t), -1)
	require.Greater(t, len(blocks), 5)
	for _, block := range blocks {
		found := false
		for _, text := range files {
			found = found || strings.Contains(text, unindented(block[1]))
		}
		if !found {
			t.Errorf("this block of the README is in no example: copy it again\n%s", block[1])
		}
	}
}

// TestReadmeCurlIsTestedCurl compares the shell block with the script that the
// program's test runs.
func TestReadmeCurlIsTestedCurl(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("cmd/hiring-sandbox/testdata/curl.sh")
	require.NoError(t, err)
	block := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindStringSubmatch(readme(t))
	require.Len(t, block, 2)
	require.Contains(t, string(script), block[1])
}

// unindented begins and ends with a line break, so that only whole lines match.
func unindented(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

func TestReadmeNamesEveryErrorCode(t *testing.T) {
	t.Parallel()
	text := readme(t)
	for name, code := range map[string]hiring.ErrorCode{
		"ErrInvalidInput": hiring.ErrInvalidInput, "ErrInvalidToken": hiring.ErrInvalidToken,
		"ErrPlanLimitReached": hiring.ErrPlanLimitReached, "ErrInsufficientScope": hiring.ErrInsufficientScope,
		"ErrNotFound": hiring.ErrNotFound, "ErrConflict": hiring.ErrConflict,
		"ErrRateLimited": hiring.ErrRateLimited, "ErrInternal": hiring.ErrInternal,
	} {
		require.Regexp(t, "(?m)^\\| `"+name+"` \\|.*`"+string(code)+"`", text)
	}
}
