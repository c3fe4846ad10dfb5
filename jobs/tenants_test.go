package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestHandlersReceiveTheirOrganization(t *testing.T) {
	t.Parallel()
	on(t, handlersReceiveTheirOrganization[*riverpgxv5.Driver, pgx.Tx], handlersReceiveTheirOrganization[*riversqlite.Driver, *sql.Tx])
}

// handlersReceiveTheirOrganization has two organizations that share a handler, and
// one with a handler of its own.
func handlersReceiveTheirOrganization[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	type tenant struct{ prefix string }
	var organizations []jobs.Organization
	for i, name := range []string{"first", "second", "third"} {
		w := newWorld(t)
		w.evaluated(t, i+1)
		o := w.organization(name)
		o.Value = tenant{name + "-"}
		organizations = append(organizations, o)
	}
	write := func(prefix string) func(context.Context, TTx, jobs.Delivery) error {
		return func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			require.Equal(t, d.Submission.ID, d.ID)
			return s.exec(ctx, tx, "INSERT INTO results (submission_id, organization) VALUES ($1, $2)", d.ID, prefix+d.Organization.Value.(tenant).prefix+d.Organization.Name)
		}
	}
	s.watch(t, hurried(),
		jobs.Results[TTx]{Organizations: organizations[:2], Handle: write("shared-")},
		jobs.Results[TTx]{Organizations: organizations[2:], Handle: write("own-")},
	)
	eventually(t, s.delivered(t, 6))
	for i, name := range []string{"shared-first-first", "shared-second-second", "own-third-third"} {
		require.Equal(t, i+1, s.count(t, "results WHERE organization = $1", name))
	}
}

func TestHangingOrganizationsLeaveWorkersToOthers(t *testing.T) {
	t.Parallel()
	on(t, hangingOrganizationsLeaveWorkersToOthers[*riverpgxv5.Driver, pgx.Tx], hangingOrganizationsLeaveWorkersToOthers[*riversqlite.Driver, *sql.Tx])
}

// hangingOrganizationsLeaveWorkersToOthers has 15 of 20 whose servers never answer.
func hangingOrganizationsLeaveWorkersToOthers[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	var organizations []jobs.Organization
	var hanging, ended atomic.Int64
	for i := range 20 {
		w := newWorld(t)
		o := w.organization(fmt.Sprintf("sound-%d", i))
		if i < 15 {
			o = w.organization(fmt.Sprintf("hanging-%d", i))
			o.Client = w.failing(t, func(r *http.Request) (*http.Response, error) {
				hanging.Add(1)
				<-r.Context().Done()
				ended.Add(1)
				return nil, r.Context().Err()
			})
		}
		organizations = append(organizations, o)
	}
	s.watch(t, hurried(), jobs.Results[TTx]{Organizations: organizations, Handle: s.put})
	eventually(t, func() bool { return hanging.Load() == 15 })
	eventually(t, func() bool {
		return s.count(t, "hiring_jobs WHERE organization LIKE 'sound-%' AND version >= 2") == 5
	}, "each sound one is polled twice")
	require.Zero(t, ended.Load(), "no server had to be given up for it")
}

// TestPollOfAHangingServerEndsSoon: the timeout of polls is shorter than that of
// River's jobs, and never longer than that of the configuration.
func TestPollOfAHangingServerEndsSoon(t *testing.T) {
	t.Parallel()
	for configured, want := range map[time.Duration]time.Duration{
		0: 30 * time.Second, -1: 30 * time.Second, time.Minute: 30 * time.Second, 10 * time.Second: 10 * time.Second,
	} {
		require.Equal(t, want, jobs.PollTimeout(configured), configured)
	}
}

func TestWorkersWithAWrongClockPostgres(t *testing.T) {
	t.Parallel()
	for name, offset := range map[string]string{"Ahead": "- interval '1 hour'", "Behind": "+ interval '1 hour'"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workersWithAWrongClock(t, newPostgres(t), offset)
		})
	}
}

// workersWithAWrongClock moves the clock of the database in place of that of the
// workers: River and this module call now() in all their queries. Polls follow each
// other, failed polls and deliveries are retried, and snoozed ones go on.
func workersWithAWrongClock(t *testing.T, s *postgresStore, offset string) {
	t.Helper()
	for _, statement := range []string{
		"CREATE SCHEMA moved",
		"CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() " + strings.ReplaceAll(offset, "'", "''") + "'",
		"ALTER DATABASE " + value[string](t, s.db, "SELECT current_database()") + " SET search_path = moved, public, pg_catalog",
	} {
		_, err := s.db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	again, stop, err := openPostgres(t.Context(), s.url)
	require.NoError(t, err)
	t.Cleanup(stop)

	w := newWorld(t)
	w.evaluated(t, 2)
	w.Inject(sandbox.Fault{Route: "GET /submissions", Skip: 1, Times: 4, Reset: true}) // As often as a client tries.
	var calls atomic.Int64
	again.watch(t, hurried(), jobs.Results[pgx.Tx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
			switch calls.Add(1) {
			case 1:
				return fmt.Errorf("no luck")
			case 2:
				return river.JobSnooze(6 * time.Second)
			}
			return again.put(ctx, tx, d)
		},
	})

	eventually(t, again.delivered(t, 2), "after a failure and a snooze")
	eventually(t, func() bool { return again.rounds(t) >= 4 }, "after a poll that failed")
	w.evaluated(t, 1)
	eventually(t, again.delivered(t, 3))
}
