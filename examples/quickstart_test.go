package examples_test

import (
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestQuickstartShowsTheTables(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "quickstart"))
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	const golden = "testdata/quickstart.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(stdout), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), stdout, "run go test ./examples -update if the change is meant")

	server := sandbox.Start(t)
	overTCP, stderr, status := output(t, program(t, service{server.URL(), sandbox.TestKey}, "quickstart"))
	require.Zero(t, status, stderr)
	require.Equal(t, stdout, overTCP, "the embedded sandbox and the same one over TCP")
}

func TestQuickstartOnlyReadsWithALiveKey(t *testing.T) {
	t.Parallel()
	fake := sandbox.Start(t)
	var writes atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			writes.Add(1)
		}
		r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
		fake.ServeHTTP(w, r)
	})
	stdout, stderr, status := output(t, program(t, service{url, "sk_live_quickstart"}, "quickstart"))
	require.Zero(t, status, stderr)
	require.Zero(t, writes.Load(), "requests other than GET")
	require.NotContains(t, stdout, "CREATED Quickstart")
	require.Contains(t, stdout, "writes: not known before the first one")
}
