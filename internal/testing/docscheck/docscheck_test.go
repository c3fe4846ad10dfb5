package docscheck_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/docscheck"
)

const code = `package shop

import "context"

// Apples are sold here.
func Apples() {}

func Pears() {}

// Sells plums.
func Plums() {}

// Stall is a stall.
type Stall struct{}

// NewStall makes one.
func NewStall() *Stall { return nil }

// Open opens it. Scope read; costs one read.
func (s *Stall) Open(ctx context.Context) {}

// Close closes it. Scope write.
func (s *Stall) Close(ctx context.Context) {}

// String is for printing.
func (s *Stall) String() string { return "" }

// Sum adds.
func (s *Stall) Sum(n int) {}

func (s *Stall) hidden() {}

// The sizes.
const (
	Small = 1
	Large = 2
)

const (
	Sweet = 1 // Sweet.
	Sour  = 2
)
`

const examples = `package shop_test

import "fmt"

func ExampleApples() {
	fmt.Println(1)
	// Output: 1
}

func ExampleNewStall_empty() {
	fmt.Println(1)
	// Output: 1
}

func ExamplePears() {
	// Output:
}

func ExampleStall_Open() {
	fmt.Println(1)
}

func ExampleStall_print() {
	fmt.Println(1)
	// Output: 1
}

func ExampleStall_Summary() {}
`

func read(t *testing.T) *docscheck.Package {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"shop.go": code, "example_test.go": examples} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	p, err := docscheck.Read(dir)
	require.NoError(t, err)
	return p
}

func TestWithoutExample(t *testing.T) {
	p := read(t)
	require.Equal(t, []string{"ExamplePears", "ExamplePlums", "ExampleStall_Close", "ExampleStall_Open", "ExampleStall_Sum"},
		p.WithoutExample(map[string]string{"String": "Stall_print"}))
	require.Contains(t, p.WithoutExample(map[string]string{"String": "Stall_gone"}), "ExampleStall_String", "what is shared must be there")
	require.Contains(t, p.WithoutExample(map[string]string{"Plums": "Apples"}), "ExamplePlums", "functions share none")
	require.True(t, p.Has("NewStall_empty"))
	require.False(t, p.Has("Pears"), "it shows nothing")
}

func TestWithoutComment(t *testing.T) {
	p := read(t)
	missing := p.WithoutComment()
	for i := range missing {
		missing[i] = filepath.Base(missing[i])
	}
	require.Len(t, missing, 3)
	require.Regexp(t, ": Pears$", missing[0])
	require.Regexp(t, ": Plums$", missing[1])
	require.Regexp(t, ": Sour$", missing[2])
}

func TestWithoutCost(t *testing.T) {
	missing := read(t).WithoutCost(func(_ string, decl *ast.FuncDecl) bool { return docscheck.TakesContext(decl) })
	require.Len(t, missing, 1)
	require.Regexp(t, ": Stall_Close$", missing[0])
}
