package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
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

// Watch adds the workers that poll for results and deliver them to the configuration
// of a River client. Call it once for a configuration, before river.NewClient, with one
// Results for each handler.
//
// For each organization there is one poll job at a time, in any of the processes. A poll
// calls [hiring.SubmissionService.Poll]. It inserts a delivery for each newly evaluated
// submission, a hundred in a transaction. In the last transaction it saves the state,
// completes itself and inserts the next poll. A job that runs twice a minute inserts a poll
// where there is none.
//
// No organization can hold up the others: in each process at most three of ten
// workers deliver results of one organization. An organization whose last delivery
// reached its timeout has one worker, and all of these together have half of the workers. A
// handler that does not return keeps its connection. Its worker takes other deliveries only while
// the pool has more connections than five and one for each worker.
//
// Watch changes these fields of config:
//
//   - Workers, PeriodicJobs and Hooks: Watch adds its own. It registers all kinds of jobs of
//     this package, also those of SendInvitations.
//   - Queues: Watch adds those that are missing.
//   - Test.Time: if nil, the time by the database's clock, so that a wrong clock of this process
//     delays no job.
//   - JobStuckHandler: Watch handles its own deliveries, and passes other jobs on.
//   - RescueStuckJobsAfter: if zero, five minutes, or 2 min more than a JobTimeout above
//     three minutes. The jobs of a killed process wait for so long. A shorter time than the
//     longest timeout of a job (three minutes, or JobTimeout) plus 90 s is an error.
//
// Any other River client in the schema calls Watch or SendInvitations too, or sets
// LeaderElectionDisabled: as the leader it would discard jobs of this package, whose kinds it does not know.
//
// It is an error if the pool of PostgreSQL has too few connections: five more than workers
// of [QueueDeliveries].
//
// Scope read; costs what Poll costs.
//
//nolint:contextcheck,nolintlint // Watch waits for nothing: it has no context.
func Watch[TTx any](config *river.Config, db Database[TTx], results ...Results[TTx]) error {
	results = slices.Clone(results)
	sources, taken := make([]source, len(results)), make(map[string]bool)
	for i := range results {
		r := &results[i]
		if r.Handle == nil && r.Send == nil {
			return errors.New("jobs: Watch: Handle and Send are nil: results would go nowhere")
		}
		var err error
		if sources[i], err = newSource(r.Organizations, r.Directory, r.Telemetry, taken); err != nil {
			return err
		}
		if min(r.Retry.First, r.Retry.Max, r.Retry.End) < 0 {
			return errors.New("jobs: Watch: the fields of Retry must not be negative")
		}
		r.Retry = r.Retry.withDefaults()
	}
	workers := cmp.Or(config.Queues[QueueDeliveries].MaxWorkers, deliveryWorkers)
	more := db.maxConns - workers - spareConns // For handlers that do not return.
	switch {
	case db.sqlite:
		more = workers
	case more < 0:
		return fmt.Errorf("jobs: Watch: the pool has at most %d connections: set MaxConns of pgxpool.Config to at least %d, five more than deliveries run at once", db.maxConns, workers+spareConns)
	}
	in, err := install(config, db)
	if err != nil {
		return err
	}
	if len(results) == 0 || in.watched != nil {
		return errors.New("jobs: Watch: call it once for a river.Config, with at least one Results")
	}
	in.watched, in.results, in.shares = in.register(in.countPolls, sources...), results, newShares(workers)
	config.JobStuckHandler = addSlots(more, config.JobStuckHandler)
	addQueue(config, QueuePolls, river.QueueConfig{MaxWorkers: pollWorkers})
	addQueue(config, QueueDeliveries, river.QueueConfig{MaxWorkers: workers, FetchPollInterval: sharePollInterval})
	return nil
}

// Default numbers of workers. A poll of a server that does not respond occupies one for its timeout.
const (
	pollWorkers     = 200
	deliveryWorkers = 10
)

// spareConns is the number of connections that polls, invitations and River itself need.
const spareConns = 5

// unfinishedStates are the states in which a unique job prevents the insertion of
// another one.
var unfinishedStates = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// pollArgs are the arguments of a poll of an organization.
type pollArgs struct {
	Organization string `json:"organization" river:"unique"`
	Wait         int64  `json:"wait"` // Seconds after the poll before, by which the database knows when this one is due.
}

// Kind returns [KindPoll].
func (pollArgs) Kind() string { return KindPoll }

// InsertOpts returns options that allow one unfinished job for each organization.
func (pollArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueuePolls, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinishedStates}}
}

// pollWorker polls an organization.
type pollWorker[TTx any] struct {
	river.WorkerDefaults[pollArgs]
	*installation[TTx]
}

// longestPoll is below River's default timeout, because a server that does not respond
// occupies a worker.
const longestPoll = 30 * time.Second

// Timeout returns 30 s, or the timeout of jobs if that is shorter.
func (w *pollWorker[TTx]) Timeout(*river.Job[pollArgs]) time.Duration {
	return min(cmp.Or(w.config.JobTimeout, longestPoll), longestPoll)
}

// NextRetry returns the time of the next attempt. The delay in seconds is the square of
// the number of failures: from a second to about ten minutes. After 25 failures the
// poll is discarded, and another is inserted within two minutes. The poll of a killed process
// waits for a second.
func (w *pollWorker[TTx]) NextRetry(job *river.Job[pollArgs]) time.Time {
	return w.nextRetry(job.ID, pollDelay(1))
}

func pollDelay(failures int) time.Duration { return time.Duration(failures*failures) * time.Second }

// Work makes one poll.
func (w *pollWorker[TTx]) Work(ctx context.Context, job *river.Job[pollArgs]) error {
	a := attempt{row: job.JobRow, organization: job.Args.Organization, delay: pollDelay}
	return w.supervise(ctx, w.watched, a, func(o Organization, _ int) error { return w.poll(ctx, o, job) })
}

func (w *pollWorker[TTx]) poll(ctx context.Context, o Organization, job *river.Job[pollArgs]) error {
	row, err := w.table().load(ctx, o.Name, watchAddress)
	if err != nil {
		return err
	}
	options, state, err := w.table().pollFrom(row, o)
	if err != nil {
		return err
	}
	pollCtx, stop := withEarlierDeadline(ctx)
	polled, pollErr := o.Client.Submissions.Poll(pollCtx, state, options)
	stop()
	if problem, ok := errors.AsType[*hiring.ParamError](pollErr); ok && problem.Param == "state" {
		cause, _, _ := strings.Cut(problem.Problem, ":") // The rest is for callers of Poll.
		advice := w.table().noState(o.Name).Error()
		if strings.HasPrefix(state, "hiring-watch-") && strings.HasSuffix(cause, "of another version") {
			advice = "another version has saved it: wait while a newer version is deployed; after a rollback, deploy the newer version again"
		}
		w.logger().WarnContext(ctx, "jobs: this process cannot use the saved state of the watch and leaves it to others, such as a newer version",
			"organization", o.Name, "cause", cause, "error", advice)
		o.reportEvent(ctx, KindPoll, EventStateRefused)
		w.watched.reopen(o.Name) // The key may be that of another account.
		return river.JobSnooze(time.Minute)
	}
	if pollErr != nil && (polled.State == state || errors.Is(pollErr, hiring.ErrInvalidToken)) { // After a 401 there is still no poll.
		return pollErr
	}
	ctx = context.WithoutCancel(ctx) // What was found is saved during a shutdown, too.
	if err := w.save(ctx, o, job, row.version, polled, pollErr == nil); err != nil {
		return errors.Join(err, pollErr)
	}
	if waits := waitsFor(polled, o.Watch); waits != "" && polled.Wait > longWait && pollErr == nil {
		w.logger().WarnContext(ctx, "jobs: the next poll waits for the "+waits, "organization", o.Name, "kind", KindPoll, "next_attempt", w.Now().Add(polled.Wait).UTC().Format(time.RFC3339))
	}
	for range polled.Errors {
		w.logger().WarnContext(ctx, "jobs: a submission cannot be decoded: its id is in hiring_jobs, with the status unreadable", "organization", o.Name, "kind", KindPoll)
		o.reportEvent(ctx, KindPoll, EventUnreadable)
	}
	return pollErr
}

// Limits of what saves a poll. A poll finds up to 10,000 results, whose size the API does not
// limit. The saving ends before River could give the poll to another worker.
const (
	saveSize    = 100 // Deliveries of a transaction.
	saveTimeout = 2 * time.Minute
)

// save saves the result of a poll. The last transaction saves the state. If the poll
// succeeded, it also completes the job and inserts the next one. When a process dies before,
// the next poll finds the same results, and their deliveries exist already.
func (w *pollWorker[TTx]) save(ctx context.Context, o Organization, job *river.Job[pollArgs], version int64, polled hiring.PollResult, succeeded bool) error {
	deliveries, err := deliveriesOf(o, w.policy(o.Name).attempts(), polled.Submissions)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, saveTimeout)
	defer stop()
	for part := range slices.Chunk(deliveries, saveSize) {
		if err := w.insertDeliveries(ctx, o.Name, version, part); err != nil {
			return err
		}
	}
	return w.inTx(ctx, func(tx TTx, t table) error {
		row := savedRow{status: StatusWatching, detail: polled.State, version: version, failed: !succeeded}
		if err := t.save(ctx, o.Name, row); err != nil {
			return err
		}
		if err := t.insertUnreadable(ctx, o.Name, polled.Errors); err != nil || !succeeded {
			return err
		}
		if err := w.complete(ctx, tx, job.JobRow); err != nil {
			return err
		}
		next := &river.InsertOpts{ScheduledAt: w.Now().Add(polled.Wait)}
		if waits := waitsFor(polled, o.Watch); waits != "" {
			next.Metadata = []byte(`{"` + metadataWaits + `": "` + waits + `"}`)
		}
		args := pollArgs{Organization: o.Name, Wait: int64(polled.Wait.Seconds())}
		_, err := river.ClientFromContext[TTx](ctx).InsertTx(ctx, tx, args, next)
		return err
	})
}

// waitsFor returns what a poll waits for when that takes much longer than its interval: the rate limit, or an API that cannot
// answer and asked for the wait. Otherwise it returns "". Without MaxInterval the interval is at most a minute, as [hiring.WatchOptions] says.
func waitsFor(polled hiring.PollResult, o hiring.WatchOptions) string {
	switch {
	case polled.Wait <= max(o.MinInterval, o.MaxInterval, time.Minute)+time.Minute:
		return ""
	case polled.Progress.Failing != "":
		return "API"
	}
	return waitsRateLimit
}

// insertDeliveries inserts a part of the deliveries of a poll, unless another one has saved since
// the version.
func (w *pollWorker[TTx]) insertDeliveries(ctx context.Context, organization string, version int64, part []river.InsertManyParams) error {
	return w.inTx(ctx, func(tx TTx, t table) error {
		row, err := t.load(ctx, organization, watchAddress)
		if err != nil || row.version != version {
			return cmp.Or(err, errOvertaken)
		}
		_, err = river.ClientFromContext[TTx](ctx).InsertManyTx(ctx, tx, part)
		return err
	})
}

// withEarlierDeadline returns a context that ends after three quarters of the time of a
// job. The rest of the time is for saving the results.
func withEarlierDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline() // All jobs have a timeout: see setRescueAfter.
	return context.WithTimeout(ctx, time.Until(deadline)*3/4)
}
