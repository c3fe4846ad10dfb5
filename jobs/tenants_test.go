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
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestHandlersReceiveTheirOrganization(t *testing.T) {
	t.Parallel()
	onBothStores(t, handlersReceiveTheirOrganization[*riverpgxv5.Driver, pgx.Tx], handlersReceiveTheirOrganization[*riversqlite.Driver, *sql.Tx])
}

// handlersReceiveTheirOrganization registers two organizations that share a handler
// and a third with its own handler.
func handlersReceiveTheirOrganization[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	type tenant struct{ prefix string }
	var organizations []jobs.Organization
	for i, name := range []string{"first", "second", "third"} {
		api := newAPI(t)
		api.addEvaluated(t, i+1)
		o := api.organization(name)
		o.Value = tenant{name + "-"}
		organizations = append(organizations, o)
	}
	write := func(prefix string) func(context.Context, TTx, jobs.Delivery) error {
		return func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			require.Equal(t, d.Submission.ID, d.ID)
			return s.exec(ctx, tx, "INSERT INTO results (submission_id, organization) VALUES ($1, $2)", d.ID, prefix+d.Organization.Value.(tenant).prefix+d.Organization.Name)
		}
	}
	s.watch(t, testConfig(),
		jobs.Results[TTx]{Organizations: organizations[:2], Handle: write("shared-")},
		jobs.Results[TTx]{Organizations: organizations[2:], Handle: write("own-")},
	)
	eventually(t, s.deliveredIs(t, 6))
	for i, name := range []string{"shared-first-first", "shared-second-second", "own-third-third"} {
		require.Equal(t, i+1, s.count(t, "results WHERE organization = $1", name))
	}
}

// TestOneOfManyOrganizationsHangsPostgres has a hundred organizations with one result each, and one whose server never responds and whose
// handler does not return before its timeout.
func TestOneOfManyOrganizationsHangsPostgres(t *testing.T) {
	t.Parallel()
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
	config.JobTimeout = 20 * time.Second
	s.watch(t, config, jobs.Results[pgx.Tx]{
		Organizations: append(manyOrganizations(t, service, 100), first),
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
	eventually(t, s.countIs(t, 100, "results"))
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
	eventually(t, func() bool { return moved.polls(t) >= 4 }, "polls continue after a failed one")
	api.addEvaluated(t, 1)
	eventually(t, moved.deliveredIs(t, 3))
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
