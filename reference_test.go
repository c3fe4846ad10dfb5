package hiring_test

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/reference"
)

// TestEveryFunctionHasAnExample names each exported function and method that no
// runnable example shows.
func TestEveryFunctionHasAnExample(t *testing.T) {
	t.Parallel()
	for dir, shared := range map[string]map[string]string{
		".": {
			// Called by encoding/json, for 19 types by the same two lines.
			"MarshalJSON":   "Submission_json",
			"UnmarshalJSON": "Submission_json",
		},
		"sandbox":         nil,
		"sandbox/console": nil,
	} {
		p, err := reference.Read(dir)
		require.NoError(t, err)
		assert.Empty(t, p.WithoutExample(shared), "%s: write these examples, with // Output:", dir)
	}
}

// TestEveryCommentSaysWhatItMust names what is exported without a comment that
// begins with its name, and what sends requests without its scope and its cost.
func TestEveryCommentSaysWhatItMust(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "sandbox", "sandbox/console"} {
		p, err := reference.Read(dir)
		require.NoError(t, err)
		assert.Empty(t, p.WithoutComment(), "no comment that begins with the name")
		if dir == "." {
			assert.Empty(t, p.WithoutCost(sends), "no scope or no cost in quota")
		}
	}
}

// sends: the methods of services, which may return a Pager and send nothing yet,
// and what else takes a context and asks the service.
func sends(name string, decl *ast.FuncDecl) bool {
	kind, _, _ := strings.Cut(name, "_")
	return strings.HasSuffix(kind, "Service") || reference.TakesContext(decl) && (kind == "Client" || kind == "Pager")
}
