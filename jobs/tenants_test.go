package jobs_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
