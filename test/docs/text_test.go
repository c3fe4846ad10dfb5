package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// records are files that grow or are generated. They are not guides.
var records = map[string]bool{"docs/cli.md": true, "docs/internals/decisions.md": true, "CHANGELOG.md": true}

// TestEveryErrorCodeIsNamed requires each code of errors.go with its text in the guide, and in every other list of codes.
func TestEveryErrorCodeIsNamed(t *testing.T) {
	t.Parallel()
	source := text(t, "errors.go")
	codes := regexp.MustCompile(`(?m)^\t(Err\w+) +ErrorCode = "(\w+)"`).FindAllStringSubmatch(source, -1)
	require.GreaterOrEqual(t, len(codes), 8)
	for _, code := range codes {
		for file, pattern := range map[string]string{
			"docs/errors.md":       "(?m)^\\| `" + code[1] + "` \\|.*`" + code[2] + "`",
			"errors.go":            `documentedCodes = [^}]*\b` + code[1] + `\b`,
			"sandbox/openapi.json": `"` + code[2] + `"`,
			"sandbox/codes.go":     `hiring\.` + code[1] + `\b`,
			"otelhiring/errors.go": `hiring\.` + code[1] + `\b`,
		} {
			if !regexp.MustCompile(pattern).MatchString(text(t, file)) { // assert.Regexp would print the file.
				t.Errorf("%s lacks the code %s (%s), by the pattern %s", file, code[1], code[2], pattern)
			}
		}
	}
}

// foreign are names in the guides that belong to other projects.
var foreign = map[string]bool{
	"SetMaxOpenConns": true, "RescueStuckJobsAfter": true, "JobTimeout": true, "SoftStopTimeout": true, "MaxWorkers": true,
	"CompletedJobRetentionPeriod": true, "LeaderElectionDisabled": true, "PollOnly": true, "Recreate": true, "Exec": true, "ExecContext": true, "Authorization": true, "Bearer": true, "RootCAs": true, "Tests": true,
}

var (
	qualified = regexp.MustCompile(`^[*&]?(?:([a-z]+)\.)?([A-Z]\w*(?:(?:\(\))?\.[A-Z]\w*)*)(?:$|[({\[])`)
	inHouse   = regexp.MustCompile(`^(?:docs|examples|jobs|cmd|otelhiring|sandbox|internal|benchmarks|contract|e2e|tools|\.ci|api)/[\w./*-]*$`)
)

// TestNamesInTheGuidesExist checks the names in backticks that look like exported names,
// tests or files of this repository.
func TestNamesInTheGuidesExist(t *testing.T) {
	t.Parallel()
	names, tests := exported(t), testNames(t)
	found := 0
	for _, p := range pages(t) {
		if records[p.name] && p.name != "docs/cli.md" { // They describe the past.
			continue
		}
		for _, passage := range p.passages {
			for _, span := range codeSpan.FindAllString(passage.text, -1) {
				span = strings.Trim(span, "`")
				if passage.code || inHouse.MatchString(span) && fileExists(p.name, span) {
					continue
				}
				name := qualified.FindStringSubmatch(span)
				switch {
				case inHouse.MatchString(span):
					t.Errorf("%s:%d: there is no file %s", p.name, passage.line, span)
				case name == nil || strings.ToUpper(name[2]) == name[2] || foreign[name[2]] || tests[name[2]]:
				case name[1] != "" && names[name[1]] == nil: // Of another package.
				default:
					found++
					assert.True(t, names.knows(name[1], name[2]), "%s:%d: there is no %s", p.name, passage.line, span)
				}
			}
		}
	}
	assert.Greater(t, found, 100)
}

func fileExists(page, name string) bool {
	for _, base := range []string{".", path.Dir(page)} {
		if found, _ := filepath.Glob(filepath.Join(base, filepath.FromSlash(name))); len(found) > 0 {
			return true
		}
	}
	return false
}

// index holds the exported names of each public package: Name, Type.Method and
// Type.Field. Methods of a client's services are also listed by the client's field, such
// as Submissions.Poll.
type index map[string]map[string]bool

// knows reports whether one package, or any without one, has a name. A member may be
// given without its type.
func (names index) knows(of, name string) bool {
	for pkg, known := range names {
		if of != "" && of != pkg {
			continue
		}
		if known[name] || of == "" && known["."+name] {
			return true
		}
		first, rest, chained := strings.Cut(name, "()") // As in Quota().Read.Known().
		if chained && known["."+first] && known[rest[strings.LastIndex(rest, "."):]] {
			return true
		}
	}
	return false
}

// packages returns the public packages.
var packages = map[string]string{"hiring": ".", "sandbox": "sandbox", "console": "sandbox/console", "jobs": "jobs", "otelhiring": "otelhiring"}

func exported(t *testing.T) index {
	t.Helper()
	names := make(index)
	for name, dir := range packages {
		names[name] = make(map[string]bool)
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, declaration := range parsed.Decls {
				names.add(name, declaration)
			}
		}
	}
	for method := range methods(t) {
		names.member("hiring", method)
	}
	return names
}

// add records the exported names of a declaration, and each member separately.
func (names index) add(of string, declaration ast.Decl) {
	if f, ok := declaration.(*ast.FuncDecl); ok {
		if f.Recv == nil {
			names[of][f.Name.Name] = true
		} else {
			names.member(of, receiver(f.Recv.List[0].Type)+"."+f.Name.Name)
		}
		return
	}
	for _, spec := range declaration.(*ast.GenDecl).Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range s.Names {
				names[of][name.Name] = true
			}
		case *ast.TypeSpec:
			names[of][s.Name.Name] = true
			for _, field := range fieldList(s.Type) {
				for _, name := range field.Names {
					names.member(of, s.Name.Name+"."+name.Name)
				}
			}
		}
	}
}

func (names index) member(of, name string) {
	names[of][name] = true
	names[of]["."+name[strings.LastIndex(name, ".")+1:]] = true
}

func fieldList(expression ast.Expr) []*ast.Field {
	switch e := expression.(type) {
	case *ast.StructType:
		return e.Fields.List
	case *ast.InterfaceType:
		return e.Methods.List
	}
	return nil
}

func receiver(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// testNames returns the functions of all tests, including those of other modules, and the
// alerts.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	for _, alert := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(text(t, "otelhiring/deploy/alerts.yaml"), -1) {
		all[alert[1]] = true
	}
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "*/*/*_test.go", "*/*/*/*_test.go", "*/*/*/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`).FindAllStringSubmatch(text(t, file), -1) {
				all[found[1]] = true
			}
		}
	}
	return all
}
