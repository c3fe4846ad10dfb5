package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

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

// installation is what the workers of one river.Config share. It is a hook of the
// configuration, where Watch and SendInvitations find it.
type installation[TTx any] struct {
	river.HookDefaults

	config *river.Config
	db     Database[TTx]

	watched, inviting *registry // Nil without Watch, or without SendInvitations.
	registries        []*registry

	results []Results[TTx] // By source of watched.
	shares  *shares

	reading  sync.Once             // The process has begun to read its directories again and again.
	measured sync.Once             // The process has compared its clock.
	clock    atomic.Pointer[clock] // The last comparison. Nil before one, and on SQLite.
	delays   sync.Map              // Delays before the next attempts, by job id, from a failure until nextRetry.
}

// install returns the installation of a configuration, and sets the fields of the
// configuration that all workers of this package need.
//
// It registers the workers of all kinds, also of those that this process does not run:
// River's leader discards the jobs of a killed process whose kind it does not know.
func install[TTx any](config *river.Config, db Database[TTx]) (*installation[TTx], error) {
	for _, hook := range config.Hooks {
		if in, ok := hook.(*installation[TTx]); ok {
			return in, nil
		}
	}
	if err := setRescueAfter(config); err != nil {
		return nil, err
	}
	config.Workers = cmp.Or(config.Workers, river.NewWorkers())
	in := &installation[TTx]{config: config, db: db}
	config.Hooks = append(config.Hooks, in)
	if config.Test.Time == nil {
		config.Test.Time = in
	}
	addQueue(config, QueueHealth, river.QueueConfig{MaxWorkers: 1, FetchPollInterval: rarePollInterval})
	health := river.NewPeriodicJob(river.PeriodicInterval(healthInterval),
		func() (river.JobArgs, *river.InsertOpts) { return healthArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
	config.PeriodicJobs = append(config.PeriodicJobs, health)
	return in, errors.Join(
		river.AddWorkerSafely(config.Workers, &pollWorker[TTx]{installation: in}),
		river.AddWorkerSafely(config.Workers, &deliveryWorker[TTx]{installation: in}),
		river.AddWorkerSafely(config.Workers, &inviteWorker[TTx]{installation: in}),
		river.AddWorkerSafely(config.Workers, &healthWorker[TTx]{installation: in}),
	)
}

// setRescueAfter sets RescueStuckJobsAfter if it is zero, by default to five minutes. A job may still send a request
// until its timeout and one attempt have passed, and a listing shows the invitation of that
// request a minute later. River must not start the job again before.
func setRescueAfter(config *river.Config) error {
	timeout := cmp.Or(config.JobTimeout, river.JobTimeoutDefault)
	if timeout < 0 {
		return errors.New("jobs: JobTimeout must not be -1: a delivery without a timeout would be started a second time while it runs")
	}
	least := max(timeout, inviteTimeout) + attemptTimeout + settleTime
	config.RescueStuckJobsAfter = cmp.Or(config.RescueStuckJobsAfter, least+attemptTimeout)
	if config.RescueStuckJobsAfter <= least {
		return fmt.Errorf("jobs: RescueStuckJobsAfter must be above %s, the longest timeout of a job (%s) plus 90 s: leave it zero", least, max(timeout, inviteTimeout))
	}
	return nil
}

// rarePollInterval is the interval at which River looks for runs of invitations and health
// jobs. PostgreSQL announces new ones: only with PollOnly, on SQLite, and after a snooze of
// less than five seconds they wait for so long.
const rarePollInterval = 5 * time.Second

// addQueue adds a queue that a configuration lacks. With River's default FetchCooldown of
// 100 ms, ten workers complete at most a hundred short jobs a second.
func addQueue(config *river.Config, name string, queue river.QueueConfig) {
	if _, ok := config.Queues[name]; ok {
		return
	}
	if config.FetchCooldown == 0 && config.FetchPollInterval == 0 {
		queue.FetchCooldown = 10 * time.Millisecond
	} else { // The user's apply.
		queue.FetchPollInterval = 0
	}
	if config.Queues == nil {
		config.Queues = make(map[string]river.QueueConfig)
	}
	config.Queues[name] = queue
}

// register returns the registry of the organizations of sources, which is read from then on. polls
// is nil when they are not polled.
func (in *installation[TTx]) register(polls func(context.Context) (map[jobState]jobCount, error), sources ...source) *registry {
	r := &registry{sources: sources, polls: polls, log: in.logger}
	r.current.Store(new(listing))
	in.registries = append(in.registries, r)
	return r
}

// logger returns the logger of the configuration.
func (in *installation[TTx]) logger() *slog.Logger { return cmp.Or(in.config.Logger, slog.Default()) }

// table returns the table outside of transactions.
func (in *installation[TTx]) table() table {
	return newTable(sqlQuerier{in.db.db}, in.db.sqlite, in.config.Schema)
}

// inTx runs do in a transaction, and commits it unless do returns an error.
func (in *installation[TTx]) inTx(ctx context.Context, do func(tx TTx, t table) error) error {
	return in.db.inTx(ctx, func(tx TTx) error {
		return do(tx, newTable(querierOf(tx), in.db.sqlite, in.config.Schema))
	})
}

// complete marks a job as completed within tx. It returns errOvertaken when River has
// rescued the job and given it to another worker: the caller must not commit then.
func (in *installation[TTx]) complete(ctx context.Context, tx TTx, job *rivertype.JobRow) error {
	done, err := in.db.complete(ctx, tx, &river.Job[anyArgs]{JobRow: job})
	if err != nil {
		return fmt.Errorf("jobs: completing the job: %w", err)
	}
	if done.State != rivertype.JobStateCompleted || done.Attempt != job.Attempt {
		return errOvertaken
	}
	return nil
}

// MetricEmit is called by River after each look for jobs, the first one when the process starts. From then on
// it reads the directories of this process, and compares its clock, until its client stops: also in a process
// whose jobs all run in others.
func (in *installation[TTx]) MetricEmit(ctx context.Context, _ *rivertype.HookMetricEmitParams) {
	in.reading.Do(func() {
		stopped := river.ClientFromContext[TTx](ctx).Stopped()
		go func() { //nolint:contextcheck // It outlives the look for jobs.
			ticks := time.NewTicker(refreshInterval)
			defer ticks.Stop()
			for {
				_, err := withoutPanic(func() (any, error) {
					in.compareClock()
					for _, r := range in.registries {
						r.refresh(context.Background(), refreshInterval/2)
					}
					return nil, nil
				})
				if err != nil {
					in.logger().Error("jobs: a function of Telemetry panicked", "origin", originOf(err))
				}
				select {
				case <-stopped:
					return
				case <-ticks.C:
				}
			}
		}()
	})
}

// Differences of clocks that are logged. From RescueStuckJobsAfter on, a leader starts running jobs
// again.
const (
	clockWarning = 5 * time.Second
	clockError   = time.Minute
	clockTimeout = 2 * time.Second // Of a comparison.
)

// clock is a comparison of the clocks of this process and of the database.
type clock struct {
	level    slog.Level
	local    time.Time // When they were compared. Only its monotonic reading counts.
	database time.Time // The same moment by the database's clock.
}

// Now returns the current time by the database's clock, as measured last. River takes the times of
// snoozes, retries and scheduled jobs from it, as the Test.Time of the configuration: with time.Now,
// jobs of a process that is ahead are late by the difference, and those of one that is behind are
// snoozed again and again. River computes intervals with it too, so the first call measures, and a
// jump of this process's clock does not change it.
func (in *installation[TTx]) Now() time.Time {
	in.measured.Do(in.compareClock)
	if c := in.clock.Load(); c != nil {
		return c.database.Add(time.Since(c.local))
	}
	return time.Now()
}

// NowOrNil returns nil, so that the database's clock decides which jobs start, and which process leads.
func (*installation[TTx]) NowOrNil() *time.Time { return nil }

// InsertBegin is called by River before it inserts a job, whose times would otherwise be those of time.Now.
func (in *installation[TTx]) InsertBegin(_ context.Context, job *rivertype.JobInsertParams) error {
	now := in.Now()
	job.CreatedAt, job.ScheduledAt = cmp.Or(job.CreatedAt, &now), cmp.Or(job.ScheduledAt, &now)
	return nil
}

// compareClock reports the difference between the clock of this process and the database's. It
// ends nothing, because the database's clock may be the wrong one. SQLite uses the same clock.
func (in *installation[TTx]) compareClock() {
	if in.db.sqlite { // Its only connection may be in the caller's transaction.
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), clockTimeout)
	defer stop()
	began := time.Now()
	database, err := in.table().databaseTime(ctx)
	if err != nil {
		return
	}
	ahead := max(began.Sub(database), min(time.Since(database), 0)) // Zero when the statement explains the difference.
	level := slog.LevelInfo
	if ahead.Abs() > clockWarning {
		level = slog.LevelWarn
	}
	if ahead.Abs() > clockError {
		level = slog.LevelError
	}
	now := time.Now()
	before := cmp.Or(in.clock.Swap(&clock{level, now, now.Add(-ahead)}), new(clock))
	if level != before.level {
		in.logger().Log(ctx, level, "jobs: the difference between the clocks of this process and the database has changed: a process that is ahead by RescueStuckJobsAfter (five minutes) starts running jobs again: correct the clock", "ahead", ahead.Round(time.Millisecond).String())
	}
	for _, r := range in.registries {
		for _, s := range r.sources {
			s.telemetry.Clock(ctx, ClockEvent{ahead})
		}
	}
}

// WorkEnd is called by River at the end of each attempt of each job of the configuration,
// and returns the error that River logs and stores.
func (in *installation[TTx]) WorkEnd(ctx context.Context, row *rivertype.JobRow, err error) error {
	if err == nil {
		return nil
	}
	if row.Kind == KindHealth && !errors.Is(ctx.Err(), context.Canceled) {
		in.logFailure(ctx, attempt{row: row}, err, "jobs: failed, another run follows within a minute")
	}
	return storableError{err}
}

// addSlots gives the workers of deliveries whose handlers do not return after their timeout to other jobs,
// of so many at a time: each keeps a connection, and without one nothing works. Jobs of other packages
// go to the previous handler.
func addSlots(most int, previous river.JobStuckHandler) river.JobStuckHandler {
	return func(ctx context.Context, p river.JobStuckHandlerParams) river.JobStuckHandlerResult {
		if p.Kind != KindDelivery && previous != nil {
			return previous(ctx, p)
		}
		return river.JobStuckHandlerResult{AddWorkerSlot: p.Kind == KindDelivery && p.TotalStuckJobs <= most}
	}
}
