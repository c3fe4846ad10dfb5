package jobs_test

import (
	"context"
	"database/sql"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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
