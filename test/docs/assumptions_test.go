package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

const assumptions = "docs/assumptions.md"

// rows are the first and the last column of the list's tables.
func assumptionRows(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(assumptions)
	require.NoError(t, err)
	rows := make(map[string]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `?([A-Za-z ]+?)`? \\|.*\\| ([^|]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		if row[1] != "Field" && row[1] != "Name" {
			require.NotContains(t, rows, row[1], "stands in the list twice")
			rows[row[1]] = row[2]
		}
	}
	return rows
}

// TestAssumptionsAreListedAndMarked keeps the list and the code in step: each row
// is a field of Dialect or is marked with its name, as in "(assumed: inline
// report)", in a comment of the code that relies on it.
func TestAssumptionsAreListedAndMarked(t *testing.T) {
	t.Parallel()
	rows := assumptionRows(t)
	marked := make(map[string]bool)
	for _, field := range apitest.DialectFields() {
		marked[field] = true
	}
	mark := regexp.MustCompile(`\(assumed: ([^)]*)\)`)
	comments(t, func(file, text string) {
		for _, m := range mark.FindAllStringSubmatch(text, -1) {
			assert.Contains(t, rows, m[1], "%s marks what %s does not list", file, assumptions)
			marked[m[1]] = true
		}
	})
	for name, wrong := range rows {
		assert.True(t, marked[name], "%s lists %q, which no comment marks with (assumed: %s)", assumptions, name, name)
		assert.Greater(t, len(wrong), 20, "%s: what happens when it is wrong", name)
	}
	for name := range marked {
		assert.Contains(t, rows, name, "%s does not list it", assumptions)
	}
}

// comments calls each for every comment of the client's code, on one line.
func comments(t *testing.T, each func(file, text string)) {
	t.Helper()
	read := func(file string) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range parsed.Comments {
			each(file, strings.Join(strings.Fields(group.Text()), " "))
		}
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir("internal", func(path string, _ fs.DirEntry, err error) error {
		files = append(files, path)
		return err
	}))
	for _, file := range files {
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "internal/testing/operations") {
			read(file)
		}
	}
}

func TestAssumptionsNameTheDefaultsOfTheDialect(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(assumptions)
	require.NoError(t, err)
	defaults := reflect.ValueOf(hiring.DefaultDialect())
	for i := range defaults.NumField() {
		name, value := defaults.Type().Field(i).Name, defaults.Field(i).String()
		require.Regexp(t, "(?m)^\\| `"+name+"` \\|.*`"+regexp.QuoteMeta(value)+"`", string(text))
	}
}

func TestAssumptionsAreLinked(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"README.md", "dialect.go", "doc.go", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(text), assumptions, file)
	}
}
