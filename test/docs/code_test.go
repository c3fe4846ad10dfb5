package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestCodeOfTheGuides: every Go block is complete and begins with its package
// clause, or the comment before it names the tested code that it copies: a
// function in the examples of the root, as in <!-- code: ExampleError -->, of a
// file, or of a function in a file, as in <!-- code: main.go, run -->. Programs are run on a sandbox,
// and the text block that follows one is what it prints; tests are run, those of
// package main with the program before them. A copied block also compiles alone, or together with the
// block before it when its comment ends with "; continues".
func TestCodeOfTheGuides(t *testing.T) {
	apitest.SkipUnlessThorough(t)
	t.Parallel()
	guides := newGuides(t)
	for _, p := range pages(t) {
		for i, b := range p.blocks {
			mark, continues := strings.CutSuffix(b.mark, "; continues")
			b.mark = mark
			switch where := fmt.Sprintf("%s:%d", p.name, b.line); {
			case b.mark != "":
				assertCopy(t, where, b)
				if b.lang == "go" && !otherModule.MatchString(b.code) {
					guides.addPart(where, p.name, b, continues)
				}
			case b.lang == "go" && packageClause.MatchString(b.code):
				var shown *string
				if i+1 < len(p.blocks) && p.blocks[i+1].lang == "text" {
					shown = &p.blocks[i+1].code
				}
				guides.add(where, p.name, b, shown)
			case b.lang == "go":
				t.Errorf("%s: this block is not a complete file, and no comment before it names the tested code that it copies", where)
			case b.lang == "json":
				assert.True(t, json.Valid([]byte(b.code)), "%s: no JSON", where)
			case b.lang == "" && p.name != "docs/cli.md": // Recorded output.
				t.Errorf("%s: say what this block is: go, sh, text, json, yaml or mermaid", where)
			}
		}
	}
	require.GreaterOrEqual(t, len(guides.programs), 5)
	require.Greater(t, len(guides.parts), 20)
	guides.run(t)
}

// TestGuidesNameWhatBlocksUse checks that the guides name the variables that a block may use without declaring them.
func TestGuidesNameWhatBlocksUse(t *testing.T) {
	t.Parallel()
	_, sentence, found := strings.Cut(text(t, "docs/README.md"), "\nA block without a package clause ")
	require.True(t, found)
	sentence, _, _ = strings.Cut(sentence, "\n\n")
	for variable := range strings.SplitSeq(given, ", ") {
		name, _, _ := strings.Cut(variable, " ")
		assert.Contains(t, sentence, "`"+name+"`")
	}
}

// assertCopy checks that the code which a block's mark names contains the block, whatever
// its indentation.
func assertCopy(t *testing.T, where string, b block) {
	t.Helper()
	files, function, named := strings.Cut(b.mark, ", ")
	if !strings.Contains(files, ".") {
		files, function, named = "example*_test.go", files, true
	}
	found, err := filepath.Glob(filepath.FromSlash(files))
	require.NoError(t, err)
	of := ""
	for _, file := range found {
		if named {
			of += declared(t, file, function)
		} else {
			of += text(t, file)
		}
	}
	if assert.NotEmpty(t, of, "%s: there is no %s", where, b.mark) && !strings.Contains(unindented(of), unindented(b.code)) {
		t.Errorf("%s: this block is not in %s any more: copy it again\n%s", where, b.mark, b.code)
	}
}

// declared returns the source of a function, or "" if the file has none of that name.
func declared(t *testing.T, file, function string) string {
	t.Helper()
	source := text(t, file)
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declaration := range parsed.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == function {
			return source[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset]
		}
	}
	return ""
}

// unindented begins and ends with a line break, so that only whole lines match.
func unindented(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// guides is a module of the complete blocks: a package for each program and the
// tests after it, and one test binary that runs each program and all tests, so that
// only one binary is linked.
type guides struct {
	t        *testing.T
	dir      string
	programs []program
	groups   map[string]string   // The folder of the package that is being added.
	tests    map[string][]string // Test functions by folder.
	sources  map[string]string   // By path.
	files    int
	parts    []part
}

type program struct {
	where, folder string
	shown         *string
}

func newGuides(t *testing.T) *guides {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	// In a folder that stays, so that the next run compiles what has changed.
	g := &guides{t: t, dir: filepath.Join(root, ".cache", "guides"), groups: make(map[string]string), tests: make(map[string][]string), sources: make(map[string]string)}
	mod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(text(t, "go.mod"), "module guides")
	const client = "github.com/hiring-assessment/hiring-go"
	mod += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %q\n", client, client, root)
	g.sources[filepath.Join(g.dir, "go.mod")] = mod
	g.sources[filepath.Join(g.dir, "go.sum")] = text(t, "go.sum")
	return g
}

// write writes the sources to the folder, and removes those of an earlier run. A file that has
// not changed stays.
func (g *guides) write(t *testing.T) {
	t.Helper()
	_ = filepath.WalkDir(g.dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && g.sources[path] == "" {
			return os.Remove(path)
		}
		return err
	})
	for path, source := range g.sources {
		if old, err := os.ReadFile(path); err == nil && string(old) == source {
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	}
}

var (
	packageClause = regexp.MustCompile(`(?m)^package (\w+)$`)
	testFunction  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// add writes a block to the module.
func (g *guides) add(where, page string, b block, shown *string) {
	g.t.Helper()
	code := b.code
	formatted, err := format.Source([]byte(code))
	require.NoError(g.t, err, "%s: no Go", where)
	assert.Equal(g.t, string(formatted), code, "%s: run gofmt on this block", where)
	name := packageClause.FindStringSubmatch(code)[1]
	group := page + " " + name
	isProgram := strings.Contains(code, "\nfunc main() {")
	if isProgram || g.groups[group] == "" {
		g.groups[group] = fmt.Sprintf("p%d", g.files)
	}
	folder, file := g.groups[group], fmt.Sprintf("f%d.go", g.files)
	g.files++
	if isProgram {
		g.programs = append(g.programs, program{where, folder, shown})
		code = strings.Replace(code, "\nfunc main() {", "\nfunc Main() {", 1)
	}
	for _, test := range testFunction.FindAllStringSubmatch(code, -1) {
		g.tests[folder] = append(g.tests[folder], test[1])
	}
	// Errors of the compiler then have the position in the guide.
	code = fmt.Sprintf("//line %s:%d\n", page, b.line+1) + packageClause.ReplaceAllString(code, "package "+folder)
	g.sources[filepath.Join(g.dir, folder, file)] = code
}

// otherModule matches code that needs a module of its own, whose tests compile the code that the block copies.
var otherModule = regexp.MustCompile(`\b(jobs|pgx|pgxpool|river|tx|telemetry|otelhiring)\.`)

// given are the variables that a block may use without declaring them.
const given = "ctx context.Context, client *hiring.Client, server *sandbox.Server, err error, assessmentID string, candidates []hiring.NewInvitation, " +
	"ids []string, submission hiring.Submission, db *sql.DB, baseURL string"

// part is a block without a package clause, with those that continue it.
type part struct {
	file         string
	declarations string // Outside functions.
	statements   string
	unused       []string // Variables of the statements.
	returns      bool     // The statements return an error.
	ends         bool     // The last statement is a return.
}

// addPart writes a block without a package clause to the module, as declarations or as the body of a function. Imports are
// left out in the guides.
func (g *guides) addPart(where, page string, b block, continues bool) {
	g.t.Helper()
	if !continues {
		g.parts = append(g.parts, part{file: filepath.Join(g.dir, fmt.Sprintf("b%d", len(g.parts)), "b.go")})
	}
	p := &g.parts[len(g.parts)-1]
	line := fmt.Sprintf("\n//line %s:%d\n", page, b.line+1)
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+b.code, 0); err == nil {
		p.declarations += line + b.code
	} else {
		parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+b.code+"}\n", 0)
		require.NoError(g.t, err, "%s: no Go", where)
		p.add(parsed.Decls[0].(*ast.FuncDecl).Body.List)
		p.statements += line + b.code
	}
	source := p.source()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	require.NoError(g.t, err, "%s: no Go", where)
	imports := ""
	for _, imported := range importable {
		name := strings.TrimSuffix(filepath.Base(imported), "-go")
		if slices.ContainsFunc(parsed.Unresolved, func(i *ast.Ident) bool { return i.Name == name }) {
			imports += fmt.Sprintf("import %s %q\n", name, imported)
		}
	}
	g.sources[p.file] = strings.Replace(source, "\n", "\n"+imports, 1)
}

// importable are the packages that blocks without a package clause use.
var importable = []string{
	"bytes", "context", "crypto/tls", "crypto/x509", "database/sql", "encoding/csv", "encoding/json", "errors", "fmt", "io", "iter", "log", "log/slog", "maps",
	"net/http", "net/url", "os", "slices", "strconv", "strings", "sync", "time", "unicode", module, module + "/sandbox",
}

// add records what a function needs around these statements to compile.
func (p *part) add(statements []ast.Stmt) {
	for _, statement := range statements {
		p.ends = false
		switch s := statement.(type) {
		case *ast.AssignStmt:
			for _, left := range s.Lhs {
				if name, ok := left.(*ast.Ident); ok && s.Tok == token.DEFINE && name.Name != "_" {
					p.unused = append(p.unused, name.Name)
				}
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if variable, ok := spec.(*ast.ValueSpec); ok {
					p.unused = append(p.unused, variable.Names[0].Name)
				}
			}
		case *ast.ReturnStmt:
			p.ends = true
		}
		ast.Inspect(statement, func(n ast.Node) bool {
			if s, ok := n.(*ast.ReturnStmt); ok {
				p.returns = p.returns || len(s.Results) > 0
			}
			_, isFunction := n.(*ast.FuncLit)
			return !isFunction
		})
	}
}

// source returns the part as a file without imports. The inner braces let a block declare a given name again.
func (p *part) source() string {
	source := "package b\n" + p.declarations
	if p.statements == "" {
		return source
	}
	result, end := "", ""
	if !p.ends {
		for _, name := range p.unused {
			end += "_ = " + name + "\n"
		}
	}
	end += "}\n"
	if p.returns {
		result = "error"
		if !p.ends {
			end += "return nil\n"
		}
	}
	return source + "\nfunc _(" + given + ") " + result + " {\n{" + p.statements + end + "}\n"
}

// run compiles and runs everything. With HIRING_LONG it also runs go vet.
func (g *guides) run(t *testing.T) {
	t.Helper()
	folders := make(map[string]bool)
	var programs, tests strings.Builder
	for _, p := range g.programs {
		folders[p.folder] = true
		fmt.Fprintf(&programs, "\tcase %q:\n\t\t%s.Main()\n\t\tos.Exit(0)\n", p.where, p.folder)
	}
	for folder, functions := range g.tests {
		folders[folder] = true
		for _, name := range functions {
			fmt.Fprintf(&tests, "\tt.Run(%q, %s.%s)\n", folder+" "+name, folder, name)
		}
	}
	var imports strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		fmt.Fprintf(&imports, "\t%q\n", "guides/"+folder)
	}
	for i := range g.parts {
		fmt.Fprintf(&imports, "\t_ \"guides/b%d\"\n", i)
	}
	g.sources[filepath.Join(g.dir, "all", "all_test.go")] = "package all\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n" + imports.String() + ")\n\n" +
		"func TestMain(m *testing.M) {\n\tswitch os.Getenv(\"GUIDE_PROGRAM\") {\n" + programs.String() + "\t}\n\tm.Run()\n}\n\n" +
		"func TestAll(t *testing.T) {\n" + tests.String() + "}\n"
	g.write(t)
	binary := g.dir + ".exe"
	// Without optimization the compiler takes half of the time.
	if out, err := g.goTool("test", "-c", "-gcflags=guides/...=-l -N", "-ldflags=-s -w", "-o", binary, "./all"); err != nil {
		t.Fatalf("the programs and tests of the guides do not compile:\n%s", out)
	}
	if apitest.Long() {
		out, err := g.goTool("vet", "./...")
		assert.NoError(t, err, "%s", out)
	}
	t.Run("tests", func(t *testing.T) {
		t.Parallel()
		command := exec.CommandContext(t.Context(), binary, "-test.v")
		command.Dir = t.TempDir()
		command.Env = append(os.Environ(), "HIRING_BASE_URL=", "HIRING_API_KEY=")
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		for folder, functions := range g.tests {
			for _, name := range functions {
				assert.Contains(t, string(out), "--- PASS: TestAll/"+folder+"_"+name+" ")
			}
		}
	})
	for _, p := range g.programs {
		t.Run(p.where, func(t *testing.T) {
			t.Parallel()
			runProgram(t, binary, p)
		})
	}
}

func (g *guides) goTool(arguments ...string) (string, error) {
	command := exec.CommandContext(g.t.Context(), "go", arguments...)
	command.Dir = g.dir
	command.Env = append(os.Environ(), "GOWORK=off", "HIRING_BASE_URL=", "HIRING_API_KEY=")
	out, err := command.CombinedOutput()
	return string(out), err
}

// runProgram runs a program in its own folder, with its own sandbox.
func runProgram(t *testing.T, binary string, p program) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "GUIDE_PROGRAM="+p.where, "HIRING_BASE_URL="+sandbox.Start(t).URL(), "HIRING_API_KEY="+sandbox.TestKey)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Run(), "%s: this program fails:\n%s%s", p.where, stdout.String(), stderr.String())
	if p.shown != nil {
		assert.Equal(t, *p.shown, stdout.String(), "%s: what is shown below the program is not what it prints", p.where)
	}
}
