package docs_test

import (
	"cmp"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFilesDoNotDependOnEachOtherInLargeCycles limits the largest cycle of dependent
// files in a package. Run it with -v for the figures.
func TestFilesDoNotDependOnEachOtherInLargeCycles(t *testing.T) {
	for _, c := range []struct {
		dir   string
		cycle int
	}{
		{".", 5},
		{"sandbox", 12},               // A Server, its call in progress, and the steps of a response, which read and change the Server under its lock.
		{"sandbox/internal/world", 5}, // A candidate changes its organization, which makes the steps of its candidates.
		{"sandbox/console", 0},
		{"sandbox/internal/wire", 0},
	} {
		cycle, mutual := fileCycles(t, c.dir)
		t.Logf("%-24s largest cycle %v", c.dir, cycle)
		t.Logf("%-24s mutual dependencies %v", "", mutual)
		assert.LessOrEqual(t, len(cycle), c.cycle, "%s: files that depend on each other in a cycle: %v", c.dir, cycle)
	}
}

// TestImportBoundaries checks that internal packages import only what they may.
func TestImportBoundaries(t *testing.T) {
	const ours = "github.com/hiring-assessment/hiring-go"
	for dir, unknown := range map[string][]string{
		"internal/envelope":           {ours, "net", "context", "time", "log", "os"},
		"internal/urls":               {ours, "net/http", "context", "encoding", "log", "os"},
		"internal/limits":             {ours, "net", "context", "log", "os"},
		"internal/inviting":           {ours, "net", "context", "log", "os"},
		"internal/jsoncodec":          {ours + "/sandbox", "net", "context", "log", "os"},
		"internal/paging":             {ours, "net", "context", "time", "log", "os"},
		"internal/quota":              {ours + "/sandbox", "net", "context", "encoding", "log", "os"},
		"internal/jsoncodec/fastjson": {ours + "/sandbox", "net", "context", "log", "os"},
		"internal/redact":             {ours + "/sandbox", "net", "context", "time", "os"},
		"internal/waiting":            {ours, "net", "context", "log", "os"},
		"internal/serverclock":        {ours, "net", "context", "encoding", "log", "os"},
		"internal/statefile":          {ours, "net", "context", "encoding", "log"},
		"sandbox/internal/wire":       {ours, "encoding/json"},
		"sandbox/internal/world":      {ours, "net", "context", "sync"},
	} {
		pkg, err := build.ImportDir(dir, 0)
		require.NoError(t, err)
		for _, path := range pkg.Imports {
			assert.NotEqual(t, ours, path, "%s imports the root", dir)
			if path == ours+"/internal/envelope" { // The text form of a saved state.
				continue
			}
			for _, prefix := range unknown {
				assert.False(t, path == prefix || strings.HasPrefix(path, prefix+"/"), "%s imports %s", dir, path)
			}
		}
	}
}

type nothingImported struct{}

func (nothingImported) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// fileCycles returns the largest cycle of dependent files in a package and the
// pairs of files that depend on each other. Imports are not read.
func fileCycles(t *testing.T, dir string) (largest []string, mutual [][2]string) {
	t.Helper()
	fset, info := token.NewFileSet(), &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	pkg, err := build.ImportDir(dir, 0)
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	conf := types.Config{Importer: nothingImported{}, Error: func(error) {}, FakeImportC: true}
	checked, _ := conf.Check(dir, fset, files, info)
	dependencies := make(map[string]map[string]bool)
	for id, object := range info.Uses {
		if object.Pkg() != checked || !object.Pos().IsValid() || object.Parent() != nil && object.Parent() != checked.Scope() {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if from == to {
			continue
		}
		from, to = filepath.Base(from), filepath.Base(to)
		if dependencies[from] == nil {
			dependencies[from] = make(map[string]bool)
		}
		dependencies[from][to] = true
	}
	return cycles(dependencies)
}

// cycles returns the largest strongly connected set of files and the pairs that
// depend on each other directly.
func cycles(dependencies map[string]map[string]bool) (largest []string, mutual [][2]string) {
	reach := make(map[string]map[string]bool)
	for from := range dependencies {
		seen, todo := make(map[string]bool), []string{from}
		for len(todo) > 0 {
			last := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for to := range dependencies[last] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		reach[from] = seen
	}
	for a := range reach {
		var cycle []string
		for b := range reach[a] {
			if reach[b][a] {
				cycle = append(cycle, b)
			}
			if a < b && dependencies[a][b] && dependencies[b][a] {
				mutual = append(mutual, [2]string{a, b})
			}
		}
		slices.Sort(cycle)
		if len(cycle) > len(largest) {
			largest = cycle
		}
	}
	slices.SortFunc(mutual, func(x, y [2]string) int { return cmp.Or(strings.Compare(x[0], y[0]), strings.Compare(x[1], y[1])) })
	return largest, mutual
}

// Users see the names of imports in signatures: json must be encoding/json.
func TestSignaturesNameTheStandardJSON(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.Greater(t, len(names), 30)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range file.Imports {
			if imported.Path.Value == `"encoding/json"` {
				assert.Nil(t, imported.Name, "%s", name)
			}
		}
	}
}
