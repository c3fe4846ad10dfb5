package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Setenv("HIRING_BASE_URL", "")
	t.Setenv("HIRING_API_KEY", "")
	file := filepath.Join(t.TempDir(), "report.html")
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-o", file}, &stdout, new(bytes.Buffer)))
	require.Equal(t, "wrote "+file+"\n", stdout.String())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "Oskar Quispe")
}
