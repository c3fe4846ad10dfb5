package docs_test

import (
	"go/build"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImportBoundaries checks that packages below internal decide and do not perform requests, that the sandbox's data
// does not know HTTP, and that none of them imports the client.
func TestImportBoundaries(t *testing.T) {
	checked := 0
	for _, pattern := range []string{"internal/*", "internal/jsoncodec/*", "sandbox/internal/world"} {
		dirs, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, dir := range dirs {
			pkg, err := build.ImportDir(dir, 0)
			if strings.HasSuffix(dir, "testing") || err != nil && len(pkg.GoFiles) == 0 {
				continue
			}
			checked++
			for _, path := range pkg.Imports {
				for _, unknown := range []string{module + "/sandbox", "net/http", "context", "log", "log/slog"} {
					assert.NotEqual(t, unknown, path, dir)
				}
				assert.NotEqual(t, module, path, dir)
			}
		}
	}
	assert.Greater(t, checked, 6)
}
