package jobs_test

import (
	"database/sql"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestJobsWaitForTheAPISQLite has a run of invitations with one attempt, and a delivery that reads its submission. The API is down, then
// overloaded. The test retries the jobs instead of waiting.
func TestJobsWaitForTheAPISQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	id := api.addEvaluated(t, 1)[0]
	o := api.organization("acme")
	o.Client = clientVia(t, api.Transport().RoundTrip)
	config := testConfig()
	config.MaxAttempts = 1
	var log logBuffer
	config.Logger = log.logger()
	r := newRecorder()
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: []jobs.Organization{o}, Telemetry: r.telemetry()}))
	require.NoError(t, jobs.Watch(config, s.database, jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult}))
	delete(config.Queues, jobs.QueuePolls) // A poll would read the submission.
	client, _ := s.start(t, config)
	fail := func(f sandbox.Fault) {
		f.Route, f.Times = "*", -1
		api.ClearFaults()
		api.Inject(f)
	}
	kinds := []string{jobs.KindInvitations, jobs.KindDelivery}
	retry := func() {
		t.Helper()
		for _, kind := range kinds {
			require.NoError(t, retryAll(t.Context(), client, kind, rivertype.JobStateScheduled))
		}
	}
	snoozed := func(least, most time.Duration) {
		t.Helper()
		for _, kind := range kinds {
			eventually(t, func() bool {
				list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds(kind))
				require.NoError(t, err)
				wait := time.Until(list.Jobs[0].ScheduledAt)
				return list.Jobs[0].State == rivertype.JobStateScheduled && least < wait && wait < most && len(list.Jobs[0].Errors) == 0
			}, kind)
		}
	}
	fail(sandbox.Fault{Reset: true})
	s.invite(t, client, api.assessment, candidates(3)...)
	s.deliver(t, client, "acme", id)
	snoozed(0, 3*time.Minute)
	fail(sandbox.Fault{Status: http.StatusServiceUnavailable, RetryAfter: 20 * time.Minute})
	retry()
	snoozed(15*time.Minute, 20*time.Minute)
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == 3 })
	for _, kind := range kinds {
		for _, cause := range []string{`"connection reset"`, `"status 503"`} {
			require.Regexp(t, `level=WARN msg="jobs: the API fails, will be retried" organization=acme kind=`+kind+` job_id=\d+ attempt=1 cause=`+cause+` .*next_attempt=`, log.String())
		}
	}
	for stuck, age := range map[int]string{0: "-1 hour", 3: "-1 minute"} { // After an error of an hour ago the run has sent other invitations.
		s.mustExec(t, "UPDATE river_job SET metadata = jsonb('{}'), errors = jsonb_array(jsonb_object('error', 'failed', 'at', strftime('%FT%TZ', 'now', $1))) WHERE kind = 'hiring_invitations'", age)
		eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == stuck }, age)
	}
	api.ClearFaults()
	retry()
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	eventually(t, s.deliveredIs(t, 1))
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == 0 })
}

// TestOutcomesDecideWhatIsCancelledSQLite has rejections of the API, which cancel an invitation, and of a proxy, after which it stays
// queued. Ten rejections in a row end the job with an error.
func TestOutcomesDecideWhatIsCancelledSQLite(t *testing.T) {
	t.Parallel()
	const post = "POST /assessments/{id}/invitations"
	for name, c := range map[string]struct {
		fault                                     sandbox.Fault
		people, sent, existing, cancelled, queued int
		job                                       string
	}{
		"a 409":                    {sandbox.Fault{Route: post, Skip: 1, Status: 409}, 3, 2, 0, 1, 0, "completed"},
		"a 409 with a new code":    {sandbox.Fault{Route: post, Skip: 1, Status: 409, Code: "ARCHIVED"}, 3, 2, 0, 1, 0, "completed"},
		"a 409 that a listing has": {sandbox.Fault{Route: post, Skip: 1, Status: 409, After: true}, 3, 2, 1, 0, 0, "completed"},
		"a 409 of a proxy":         {sandbox.Fault{Route: post, Skip: 1, Status: 409, Body: "no"}, 3, 1, 0, 0, 2, "retryable"},
		"409s":                     {sandbox.Fault{Route: post, Times: 10, Status: 409}, 12, 0, 0, 10, 2, "retryable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, api := newSQLite(t), newAPI(t)
			api.Inject(c.fault)
			s.invite(t, s.startInviting(t, api), api.assessment, candidates(c.people)...)
			eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_invitations' AND state = $1", c.job))
			for status, n := range map[jobs.Status]int{
				jobs.StatusSent: c.sent, jobs.StatusExisting: c.existing, jobs.StatusCancelled: c.cancelled, jobs.StatusQueued: c.queued,
			} {
				require.True(t, s.statusIs(t, status, n)(), status)
			}
		})
	}
}

func TestQueryFindsQueuedInvitations(t *testing.T) {
	t.Parallel()
	onBothStores(t, queryFindsQueuedInvitations[pgx.Tx], queryFindsQueuedInvitations[*sql.Tx])
}

// queryFindsQueuedInvitations runs the query of the README while the key is rejected. Each
// run of invitations has one attempt, and another follows. The invitations are reported
// as stuck, and are sent when the key is good again.
func queryFindsQueuedInvitations[TTx any](t *testing.T, s *store[TTx]) {
	api, r := newAPI(t), newRecorder()
	config := testConfig()
	config.MaxAttempts = 1
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: api.organizations(), Telemetry: r.telemetry()}))
	client, _ := s.start(t, config)
	query := alertQuery(t, "queued invitations")
	found := "(" + query + ") AS found"
	require.Zero(t, s.count(t, found))

	api.RevokeKey(sandbox.LiveKey)
	s.invite(t, client, api.assessment, candidates(3)...)
	require.Equal(t, 1, s.count(t, found+" WHERE organization = 'acme' AND queued = 3"))
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_invitations' AND state = 'discarded'") >= 2
	}, "another run follows a discarded one")
	eventually(t, func() bool {
		return r.deliveries(jobs.InvitationsStuck) == 3 && r.deliveries(jobs.InvitationsQueued) == 3
	})
	require.False(t, r.since(jobs.InvitationsStuck).IsZero())
	require.Positive(t, r.eventOf(jobs.KindInvitations, jobs.EventDiscarded))

	api.AddKey(sandbox.Key{Token: sandbox.LiveKey, Scope: sandbox.ScopeAdmin})
	eventually(t, s.statusIs(t, jobs.StatusSent, 3), "the run goes on without help")
	eventually(t, func() bool {
		return r.deliveries(jobs.InvitationsStuck) == 0 && r.deliveries(jobs.InvitationsQueued) == 0
	})
	require.Zero(t, s.count(t, found))
	api.requireInvitedOnce(t, 3)
}

func TestOvertakenRunSendsNothing(t *testing.T) {
	t.Parallel()
	onBothStores(t, overtakenRunSendsNothing[pgx.Tx], overtakenRunSendsNothing[*sql.Tx])
}

// overtakenRunSendsNothing blocks a run between its listing and its first invitation,
// as a suspended machine does. Another run sends the invitations in the meantime.
func overtakenRunSendsNothing[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	o := api.organization("acme")
	listed, overtaken := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	o.Client = clientVia(t, func(r *http.Request) (*http.Response, error) {
		response, err := api.Transport().RoundTrip(r)
		if r.Method == http.MethodGet && first.CompareAndSwap(false, true) {
			close(listed)
			<-overtaken
		}
		return response, err
	})
	config := testConfig()
	config.Queues = map[string]river.QueueConfig{jobs.QueueInvitations: {MaxWorkers: 1}} // The other run is one of the other process.
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: []jobs.Organization{o}}))
	client, _ := s.start(t, config)
	s.invite(t, client, api.assessment, candidates(5)...)
	<-listed
	s.mustExec(t, "UPDATE river_job SET state = 'available' WHERE kind = 'hiring_invitations'")
	s.startInviting(t, api) // Another process.
	eventually(t, s.statusIs(t, jobs.StatusSent, 5))
	close(overtaken)
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_invitations' AND state = 'completed'"))
	api.requireInvitedOnce(t, 5)
}

func TestAddressWithoutAResultWaits(t *testing.T) {
	t.Parallel()
	onBothStores(t, addressWithoutAResultWaits[pgx.Tx], addressWithoutAResultWaits[*sql.Tx])
}

// addressWithoutAResultWaits has two addresses whose process died during the request: one request arrived at the API, one did not. Both wait
// for 90 s, and the others are invited meanwhile.
func addressWithoutAResultWaits[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	config := testConfig()
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: api.organizations()}))
	client := s.idle(t, config)
	s.invite(t, client, api.assessment, candidates(5)...)
	_, err := api.Invite(api.assessment, "person-1@example.com", "A Person")
	require.NoError(t, err)
	requested := func(ago time.Duration) {
		t.Helper()
		s.mustExec(t, "UPDATE hiring_jobs SET status = 'sending', updated_at = $1 WHERE address IN ('person-1@example.com', 'person-2@example.com')",
			time.Now().Add(-ago).UTC().Format("2006-01-02 15:04:05.000"))
	}
	began := time.Now()
	requested(30 * time.Second)
	client, _ = s.start(t, config)
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	job := "river_job WHERE kind = 'hiring_invitations' AND state = 'scheduled'"
	eventually(t, s.countIs(t, 1, job))
	at := queryValue[time.Time](t, s.db, "SELECT scheduled_at FROM "+job)
	require.WithinRange(t, at, began.Add(59*time.Second), time.Now().Add(61*time.Second))
	require.True(t, s.statusIs(t, jobs.StatusSending, 2)())

	requested(91 * time.Second)
	_, err = client.JobRetry(t.Context(), queryValue[int64](t, s.db, "SELECT id FROM "+job))
	require.NoError(t, err)
	eventually(t, s.statusIs(t, jobs.StatusExisting, 1), "it is looked up before a request")
	eventually(t, s.statusIs(t, jobs.StatusSent, 4))
	api.requireInvitedOnce(t, 5)
}
