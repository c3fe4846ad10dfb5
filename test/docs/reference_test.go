package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// called are methods that packages of the standard library, River or net/http call.
var called = regexp.MustCompile(`^(Error|Unwrap|Is|As|String|Format|GoString|LogValue|MarshalJSON|UnmarshalJSON|MarshalText|UnmarshalText|ServeHTTP|RoundTrip|Kind|InsertOpts|Work|NextRetry|Timeout)$`)

// TestEveryFunctionIsShown reports each exported function and method of a public package that no guide and no example uses.
func TestEveryFunctionIsShown(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	for _, p := range pages(t) {
		if !records[p.name] || p.name == "docs/cli.md" {
			shown.WriteString(strings.Join(p.lines, "\n"))
		}
	}
	for _, pattern := range []string{"example*_test.go", "*/example*_test.go", "*/*/example*_test.go", "examples/*/*.go", "*/examples/*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			shown.WriteString(text(t, file))
		}
	}
	words := make(map[string]bool)
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(shown.String(), -1) {
		words[word] = true
	}
	for pkg, dir := range packages {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, declaration := range parsed.Decls {
				f, ok := declaration.(*ast.FuncDecl)
				if !ok || strings.HasSuffix(file, "_test.go") || !f.Name.IsExported() || called.MatchString(f.Name.Name) ||
					f.Recv != nil && !ast.IsExported(receiver(f.Recv.List[0].Type)) {
					continue
				}
				assert.True(t, words[f.Name.Name], "no guide and no example uses %s of package %s", f.Name.Name, pkg)
			}
		}
	}
}

// TestDocCommentsStateScopeAndCost reports methods of services, and other functions that send requests, whose comment
// does not state the scope of the key and the cost in requests.
func TestDocCommentsStateScopeAndCost(t *testing.T) {
	t.Parallel()
	stated := regexp.MustCompile(`\b(Scope\s+(read|write)|the\s+scope\s+of\s+the\s+endpoint)\b[^.]*\b(costs?|reads|writes)\b`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range parsed.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			kind := receiver(f.Recv.List[0].Type)
			if strings.HasSuffix(kind, "Service") && ast.IsExported(kind) || takesContext(f) && (kind == "Client" || kind == "Pager") {
				found++
				assert.Regexp(t, stated, f.Doc.Text(), "%s.%s", kind, f.Name.Name)
			}
		}
	}
	assert.Greater(t, found, 25)
}

// takesContext reports whether a function's first parameter is a context.
func takesContext(f *ast.FuncDecl) bool {
	if len(f.Type.Params.List) == 0 {
		return false
	}
	selector, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Context"
}
