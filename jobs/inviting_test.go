package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestPausesGrowWhileTheServiceIsGone(t *testing.T) {
	t.Parallel()
	for metadata, pause := range map[string]time.Duration{
		`{}`:                      time.Minute,
		``:                        time.Minute,
		`{"snoozes": 1}`:          2 * time.Minute,
		`{"snoozes": 9, "a": {}}`: 10 * time.Minute,
		`{"snoozes": 10}`:         10 * time.Minute,
		`{"snoozes": 100000}`:     10 * time.Minute,
	} {
		require.Equal(t, pause, jobs.OutagePause(&rivertype.JobRow{Metadata: []byte(metadata)}), metadata)
	}
}

func TestInvitationsOutliveAnOutage(t *testing.T) {
	t.Parallel()
	on(t, invitationsOutliveAnOutage[*riverpgxv5.Driver, pgx.Tx], invitationsOutliveAnOutage[*riversqlite.Driver, *sql.Tx])
}

// invitationsOutliveAnOutage has a job that may fail once only, and a service that
// is not there for longer. The pauses are cut short.
func invitationsOutliveAnOutage[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	var gone atomic.Bool
	gone.Store(true)
	var asked atomic.Int64
	o := w.organization("acme")
	o.Client = w.failing(t, func(r *http.Request) (*http.Response, error) {
		if !gone.Load() {
			return w.Transport().RoundTrip(r)
		}
		if asked.Add(1)%2 == 0 {
			return nil, errors.New("no route to host")
		}
		return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	})
	config := hurried()
	config.MaxAttempts = 1
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: []jobs.Organization{o}}))
	client, _ := s.start(t, config)
	s.invite(t, client, w.assessment, candidates(3)...)

	for pauses := range 4 {
		var id int64
		var at time.Time
		eventually(t, func() bool {
			var state string
			require.NoError(t, s.db.QueryRowContext(t.Context(), "SELECT id, state, scheduled_at FROM river_job").Scan(&id, &state, &at))
			require.NotEqual(t, "discarded", state)
			return state == "scheduled" && asked.Load() == int64(pauses+1)
		}, "a pause")
		want := time.Duration(pauses+1) * time.Minute
		require.WithinRange(t, at, time.Now().Add(want-time.Minute+time.Second), time.Now().Add(want))
		if pauses == 3 {
			gone.Store(false)
		}
		_, err := client.JobRetry(t.Context(), id)
		require.NoError(t, err)
	}
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	require.Equal(t, map[string]int{"Person-1@Example.com": 1, "Person-2@Example.com": 1, "Person-3@Example.com": 1}, w.mails(t, w.assessment))
}

func TestInvitationsThatStandStillAreFound(t *testing.T) {
	t.Parallel()
	on(t, invitationsThatStandStillAreFound[*riverpgxv5.Driver, pgx.Tx], invitationsThatStandStillAreFound[*riversqlite.Driver, *sql.Tx])
}

// invitationsThatStandStillAreFound by the query of the README, and only when the
// job was given up: not while it pauses, nor while nobody is queued.
func invitationsThatStandStillAreFound[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	standing := func() (found []string) {
		t.Helper()
		rows, err := s.db.QueryContext(t.Context(), alert(t, "invitations that stand still"))
		require.NoError(t, err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var organization string
			require.NoError(t, rows.Scan(&organization))
			found = append(found, organization)
		}
		require.NoError(t, rows.Err())
		return found
	}
	jobIs := func(state string) func() bool {
		return func() bool { return s.count(t, "river_job WHERE state = $1", state) == 1 }
	}
	config := hurried()
	config.MaxAttempts = 1
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: w.organizations()}))
	client, _ := s.start(t, config)
	w.SetPlan(sandbox.LiveKey, 10, 10)
	s.invite(t, client, w.assessment, candidates(2)...)
	eventually(t, jobIs("scheduled"))
	require.Empty(t, standing(), "a pause")

	w.RevokeKey(sandbox.LiveKey)
	_, err := client.JobRetry(t.Context(), value[int64](t, s.db, "SELECT id FROM river_job"))
	require.NoError(t, err)
	eventually(t, jobIs("discarded"))
	require.Equal(t, []string{"acme"}, standing())

	w.AddKey(sandbox.Key{Token: sandbox.LiveKey, Scope: sandbox.ScopeAdmin})
	w.SetPlan(sandbox.LiveKey, 10, 100)
	s.invite(t, client, w.assessment, candidates(3)...)
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	eventually(t, jobIs("completed"))
	require.Empty(t, standing(), "nobody is queued, though the old job is there")
}

// failing is a client that tries once, by way of something else.
func (w *world) failing(t *testing.T, transport through) *hiring.Client {
	t.Helper()
	client, err := hiring.New("http://sandbox.test", sandbox.LiveKey, hiring.WithInsecureHTTP(),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}), hiring.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	return client
}

func TestInvitationsResumeSoonAfterAKill(t *testing.T) {
	t.Parallel()
	on(t, invitationsResumeSoonAfterAKill[*riverpgxv5.Driver, pgx.Tx], invitationsResumeSoonAfterAKill[*riversqlite.Driver, *sql.Tx])
}

// invitationsResumeSoonAfterAKill has a job whose process showed 80 s ago that it
// lives, and one whose process showed it 30 s ago. Neither has reached the timeout of
// a run, ten minutes.
func invitationsResumeSoonAfterAKill[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	dead, alive := newWorld(t), newWorld(t)
	config := hurried()
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{
		Organizations: []jobs.Organization{dead.organization("acme"), alive.organization("alive")},
	}))
	require.Less(t, config.RescueStuckJobsAfter, 80*time.Second)
	client := s.client(t, config)
	s.invite(t, client, dead.assessment, candidates(3)...)
	require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error {
		_, err := jobs.Invite(ctx, client, tx, "alive", alive.assessment, candidates(1)...)
		return err
	}))
	for organization, ago := range map[string]time.Duration{"acme": 80 * time.Second, "alive": 30 * time.Second} {
		s.do(t, "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = $1 WHERE args->>'organization' = $2",
			time.Now().Add(-ago).UTC().Format("2006-01-02 15:04:05.000"), organization)
	}
	s.start(t, config)
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	require.Len(t, dead.mails(t, dead.assessment), 3)
	require.Empty(t, alive.mails(t, alive.assessment), "the process that shows that it lives keeps its job")
}

func TestOvertakenRunSendsNothing(t *testing.T) {
	t.Parallel()
	on(t, overtakenRunSendsNothing[*riverpgxv5.Driver, pgx.Tx], overtakenRunSendsNothing[*riversqlite.Driver, *sql.Tx])
}

// overtakenRunSendsNothing has a run that stands still between its listing and its
// first e-mail, as after a long pause of its machine, while another run does its work.
func overtakenRunSendsNothing[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	o := w.organization("acme")
	listed, overtaken := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	o.Client = w.failing(t, func(r *http.Request) (*http.Response, error) {
		response, err := w.Transport().RoundTrip(r)
		if r.Method == http.MethodGet && first.CompareAndSwap(false, true) {
			close(listed)
			<-overtaken
		}
		return response, err
	})
	config := hurried()
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: []jobs.Organization{o}}))
	client, _ := s.start(t, config)
	s.invite(t, client, w.assessment, candidates(5)...)
	<-listed
	s.do(t, "UPDATE river_job SET state = 'available' WHERE kind = 'hiring_invitations'")
	s.invites(t, w) // Another process, whose client knows nothing of the first.
	eventually(t, s.statusIs(t, jobs.StatusSent, 5))
	close(overtaken)
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_invitations' AND state = 'completed'") == 1
	})
	require.Len(t, w.mails(t, w.assessment), 5)
	for address, n := range w.mails(t, w.assessment) {
		require.Equal(t, 1, n, address)
	}
	require.NotContains(t, value[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE status = 'sending'"), "erson-1")
}
