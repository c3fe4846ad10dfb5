package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoFileContainsAMachinesPath checks that no file, text or binary, contains a path of
// the machine that wrote it: of a checkout, a home folder, GOROOT or the module cache.
func TestNoFileContainsAMachinesPath(t *testing.T) {
	t.Parallel()
	paths := machinePaths(t)
	for _, leak := range []string{"\x00/home/ada/hiring-go/client.go", "/root/go/pkg", "C:/Users/ada/", "at /usr/local/go/src/fmt", "x/go/pkg/mod/cache"} {
		require.Regexp(t, paths, leak)
	}
	files := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == ".git" || name == ".cache" || name == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		// A workspace is for one machine: git ignores it.
		if !entry.Type().IsRegular() || strings.HasPrefix(path, "go.work") || filepath.ToSlash(path) == "test/docs/machine_test.go" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		assert.Empty(t, string(paths.Find(content)), "%s contains a path of a machine", path)
		return nil
	}))
	assert.Greater(t, files, 300)
}

// machinePaths returns an expression for the usual places of home folders, GOROOT and the
// module cache, and for those of this machine.
func machinePaths(t *testing.T) *regexp.Regexp {
	t.Helper()
	expressions := []string{`/root/[a-z.]`, `/home/[a-z][a-z0-9_-]*/`, `/Users/[a-z][a-z0-9_-]*/`, `/usr/local/go/`, `/pkg/mod/`}
	checkout, err := os.Getwd()
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	env, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT", "GOMODCACHE").Output()
	require.NoError(t, err)
	for _, path := range append(strings.Fields(string(env)), checkout, home) {
		if strings.Count(filepath.ToSlash(path), "/") > 1 { // "/src/" alone could be part of any path.
			expressions = append(expressions, regexp.QuoteMeta(path+string(filepath.Separator)))
		}
	}
	return regexp.MustCompile(strings.Join(expressions, "|"))
}
