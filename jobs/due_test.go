package jobs_test

import (
	"database/sql"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestPollIsDueSinceTheLastSuccess(t *testing.T) {
	t.Parallel()
	onBothStores(t, pollIsDueSinceTheLastSuccess[pgx.Tx], pollIsDueSinceTheLastSuccess[*sql.Tx])
}

// pollIsDueSinceTheLastSuccess starts processes whose polls have failed since an hour ago, were discarded, are left to a newer version, were
// made available by a clock that was ahead, and are scheduled. Beside the process that works, another one has nothing to do.
func pollIsDueSinceTheLastSuccess[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	var fails atomic.Bool
	table := newCustomers()
	table.set("acme", customer{api: api, client: clientVia(t, func(r *http.Request) (*http.Response, error) {
		if fails.Load() {
			return nil, errors.New("unreachable")
		}
		return api.Transport().RoundTrip(r)
	})})
	results := jobs.Results[TTx]{Directory: table.directory(), Handle: s.insertResult}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, func() bool { return s.polls(t) > 0 })
	stop()
	fails.Store(true)
	last := time.Now().Add(-time.Hour)
	s.mustExec(t, "UPDATE hiring_jobs SET updated_at = $1", last.UTC().Format(time.DateTime))
	for _, poll := range []string{
		"state = 'retryable', attempt = 7, scheduled_at = '2999-01-01 00:00:00'",
		"state = 'discarded', finalized_at = CURRENT_TIMESTAMP",
		"state = 'scheduled', scheduled_at = '2999-01-01 00:00:00', metadata = '{\"snoozes\": 3}'",
		"state = 'available', scheduled_at = '2999-01-01 00:00:00', metadata = '{}', attempt = 0, errors = NULL",
	} {
		s.mustExec(t, "UPDATE river_job SET "+poll+" WHERE kind = 'hiring_poll' AND finalized_at IS NULL")
		working, idle := newRecorder(), newRecorder()
		stopIdle := s.startIdle(t, table, idle)
		results.Telemetry = working.telemetry()
		_, stop := s.watch(t, testConfig(), results)
		for _, r := range []*recorder{working, idle} {
			eventually(t, func() bool { return r.dueOf("acme").Sub(last).Abs() < time.Second }) // Not at once: a process may still read the time of before.
		}
		stop()
		stopIdle()
	}
	next := time.Now().Add(25 * time.Minute)
	s.mustExec(t, "UPDATE river_job SET state = 'scheduled', attempt = 0, errors = NULL, metadata = '{}', scheduled_at = $1 WHERE kind = 'hiring_poll' AND finalized_at IS NULL", next.UTC().Format(time.DateTime))
	r := newRecorder()
	results.Telemetry = r.telemetry()
	s.watch(t, testConfig(), results)
	eventually(t, func() bool { return r.dueOf("acme").Sub(next).Abs() < time.Second }) // Not at once: reading the polls may fail on a busy machine.
}

// TestNoPollIsDueOfARemovedOrganizationSQLite removes an organization during its poll.
func TestNoPollIsDueOfARemovedOrganizationSQLite(t *testing.T) {
	t.Parallel()
	s, api, r := newSQLite(t), newAPI(t), newRecorder()
	polling, proceed := make(chan bool, 100), make(chan bool)
	table := newCustomers()
	table.set("acme", customer{api: api, client: clientVia(t, func(request *http.Request) (*http.Response, error) {
		polling <- true
		<-proceed
		return api.Transport().RoundTrip(request)
	})})
	s.watch(t, testConfig(), jobs.Results[*sql.Tx]{Directory: table.directory(), Handle: s.insertResult, Telemetry: r.telemetry()})
	<-polling
	require.False(t, r.dueOf("acme").IsZero())
	table.remove("acme")
	eventually(t, func() bool { return r.dueOf("acme").IsZero() })
	close(proceed)
	eventually(t, func() bool { return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'completed'") > 0 })
	eventually(t, s.countIs(t, 0, "river_job WHERE kind = 'hiring_poll' AND finalized_at IS NULL"))
	require.Zero(t, r.dueOf("acme"))
}
