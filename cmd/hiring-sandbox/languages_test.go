package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOtherLanguagesUseTheControlAPI runs the programs that
// docs/sandbox.md links.
func TestOtherLanguagesUseTheControlAPI(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, output string }{
		"node":    {"testdata/example.mjs", "503\n82 null\nada@candidates.test\n"},
		"python3": {"testdata/example.py", "503\n82 None\nada@candidates.test\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if err != nil && os.Getenv("HIRING_SKIP_NOTHING") == "" {
				t.Skip(name + " is missing: install it, or run .ci/run, which does that for python3")
			}
			require.NoError(t, err)
			p := start(t)
			program := exec.CommandContext(t.Context(), path, c.file)
			program.Env = append(os.Environ(), "HIRING_BASE_URL="+p.baseURL, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
			out, err := program.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, c.output, string(out))
		})
	}
}
