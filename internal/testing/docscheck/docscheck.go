// Package docscheck reads a package as its documentation shows it and says what
// is missing there. The tests of every module that users import ask it.
package docscheck

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Package is what a reader of one package's documentation sees.
type Package struct {
	dir      string
	doc      *doc.Package
	examples map[string]bool // Those whose output is checked: "Pager_From", "Client_Do_patch", "_journey".
}

// Read reads the package in a folder with its tests, where the examples are.
func Read(dir string) (*Package, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset, p := token.NewFileSet(), &Package{dir: dir, examples: make(map[string]bool)}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	for _, example := range doc.Examples(files...) {
		// One without output is compiled but not run, one with an empty output shows nothing.
		if example.Output != "" {
			p.examples[example.Name] = true
		}
	}
	p.doc, err = doc.NewFromFiles(fset, files, dir)
	return p, err
}

// Has reports whether there is an example of that name whose output is checked, such
// as "Pager_From", or "_journey" of the package as a whole.
func (p *Package) Has(example string) bool { return p.examples[example] }

// declared are the exported functions, and the methods of exported types, by the
// names of their examples.
func (p *Package) declared() map[string]*doc.Func {
	all := make(map[string]*doc.Func)
	for _, f := range p.doc.Funcs {
		all[f.Name] = f
	}
	for _, t := range p.doc.Types {
		for _, f := range t.Funcs { // New among them, which documentation lists with what it returns.
			all[f.Name] = f
		}
		for _, f := range t.Methods {
			all[t.Name+"_"+f.Name] = f
		}
	}
	return all
}

// WithoutExample names the exported functions and methods that no runnable example
// is called after. Methods that users do not call by name, for they make a type fit an
// interface of another package, may share an example: shared has it by their names.
func (p *Package) WithoutExample(shared map[string]string) (missing []string) {
	for name := range p.declared() {
		_, method, isMethod := strings.Cut(name, "_")
		if example, ok := shared[method]; isMethod && ok && p.Has(example) {
			continue
		}
		if !slices.ContainsFunc(p.names(), func(example string) bool { return shows(example, name) }) {
			missing = append(missing, "Example"+name)
		}
	}
	slices.Sort(missing)
	return missing
}

func (p *Package) names() (all []string) {
	for name := range p.examples {
		all = append(all, name)
	}
	return all
}

// shows reports whether an example is of that function or method: several are distinguished
// apart by a suffix that begins with a small letter.
func shows(example, name string) bool {
	suffix, ok := strings.CutPrefix(example, name)
	return ok && (suffix == "" || len(suffix) > 1 && suffix[0] == '_' && suffix[1] >= 'a' && suffix[1] <= 'z')
}

// WithoutComment names what is exported and has no comment that begins with its
// name. Constants and variables that are declared together may share one, or have
// one each at the end of the line.
func (p *Package) WithoutComment() (missing []string) {
	say := func(name, comment string) {
		if !regexp.MustCompile(`^(?:A |An |The )?` + regexp.QuoteMeta(name) + `\b`).MatchString(comment) {
			missing = append(missing, p.dir+": "+name)
		}
	}
	for name, f := range p.declared() {
		if f.Name == "MarshalJSON" || f.Name == "UnmarshalJSON" { // Generated, with one comment for all.
			continue
		}
		if f.Doc == "" {
			missing = append(missing, p.dir+": "+name)
			continue
		}
		say(f.Name, f.Doc)
	}
	values := slices.Concat(p.doc.Consts, p.doc.Vars)
	for _, t := range p.doc.Types {
		say(t.Name, t.Doc)
		values = append(values, slices.Concat(t.Consts, t.Vars)...)
	}
	for _, v := range values {
		for _, spec := range v.Decl.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok && v.Doc == "" && value.Doc == nil && value.Comment == nil {
				missing = append(missing, fmt.Sprintf("%s: %s", p.dir, value.Names[0].Name))
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// stated is how a comment says what a call needs and what it costs.
var stated = regexp.MustCompile(`\b(Scope\s+(read|write)|the\s+scope\s+of\s+the\s+endpoint)\b[^.]*\b(costs?|reads|writes)\b`)

// WithoutCost returns the functions and methods that send requests and do not state their
// scope and their cost. sends reports whether a function sends requests, by the name of its
// example and its declaration.
func (p *Package) WithoutCost(sends func(name string, decl *ast.FuncDecl) bool) (missing []string) {
	for name, f := range p.declared() {
		if sends(name, f.Decl) && !stated.MatchString(f.Doc) {
			missing = append(missing, p.dir+": "+name)
		}
	}
	slices.Sort(missing)
	return missing
}

// TakesContext reports whether a function's first parameter is a context: so it may
// send something or wait.
func TakesContext(decl *ast.FuncDecl) bool {
	parameters := decl.Type.Params.List
	if len(parameters) == 0 {
		return false
	}
	selector, ok := parameters[0].Type.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Context"
}
