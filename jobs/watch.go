package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Organization is one that is worked for: a name and a key.
type Organization struct {
	// Name tells it from the others in jobs and in the table: it must never
	// change, nor be given to another organization. One name a key: what shares a
	// key would not know of each other's use of the quota.
	Name string

	// Client has the organization's key. Its quota is the organization's alone.
	Client *hiring.Client

	// Watch says what to watch, and with Since where a first run begins; zero
	// means when the first job was inserted, whatever became of that. Its
	// Checkpoint is not used.
	Watch hiring.WatchOptions

	// Telemetry is told of what is delivered and of jobs that are given up. Nil:
	// nobody is.
	Telemetry Telemetry
}

// Results says whose results are watched for, and where they go. At least one of
// Handle and Send is needed.
type Results[TTx any] struct {
	Organizations []Organization

	// Handle is called for each newly evaluated submission, in a transaction that
	// also completes the delivery: what it writes with tx is there exactly once.
	// It returns an error to have it all rolled back and tried again by River's
	// retry policy, or river.JobCancel or river.JobSnooze. On SQLite it must use
	// no other connection: there is only one.
	Handle func(ctx context.Context, tx TTx, submission hiring.Submission, report hiring.Report) error

	// Send is called before Handle, outside of any transaction, for what is no
	// database: as [Webhook.Send]. It is called again when it, or Handle after it,
	// fails, and when the process dies before the delivery is completed: at least
	// once.
	Send func(ctx context.Context, submission hiring.Submission, report hiring.Report) error
}

// The queues of the jobs. Watch and SendInvitations add those that a
// river.Config lacks.
const (
	QueuePolls       = "hiring_polls"
	QueueDeliveries  = "hiring_deliveries"
	QueueInvitations = "hiring_invitations"
)

// Watch registers the workers of results with the configuration of a River
// client, which is to be made with it. It adds to config.Workers (new ones when
// nil) and config.PeriodicJobs, gives each queue that is not there the workers
// it needs, and sets RescueStuckJobsAfter to five minutes when it is zero: so
// long a killed process holds up an organization.
//
// From then on there is one poll job for each organization, whatever the number
// of processes: each makes one round of [hiring.SubmissionService.Poll] and, in
// one transaction, keeps the state, inserts a delivery for each newly evaluated
// submission, completes itself and inserts the next, at the time that the round
// recommends. River's leader inserts a poll wherever there is none. Deliveries
// have the client's own retries, timeout and discarded jobs.
//
// Scope read; costs what Poll costs.
func Watch[D riverdriver.Driver[TTx], TTx any](config *river.Config, results Results[TTx]) error {
	if results.Handle == nil && results.Send == nil {
		return errors.New("jobs: Watch: give Handle or Send, or results go nowhere")
	}
	known, err := nameAll(results.Organizations)
	if err != nil {
		return err
	}
	prepare(config)
	if err := river.AddWorkerSafely(config.Workers, &PollWorker[D, TTx]{organizations: known}); err != nil {
		return err
	}
	delivery := &DeliveryWorker[D, TTx]{organizations: known, handle: results.Handle, send: results.Send}
	if err := river.AddWorkerSafely(config.Workers, delivery); err != nil {
		return err
	}
	addQueue(config, QueuePolls, min(max(10, len(known)/10), 100))
	addQueue(config, QueueDeliveries, 10)
	for _, o := range results.Organizations {
		insertAlways(config, PollArgs{Organization: o.Name})
	}
	return nil
}

// organizations are found by their names.
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
	if config.RescueStuckJobsAfter == 0 {
		config.RescueStuckJobsAfter = max(5*time.Minute, 2*config.JobTimeout)
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

// fetchCooldown is how soon a queue looks for jobs again. River's tenth of a
// second would keep ten workers to a hundred short jobs a second. It counts only
// where there are jobs. What the user says stays.
func fetchCooldown(config *river.Config) time.Duration {
	if config.FetchCooldown != 0 {
		return 0
	}
	return 10 * time.Millisecond
}

// insertAlways has the leader insert a job whenever there is none.
func insertAlways(config *river.Config, args river.JobArgs) {
	construct := func() (river.JobArgs, *river.InsertOpts) { return args, nil }
	job := river.NewPeriodicJob(river.PeriodicInterval(time.Minute), construct, &river.PeriodicJobOpts{RunOnStart: true})
	config.PeriodicJobs = append(config.PeriodicJobs, job)
}

// alone are the states in which a job keeps others like it from being inserted:
// all but those that are final.
var alone = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// PollArgs are those of a poll: one round of an organization's watch.
type PollArgs struct {
	Organization string `json:"organization" river:"unique"`
	Round        int64  `json:"round"` // The version of the row when the job was inserted: above 0, a missing row is lost.
}

// Kind names the job.
func (PollArgs) Kind() string { return "hiring_poll" }

// InsertOpts make the job the only one for its organization.
func (PollArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueuePolls, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: alone}}
}

// PollWorker makes the rounds. [Watch] registers it.
type PollWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[PollArgs]

	organizations organizations
}

// NextRetry is after a second, and ten minutes at last. A poll that has failed 25
// times is discarded, and the leader inserts another within a minute.
func (w *PollWorker[D, TTx]) NextRetry(job *river.Job[PollArgs]) time.Time {
	return time.Now().Add(time.Duration(job.Attempt*job.Attempt) * time.Second)
}

// Work makes one round.
func (w *PollWorker[D, TTx]) Work(ctx context.Context, job *river.Job[PollArgs]) error {
	organization, err := w.organizations.find(job.Args.Organization)
	if err != nil {
		return err
	}
	return organization.told(ctx, job.JobRow, func() error { return w.round(ctx, organization, job) })
}

func (w *PollWorker[D, TTx]) round(ctx context.Context, organization Organization, job *river.Job[PollArgs]) error {
	before, err := w.take(ctx, job)
	if err != nil {
		return err
	}
	options, state, err := before.from(organization.Watch)
	if err != nil {
		return err
	}
	asking, stop := sooner(ctx)
	polled, failure := organization.Client.Submissions.Poll(asking, options, state)
	stop()
	if failure != nil && polled.State == state {
		return failure
	}
	if polled.State == "" { // A quota that was used up at first, so there is nothing to keep.
		return river.JobSnooze(polled.Wait)
	}
	return errors.Join(w.keep(ctx, job, before, polled, failure == nil), failure)
}

// keep saves what a round has found. When it did not come to its end, the job is
// left to fail.
func (w *PollWorker[D, TTx]) keep(ctx context.Context, job *river.Job[PollArgs], before watched, polled hiring.Polled, ended bool) error {
	name := job.Args.Organization
	deliveries, err := deliveriesOf(name, polled.Submissions)
	if err != nil {
		return err
	}
	client := river.ClientFromContext[TTx](ctx)
	return inTx(ctx, client, func(tx TTx, t table) error {
		after := watched{status: StatusWatching, detail: polled.State, version: before.version}
		if err := t.save(ctx, name, after); err != nil {
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
		next := &river.InsertOpts{ScheduledAt: time.Now().Add(polled.Wait)}
		_, err := client.InsertTx(ctx, tx, PollArgs{Organization: name, Round: before.version + 1}, next)
		return err
	})
}

// sooner ends before ctx does, so that there is time to keep what was done.
func sooner(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*3/4)
}
