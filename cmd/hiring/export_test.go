package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var errStopped = errors.New("killed")

// TestKilledExportResumes: an export is killed before, after and within each
// change on the disk, and resumed.
func TestKilledExportResumes(t *testing.T) {
	t.Parallel()
	list := sandbox.Start(t).Client().Submissions.List(hiring.SubmissionFilter{}).PageSize(100)
	all, err := list.Collect(t.Context())
	require.NoError(t, err)
	killed := 0
	for killing := true; killing; killed++ {
		file := filepath.Join(t.TempDir(), "all.jsonl")
		before := killed
		err := exportUntil(t, list, file, func(change func() error) error {
			before--
			if before < 0 {
				return errStopped
			}
			return change()
		})
		killing = err != nil
		if killing {
			require.ErrorIs(t, err, errStopped)
			halfAPage(t, file)
			require.NoError(t, exportUntil(t, list, file, nil), "killed at change %d", killed)
		}
		assert.Equal(t, idsOf(all), idsIn(t, file), "killed at change %d", killed)
		assert.NoFileExists(t, file+".state")
		require.ErrorContains(t, exportUntil(t, list, file, nil), "already exists")
		assert.Equal(t, idsOf(all), idsIn(t, file), "a complete file is not replaced")
	}
	assert.Equal(t, 10, killed, "state, file, 3 pages with a state each, the end, and once not at all")
}

// exportUntil runs an export with a hook that may end it. A nil hook lets it finish.
func exportUntil(t *testing.T, list hiring.Pager[hiring.Submission], file string, change func(func() error) error) error {
	t.Helper()
	progress := output.Stream{Writer: io.Discard}.Progress("exported")
	if change == nil {
		_, err := export(t.Context(), list, file, progress)
		return err
	}
	e := exportRun{file: file, stateFile: file + ".state", change: change}
	return e.run(t.Context(), list, progress)
}

// halfAPage appends part of a page to an incomplete file, as a killed run does.
func halfAPage(t *testing.T, file string) {
	t.Helper()
	var state exportState
	text, err := os.ReadFile(file + ".state")
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &state))
	to, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if state.Done || errors.Is(err, os.ErrNotExist) {
		return
	}
	require.NoError(t, err)
	_, err = to.WriteString(`{"id": "half`)
	require.NoError(t, errors.Join(err, to.Close()))
}

func idsOf(all []hiring.Submission) (ids []string) {
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	return ids
}

func idsIn(t *testing.T, file string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var one hiring.Submission
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		ids = append(ids, one.ID)
	}
	return ids
}

// TestExportIntoATruncatedFileFails: resuming would fill the gap with zeros, so the
// export fails.
func TestExportIntoATruncatedFileFails(t *testing.T) {
	t.Parallel()
	list := sandbox.Start(t).Client().Submissions.List(hiring.SubmissionFilter{})
	file := filepath.Join(t.TempDir(), "all.jsonl")
	require.NoError(t, os.WriteFile(file+".state", []byte(`{"next":"x","bytes":9,"items":1}`), 0o600))
	for _, less := range []bool{false, true} {
		if less {
			require.NoError(t, os.WriteFile(file, []byte("{}\n"), 0o600))
		}
		require.ErrorContains(t, exportUntil(t, list, file, nil), "Remove both to start over")
	}
}
