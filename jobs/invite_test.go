package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func candidates(n int) (all []hiring.NewInvitation) {
	for i := range n {
		all = append(all, hiring.NewInvitation{Email: fmt.Sprintf("Person-%d@Example.com", i+1), Name: "A Person"})
	}
	return all
}

// invites starts a client that invites.
func (s *store[D, TTx]) invites(t *testing.T, w *world) *river.Client[TTx] {
	t.Helper()
	config := hurried()
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: w.organizations()}))
	client, _ := s.start(t, config)
	return client
}

// invite commits candidates of an assessment.
func (s *store[D, TTx]) invite(t *testing.T, client *river.Client[TTx], assessment string, who ...hiring.NewInvitation) (added int) {
	t.Helper()
	require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) (err error) {
		added, err = jobs.Invite(ctx, client, tx, "acme", assessment, who...)
		return err
	}))
	return added
}

// mails are how often each address was invited, as the service knows it.
func (w *world) mails(t *testing.T, assessment string) map[string]int {
	t.Helper()
	client, err := w.recruiter.With()
	require.NoError(t, err)
	all, err := client.Invitations.List(assessment).Collect(t.Context())
	require.NoError(t, err)
	mails := make(map[string]int)
	for _, i := range all {
		mails[i.CandidateEmail]++
	}
	return mails
}

func (s *store[D, TTx]) statusIs(t *testing.T, status jobs.Status, n int) func() bool {
	t.Helper()
	return func() bool { return s.count(t, "hiring_jobs WHERE status = $1", string(status)) == n }
}

func TestInviteOnceEach(t *testing.T) {
	t.Parallel()
	on(t, inviteOnceEach[*riverpgxv5.Driver, pgx.Tx], inviteOnceEach[*riversqlite.Driver, *sql.Tx])
}

func inviteOnceEach[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	_, err := w.recruiter.Invitations.Send(t.Context(), w.assessment, hiring.NewInvitation{Email: "person-3@example.com", Name: "By hand"})
	require.NoError(t, err)
	client := s.invites(t, w)

	undone := errors.New("undone")
	require.ErrorIs(t, s.in(t, func(ctx context.Context, tx TTx) error {
		added, err := jobs.Invite(ctx, client, tx, "acme", w.assessment, candidates(9)...)
		require.Equal(t, 9, added)
		require.NoError(t, err)
		return undone
	}), undone)
	require.Zero(t, s.count(t, "hiring_jobs"))

	require.Equal(t, 3, s.invite(t, client, w.assessment, candidates(3)...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 2))
	eventually(t, s.statusIs(t, jobs.StatusExisting, 1))
	again := append(candidates(5), hiring.NewInvitation{Email: " person-4@EXAMPLE.com", Name: "The same"})
	require.Equal(t, 2, s.invite(t, client, w.assessment, again...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 4))
	require.Len(t, w.mails(t, w.assessment), 5)
	for address, n := range w.mails(t, w.assessment) {
		require.Equal(t, 1, n, address)
	}
	require.Contains(t, value[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE address = 'person-1@example.com'"), `"invitation_id":"`)
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_invitations' AND state <> 'completed'") == 0
	})
}

func TestRefusedCandidatesHoldUpNobody(t *testing.T) {
	t.Parallel()
	on(t, refusedCandidatesHoldUpNobody[*riverpgxv5.Driver, pgx.Tx], refusedCandidatesHoldUpNobody[*riversqlite.Driver, *sql.Tx])
}

func refusedCandidatesHoldUpNobody[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	client := s.invites(t, w)
	bad := hiring.NewInvitation{Email: "no address", Name: "A Person"}
	require.Equal(t, 2, s.invite(t, client, sandbox.UnknownID, candidates(2)...))
	require.Equal(t, 3, s.invite(t, client, w.assessment, append(candidates(2), bad)...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 2))
	eventually(t, s.statusIs(t, jobs.StatusCancelled, 3))
	problem := value[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE address = 'no address'")
	require.Contains(t, problem, "candidate_email", "the fields are recorded")
	require.Contains(t, value[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE assessment_id = $1 LIMIT 1", sandbox.UnknownID), "NOT_FOUND")

	require.Equal(t, 1, s.invite(t, client, w.assessment, bad), "tried anew")
	require.Error(t, s.in(t, func(ctx context.Context, tx TTx) error {
		_, err := jobs.Invite(ctx, client, tx, "acme", w.assessment, hiring.NewInvitation{Name: "No address"})
		return err
	}))
}

func TestInvitationsWaitForQuotas(t *testing.T) {
	t.Parallel()
	on(t, invitationsWaitForQuotas[*riverpgxv5.Driver, pgx.Tx], invitationsWaitForQuotas[*riversqlite.Driver, *sql.Tx])
}

func invitationsWaitForQuotas[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.SetPlan(sandbox.LiveKey, 8, 10)
	client := s.invites(t, w)
	s.invite(t, client, w.assessment, candidates(5)...)
	snoozed := func(least, most time.Duration) func() bool {
		return func() bool {
			var at time.Time
			err := s.db.QueryRowContext(t.Context(), "SELECT scheduled_at FROM river_job WHERE kind = 'hiring_invitations' AND state = 'scheduled'").Scan(&at)
			if errors.Is(err, sql.ErrNoRows) {
				return false
			}
			require.NoError(t, err)
			wait := time.Until(at)
			require.Greater(t, wait, least)
			require.Less(t, wait, most)
			return true
		}
	}
	eventually(t, snoozed(50*time.Minute, time.Hour+time.Second), "402")
	require.True(t, s.statusIs(t, jobs.StatusSent, 2)())
	require.True(t, s.statusIs(t, jobs.StatusQueued, 3)())

	w.SetPlan(sandbox.LiveKey, 8, 100)
	w.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1)
	retry := func() {
		t.Helper()
		_, err := client.JobRetry(t.Context(), value[int64](t, s.db, "SELECT id FROM river_job WHERE kind = 'hiring_invitations' AND state = 'scheduled'"))
		require.NoError(t, err)
	}
	retry()
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	eventually(t, snoozed(30*time.Minute, time.Hour+time.Second), "429")
	require.True(t, s.statusIs(t, jobs.StatusQueued, 2)())
	for _, e := range w.Journal() {
		require.NotEqual(t, http.StatusTooManyRequests, e.Status)
	}
	require.Len(t, w.mails(t, w.assessment), 3)
}
