package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// candidates returns n candidates, the same in each call.
func candidates(n int) (all []hiring.NewInvitation) {
	for i := range n {
		all = append(all, hiring.NewInvitation{Email: fmt.Sprintf("Person-%d@Example.com", i+1), Name: "A Person"})
	}
	return all
}

// startInviting starts a River client that sends the invitations of acme.
func (s *store[TTx]) startInviting(t *testing.T, api *fakeAPI) *river.Client[TTx] {
	t.Helper()
	config := testConfig()
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: api.organizations()}))
	client, _ := s.start(t, config)
	return client
}

// invite calls Invite for acme in a transaction, and commits it.
func (s *store[TTx]) invite(t *testing.T, client *river.Client[TTx], assessment string, invitations ...hiring.NewInvitation) (added int) {
	t.Helper()
	require.NoError(t, s.inTx(t, func(ctx context.Context, tx TTx) (err error) {
		added, err = jobs.Invite(ctx, client, tx, "acme", assessment, invitations, jobs.InviteOptions{})
		return err
	}))
	return added
}

// statusIs returns a function that reports whether n rows have a status.
func (s *store[TTx]) statusIs(t *testing.T, status jobs.Status, n int) func() bool {
	t.Helper()
	return s.countIs(t, n, "hiring_jobs WHERE status = $1", string(status))
}

func TestEachAddressIsInvitedOnce(t *testing.T) {
	t.Parallel()
	onBothStores(t, eachAddressIsInvitedOnce[pgx.Tx], eachAddressIsInvitedOnce[*sql.Tx])
}

func eachAddressIsInvitedOnce[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	_, err := api.client.Invitations.Send(t.Context(), api.assessment, hiring.NewInvitation{Email: "person-3@example.com", Name: "A Person"})
	require.NoError(t, err)
	client := s.startInviting(t, api)

	rollback := errors.New("rollback")
	require.ErrorIs(t, s.inTx(t, func(ctx context.Context, tx TTx) error {
		added, err := jobs.Invite(ctx, client, tx, "acme", api.assessment, candidates(9), jobs.InviteOptions{})
		require.Equal(t, 9, added)
		require.NoError(t, err)
		return rollback
	}), rollback)
	require.Zero(t, s.count(t, "hiring_jobs"))

	require.Equal(t, 3, s.invite(t, client, api.assessment, candidates(3)...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 2))
	eventually(t, s.statusIs(t, jobs.StatusExisting, 1))
	more := candidates(5)
	for _, spelling := range []string{" person-4@EXAMPLE.com", "\u200bperson-4@example.com", "person-4@example\u200c.com\u2060", "\ufeffPer\u200dson-4@example.com"} {
		more = append(more, hiring.NewInvitation{Email: spelling, Name: "A Person"})
	}
	require.Equal(t, 2, s.invite(t, client, api.assessment, more...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 4))
	api.requireInvitedOnce(t, 5)
	require.Contains(t, queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE address = 'person-1@example.com'"), `"invitation_id":"`)
	eventually(t, s.countIs(t, 0, "river_job WHERE kind = 'hiring_invitations' AND state <> 'completed'"))
}

func TestRejectedCandidatesDoNotStopOthersSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	config, r := testConfig(), newRecorder()
	var log logBuffer
	config.Logger = log.logger()
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: api.organizations(), Telemetry: r.telemetry()}))
	client, _ := s.start(t, config)
	bad := hiring.NewInvitation{Email: "no address", Name: "A Person"}
	require.Equal(t, 3, s.invite(t, client, api.assessment, append(candidates(2), bad)...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 2))
	eventually(t, s.statusIs(t, jobs.StatusCancelled, 1))
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_invitations' AND state = 'completed'"))
	line := `level=WARN msg="jobs: invitations were rejected" organization=acme assessment_id=` + api.assessment + ` count=1 cause="status 400"`
	require.Equal(t, 1, strings.Count(log.String(), line), log.String())
	require.NotContains(t, log.String(), "no address")
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsRejected) == 1 })
	s.mustExec(t, "UPDATE hiring_jobs SET updated_at = datetime('now', '-61 minutes') WHERE status = 'cancelled'")
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsRejected) == 0 })
	problem := queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE address = 'no address'")
	require.Contains(t, problem, "candidate_email", "the row contains the rejected fields")

	require.NoError(t, s.inTx(t, func(ctx context.Context, tx *sql.Tx) error {
		added, err := jobs.Invite(ctx, client, tx, "acme", api.assessment, []hiring.NewInvitation{bad}, jobs.InviteOptions{KeepCancelled: true})
		require.Zero(t, added)
		return err
	}))
	require.Equal(t, 1, s.invite(t, client, api.assessment, bad), "a cancelled invitation is queued again")
	require.Error(t, s.inTx(t, func(ctx context.Context, tx *sql.Tx) error {
		_, err := jobs.Invite(ctx, client, tx, "acme", api.assessment, []hiring.NewInvitation{{Name: "No address"}}, jobs.InviteOptions{})
		return err
	}))
}

func TestInvitationsWaitForTheirAssessment(t *testing.T) {
	t.Parallel()
	onBothStores(t, invitationsWaitForTheirAssessment[pgx.Tx], invitationsWaitForTheirAssessment[*sql.Tx])
}

// invitationsWaitForTheirAssessment invites with the key of another account, to which the assessment does not exist, and then with the right one.
func invitationsWaitForTheirAssessment[TTx any](t *testing.T, s *store[TTx]) {
	api, other := newAPI(t), newAPI(t)
	require.NoError(t, other.client.Assessments.Delete(t.Context(), api.assessment)) // Both made the same id.
	var repaired atomic.Bool
	o := api.organization("acme")
	o.Client = clientVia(t, func(r *http.Request) (*http.Response, error) {
		if !repaired.Load() && strings.Contains(r.URL.Path, api.assessment) {
			return other.Transport().RoundTrip(r)
		}
		return api.Transport().RoundTrip(r)
	})
	config, r := testConfig(), newRecorder()
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: []jobs.Organization{o}, Telemetry: r.telemetry()}))
	client, _ := s.start(t, config)
	later := api.AddAssessment("Another")
	s.invite(t, client, api.assessment, candidates(2)...)
	s.invite(t, client, later, candidates(3)[2:]...)
	eventually(t, s.statusIs(t, jobs.StatusSent, 1), "other assessments are not held up")
	failed := func() (text string) {
		list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds(jobs.KindInvitations).States(rivertype.JobStateRetryable))
		require.NoError(t, err)
		if len(list.Jobs) == 1 {
			text = list.Jobs[0].Errors[0].Error
		}
		return text
	}
	eventually(t, func() bool {
		return strings.Contains(failed(), "jobs: assessment "+api.assessment+" does not exist for this key")
	})
	require.Contains(t, failed(), "NOT_FOUND")
	require.True(t, s.statusIs(t, jobs.StatusQueued, 2)())
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == 2 })
	s.invite(t, client, later, candidates(4)[3:]...)
	require.False(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_invitations' AND state = 'retryable' AND attempt = 1")(), "new ones do not wait for the retry")
	eventually(t, s.statusIs(t, jobs.StatusSent, 2))
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_invitations' AND state = 'retryable' AND attempt = 2"))

	repaired.Store(true)
	require.NoError(t, retryAll(t.Context(), client, jobs.KindInvitations, rivertype.JobStateRetryable), "the command retry-all")
	eventually(t, s.statusIs(t, jobs.StatusSent, 4))
	api.requireInvitedOnce(t, 2)
}

func TestInvitationsWaitForLimits(t *testing.T) {
	t.Parallel()
	onBothStores(t, invitationsWaitForLimits[pgx.Tx], invitationsWaitForLimits[*sql.Tx])
}

func invitationsWaitForLimits[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	api.SetPlan(sandbox.LiveKey, 8, 10)
	config, r := testConfig(), newRecorder()
	var log logBuffer
	config.Logger = log.logger()
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: api.organizations(), Telemetry: r.telemetry()}))
	client, _ := s.start(t, config)
	s.invite(t, client, api.assessment, candidates(5)...)
	snoozed := func(least, most time.Duration) func() bool {
		return func() bool {
			var at time.Time
			err := s.db.QueryRowContext(t.Context(), "SELECT scheduled_at FROM river_job WHERE kind = 'hiring_invitations' AND state = 'scheduled'").Scan(&at)
			if errors.Is(err, sql.ErrNoRows) {
				return false
			}
			require.NoError(t, err)
			wait := time.Until(at)
			require.Greater(t, wait, least)
			require.Less(t, wait, most)
			return true
		}
	}
	eventually(t, snoozed(50*time.Minute, time.Hour+time.Second), "the limit of the plan is reached")
	require.True(t, s.statusIs(t, jobs.StatusSent, 2)())
	require.True(t, s.statusIs(t, jobs.StatusQueued, 3)())
	require.Regexp(t, `level=WARN msg="jobs: the limit of the plan is reached: queued invitations wait" organization=acme kind=hiring_invitations next_attempt=\S+`, log.String())
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == 3 })

	api.SetPlan(sandbox.LiveKey, 8, 100)
	api.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1)
	retry := func() {
		t.Helper()
		_, err := client.JobRetry(t.Context(), queryValue[int64](t, s.db, "SELECT id FROM river_job WHERE kind = 'hiring_invitations' AND state = 'scheduled'"))
		require.NoError(t, err)
	}
	retry()
	eventually(t, s.statusIs(t, jobs.StatusSent, 3))
	eventually(t, snoozed(30*time.Minute, time.Hour+time.Second), "the write rate limit is used up")
	require.True(t, s.statusIs(t, jobs.StatusQueued, 2)())
	require.Equal(t, 1, s.count(t, "river_job WHERE kind = 'hiring_invitations' AND metadata->>'hiring_waits' = 'rate limit'"))
	require.Regexp(t, `level=WARN msg="jobs: the rate limit is used up: queued invitations wait" organization=acme kind=hiring_invitations next_attempt=\S+`, log.String())
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == 0 }, "waiting for the rate limit is not stuck")
	twice := "ARRAY_FILL(CAST($1 AS jsonb), ARRAY[2])"
	if s.isSQLite() {
		twice = "jsonb_array(json($1), json($1))"
	}
	for i, ago := range []time.Duration{time.Minute, time.Hour} { // After an hour the run has sent other invitations.
		rescued := `{"error": "Stuck job rescued by JobRescuer", "at": "` + time.Now().Add(-ago).UTC().Format(time.RFC3339) + `"}`
		s.mustExec(t, "UPDATE river_job SET errors = "+twice+" WHERE kind = 'hiring_invitations'", rescued)
		eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == []int{2, 0}[i] }, "killed twice, the last time before "+ago.String())
	}
	require.NotContains(t, log.String(), "the API fails")
	for _, e := range api.Journal() {
		require.NotEqual(t, http.StatusTooManyRequests, e.Status)
	}
	api.requireInvitedOnce(t, 3)
}

// TestEveryFieldOfAnInvitationReachesTheAPISQLite sends an invitation whose fields are all set, by the client and by the queue.
func TestEveryFieldOfAnInvitationReachesTheAPISQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	known := map[string]any{"Email": "ada@candidates.test", "Name": "Ada", "Extra": map[string]any{"note": "first"}}
	var in hiring.NewInvitation
	for field, value := range reflect.ValueOf(&in).Elem().Fields() {
		if v, ok := known[field.Name]; ok {
			value.Set(reflect.ValueOf(v))
			continue
		}
		require.Equal(t, reflect.String, field.Type.Kind(), "set a value of %s here", field.Name)
		value.SetString("a value")
	}
	_, err := api.client.Invitations.Send(t.Context(), api.AddAssessment("Another"), in)
	require.NoError(t, err)
	s.invite(t, s.startInviting(t, api), api.assessment, in)
	eventually(t, s.statusIs(t, jobs.StatusSent, 1))
	var bodies []string
	for _, e := range api.Journal() {
		if e.Method == http.MethodPost {
			bodies = append(bodies, string(e.Body))
		}
	}
	require.Len(t, bodies, 2)
	require.JSONEq(t, bodies[0], bodies[1])
}
