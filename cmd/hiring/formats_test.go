package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestFilesOfReleases goes on with the profiles and the results of an import that each version wrote. With -update it writes those of
// the version that is not released yet.
func TestFilesOfReleases(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/[0-9]*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	files := map[string]string{"people.csv": "people.csv", "results.csv": "people.csv.results.csv", "profiles.json": ".config/hiring/profiles.json"}
	for i, folder := range folders {
		server := sandbox.New()
		u := newUser(t, server, sandbox.TestKey)
		line := []string{"invitations", "import", "people.csv", "--assessment", sandbox.AssessmentID, "--yes"}
		if *update && i == len(folders)-1 {
			u.write("people.csv", "email,name\nada@example.com,Ada Example\nbob@example.com,Bob Example\n")
			require.Zero(t, u.run(line...).code)
			require.Zero(t, u.runWith(sandbox.TestKey+"\n", "profile", "add", "acme", "--base-url", server.URL()).code)
			for file, of := range files {
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(u.read(of)), 0o600))
			}
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Join(u.home, ".config", "hiring"), 0o700))
		for file, of := range files {
			text, err := os.ReadFile(filepath.Join(folder, file))
			require.NoError(t, err)
			u.write(of, string(text))
		}
		assert.Contains(t, u.run("profile", "list", "-o", "csv").stdout, "\nacme,test,http://127.0.0.1:", folder)
		assert.Equal(t, "2 candidates for Senior payments engineer: 2 already invited, 0 to invite.\n", u.run(append(line, "--dry-run")...).stdout)
	}
}
