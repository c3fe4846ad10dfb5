package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// handle has the short blocks of README.md.
func handle(ctx context.Context, client *hiring.Client, assessmentID string, err error) error {
	switch {
	case errors.Is(err, hiring.ErrNotFound): // Or another code.
	case errors.Is(err, hiring.ErrOutcomeUnknown): // A write that may have happened: look before you call again.
	case hiring.IsTransient(err): // The same call may succeed later.
	}

	ctx, cancel := context.WithTimeout(ctx, time.Minute) // The whole call. An attempt: hiring.WithTimeout, 30 s by default.
	defer cancel()

	for invitation, err := range client.Invitations.List(assessmentID).All(ctx) { // Every page.
		if err != nil {
			return err
		}
		fmt.Println(invitation.CandidateName, invitation.Status)
	}
	return nil
}

func TestShortBlocksOfTheReadme(t *testing.T) {
	server := sandbox.Start(t)
	err := handle(t.Context(), server.LiveClient(), server.AddAssessment("Backend engineer"), nil)
	require.NoError(t, err)
	err = handle(t.Context(), server.Client(), sandbox.UnknownID, hiring.ErrNotFound)
	require.ErrorIs(t, err, hiring.ErrNotFound)
}

// TestLayoutListsEveryFolder checks that the table of CONTRIBUTING.md lists each folder
// with code, or its module or parent, and no other.
func TestLayoutListsEveryFolder(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(text(t, "CONTRIBUTING.md"), "\n## Where things are\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	shown := map[string]bool{".": true} // Not listed by its path.
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\|").FindAllStringSubmatch(section, -1) {
		for _, room := range regexp.MustCompile("`([a-z0-9/-]+)`").FindAllStringSubmatch(row[1], -1) {
			assert.DirExists(t, filepath.FromSlash(room[1]), "CONTRIBUTING.md shows it")
			shown[room[1]] = true
		}
	}
	require.Greater(t, len(shown), 20)
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); path != "." && strings.HasPrefix(name, ".") || name == "testdata" {
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		room := filepath.ToSlash(path)
		module, _, _ := strings.Cut(strings.TrimPrefix(room, "cmd/"), "/")
		whole := room != module && (shown[module] && module != "sandbox" && module != "internal" || strings.HasPrefix(room, "cmd/hiring/"))
		assert.True(t, len(files) == 0 || shown[room] || whole, "CONTRIBUTING.md, Where things are: no row shows %s", room)
		return err
	}))
}
