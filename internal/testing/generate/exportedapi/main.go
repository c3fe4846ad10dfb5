// The command exportedapi prints the exported API of a package as sorted lines, one
// declaration a line, in the manner of the api folder of Go's own repository. It runs in
// the folder of the module that contains the package:
//
//	exportedapi PACKAGE
//
// Parameters have no names, because a new name for a parameter breaks no user.
package main

import (
	"errors"
	"fmt"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		exit(errors.New("usage: exportedapi PACKAGE"))
	}
	pkg, err := load(os.Args[1])
	if err != nil {
		exit(err)
	}
	for _, line := range declarations(pkg) {
		fmt.Println(line)
	}
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// load imports a package from the export data that go list compiles.
func load(path string) (*types.Package, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", path)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[name] = file
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open).Import(path)
}

// declarations returns the lines of all exported names of a package.
func declarations(pkg *types.Package) []string {
	p := printer{pkg}
	var lines []string
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			lines = append(lines, p.declaration(object)...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

type printer struct{ pkg *types.Package }

func (p printer) text(t types.Type) string {
	return types.TypeString(unnamed(t), func(other *types.Package) string {
		if other == p.pkg {
			return ""
		}
		return other.Name()
	})
}

func (p printer) declaration(object types.Object) []string {
	switch object := object.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("const %s %s = %s", object.Name(), p.text(object.Type()), value(object.Val()))}
	case *types.Var:
		return []string{fmt.Sprintf("var %s %s", object.Name(), p.text(object.Type()))}
	case *types.Func:
		return []string{"func " + object.Name() + p.typeParameters(object.Signature().TypeParams()) + p.signature(object.Type())}
	case *types.TypeName:
		return p.typeName(object)
	}
	return nil
}

// signature returns the parameters and results of a function.
func (p printer) signature(t types.Type) string { return strings.TrimPrefix(p.text(t), "func") }

// typeParameters returns the type parameters of a generic function, such as [T any].
func (p printer) typeParameters(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var parameters []string
	for parameter := range list.TypeParams() {
		parameters = append(parameters, parameter.Obj().Name()+" "+p.text(parameter.Constraint()))
	}
	return "[" + strings.Join(parameters, ", ") + "]"
}

// value returns a constant as Go writes it: ExactString would write a float as a fraction.
func value(v constant.Value) string {
	if v.Kind() == constant.Float {
		return v.String()
	}
	return v.ExactString()
}

func (p printer) typeName(object *types.TypeName) []string {
	if object.IsAlias() {
		return []string{fmt.Sprintf("type %s = %s", object.Name(), p.text(types.Unalias(object.Type())))}
	}
	named := object.Type().(*types.Named) // A declared type that is no alias is always one.
	name := p.text(named)
	var lines []string
	switch underlying := named.Underlying().(type) {
	case *types.Struct:
		lines = append(lines, "type "+name+" struct")
		for field := range underlying.Fields() {
			if field.Exported() {
				lines = append(lines, fmt.Sprintf("type %s struct, %s %s", name, field.Name(), p.text(field.Type())))
			}
		}
	case *types.Interface:
		lines = append(lines, "type "+name+" interface")
		for method := range underlying.Methods() {
			if !method.Exported() {
				lines = append(lines, "type "+name+" interface, unexported methods")
				continue
			}
			lines = append(lines, fmt.Sprintf("type %s interface, %s%s", name, method.Name(), p.signature(method.Type())))
		}
		return lines // Its methods are those above.
	default:
		lines = append(lines, fmt.Sprintf("type %s %s", name, p.text(underlying)))
	}
	values := types.NewMethodSet(named)
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if !method.Obj().Exported() {
			continue
		}
		receiver := "*" + object.Name()
		if values.Lookup(p.pkg, method.Obj().Name()) != nil {
			receiver = object.Name()
		}
		lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver, method.Obj().Name(), p.signature(method.Type())))
	}
	return lines
}

// unnamed returns t without the names of parameters and results, and without the type
// parameters of a signature.
func unnamed(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, withoutNames(t.Params()), withoutNames(t.Results()), t.Variadic())
	case *types.Slice:
		return types.NewSlice(unnamed(t.Elem()))
	case *types.Pointer:
		return types.NewPointer(unnamed(t.Elem()))
	case *types.Map:
		return types.NewMap(unnamed(t.Key()), unnamed(t.Elem()))
	}
	return t
}

func withoutNames(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", unnamed(v.Type())))
	}
	return types.NewTuple(vars...)
}
