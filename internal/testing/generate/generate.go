// Package generate derives files from the source code and from the table of operations.
package generate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// Row is a row of the table of operations.
type Row struct{ Name, Route, Scope, Cost string }

// parse returns the files of package hiring, without tests.
func parse(root string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

const (
	tableBegin = "<!-- generated: operations -->\n"
	tableEnd   = "<!-- end of generated -->\n"
)

// OperationsGuide returns the content of docs/operations.md with a table of these operations.
func OperationsGuide(root string, rows []Row) ([]byte, error) {
	files, err := parse(root)
	if err != nil {
		return nil, err
	}
	old, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	if err != nil {
		return nil, err
	}
	before, rest, found := strings.Cut(string(old), tableBegin)
	_, after, foundEnd := strings.Cut(rest, tableEnd)
	if !found || !foundEnd {
		return nil, fmt.Errorf("docs/operations.md has no lines %q and %q around its table", tableBegin, tableEnd)
	}
	parameters := methodParameters(files)
	var table strings.Builder
	table.WriteString("\n| Operation | Scope | Costs |\n|---|---|---|\n")
	for _, row := range sortedRows(rows) {
		if service, method, ok := strings.Cut(row.Name, "."); ok { // The guide describes Client.OpenAPI in another table.
			shown := parameters[strings.TrimSuffix(service, "s")+"Service."+method]
			fmt.Fprintf(&table, "| `%s(%s)` | %s | %s |\n", row.Name, shown, row.Scope, row.Cost)
		}
	}
	table.WriteString("\n")
	return []byte(before + tableBegin + table.String() + tableEnd + after), nil
}

// SandboxDoc returns the content of sandbox/doc.go with a table of the operations that have a
// route, each with the least certain provenance that sandbox/openapi.json gives to the operation or
// to one of its responses.
func SandboxDoc(root string, rows []Row) ([]byte, error) {
	old, err := os.ReadFile(filepath.Join(root, "sandbox", "doc.go"))
	if err != nil {
		return nil, err
	}
	provenances, err := provenances(root)
	if err != nil {
		return nil, err
	}
	begin := regexp.MustCompile(`(?m)^//\tOperation +Route +Provenance\n(//\t.*\n)*`).FindIndex(old)
	if begin == nil {
		return nil, errors.New("sandbox/doc.go has no table that begins with Operation, Route, Provenance")
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Operation\tRoute\tProvenance")
	for _, row := range sortedRows(rows) {
		if row.Route != "" {
			fmt.Fprintf(w, "%s\t%s\t%s\n", row.Name, row.Route, provenances[row.Route])
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	lines := regexp.MustCompile(`(?m)^`).ReplaceAll(bytes.TrimSuffix(table.Bytes(), []byte("\n")), []byte("//\t"))
	return slices.Concat(old[:begin[0]], lines, []byte("\n"), old[begin[1]:]), nil
}

// provenances returns the least certain provenance of each operation by its route.
func provenances(root string) (map[string]string, error) {
	var document struct {
		Paths map[string]map[string]struct {
			Provenance string `json:"x-provenance"`
			Responses  map[string]struct {
				Provenance string `json:"x-provenance"`
			} `json:"responses"`
		} `json:"paths"`
	}
	text, err := os.ReadFile(filepath.Join(root, "sandbox", "openapi.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("sandbox/openapi.json: %w", err)
	}
	levels := []string{"documented", "inferred", "invented"}
	all := make(map[string]string)
	for path, methods := range document.Paths {
		for method, operation := range methods {
			worst := max(slices.Index(levels, operation.Provenance), 0)
			for _, response := range operation.Responses {
				worst = max(worst, slices.Index(levels, response.Provenance))
			}
			all[strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/api/v1")] = levels[worst]
		}
	}
	return all, nil
}

func sortedRows(rows []Row) []Row {
	return slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
}

// methodParameters returns the parameters of each method by "Type.Method", as the guide shows them:
// the type where its name says more than that of the parameter.
func methodParameters(files []*ast.File) map[string]string {
	all := make(map[string]string)
	for _, file := range files {
		for _, declaration := range file.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || method.Recv == nil {
				continue
			}
			receiver, ok := method.Recv.List[0].Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			var shown []string
			for _, parameter := range method.Type.Params.List {
				for _, name := range parameter.Names {
					shown = append(shown, parameterText(name.Name, parameter.Type))
				}
			}
			if kind, ok := receiver.X.(*ast.Ident); ok {
				all[kind.Name+"."+method.Name.Name] = strings.Join(shown, ", ")
			}
		}
	}
	return all
}

func parameterText(name string, kind ast.Expr) string {
	switch kind := kind.(type) {
	case *ast.Ident:
		if kind.IsExported() {
			return kind.Name
		}
	case *ast.SelectorExpr:
		if name != "ctx" {
			return fmt.Sprint(kind.X, ".", kind.Sel)
		}
	}
	return name
}
