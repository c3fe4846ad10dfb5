package candidates_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
)

const head = "email,name,outcome,invitation_id,assessment_id,problem,at\n"

// TestTornRowIsUnknown until it is replaced, also when a later run was killed after it had
// completed the line.
func TestTornRowIsUnknown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.csv")
	require.NoError(t, os.WriteFile(file, []byte(head+"ada@example.com,Ada,sent,1a,f0,,2026-03-15T12:00:00Z\nbob@example.com,\"Bob,sent,1b"), 0o600))
	for range 2 {
		r, err := candidates.OpenResults(file)
		require.NoError(t, err)
		assert.Equal(t, candidates.Unknown, r.Row("f0", "BOB@example.com").Outcome)
		_, invited := r.Invited("f0", "bob@example.com")
		assert.False(t, invited)
		id, invited := r.Invited("F0", "ada@example.com")
		assert.True(t, invited)
		assert.Equal(t, "1a", id)
		assert.Empty(t, r.Row("f1", "ada@example.com"), "another assessment")
		r.Close()
	}
	r, err := candidates.OpenResults(file)
	require.NoError(t, err)
	require.NoError(t, r.Add(candidates.Result{Email: "bob@example.com", Name: "Bob", Outcome: candidates.Sent, InvitationID: "1b", AssessmentID: "f0"}))
	r.Close()
	r, err = candidates.ReadResults(file)
	require.NoError(t, err)
	assert.Equal(t, candidates.Sent, r.Row("f0", "bob@example.com").Outcome)
}

// TestTouchSetsTheLastChange, from which a run without a checkpoint counts.
func TestTouchSetsTheLastChange(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.csv")
	require.NoError(t, os.WriteFile(file, []byte(head+"torn"), 0o600))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, old, old))
	r, err := candidates.OpenResults(file)
	require.NoError(t, err)
	assert.WithinDuration(t, old, r.LastChange(), time.Second, "completing a torn line is no change")
	require.NoError(t, r.Touch())
	r.Close()
	r, err = candidates.OpenResults(file)
	require.NoError(t, err)
	defer r.Close()
	assert.WithinDuration(t, time.Now(), r.LastChange(), time.Minute)
	require.NoError(t, os.Remove(file))
	require.Error(t, r.Touch(), "nothing is sent without the file")
}
