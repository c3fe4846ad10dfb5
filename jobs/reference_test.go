package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/docscheck"
)

// TestEveryFunctionHasAnExample names what no runnable example shows, and what has
// no comment.
func TestEveryFunctionHasAnExample(t *testing.T) {
	t.Parallel()
	p, err := docscheck.Read(".")
	require.NoError(t, err)
	const river = "_sqlite" // It calls these, nobody else does.
	assert.Empty(t, p.WithoutExample(map[string]string{"Kind": river, "InsertOpts": river, "Work": river, "NextRetry": river, "Timeout": river, "Error": "RetryAfterError", "Unwrap": "RetryAfterError"}))
	assert.Empty(t, p.WithoutComment())
}
