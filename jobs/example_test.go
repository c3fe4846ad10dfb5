package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// handler is the type of Handle with PostgreSQL.
type handler = func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error

// storeScore is the handler of the guide.
func storeScore(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
	_, err := tx.Exec(ctx, "INSERT INTO scores (id, score) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET score = excluded.score",
		d.Submission.ID, d.Report.ShipScore)
	return err
}

// work runs workers on PostgreSQL. Any number of processes can call it.
func work(ctx context.Context, client *hiring.Client, databaseURL string, storeScore handler) error {
	pool, err := pgxpool.New(ctx, databaseURL) // With pool_max_conns=25: ten deliveries run at once, ten may hang.
	if err != nil {
		return err
	}
	db := jobs.Postgres(pool) // No defer pool.Close(): it would wait for a handler that hangs.
	host, _ := os.Hostname()
	config := &river.Config{
		ID:     fmt.Sprintf("%s-%d", host, os.Getpid()), // Names the process in attempted_by.
		Schema: "hiring",
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	organizations := []jobs.Organization{{Name: "acme", Client: client}}
	if err := jobs.Watch(config, db, jobs.Results[pgx.Tx]{Organizations: organizations, Handle: storeScore}); err != nil {
		return err
	}
	if err := jobs.SendInvitations(config, db, jobs.Invitations{Organizations: organizations}); err != nil {
		return err
	}
	return jobs.Run(ctx, db, config) // Until ctx ends. Running handlers have ten seconds more.
}

// TestGuideWorkersPostgres runs the workers of the guide, whose tables have a schema of their own, in two processes. It invites with a client
// that is not started. At last a handler hangs.
func TestGuideWorkersPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	s.mustExec(t, "CREATE TABLE scores (id text PRIMARY KEY, score integer); CREATE SCHEMA hiring")
	location, err := url.Parse(s.url)
	require.NoError(t, err)
	location.RawQuery += "&pool_max_conns=15"
	require.NoError(t, jobs.Migrate(t.Context(), s.database, "hiring"))
	ctx, stop := context.WithCancel(t.Context())
	var hanging atomic.Bool
	ended, hangs, released := make(chan error), make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(released) })
	handle := func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
		if hanging.Load() {
			close(hangs)
			<-released
		}
		return storeScore(ctx, tx, d)
	}
	for range 2 {
		go func() { ended <- work(ctx, api.client, location.String(), handle) }()
	}
	eventually(t, s.countIs(t, 1, "hiring.hiring_jobs WHERE status = 'watching'"))
	api.addEvaluated(t, 3)
	s.mustExec(t, "UPDATE hiring.river_job SET scheduled_at = now() WHERE kind = 'hiring_poll' AND state = 'scheduled'") // Instead of waiting for half a minute.
	eventually(t, s.countIs(t, 3, "scores"))
	s.deliver(t, s.idle(t, &river.Config{Schema: "hiring"}), "acme", queryValue[string](t, s.db, "SELECT max(id) FROM scores"))
	eventually(t, s.countIs(t, 1, "hiring.river_job WHERE kind = 'hiring_delivery' AND state = 'completed' AND attempt = 2"), "the statement of the handler can be repeated")
	s.mustExec(t, "CREATE TABLE applications (email text)")
	pool, err := pgxpool.New(t.Context(), s.url)
	require.NoError(t, err)
	defer pool.Close()
	inviter := s.idle(t, &river.Config{Schema: "hiring"})
	for _, who := range candidates(2) {
		require.NoError(t, apply(t.Context(), pool, inviter, api.assessment, who))
	}
	eventually(t, s.countIs(t, 2, "hiring.hiring_jobs WHERE status = 'sent'"))
	hanging.Store(true)
	s.deliver(t, inviter, "acme", queryValue[string](t, s.db, "SELECT max(id) FROM scores"))
	<-hangs
	stop()
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
}

func TestRunReturnsWhatPreventsTheStart(t *testing.T) {
	t.Parallel()
	s := newSQLite(t)
	config := testConfig()
	empty := new(river.Config)
	require.ErrorContains(t, jobs.Run(t.Context(), s.database, empty), "Workers", "without Watch")
	require.Equal(t, 10*time.Second, empty.SoftStopTimeout)
	require.NoError(t, jobs.Watch(config, s.database, jobs.Results[*sql.Tx]{Organizations: newAPI(t).organizations(), Handle: s.insertResult}))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, jobs.Run(ctx, s.database, config), "SIGTERM during the start")
	require.NoError(t, s.db.Close())
	require.ErrorContains(t, jobs.Run(t.Context(), s.database, config), "database is closed")
}

// apply stores an application and queues the invitation of its candidate in one
// transaction.
func apply(ctx context.Context, pool *pgxpool.Pool, inviter *river.Client[pgx.Tx], assessmentID string, who hiring.NewInvitation) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO applications (email) VALUES ($1)", who.Email); err != nil {
			return err
		}
		_, err := jobs.Invite(ctx, inviter, tx, "acme", assessmentID, []hiring.NewInvitation{who}, jobs.InviteOptions{})
		return err
	})
}

// A process stores each new result in a SQLite file, exactly once. A program of yours has the client of [hiring.FromEnv] in place of
// the sandbox's, and ends with SIGTERM.
func ExampleWatch() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	api := sandbox.New()
	if _, err := api.AddResult(api.AddAssessment("Backend engineer"), "ada@candidates.test", sandbox.Result{ShipScore: new(70)}); err != nil {
		log.Fatal(err)
	}
	db, remove, err := open(ctx) // Opens a file with the DSN of the guide, and calls jobs.Migrate.
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS results (submission text PRIMARY KEY, score integer)"); err != nil {
		log.Fatal(err)
	}

	config := new(river.Config)
	err = jobs.Watch(config, jobs.SQLite(db), jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{{
			Name: "acme", Client: api.LiveClient(), Watch: hiring.WatchOptions{Since: time.Now().Add(-24 * time.Hour)}, // Used by the first start only.
		}},
		Handle: func(ctx context.Context, tx *sql.Tx, d jobs.Delivery) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO results (submission, score) VALUES ($1, $2) ON CONFLICT (submission) DO UPDATE SET score = excluded.score", d.Submission.ID, d.Report.ShipScore)
			stop() // This example ends after one result.
			return err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := jobs.Run(ctx, jobs.SQLite(db), config); err != nil {
		log.Fatal(err)
	}
	var score int
	err = db.QueryRow("SELECT score FROM results").Scan(&score)
	fmt.Println(score, err)
	// Output: 70 <nil>
}

// A candidate who applies twice is invited once.
func ExampleInvite() {
	ctx := context.Background()
	db, remove, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	inviter, err := river.NewClient(riversqlite.New(db), &river.Config{}) // As in a web server, which has no workers.
	if err != nil {
		log.Fatal(err)
	}

	for _, email := range []string{"ada@candidates.test", "ADA@candidates.test"} {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			log.Fatal(err)
		}
		ada := []hiring.NewInvitation{{Email: email, Name: "Ada"}}
		if _, err := jobs.Invite(ctx, inviter, tx, "acme", sandbox.AssessmentID, ada, jobs.InviteOptions{}); err != nil {
			log.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			log.Fatal(err)
		}
	}
	var queued int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM hiring_jobs WHERE status = 'queued'").Scan(&queued)
	fmt.Println(queued, err)
	// Output: 1 <nil>
}
