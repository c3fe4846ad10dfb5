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

// Organization is one customer of the API: a name and a key.
type Organization struct {
	// Name identifies the organization in jobs and in the table. It must never
	// change, nor be given to another organization. Use one name for each key:
	// names that share a key do not know of each other's use of the rate limit.
	Name string

	// Client has the organization's key. No other organization uses its rate limit.
	Client *hiring.Client

	// Watch says what to watch, and with Since where a first run begins. A zero
	// Since means when the first job was inserted, however that job ended. With
	// Regraded, each evaluation of a submission is one delivery. Checkpoint is not
	// used.
	Watch hiring.WatchOptions

	// Value is passed to the handlers in [Delivery.Organization]. This package does
	// not use it.
	Value any

	// Telemetry receives deliveries, polls and failures. Nil: they are not reported.
	Telemetry Telemetry
}

// Results says whose results are watched for, and where they go. At least one of
// Handle and Send is needed.
type Results[TTx any] struct {
	Organizations []Organization

	// Handle is called for each newly evaluated submission, in a transaction that
	// also completes the delivery: what Handle writes with tx is stored exactly
	// once. When Handle returns an error, the transaction is rolled back and the
	// delivery is retried as Retry says; river.JobCancel and river.JobSnooze work as
	// in River. On SQLite, Handle must use no other connection: there is only one.
	Handle func(ctx context.Context, tx TTx, d Delivery) error

	// Send is called before Handle, outside of any transaction, for receivers that
	// are not this database, such as [Webhook.Send]. It is called again when Send or
	// Handle fails, and when the process dies before the delivery is completed: at
	// least once. See [ErrReceiverGone] and [RetryAfterError].
	Send func(ctx context.Context, d Delivery) error

	// Retry says when failed deliveries are retried. River's MaxAttempts does not
	// apply to deliveries.
	Retry RetryPolicy
}

// The queues of the jobs. Watch and SendInvitations add the queues that a
// river.Config lacks.
const (
	QueuePolls       = "hiring_polls"
	QueueDeliveries  = "hiring_deliveries"
	QueueInvitations = "hiring_invitations"
	QueueHealth      = "hiring_health"
)

// Watch registers the workers of results with the configuration of a River client,
// before river.NewClient is called. Organizations with handlers of their own are
// further results of the same call: River has one worker for each kind of job.
//
// Watch adds to config.Workers (new ones when nil) and config.PeriodicJobs, and adds
// the queues that are missing, with the number of workers that they need. It sets
// config.RescueStuckJobsAfter to 15 s more than config.JobTimeout when it is zero:
// a killed process holds up its jobs for so long. It sets config.Test.Time to the
// database's clock when it is nil, so that a worker with a wrong clock schedules
// nothing at a wrong time.
//
// There is one poll job for each organization, however many processes there are. A
// poll calls [hiring.SubmissionService.Poll] and, in one transaction, keeps the
// state, inserts a delivery for each newly evaluated submission, completes itself
// and inserts the next poll. River's leader inserts a poll where there is none.
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
		all = append(all, r.Organizations...)
		for _, o := range r.Organizations {
			byName[o.Name] = &r
		}
	}
	known, err := nameAll(all)
	if err != nil {
		return err
	}
	prepare(config)
	common := supervisor[TTx]{known, install[D](config)}
	polls := &PollWorker[D, TTx]{supervisor: common, results: byName, timeout: pollTimeout(config.JobTimeout)}
	if err := river.AddWorkerSafely(config.Workers, polls); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(config.Workers, &DeliveryWorker[D, TTx]{supervisor: common, results: byName}); err != nil {
		return err
	}
	addQueue(config, QueuePolls, min(max(10, len(known)), 200))
	addQueue(config, QueueDeliveries, 10)
	for _, o := range all {
		insertAlways(config, PollArgs{Organization: o.Name}, time.Minute)
		o.pollDue(context.Background(), 0)
	}
	return watchHealth[D](config, common)
}

// organizations are the organizations by their names.
type organizations map[string]Organization

func nameAll(all []Organization) (organizations, error) {
	known := make(organizations, len(all))
	for _, o := range all {
		if o.Name == "" || o.Client == nil {
			return nil, errors.New("jobs: an organization needs a Name and a Client")
		}
		if _, twice := known[o.Name]; twice {
			return nil, fmt.Errorf("jobs: two organizations are named %q", o.Name)
		}
		known[o.Name] = o
	}
	if len(known) == 0 {
		return nil, errors.New("jobs: there are no organizations")
	}
	return known, nil
}

func (known organizations) find(name string) (Organization, error) {
	o, ok := known[name]
	if !ok {
		return o, fmt.Errorf("jobs: this process does not know an organization named %q", name)
	}
	return o, nil
}

func prepare(config *river.Config) {
	if config.Workers == nil {
		config.Workers = river.NewWorkers()
	}
	if config.RescueStuckJobsAfter != 0 {
		return
	}
	config.RescueStuckJobsAfter = 5 * time.Minute // Jobs have no timeout.
	if config.JobTimeout >= 0 {
		config.RescueStuckJobsAfter = cmp.Or(config.JobTimeout, river.JobTimeoutDefault) + 15*time.Second
	}
}

func addQueue(config *river.Config, name string, workers int) {
	if config.Queues == nil {
		config.Queues = make(map[string]river.QueueConfig)
	}
	if _, ok := config.Queues[name]; !ok {
		config.Queues[name] = river.QueueConfig{MaxWorkers: workers, FetchCooldown: fetchCooldown(config)}
	}
}

// fetchCooldown returns how soon a queue that had jobs is read again. With River's
// default of 100 ms, ten workers end at most a hundred short jobs a second. A value
// of the user stays.
func fetchCooldown(config *river.Config) time.Duration {
	if config.FetchCooldown != 0 {
		return 0
	}
	return 10 * time.Millisecond
}

// insertAlways makes the leader insert a job when it starts and at intervals, unless
// there is one.
func insertAlways(config *river.Config, args river.JobArgs, every time.Duration) {
	construct := func() (river.JobArgs, *river.InsertOpts) { return args, nil }
	job := river.NewPeriodicJob(river.PeriodicInterval(every), construct, &river.PeriodicJobOpts{RunOnStart: true})
	config.PeriodicJobs = append(config.PeriodicJobs, job)
}

// alone are the states in which a job keeps others of its kind from being inserted:
// all but the final ones.
var alone = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// PollArgs are the arguments of a poll of an organization.
type PollArgs struct {
	Organization string `json:"organization" river:"unique"`
	Round        int64  `json:"round"` // The version of the row when the job was inserted: above 0, a missing row is lost.
}

// Kind names the job.
func (PollArgs) Kind() string { return pollKind }

const pollKind = "hiring_poll"

// InsertOpts make the job the only one for its organization.
func (PollArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueuePolls, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: alone}}
}

// PollWorker polls. [Watch] registers it.
type PollWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[PollArgs]
	supervisor[TTx]

	results map[string]*Results[TTx] // By the name of an organization.
	timeout time.Duration
}

// pollTimeout returns how long a poll may take: no longer than other jobs, and less
// than their default, because a server that does not answer occupies a worker.
func pollTimeout(jobTimeout time.Duration) time.Duration {
	if jobTimeout > 0 {
		return min(jobTimeout, 30*time.Second)
	}
	return 30 * time.Second
}

// Timeout returns the timeout of a poll.
func (w *PollWorker[D, TTx]) Timeout(*river.Job[PollArgs]) time.Duration { return w.timeout }

// NextRetry returns a time between a second after the first failure and ten minutes
// after the last. A poll that has failed 25 times is discarded, and the leader
// inserts another within a minute.
func (w *PollWorker[D, TTx]) NextRetry(job *river.Job[PollArgs]) time.Time {
	return w.clock.Now().Add(time.Duration(job.Attempt*job.Attempt) * time.Second)
}

// Work polls once.
func (w *PollWorker[D, TTx]) Work(ctx context.Context, job *river.Job[PollArgs]) error {
	return w.supervise(ctx, job.JobRow, job.Args.Organization, func(o Organization) error { return w.poll(ctx, o, job) })
}

func (w *PollWorker[D, TTx]) poll(ctx context.Context, o Organization, job *river.Job[PollArgs]) error {
	before, err := w.take(ctx, job)
	if err != nil {
		return err
	}
	options, state, err := before.from(o.Watch)
	if err != nil {
		return err
	}
	asking, stop := sooner(ctx)
	polled, failure := o.Client.Submissions.Poll(asking, options, state)
	stop()
	if failure != nil && polled.State == state {
		return failure
	}
	if err := w.keep(ctx, o, job, before, polled, failure == nil); err != nil {
		return errors.Join(err, failure)
	}
	if failure == nil {
		o.pollDue(ctx, polled.Wait)
	}
	return failure
}

// keep saves what a poll has found. When the poll did not reach its end, the job is
// left to fail.
func (w *PollWorker[D, TTx]) keep(ctx context.Context, o Organization, job *river.Job[PollArgs], before watched, polled hiring.PollResult, ended bool) error {
	deliveries, err := deliveriesOf(o, w.results[o.Name].Retry.attempts(), polled.Submissions)
	if err != nil {
		return err
	}
	client := river.ClientFromContext[TTx](ctx)
	return inTx(ctx, client, func(tx TTx, t table) error {
		after := watched{status: StatusWatching, detail: polled.State, version: before.version}
		if err := t.save(ctx, o.Name, after); err != nil {
			return err
		}
		if len(deliveries) > 0 {
			if _, err := client.InsertManyTx(ctx, tx, deliveries); err != nil {
				return err
			}
		}
		if !ended {
			return nil
		}
		if err := complete[D](ctx, tx, job); err != nil {
			return err
		}
		next := &river.InsertOpts{ScheduledAt: w.clock.Now().Add(polled.Wait)}
		_, err := client.InsertTx(ctx, tx, PollArgs{Organization: o.Name, Round: before.version + 1}, next)
		return err
	})
}

// sooner returns a context that ends before ctx, so that there is time to keep what
// was done.
func sooner(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*3/4)
}
