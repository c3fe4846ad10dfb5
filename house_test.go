package hiring_test

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// floor is one package as a stranger sees it from the street.
type floor struct {
	files, code int
	long        []string    // Functions over 40 lines and files over 300.
	circle      []string    // The largest set of files of which each needs all others.
	mutual      [][2]string // Pairs of files that need each other.
}

// TestTheHouseKeepsItsShape holds the layout that CONTRIBUTING describes: few
// files, short functions, and no large circle of files that can only be
// understood together. Run it with -v for the figures.
func TestTheHouseKeepsItsShape(t *testing.T) {
	for _, c := range []struct {
		dir                 string
		files, code, circle int
	}{
		{".", 32, 4650, 5},
		{"sandbox", 42, 3500, 12},
		{"sandbox/console", 20, 1450, 4},
		{"sandbox/internal/doors", 8, 500, 4},
		{"sandbox/internal/world", 22, 1800, 12},
	} {
		f := survey(t, c.dir)
		t.Logf("%-24s %2d files, %4d lines of code, largest circle %2d files, %2d mutual pairs", c.dir, f.files, f.code, len(f.circle), len(f.mutual))
		t.Logf("%-24s circle %v", "", f.circle)
		t.Logf("%-24s mutual %v", "", f.mutual)
		assert.LessOrEqual(t, f.files, c.files, "%s: files that are no tests", c.dir)
		assert.LessOrEqual(t, f.code, c.code, "%s: lines of code, without comments and blanks", c.dir)
		assert.LessOrEqual(t, len(f.circle), c.circle, "%s: files that need one another in a circle: %v", c.dir, f.circle)
		assert.Empty(t, f.long, "%s: functions over 40 lines, files over 300", c.dir)
	}
}

// TestTheWallsHold: what is behind a wall knows nothing of what is before it.
func TestTheWallsHold(t *testing.T) {
	const ours = "github.com/hiring-assessment/hiring-go"
	for dir, unknown := range map[string][]string{
		"internal/address":       {ours, "net/http", "context", "encoding", "time", "log", "os"},
		"internal/ahead":         {ours, "net", "context", "encoding", "time", "log", "os"},
		"internal/blame":         {ours, "net", "context", "encoding", "time", "log", "os"},
		"internal/trouble":       {ours, "net/http", "encoding", "time", "log", "os"},
		"internal/body":          {ours, "net", "context", "encoding", "log", "os"},
		"internal/headers":       {ours + "/sandbox", "context", "encoding", "log", "os"},
		"internal/origin":        {ours + "/sandbox", "net", "context", "encoding", "time", "log", "os"},
		"internal/inviting":      {ours, "net", "context", "encoding", "log", "os"},
		"internal/lenient":       {ours + "/sandbox", "net", "context", "log", "os"},
		"internal/paging":        {ours, "net", "context", "time", "log", "os"},
		"internal/quota":         {ours + "/sandbox", "net", "context", "encoding", "log", "os"},
		"internal/retry":         {ours, "net", "context", "encoding", "log", "os"},
		"internal/route":         {ours, "net/http", "context", "encoding", "time", "log", "os"},
		"internal/bound":         {ours, "net", "context", "time", "log", "os"},
		"internal/fastjson":      {ours + "/sandbox", "net", "context", "log", "os"},
		"internal/pacing":        {ours, "net", "context", "encoding", "log", "os"},
		"internal/secret":        {ours + "/sandbox", "net", "context", "time", "os"},
		"internal/waiting":       {ours, "net", "context", "log", "os"},
		"internal/statefile":     {ours, "net", "context", "encoding", "log"},
		"internal/texts":         {ours, "net", "context", "time", "log", "os"},
		"internal/transfer":      {ours, "net", "context", "encoding", "time", "log", "os"},
		"sandbox/internal/doors": {ours, "encoding/json"},
		"sandbox/internal/world": {ours, "net", "encoding", "context", "sync"},
	} {
		pkg, err := build.ImportDir(dir, 0)
		require.NoError(t, err)
		for _, path := range pkg.Imports {
			assert.NotEqual(t, ours, path, "%s imports the root", dir)
			for _, prefix := range unknown {
				assert.False(t, path == prefix || strings.HasPrefix(path, prefix+"/"), "%s imports %s", dir, path)
			}
		}
	}
}

type nothingImported struct{}

func (nothingImported) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// survey measures a package by its own names alone: what it imports is not read.
func survey(t *testing.T, dir string) floor {
	t.Helper()
	fset, info := token.NewFileSet(), &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	pkg, err := build.ImportDir(dir, 0)
	require.NoError(t, err)
	var f floor
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
		lines, all := codeLines(t, filepath.Join(dir, name))
		f.files, f.code = f.files+1, f.code+lines
		if all > 300 {
			f.long = append(f.long, fmt.Sprintf("%s %d", name, all))
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > 40 {
					f.long = append(f.long, fmt.Sprintf("%s:%s %d", name, fn.Name.Name, n))
				}
			}
		}
	}
	conf := types.Config{Importer: nothingImported{}, Error: func(error) {}, FakeImportC: true}
	checked, _ := conf.Check(dir, fset, files, info)
	needs := make(map[string]map[string]bool)
	for id, object := range info.Uses {
		if object.Pkg() != checked || !object.Pos().IsValid() || object.Parent() != nil && object.Parent() != checked.Scope() {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if from == to {
			continue
		}
		from, to = filepath.Base(from), filepath.Base(to)
		if needs[from] == nil {
			needs[from] = make(map[string]bool)
		}
		needs[from][to] = true
	}
	f.circle, f.mutual = circles(needs)
	return f
}

// codeLines counts the lines that hold more than comments, and all lines.
func codeLines(t *testing.T, path string) (code, all int) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		all++
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code++
		}
	}
	return code, all
}

// circles returns the largest strongly connected set of files, and the pairs
// that need each other directly.
func circles(needs map[string]map[string]bool) (largest []string, mutual [][2]string) {
	reach := make(map[string]map[string]bool)
	for from := range needs {
		seen, todo := make(map[string]bool), []string{from}
		for len(todo) > 0 {
			last := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for to := range needs[last] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		reach[from] = seen
	}
	for a := range reach {
		var circle []string
		for b := range reach[a] {
			if reach[b][a] {
				circle = append(circle, b)
			}
			if a < b && needs[a][b] && needs[b][a] {
				mutual = append(mutual, [2]string{a, b})
			}
		}
		slices.Sort(circle)
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.SortFunc(mutual, func(x, y [2]string) int { return cmp.Or(strings.Compare(x[0], y[0]), strings.Compare(x[1], y[1])) })
	return largest, mutual
}
