package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestHandlersReceiveTheirOrganizationSQLite registers two organizations that share a handler
// and a third with its own handler.
func TestHandlersReceiveTheirOrganizationSQLite(t *testing.T) {
	t.Parallel()
	s := newSQLite(t)
	type tenant struct{ prefix string }
	var organizations []jobs.Organization
	for i, name := range []string{"first", "second", "third"} {
		api := newAPI(t)
		api.addEvaluated(t, i+1)
		o := api.organization(name)
		o.Value = tenant{name + "-"}
		organizations = append(organizations, o)
	}
	write := func(prefix string) func(context.Context, *sql.Tx, jobs.Delivery) error {
		return func(ctx context.Context, tx *sql.Tx, d jobs.Delivery) error {
			require.Equal(t, d.Submission.ID, d.ID)
			return s.exec(ctx, tx, "INSERT INTO results (submission_id, organization) VALUES ($1, $2)", d.ID, prefix+d.Organization.Value.(tenant).prefix+d.Organization.Name)
		}
	}
	s.watch(t, testConfig(),
		jobs.Results[*sql.Tx]{Organizations: organizations[:2], Handle: write("shared-")},
		jobs.Results[*sql.Tx]{Organizations: organizations[2:], Handle: write("own-")},
	)
	eventually(t, s.deliveredIs(t, 6))
	for i, name := range []string{"shared-first-first", "shared-second-second", "own-third-third"} {
		require.Equal(t, i+1, s.count(t, "results WHERE organization = $1", name))
	}
}

// TestOneOfManyOrganizationsHangsPostgres has many organizations with one result each, and one with a backlog whose server never responds
// and whose handler does not return before its timeout.
func TestOneOfManyOrganizationsHangsPostgres(t *testing.T) {
	t.Parallel()
	organizations := 30
	if longTests() {
		organizations = 100
	}
	s, hanging, service := newPostgres(t), newAPI(t), sandbox.New()
	t.Cleanup(service.Close)
	hanging.addEvaluated(t, 50)
	var silent atomic.Bool
	first := hanging.organization("hanging")
	first.Client = clientVia(t, func(r *http.Request) (*http.Response, error) {
		if silent.Load() {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return hanging.Transport().RoundTrip(r)
	})
	var calls, ended atomic.Int64
	config := testConfig()
	config.JobTimeout = time.Hour
	s.watch(t, config, jobs.Results[pgx.Tx]{
		Organizations: append(manyOrganizations(t, service, organizations), first),
		Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
			if d.Organization.Name == "hanging" {
				calls.Add(1)
				silent.Store(true)
				<-ctx.Done()
				ended.Add(1)
				return ctx.Err()
			}
			return s.insertResult(ctx, tx, d)
		},
	})
	eventually(t, func() bool { return calls.Load() > 0 })
	eventually(t, s.countIs(t, organizations, "results"))
	require.LessOrEqual(t, calls.Load(), int64(3), "three of ten workers")
	require.Zero(t, ended.Load(), "this needs no timeout of the hanging organization")
}

// TestPollOfAHangingServerEndsSoon checks that the timeout of polls is shorter than
// River's default and never longer than the configured timeout.
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

// workersWithAWrongClock moves the clock of the database instead of the clock of the
// workers: River and this module call now() in all queries. Polls must follow each
// other, and failed and snoozed jobs must run again.
func workersWithAWrongClock(t *testing.T, s *postgresStore, offset string) {
	t.Helper()
	moved := s.withClock(t, offset)

	api := newAPI(t)
	api.addEvaluated(t, 2)
	api.Inject(sandbox.Fault{Route: "GET /submissions", Skip: 1, Times: 4, Reset: true}) // All attempts of one poll.
	var calls atomic.Int64
	moved.watch(t, testConfig(), jobs.Results[pgx.Tx]{
		Organizations: api.organizations(),
		Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
			switch calls.Add(1) {
			case 1:
				return errors.New("failed")
			case 2:
				return river.JobSnooze(6 * time.Second)
			}
			return moved.insertResult(ctx, tx, d)
		},
	})

	eventually(t, moved.deliveredIs(t, 2), "deliveries are completed after a failure and a snooze")
	api.addEvaluated(t, 1)
	eventually(t, moved.deliveredIs(t, 3))
	eventually(t, func() bool {
		return moved.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'completed' AND errors IS NOT NULL") > 0
	}, "polls continue after a failed one")
	require.Zero(t, moved.count(t, "river_job WHERE abs(extract(epoch FROM now() - created_at)) > 600"), "a watch without Since begins at the creation of its first job")
}

// withClock returns the store with connections for which now() has an offset, an SQL
// expression.
func (s *store[D, TTx]) withClock(t *testing.T, offset string) *postgresStore {
	t.Helper()
	for _, statement := range []string{
		"CREATE SCHEMA moved",
		"CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() " + strings.ReplaceAll(offset, "'", "''") + "'",
		"ALTER DATABASE " + queryValue[string](t, s.db, "SELECT current_database()") + " SET search_path = moved, public, pg_catalog",
	} {
		s.mustExec(t, statement)
	}
	moved, stop, err := openPostgres(t.Context(), s.url)
	require.NoError(t, err)
	t.Cleanup(stop)
	return moved
}
