package jobs_test

import (
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestPollIsDueSinceTheLastSuccess(t *testing.T) {
	t.Parallel()
	onBothStores(t, pollIsDueSinceTheLastSuccess[pgx.Tx], pollIsDueSinceTheLastSuccess[*sql.Tx])
}

// pollIsDueSinceTheLastSuccess starts processes whose polls have failed since an hour ago, are left to a newer version, were scheduled and made
// available by clocks that were ahead, and were discarded. Beside the process that works, another one has nothing to do.
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
	wait, path := 10*time.Minute, "'{wait}'"
	if s.isSQLite() {
		path = "'$.wait'"
	}
	s.mustExec(t, "UPDATE river_job SET args = jsonb_set(args, "+path+", '600') WHERE kind = 'hiring_poll' AND finalized_at IS NULL")
	for _, poll := range []string{
		"state = 'retryable', attempt = 7, scheduled_at = '2999-01-01 00:00:00'",
		"state = 'scheduled', metadata = '{\"snoozes\": 3}'",
		"metadata = '{}', attempt = 0, errors = NULL",
		"state = 'available'",
		"state = 'discarded', finalized_at = CURRENT_TIMESTAMP",
	} {
		s.mustExec(t, "UPDATE river_job SET "+poll+" WHERE kind = 'hiring_poll' AND finalized_at IS NULL")
		if strings.Contains(poll, "discarded") {
			wait = 0 // Of the poll that replaces it.
		}
		working, idle := newRecorder(), newRecorder()
		stopIdle := s.startIdle(t, table, idle)
		results.Telemetry = working.telemetry()
		_, stop := s.watch(t, testConfig(), results)
		for _, r := range []*recorder{working, idle} {
			eventually(t, func() bool { return r.dueOf("acme").Sub(last.Add(wait)).Abs() < time.Second }, poll) // Not at once: a process may still read the time of before.
		}
		stop()
		stopIdle()
	}
}
