package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEverySQLiteDSNIsTheSame: without busy_timeout, a program ends with SQLITE_BUSY when
// another process holds the lock. All programs, tests and guides have one text, so that
// readers copy the right one.
func TestEverySQLiteDSNIsTheSame(t *testing.T) {
	const settings = "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	seen := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "dsn_test.go" || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "_pragma=") || strings.Contains(line, `sql.Open("sqlite"`) && !strings.Contains(line, "+pragmas)") {
				seen++
				assert.Contains(t, line, settings, path)
			}
		}
		return err
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, seen, 3)
}
