package jobs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/riverqueue/river"
)

// healthArgs are the arguments of the job that keeps the jobs of this package going. It is
// not unique: the job of a killed process must not prevent the next one.
type healthArgs struct{}

// Kind returns [KindHealth].
func (healthArgs) Kind() string { return KindHealth }

// InsertOpts returns options without retries.
func (healthArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueHealth, MaxAttempts: 1}
}

// healthWorker runs twice a minute in one of the processes. It inserts the jobs that
// are missing, and reports what only the database shows. The queue is its own, so that no
// other job delays it.
type healthWorker[TTx any] struct {
	river.WorkerDefaults[healthArgs]
	*installation[TTx]
}

// healthInterval is the time between two runs.
var healthInterval = 30 * time.Second

// Timeout returns the interval of the runs.
func (w *healthWorker[TTx]) Timeout(*river.Job[healthArgs]) time.Duration { return healthInterval }

// Work makes one run. A step that fails does not prevent the others.
func (w *healthWorker[TTx]) Work(ctx context.Context, _ *river.Job[healthArgs]) error {
	return errors.Join(
		makeStep(ctx, w.watched, w.keepPolling),
		makeStep(ctx, w.watched, w.reportDeliveries),
		makeStep(ctx, w.inviting, w.keepInviting),
	)
}

// makeStep makes a step of a run for the organizations of a registry, if there is one. It has half of the time,
// so that a step that is blocked does not prevent the next one.
func makeStep(ctx context.Context, r *registry, step func(ctx context.Context, names []string) error) error {
	if r == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, healthInterval/2)
	defer stop()
	names, err := r.names(ctx)
	if err != nil {
		return err
	}
	return step(ctx, names)
}

// keepPolling inserts a poll for each organization without one, and the row of a first poll. After
// a discarded poll a deleted row stays an error.
func (w *healthWorker[TTx]) keepPolling(ctx context.Context, names []string) error {
	polls, err := w.countPolls(ctx)
	if err != nil {
		return err
	}
	var missing []river.InsertManyParams
	for _, name := range names {
		p := polls[jobState{organization: name}]
		if p.n > 0 {
			continue
		}
		if p.special == 0 {
			if err := w.table().begin(ctx, name); err != nil {
				return err
			}
		}
		missing = append(missing, river.InsertManyParams{Args: pollArgs{Organization: name}, InsertOpts: w.replacement(p.special > 0)})
	}
	if len(missing) > 0 {
		_, err = river.ClientFromContext[TTx](ctx).InsertMany(ctx, missing)
	}
	return err
}

// replacement returns the options of a job that replaces one that was discarded: a minute between two attempts, after which a
// rejected key may be used again.
func (in *installation[TTx]) replacement(replaces bool) *river.InsertOpts {
	if !replaces {
		return nil
	}
	return &river.InsertOpts{ScheduledAt: in.Now().Add(2 * healthInterval)}
}

// reportDeliveries reports the deliveries of the listed organizations, and how many wait for one that is not listed.
func (w *healthWorker[TTx]) reportDeliveries(ctx context.Context, names []string) error {
	counts, err := w.countDeliveries(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		telemetry := w.watched.sources[w.watched.sourceOf(name)].telemetry
		for _, state := range []State{
			DeliveriesWaiting, DeliveriesFailing, DeliveriesPaused, DeliveriesCancelled, DeliveriesDiscarded, DeliveriesUnreadable, DeliveriesRescued, DeliveriesUnfinished,
			DeliveriesUnlisted,
		} {
			c := counts[jobState{name, state}]
			telemetry.Count(ctx, CountEvent{name, KindDelivery, state, c.n, c.since()})
		}
	}
	for key, c := range counts {
		if key.state == DeliveriesUnfinished && !slices.Contains(names, key.organization) {
			w.watched.sources[0].telemetry.Count(ctx, CountEvent{key.organization, KindDelivery, DeliveriesUnlisted, c.n, c.since()})
		}
	}
	return nil
}

// keepInviting inserts a run for each listed organization that has queued invitations and no run,
// and reports the queued and the rejected invitations, and those that are stuck: their run fails, or waits for
// another limit of the plan or for an API that fails, or their organization is not listed.
func (w *healthWorker[TTx]) keepInviting(ctx context.Context, names []string) error {
	counts, err := w.countInvitations(ctx)
	if err != nil {
		return err
	}
	listed := len(names)
	for key := range counts {
		if key.state == InvitationsQueued && !slices.Contains(names[:listed], key.organization) {
			names = append(names, key.organization)
		}
	}
	for i, name := range names {
		c, rejected, stuck := counts[jobState{name, InvitationsQueued}], counts[jobState{name, InvitationsRejected}], jobCount{}
		run, known := counts[jobState{name, stateRuns}]
		if c.n > 0 && run.n == 0 && i < listed {
			if _, err := river.ClientFromContext[TTx](ctx).Insert(ctx, inviteArgs{name}, w.replacement(known)); err != nil {
				return err
			}
		}
		if run.special > 0 || i >= listed {
			stuck = c
		}
		telemetry := w.inviting.sources[0].telemetry
		telemetry.Count(ctx, CountEvent{name, KindInvitations, InvitationsQueued, c.n, c.since()})
		telemetry.Count(ctx, CountEvent{name, KindInvitations, InvitationsStuck, stuck.n, stuck.since()})
		telemetry.Count(ctx, CountEvent{name, KindInvitations, InvitationsRejected, rejected.n, rejected.since()})
	}
	return nil
}
