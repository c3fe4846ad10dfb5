package jobs_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
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

func TestInvitationsWaitForWhatPasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		passes bool
	}{
		"no reply":               {&hiring.Error{Attempts: 4}, true},
		"500":                    {&hiring.Error{Attempts: 4, Status: http.StatusInternalServerError}, true},
		"504 of a gateway":       {&hiring.Error{Attempts: 1, Status: http.StatusGatewayTimeout}, true},
		"among others":           {fmt.Errorf("%w, and: %w", errors.New("another"), &hiring.Error{Attempts: 1, Status: http.StatusBadGateway}), true},
		"refused before it left": {&hiring.Error{}, false},
		"key refused":            {&hiring.Error{Attempts: 1, Status: http.StatusUnauthorized}, false},
		"scope refused":          {&hiring.Error{Attempts: 1, Status: http.StatusForbidden}, false},
		"reply without sense":    {&hiring.Error{Attempts: 1, Status: http.StatusOK}, false},
		"redirect":               {&hiring.Error{Attempts: 1, Status: http.StatusFound}, false},
		"error of the database":  {sql.ErrConnDone, false},
		"key refused on the way": {&hiring.Error{Attempts: 1, Code: hiring.ErrInvalidToken}, false},
		"unknown authority":      {ofAnUnknownAuthority(t), false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.passes, jobs.Passes(c.err)) })
	}
}

// ofAnUnknownAuthority is how a call fails whose service nobody vouches for.
func ofAnUnknownAuthority(t *testing.T) error {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	client, err := hiring.New(server.URL, sandbox.TestKey)
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.Error(t, err)
	return err
}

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
