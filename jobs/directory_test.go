package jobs_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
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

// customerTable is a table of customers that a test changes.
type customerTable struct {
	sync.Mutex

	hangs    sync.Mutex // List does not return while it is locked.
	rows     map[string]customer
	opened   map[string]int // Calls of Open by name.
	fails    bool           // List fails.
	failures int            // So far.
}

// fail panics, and the next two times returns an error: an attempt may call it twice.
func (c *customerTable) fail(err error) error {
	c.failures++
	if c.failures%3 == 1 {
		panic(err)
	}
	return err
}

type customer struct {
	api    *fakeAPI
	client *hiring.Client // Or nil for one of the API.
	err    error          // Of Open.
}

func newCustomers() *customerTable {
	return &customerTable{rows: make(map[string]customer), opened: make(map[string]int)}
}

func (c *customerTable) set(name string, row customer) {
	c.Lock()
	defer c.Unlock()
	c.rows[name] = row
}

func (c *customerTable) remove(name string) {
	c.Lock()
	defer c.Unlock()
	delete(c.rows, name)
}

func (c *customerTable) openedTimes(name string) int {
	c.Lock()
	defer c.Unlock()
	return c.opened[name]
}

func (c *customerTable) setFailing(fails bool) {
	c.Lock()
	defer c.Unlock()
	c.fails, c.failures = fails, 0
}

func (c *customerTable) directory() *jobs.Directory {
	return &jobs.Directory{
		List: func(context.Context) (listed []jobs.DirectoryEntry, err error) {
			c.hangs.Lock()
			defer c.hangs.Unlock()
			c.Lock()
			defer c.Unlock()
			if c.fails {
				return nil, c.fail(errors.New("the table cannot be read"))
			}
			for name := range c.rows {
				listed = append(listed, jobs.DirectoryEntry{Name: name})
			}
			return listed, nil
		},
		Open: func(_ context.Context, l jobs.DirectoryEntry) (jobs.Organization, error) {
			c.Lock()
			defer c.Unlock()
			c.opened[l.Name]++
			row := c.rows[l.Name]
			if row.err != nil {
				return jobs.Organization{}, c.fail(row.err)
			}
			o := row.api.organization("")
			o.Client = cmp.Or(row.client, o.Client)
			return o, nil
		},
	}
}

// healthy are the runs of the health job that succeeded.
const healthy = "river_job WHERE kind = 'hiring_health' AND state = 'completed'"

// retryAll starts all jobs of a kind in some states now, instead of waiting.
func retryAll[TTx any](ctx context.Context, client *river.Client[TTx], kind string, states ...rivertype.JobState) error {
	list, err := client.JobList(ctx, river.NewJobListParams().Kinds(kind).States(states...).First(10_000))
	for i := 0; err == nil && i < len(list.Jobs); i++ {
		_, err = client.JobRetry(ctx, list.Jobs[i].ID)
	}
	return err
}

func TestOrganizationsComeAndGo(t *testing.T) {
	t.Parallel()
	onBothStores(t, organizationsComeAndGo[pgx.Tx], organizationsComeAndGo[*sql.Tx])
}

// organizationsComeAndGo starts without organizations, adds two, changes a key, removes
// one and adds it again. Beside the process that works, another one has nothing to do.
func organizationsComeAndGo[TTx any](t *testing.T, s *store[TTx]) {
	table, acme, other := newCustomers(), newAPI(t), newAPI(t)
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	var failing atomic.Bool
	r, idle := newRecorder(), newRecorder()
	s.startIdle(t, table, idle)
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Directory: table.directory(), Telemetry: r.telemetry()}))
	client, _ := s.watch(t, config, jobs.Results[TTx]{
		Directory: table.directory(), Telemetry: r.telemetry(), Retry: jobs.RetryPolicy{First: 3 * time.Second},
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if failing.Load() {
				return errors.New("failed")
			}
			return s.insertResult(ctx, tx, d)
		},
	})
	acme.addEvaluated(t, 1)
	other.addEvaluated(t, 2)
	table.set("acme", customer{api: acme})
	table.set("other", customer{api: other})
	eventually(t, s.countIs(t, 1, "results WHERE organization = 'acme'"))
	eventually(t, s.countIs(t, 2, "results WHERE organization = 'other'"))
	require.Equal(t, 1, s.invite(t, client, acme.assessment, candidates(1)...))
	eventually(t, s.statusIs(t, jobs.StatusSent, 1))

	require.LessOrEqual(t, table.openedTimes("acme"), 2, "once for each of the two directories")
	acme.RevokeKey(sandbox.LiveKey)
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND args->>'organization' = 'acme' AND state = 'retryable'"))
	const newKey = "sk_live_rotated_0123456789"
	acme.AddKey(sandbox.Key{Token: newKey, Scope: sandbox.ScopeAdmin})
	acme.client = acme.LiveClient(hiring.WithKeySource(func(context.Context) (string, error) { return newKey, nil }))
	table.set("acme", customer{api: acme, client: acme.client})
	require.NoError(t, retryAll(t.Context(), client, jobs.KindPoll, rivertype.JobStateRetryable)) // Instead of waiting for a minute.
	acme.addEvaluated(t, 1)
	eventually(t, s.countIs(t, 2, "results WHERE organization = 'acme'"), "the new key is used, although the revision has not changed")

	failing.Store(true)
	acme.addEvaluated(t, 3)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesFailing) == 3 })
	eventually(t, func() bool { return !idle.dueOf("acme").IsZero() })
	table.remove("acme")
	const waiting = "river_job WHERE kind = 'hiring_delivery' AND args->>'organization' = 'acme' AND state = 'scheduled'"
	eventually(t, s.countIs(t, 3, waiting))
	eventually(t, s.countIs(t, 0, "river_job WHERE kind = 'hiring_poll' AND args->>'organization' = 'acme' AND finalized_at IS NULL"))
	require.Contains(t, log.String(), `level=WARN msg="jobs: the organization is not listed: its job ends, its deliveries wait" organization=acme kind=hiring_poll`)
	eventually(t, func() bool { return r.dueOf("acme").IsZero() && idle.dueOf("acme").IsZero() })
	require.False(t, r.dueOf("other").IsZero())
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesUnlisted) == 3 })
	require.Equal(t, 1, s.invite(t, client, acme.assessment, candidates(2)...))
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck) == 1 }, "an invitation that no process sends")

	failing.Store(false)
	acme.addEvaluated(t, 1)
	const begun = "river_job WHERE kind = 'hiring_poll' AND args->>'organization' = 'acme' AND scheduled_at <= created_at"
	before := s.count(t, begun) // A health job that listed acme a moment ago may have inserted one more.
	table.set("acme", customer{api: acme, client: acme.client})
	eventually(t, s.countIs(t, 3, "results WHERE organization = 'acme'"), "an organization that returns continues")
	require.Greater(t, s.count(t, begun), before, "at once, as at the first time")
	require.NoError(t, retryAll(t.Context(), client, jobs.KindDelivery, rivertype.JobStateScheduled)) // Instead of waiting for ten minutes.
	eventually(t, s.countIs(t, 6, "results WHERE organization = 'acme'"), "with the deliveries that waited")
	require.Equal(t, 2, s.count(t, "results WHERE organization = 'other'"))
	eventually(t, s.statusIs(t, jobs.StatusSent, 2))
	eventually(t, func() bool { return r.deliveries(jobs.InvitationsStuck)+r.deliveries(jobs.DeliveriesUnlisted) == 0 })
}

// startIdle starts a process whose only worker does not return from its first report.
func (s *store[TTx]) startIdle(t *testing.T, table *customerTable, r *recorder) (stop func()) {
	t.Helper()
	config, telemetry, ended := testConfig(), r.telemetry(), make(chan struct{})
	telemetry.Count = func(context.Context, jobs.CountEvent) { <-ended }
	telemetry.PollDue = func(ctx context.Context, e jobs.PollDueEvent) {
		r.telemetry().PollDue(ctx, e)
		panic("PollDue")
	}
	end := sync.OnceFunc(func() { close(ended) })
	require.NoError(t, jobs.Watch(config, s.database, jobs.Results[TTx]{Directory: table.directory(), Telemetry: telemetry, Handle: s.insertResult}))
	delete(config.Queues, jobs.QueuePolls)
	delete(config.Queues, jobs.QueueDeliveries)
	_, stopClient := s.start(t, config)
	t.Cleanup(end)
	return func() { end(); stopClient() }
}

// TestDirectoryThatFailsRemovesNothingSQLite has a List and an Open that fail for a while, at the
// start and later. Then List hangs.
func TestDirectoryThatFailsRemovesNothingSQLite(t *testing.T) {
	t.Parallel()
	s := newSQLite(t)
	table, acme, closed := newCustomers(), newAPI(t), newAPI(t)
	acme.addEvaluated(t, 1)
	table.set("acme", customer{api: acme})
	r := newRecorder()
	results := jobs.Results[*sql.Tx]{Directory: table.directory(), Handle: s.insertResult, Telemetry: r.telemetry()}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, s.countIs(t, 1, "results"))
	stop()
	s.mustExec(t, "UPDATE river_job SET max_attempts = 1 WHERE kind = 'hiring_poll' AND finalized_at IS NULL")

	table.setFailing(true)
	table.set("closed", customer{api: closed, err: errors.New("the key cannot be decrypted")})
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	s.watch(t, config, results)
	const unhealthy = `another run follows within a minute" organization="" kind=hiring_health`
	eventually(t, func() bool { return strings.Contains(log.String(), unhealthy) })
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND CAST(errors AS text) LIKE '%jobs: Directory.List: %'"), "perhaps with a panic")
	eventually(t, func() bool { return r.eventOf(jobs.KindPoll, jobs.EventDiscarded) == 1 })
	table.setFailing(false)
	acme.addEvaluated(t, 1)
	closed.addEvaluated(t, 1)
	eventually(t, s.countIs(t, 2, "results"))
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND CAST(errors AS text) LIKE '%the key cannot be decrypted%'"))
	table.set("closed", customer{api: closed})
	eventually(t, s.countIs(t, 3, "results"))
	require.Zero(t, s.count(t, "river_job WHERE state = 'cancelled'"))
	require.Regexp(t, `organization=closed kind=hiring_poll .*cause=panic origin=directory_test.go`, log.String())

	table.hangs.Lock()
	t.Cleanup(table.hangs.Unlock)
	const failed = `level=ERROR msg="jobs: Directory.List failed: the previous organizations stay" error="it has not returned`
	eventually(t, func() bool { return strings.Count(log.String(), failed) > 1 })
	reports := s.count(t, healthy)
	eventually(t, func() bool { return s.count(t, healthy) > reports+1 })
}

// TestLockedTableDelaysNoDirectoryPostgres locks hiring_jobs, first against writes only, for longer than a process waits for the times of
// the polls.
func TestLockedTableDelaysNoDirectoryPostgres(t *testing.T) {
	t.Parallel()
	s, api, directory, config, r := newPostgres(t), newAPI(t), new(jobs.Directory), testConfig(), newRecorder()
	var log logBuffer
	config.Logger = log.logger()
	var listed atomic.Int64
	directory.List = func(ctx context.Context) ([]jobs.DirectoryEntry, error) { listed.Add(1); return nil, ctx.Err() }
	require.NoError(t, jobs.Watch(config, s.database, jobs.Results[pgx.Tx]{Organizations: api.organizations(), Handle: s.insertResult, Telemetry: r.telemetry()}))
	require.NoError(t, jobs.SendInvitations(config, s.database, jobs.Invitations{Directory: directory}))
	delete(config.Queues, jobs.QueuePolls)
	s.mustExec(t, "INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('acme', '', ' unreadable one', 'unreadable', '')")
	tx, err := s.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	_, err = tx.ExecContext(t.Context(), "LOCK TABLE hiring_jobs IN EXCLUSIVE MODE")
	require.NoError(t, err)
	s.start(t, config)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesUnreadable) == 1 }, "although the row of the first poll cannot be inserted")
	_, err = tx.ExecContext(t.Context(), "LOCK TABLE hiring_jobs")
	require.NoError(t, err)
	eventually(t, func() bool {
		return strings.Contains(log.String(), `level=WARN msg="jobs: the times of the polls cannot be read`) && listed.Load() > 0
	})
	require.NotContains(t, log.String(), "Directory.List failed")
}
