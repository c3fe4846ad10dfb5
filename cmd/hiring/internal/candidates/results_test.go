package candidates_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
)

const (
	head = "\ufeffemail,name,outcome,invitation_id,assessment_id,problem,at,status\n"
	ada  = "ada@example.com,Ada,sent,1a,f0,,2026-03-15T12:00:00.000Z,sent\n"
	bob  = "bob@example.com,Bob,unknown,,f0,the run ended,2026-03-15T12:00:01.000Z,\n"
)

// TestTheLastWholeRowCounts: a row that a killed run has torn at any byte says nothing, and
// the next row begins on a line of its own.
func TestTheLastWholeRowCounts(t *testing.T) {
	t.Parallel()
	const after = "bob@example.com,Bob,sent,1b,f0,,2026-03-15T12:00:02.000Z,sent\n"
	for n := range len(after) + 1 {
		file := filepath.Join(t.TempDir(), "r.csv")
		require.NoError(t, os.WriteFile(file, []byte(head+ada+bob+after[:n]), 0o600))
		r, err := candidates.OpenResults(file)
		require.NoError(t, err)
		want := hiring.InviteUnknown
		if n == len(after) {
			want = hiring.InviteSent
		}
		assert.Equal(t, want, r.Row("f0", "BOB@example.com").Outcome, n)
		assert.Equal(t, "1a", r.Row("F0", " Ada@example.com").InvitationID)
		assert.Empty(t, r.Row("f1", "ada@example.com"), "another assessment")
		require.NoError(t, r.Begin("f0", hiring.NewInvitation{Email: "cy@example.com", Name: "Cy"}))
		r.Close()
		r, err = candidates.OpenResults(file)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteUnknown, r.Row("f0", "cy@example.com").Outcome, n)
		assert.WithinDuration(t, time.Now(), r.Row("f0", "cy@example.com").At, time.Minute)
		assert.Equal(t, want, r.Row("f0", "bob@example.com").Outcome, n)
		r.Close()
	}
}

// TestNothingIsWrittenAfterAnError: the next row would continue a torn one.
func TestNothingIsWrittenAfterAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.csv")
	r, err := candidates.OpenResults(file)
	require.NoError(t, err)
	require.NoError(t, os.Rename(file, file+".old"))
	cy := hiring.NewInvitation{Email: "cy@example.com", Name: "Cy"}
	require.Error(t, r.Begin("f0", cy), "nothing is sent without the file")
	require.NoError(t, os.Rename(file+".old", file))
	require.Error(t, r.Begin("f0", cy))
	require.Error(t, r.Add(candidates.Result{Email: "cy@example.com", AssessmentID: "f0", Outcome: hiring.InviteNotSent, At: time.Now()}))
	require.NoError(t, r.Finish("f0", []hiring.NewInvitation{cy}))
	r, err = candidates.OpenResults(file)
	require.NoError(t, err)
	assert.Equal(t, hiring.InviteNotSent, r.Row("f0", "cy@example.com").Outcome)
}

// TestOutcomesOfOtherVersions: refused was rejected in an older one, whose rows have no status. With an outcome of a later version the candidate may have been
// invited, so the next run looks for the invitation before it sends.
func TestOutcomesOfOtherVersions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.csv")
	for word, want := range map[string]hiring.InviteOutcome{
		"sent": hiring.InviteSent, "existing": hiring.InviteExisting, "rejected": hiring.InviteRejected, "refused": hiring.InviteRejected, "not_sent": hiring.InviteNotSent,
		"unknown": hiring.InviteUnknown, "reminded": hiring.InviteUnknown,
	} {
		require.NoError(t, os.WriteFile(file, []byte(head+"bob@example.com,Bob,"+word+",,f0,,2026-03-15T12:00:01.000Z\n"), 0o600))
		r, err := candidates.OpenResults(file)
		require.NoError(t, err)
		assert.Equal(t, want, r.Row("f0", "bob@example.com").Outcome, word)
		r.Close()
	}
}
