package compare

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompareSize prints how large a program becomes that reads the account.
func TestCompareSize(t *testing.T) {
	const stripped = "-ldflags=-s -w" // As programs are shipped; what debuggers need is no cost of running it.
	builds := [][]string{{stripped}}
	if long() { // With -trimpath, the standard library is compiled anew.
		builds = [][]string{{"-trimpath"}, {"-trimpath", stripped}}
	}
	rows := [][]any{{"flags", "net/http MB", "hiring MB", "more MB"}}
	for _, flags := range builds {
		by, with := size(t, "nethttp", flags), size(t, "hiring", flags)
		rows = append(rows, []any{flags, by / 1e6, with / 1e6, (with - by) / 1e6})
		if slices.Contains(flags, stripped) {
			require.Less(t, with-by, most.size, "%v", flags)
		}
	}
	t.Log("\n" + table(rows))
}

func size(t *testing.T, program string, flags []string) float64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), program)
	build := append(append([]string{"build"}, flags...), "-o", out, "../internal/size/"+program)
	output, err := exec.CommandContext(t.Context(), "go", build...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	info, err := os.Stat(out)
	require.NoError(t, err)
	return float64(info.Size())
}
