package wait_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var update = flag.Bool("update", false, "write testdata/<version> of this version anew, before it is released")

// TestStatesOfReleases continues from the checkpoint of each version, which has delivered everything.
func TestStatesOfReleases(t *testing.T) {
	t.Parallel()
	options := hiring.WatchOptions{Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	client := sandbox.Start(t).Client()
	if *update {
		polled, err := client.Submissions.Poll(t.Context(), "", options)
		require.NoError(t, err)
		require.NotEmpty(t, polled.Submissions)
		require.NoError(t, hiring.FileCheckpoint("../../testdata/"+hiring.Version+"/watch.state").Save(t.Context(), polled.State))
	}
	files, err := filepath.Glob("../../testdata/*/watch.state")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		own := filepath.Join(t.TempDir(), "watch.state")
		require.NoError(t, os.CopyFS(filepath.Dir(own), os.DirFS(filepath.Dir(file))))
		state, err := hiring.FileCheckpoint(own).Load(t.Context())
		require.NoError(t, err, file)
		polled, err := client.Submissions.Poll(t.Context(), state, options)
		require.NoError(t, err, file)
		assert.Empty(t, polled.Submissions, file)
	}
}
