package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Organization is one customer of the API, with a name and an API key.
type Organization struct {
	// Name identifies the organization in jobs and in the table. It must never
	// change, and no other organization may use it. Use one name for each key: the
	// polls of two names with one key do not count each other's requests.
	Name string

	// Client has the organization's key, and with it a rate limit of its own.
	Client *hiring.Client

	// Watch are the options of the polls. Since is the start of the first poll. A zero
	// Since means the time when the first job was inserted, even if that job failed.
	// With Regraded, each evaluation of a submission is one delivery. Checkpoint must
	// be nil, because the state is in the table hiring_jobs.
	Watch hiring.WatchOptions

	// Value is passed to the handlers in [Delivery.Organization]. This package does
	// not use it.
	Value any

	telemetry Telemetry // Of the Results or Invitations that contain the organization.
}

// Results are the organizations to watch and the handlers of their results. At least
// one of Handle and Send is required.
type Results[TTx any] struct {
	Organizations []Organization

	// Handle is called for each newly evaluated submission, in a transaction that
	// also completes the delivery: what Handle writes with tx is stored exactly
	// once. When Handle returns an error, the transaction is rolled back and the
	// delivery is retried according to Retry. river.JobCancel and river.JobSnooze
	// work as in River. On SQLite, Handle must not use another connection, because
	// there is only one.
	Handle func(ctx context.Context, tx TTx, d Delivery) error

	// Send is called before Handle, outside of any transaction, for receivers other
	// than this database, such as [Webhook.Send]. Send is called at least once: again
	// after Send or Handle has failed, and after the process has died before the
	// delivery was completed. See [ErrReceiverGone] and [RetryAfterError].
	Send func(ctx context.Context, d Delivery) error

	// Retry is the policy for failed deliveries. River's MaxAttempts does not apply
	// to deliveries.
	Retry RetryPolicy

	// Telemetry receives deliveries, polls and failures of these organizations.
	Telemetry Telemetry
}

// Kinds of the jobs of this package, as in the table river_job.
const (
	KindPoll        = "hiring_poll"
	KindDelivery    = "hiring_delivery"
	KindInvitations = "hiring_invitations"
	KindHealth      = "hiring_health"
)

// Names of the queues. Watch and SendInvitations add the queues that a river.Config
// lacks.
const (
	QueuePolls       = "hiring_polls"
	QueueDeliveries  = "hiring_deliveries"
	QueueInvitations = "hiring_invitations"
	QueueHealth      = "hiring_health"
)

// Watch adds the workers that poll for results and deliver them to the configuration
// of a River client. Call it once, before river.NewClient, with one Results for each
// handler.
//
// For each organization there is one poll job at a time, in any of the processes. A poll
// calls [hiring.SubmissionService.Poll]. In one transaction it then saves the state,
// inserts a delivery for each newly evaluated submission, completes itself and
// inserts the next poll. River's leader inserts a poll where there is none.
//
// Watch changes these fields of config:
//
//   - Workers and PeriodicJobs: Watch adds its own.
//   - Queues: Watch adds those that are missing.
//   - RescueStuckJobsAfter: if zero, 15 s more than JobTimeout. The jobs of a killed
//     process wait for so long.
//   - Test.Time: if nil, the clock of the database, so that a worker with a wrong
//     clock schedules jobs at the right time.
//
// Scope read; costs what Poll costs.
//
//nolint:contextcheck,nolintlint // Watch waits for nothing: it has no context.
func Watch[D riverdriver.Driver[TTx], TTx any](config *river.Config, results ...Results[TTx]) error {
	var all []Organization
	byName := make(map[string]*Results[TTx])
	for _, r := range results {
		if r.Handle == nil && r.Send == nil {
			return errors.New("jobs: Watch: Handle and Send are nil: results would go nowhere")
		}
		r.Retry = r.Retry.withDefaults()
		for _, o := range r.Organizations {
			o.telemetry = r.Telemetry
			all = append(all, o)
			byName[o.Name] = &r
		}
	}
	organizations, err := organizationsByName(all)
	if err != nil {
		return err
	}
	setDefaults(config)
	common := supervisor[TTx]{organizations, installClock[D](config)}
	polls := &pollWorker[D, TTx]{supervisor: common, results: byName, timeout: pollTimeout(config.JobTimeout)}
	if err := river.AddWorkerSafely(config.Workers, polls); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(config.Workers, &deliveryWorker[D, TTx]{supervisor: common, results: byName}); err != nil {
		return err
	}
	addQueue(config, QueuePolls, min(max(10, len(organizations)), 200))
	addQueue(config, QueueDeliveries, 10)
	for _, o := range all {
		addPeriodicJob(config, pollArgs{Organization: o.Name}, time.Minute)
		o.reportPollDue(context.Background(), 0)
	}
	return watchHealth[D](config, common)
}

// organizations are organizations by name.
type organizations map[string]Organization

func organizationsByName(all []Organization) (organizations, error) {
	byName := make(organizations, len(all))
	for _, o := range all {
		if o.Name == "" || o.Client == nil {
			return nil, errors.New("jobs: an organization needs a Name and a Client")
		}
		if o.Watch.Checkpoint != nil {
			return nil, fmt.Errorf("jobs: organization %q: Watch.Checkpoint would not be used: leave it nil, the state is in the table hiring_jobs", o.Name)
		}
		if _, exists := byName[o.Name]; exists {
			return nil, fmt.Errorf("jobs: two organizations have the name %q: give each its own name", o.Name)
		}
		byName[o.Name] = o
	}
	if len(byName) == 0 {
		return nil, errors.New("jobs: no organizations were given")
	}
	return byName, nil
}

func (all organizations) find(name string) (Organization, error) {
	o, ok := all[name]
	if !ok {
		return o, fmt.Errorf("jobs: this process has no organization named %q: register it in every process", name)
	}
	return o, nil
}

// setDefaults sets the fields of a configuration that all workers of this package
// need.
func setDefaults(config *river.Config) {
	if config.Workers == nil {
		config.Workers = river.NewWorkers()
	}
	if config.RescueStuckJobsAfter != 0 {
		return
	}
	if config.JobTimeout < 0 { // Jobs have no timeout.
		config.RescueStuckJobsAfter = 5 * time.Minute
		return
	}
	config.RescueStuckJobsAfter = cmp.Or(config.JobTimeout, river.JobTimeoutDefault) + 15*time.Second
}

// addQueue adds a queue that a configuration lacks. With River's default FetchCooldown of
// 100 ms, ten workers complete at most a hundred short jobs a second.
func addQueue(config *river.Config, name string, workers int) {
	if _, ok := config.Queues[name]; ok {
		return
	}
	queue := river.QueueConfig{MaxWorkers: workers}
	if config.FetchCooldown == 0 {
		queue.FetchCooldown = 10 * time.Millisecond
	}
	if config.Queues == nil {
		config.Queues = make(map[string]river.QueueConfig)
	}
	config.Queues[name] = queue
}

// addPeriodicJob makes the leader insert a job when it starts and at intervals, unless
// there is one.
func addPeriodicJob(config *river.Config, args river.JobArgs, interval time.Duration) {
	construct := func() (river.JobArgs, *river.InsertOpts) { return args, nil }
	job := river.NewPeriodicJob(river.PeriodicInterval(interval), construct, &river.PeriodicJobOpts{RunOnStart: true})
	config.PeriodicJobs = append(config.PeriodicJobs, job)
}

// unfinishedStates are the states in which a unique job prevents the insertion of
// another one.
var unfinishedStates = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// pollArgs are the arguments of a poll of an organization.
type pollArgs struct {
	Organization string `json:"organization" river:"unique"`
	// Version of the row when the job was inserted. If it is above 0 and the row is missing, the state is lost.
	Round int64 `json:"round"`
}

// Kind returns the kind of the job.
func (pollArgs) Kind() string { return KindPoll }

// InsertOpts returns options that allow one unfinished job for each organization.
func (pollArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueuePolls, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinishedStates}}
}

// pollWorker polls an organization. [Watch] registers it.
type pollWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[pollArgs]
	supervisor[TTx]

	results map[string]*Results[TTx] // By organization name.
	timeout time.Duration
}

// pollTimeout returns the timeout of polls: 30 s, or the timeout of jobs if that is
// shorter. It is below River's default, because a server that does not respond
// occupies a worker.
func pollTimeout(jobTimeout time.Duration) time.Duration {
	if jobTimeout > 0 {
		return min(jobTimeout, 30*time.Second)
	}
	return 30 * time.Second
}

// Timeout returns the timeout of a poll.
func (w *pollWorker[D, TTx]) Timeout(*river.Job[pollArgs]) time.Duration { return w.timeout }

// NextRetry returns the time of the next attempt. The delay in seconds is the square of
// the number of failures: from a second to about ten minutes. After 25 failures the
// poll is discarded, and the leader inserts another within a minute.
func (w *pollWorker[D, TTx]) NextRetry(job *river.Job[pollArgs]) time.Time {
	return w.clock.Now().Add(time.Duration(job.Attempt*job.Attempt) * time.Second)
}

// Work makes one poll.
func (w *pollWorker[D, TTx]) Work(ctx context.Context, job *river.Job[pollArgs]) error {
	return w.supervise(ctx, job.JobRow, job.Args.Organization, func(o Organization) error { return w.poll(ctx, o, job) })
}

func (w *pollWorker[D, TTx]) poll(ctx context.Context, o Organization, job *river.Job[pollArgs]) error {
	row, err := w.loadWatchRow(ctx, job)
	if err != nil {
		return err
	}
	options, state, err := row.pollFrom(o.Watch)
	if err != nil {
		return err
	}
	pollCtx, stop := withEarlierDeadline(ctx)
	options.Checkpoint = nil // The row holds the state.
	polled, pollErr := o.Client.Submissions.Poll(pollCtx, options, state)
	stop()
	if pollErr != nil && polled.State == state {
		return pollErr
	}
	if err := w.save(ctx, o, job, row.version, polled, pollErr == nil); err != nil {
		return errors.Join(err, pollErr)
	}
	if pollErr == nil {
		o.reportPollDue(ctx, polled.Wait)
	}
	return pollErr
}

// save saves the result of a poll in one transaction. If the poll succeeded, the
// transaction also completes the job and inserts the next one.
func (w *pollWorker[D, TTx]) save(
	ctx context.Context, o Organization, job *river.Job[pollArgs], version int64, polled hiring.PollResult, succeeded bool,
) error {
	deliveries, err := deliveriesOf(o, w.results[o.Name].Retry.attempts(), polled.Submissions)
	if err != nil {
		return err
	}
	client := river.ClientFromContext[TTx](ctx)
	return inTx(ctx, func(tx TTx, t table) error {
		row := savedRow{status: StatusWatching, detail: polled.State, version: version}
		if err := t.save(ctx, rowKey{organization: o.Name}, row); err != nil {
			return err
		}
		if len(deliveries) > 0 {
			if _, err := client.InsertManyTx(ctx, tx, deliveries); err != nil {
				return err
			}
		}
		if !succeeded {
			return nil
		}
		if err := complete[D](ctx, tx, job); err != nil {
			return err
		}
		next := &river.InsertOpts{ScheduledAt: w.clock.Now().Add(polled.Wait)}
		_, err := client.InsertTx(ctx, tx, pollArgs{Organization: o.Name, Round: version + 1}, next)
		return err
	})
}

// withEarlierDeadline returns a context that ends after three quarters of the time
// left in ctx. The rest of the time is for saving the results.
func withEarlierDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*3/4)
}
