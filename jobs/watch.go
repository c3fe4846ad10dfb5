package jobs

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Results are the organizations to watch and the handlers of their results. At least
// one of Handle and Send is required.
type Results[TTx any] struct {
	// Organizations are fixed. For organizations that come and go, set Directory instead.
	Organizations []Organization

	// Directory lists organizations that change while the workers run.
	Directory *Directory

	// Handle is called for each newly evaluated submission, in a transaction that
	// also completes the delivery: what Handle writes with tx is stored exactly
	// once. When Handle returns an error, the transaction is rolled back and the
	// delivery is retried according to Retry. river.JobCancel and river.JobSnooze
	// work as in River.
	//
	//   - Handle must not commit or roll back tx: the delivery is then cancelled with an
	//     error that says so, because a retry could store the result twice.
	//   - Handle must return when ctx ends. One that does not keeps its goroutine and
	//     connection. Its worker is given to other deliveries.
	//   - After a panic, River stores and logs the type of the value and the stack. It
	//     does not store the text, which may contain candidate data, unless the value is a
	//     runtime.Error.
	//   - On SQLite, Handle must not use another connection, because there is only one.
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
// inserts the next poll. A job that runs twice a minute inserts a poll where there is none.
//
// No organization can hold up the others: in each process at most three of ten
// workers deliver results of one organization. An organization whose last delivery
// reached its timeout has one worker, and all of these together have half of the workers.
//
// Watch changes these fields of config:
//
//   - Workers, PeriodicJobs and Hooks: Watch adds its own.
//   - Queues: Watch adds those that are missing.
//   - JobStuckHandler: Watch handles its own deliveries, and passes other jobs on.
//   - RescueStuckJobsAfter: if zero, 15 s more than JobTimeout. The jobs of a killed
//     process wait for so long.
//   - Test.Time: if nil, the clock of the database, so that a worker with a wrong
//     clock schedules jobs at the right time.
//
// Scope read; costs what Poll costs.
//
//nolint:contextcheck,nolintlint // Watch waits for nothing: it has no context.
func Watch[D riverdriver.Driver[TTx], TTx any](config *river.Config, results ...Results[TTx]) error {
	results = slices.Clone(results)
	sources := make([]source, len(results))
	for i := range results {
		r := &results[i]
		if r.Handle == nil && r.Send == nil {
			return errors.New("jobs: Watch: Handle and Send are nil: results would go nowhere")
		}
		r.Retry = r.Retry.withDefaults()
		sources[i] = source{r.Organizations, r.Directory, r.Telemetry.complete()}
	}
	if len(results) == 0 {
		return errors.New("jobs: Watch: no Results were given")
	}
	var in *installation
	registry, err := newRegistry(func() *slog.Logger { return in.logger() }, sources...)
	if err != nil {
		return err
	}
	if in, err = install[D](config); err != nil {
		return err
	}
	in.watched = registry
	config.JobStuckHandler = in.handleStuck(config.JobStuckHandler)
	common := supervisor[TTx]{in, registry}
	organizations := 0
	for _, s := range sources {
		organizations += len(s.fixed)
		if s.directory != nil {
			organizations = mostPolls
		}
	}
	addQueue(config, QueuePolls, min(max(10, organizations), mostPolls))
	addQueue(config, QueueDeliveries, 10)
	polls := &pollWorker[D, TTx]{supervisor: common, results: results, timeout: pollTimeout(config.JobTimeout)}
	if err := river.AddWorkerSafely(config.Workers, polls); err != nil {
		return err
	}
	deliveries := &deliveryWorker[D, TTx]{
		supervisor: common, results: results, shares: newShares(config.Queues[QueueDeliveries].MaxWorkers),
	}
	if err := river.AddWorkerSafely(config.Workers, deliveries); err != nil {
		return err
	}
	for _, s := range sources {
		for _, o := range s.fixed {
			o.telemetry = s.telemetry
			o.reportPollDue(context.Background(), 0)
		}
	}
	return nil
}

// mostPolls is the largest default number of workers for polls.
const mostPolls = 200

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

// unfinishedStates are the states in which a unique job prevents the insertion of
// another one.
var unfinishedStates = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// pollArgs are the arguments of a poll of an organization.
type pollArgs struct {
	Organization string `json:"organization" river:"unique"`
	// Version of the row when the job was inserted. If it is above 0 and the row is missing, the row was deleted.
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

	results []Results[TTx] // By source.
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
// poll is discarded, and another is inserted within a minute.
func (w *pollWorker[D, TTx]) NextRetry(job *river.Job[pollArgs]) time.Time {
	return w.clock.Now().Add(jittered(time.Duration(job.Attempt*job.Attempt) * time.Second))
}

// Work makes one poll.
func (w *pollWorker[D, TTx]) Work(ctx context.Context, job *river.Job[pollArgs]) error {
	return w.supervise(ctx, attempt{row: job.JobRow, organization: job.Args.Organization}, func(o Organization, source int) error {
		return w.poll(ctx, o, w.results[source].Retry, job)
	})
}

func (w *pollWorker[D, TTx]) poll(ctx context.Context, o Organization, retry RetryPolicy, job *river.Job[pollArgs]) error {
	row, err := w.loadWatchRow(ctx, job)
	if err != nil {
		return err
	}
	options, state, err := row.pollFrom(o)
	if err != nil {
		return err
	}
	pollCtx, stop := withEarlierDeadline(ctx)
	polled, pollErr := o.Client.Submissions.Poll(pollCtx, state, options)
	stop()
	if pollErr != nil && polled.State == state {
		return pollErr
	}
	ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), saveTimeout) // What was found is saved during a shutdown, too.
	defer stop()
	if err := w.save(ctx, o, retry, job, row.version, polled, pollErr == nil); err != nil {
		return errors.Join(err, pollErr)
	}
	for range polled.Errors {
		w.logger().WarnContext(ctx, "jobs: a submission cannot be decoded: its id is in hiring_jobs, with the status unreadable", "organization", o.Name, "kind", KindPoll)
		o.reportEvent(ctx, KindPoll, EventUnreadable)
	}
	if pollErr == nil {
		o.reportPollDue(ctx, polled.Wait)
	}
	return pollErr
}

// saveTimeout limits saving the result of a poll.
const saveTimeout = 5 * time.Second

// save saves the result of a poll in one transaction. If the poll succeeded, the
// transaction also completes the job and inserts the next one.
func (w *pollWorker[D, TTx]) save(
	ctx context.Context, o Organization, retry RetryPolicy, job *river.Job[pollArgs], version int64, polled hiring.PollResult, succeeded bool,
) error {
	deliveries, err := deliveriesOf(o, retry.attempts(), polled.Submissions)
	if err != nil {
		return err
	}
	client := river.ClientFromContext[TTx](ctx)
	return inTx(ctx, func(tx TTx, t table) error {
		row := savedRow{status: StatusWatching, detail: polled.State, version: version, failed: !succeeded}
		if err := t.save(ctx, rowKey{organization: o.Name}, row); err != nil {
			return err
		}
		for _, problem := range polled.Errors {
			item, ok := errors.AsType[*hiring.ItemError](problem)
			if !ok {
				continue
			}
			key := rowKey{organization: o.Name, address: unreadableAddress + item.ID}
			if err := t.insert(ctx, key, savedRow{status: StatusUnreadable, detail: item.Err.Error(), version: 1}); err != nil {
				return err
			}
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
