package docs_test

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
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

// TestTheRootHasFewFiles: a reader must be able to keep them in mind.
func TestTheRootHasFewFiles(t *testing.T) {
	root, err := build.ImportDir(".", 0)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(root.GoFiles), 36, "files of the root: merge two that belong together")
}

// TestModulesDoNotImportInternalPackages checks that the released modules import only
// public packages of the root module, in tests too. A released module must work with
// every compatible version of the root.
func TestModulesDoNotImportInternalPackages(t *testing.T) {
	t.Parallel()
	const root = "github.com/hiring-assessment/hiring-go/"
	for _, module := range []string{"jobs", "otelhiring", "cmd/hiring"} {
		files := 0
		err := filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				relative, isRoot := strings.CutPrefix(imported, root)
				if isRoot && !strings.HasPrefix(relative, module+"/") {
					assert.NotContains(t, "/"+relative+"/", "/internal/", "%s imports %s", path, imported)
				}
			}
			return nil
		})
		require.NoError(t, err)
		assert.Greater(t, files, 10, "%s has no Go files", module)
	}
}
