package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// installation is what the workers of one river.Config share. It is a hook of the
// configuration, where Watch and SendInvitations find it.
type installation struct {
	river.HookDefaults

	config *river.Config
	clock  *clock

	watched, inviting *registry // Nil without Watch, or without SendInvitations.

	deliveries sync.Map     // Running deliveries by job id, as runningDelivery, for JobStuckHandler.
	announced  sync.Once    // The process has begun to announce itself.
	recorded   atomic.Int64 // Since when the process has announced itself without a failure, in Unix nanoseconds; 0 when it does not.
}

// install returns the installation of a configuration, and sets the fields of the
// configuration that all workers of this package need.
func install[D riverdriver.Driver[TTx], TTx any](config *river.Config) (*installation, error) {
	for _, hook := range config.Hooks {
		if in, ok := hook.(*installation); ok {
			return in, nil
		}
	}
	setDefaults(config)
	in := &installation{config: config, clock: installClock(config)}
	config.Hooks = append(config.Hooks, in)
	var driver D
	if driver.DatabaseName() == postgres {
		config.Hooks = append(config.Hooks, river.HookInsertBeginFunc(scheduleByDatabaseClock))
	}
	addQueue(config, QueueHealth, 1)
	job := river.NewPeriodicJob(river.PeriodicInterval(healthInterval),
		func() (river.JobArgs, *river.InsertOpts) { return healthArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
	config.PeriodicJobs = append(config.PeriodicJobs, job)
	return in, river.AddWorkerSafely(config.Workers, &healthWorker[D, TTx]{installation: in})
}

// IsPlugin marks the installation as a plugin, which River's hooks are.
func (*installation) IsPlugin() bool { return true }

// logger returns the logger of the configuration.
func (in *installation) logger() *slog.Logger { return cmp.Or(in.config.Logger, slog.Default()) }

// registries returns the registries of Watch and SendInvitations.
func (in *installation) registries() []*registry {
	return slices.DeleteFunc([]*registry{in.watched, in.inviting}, func(r *registry) bool { return r == nil })
}

// StatusWorker is the status of the row of a worker process. Its organization is
// empty, its assessment_id is " worker", and its address is the id of the River client.
// Its detail is the JSON array of the organizations that the process lists.
const StatusWorker Status = "worker"

// workerAssessment begins with a space, unlike the id of an assessment.
const workerAssessment = " worker"

// Times of the rows of workers.
var (
	announceInterval = 20 * time.Second
	aliveFor         = time.Minute // A worker without an announcement for so long is dead.
)

// announce records this process in the table until its client stops. The other
// processes learn from the row that this one is alive, and which organizations it lists.
func announce[TTx any](in *installation, client *river.Client[TTx]) {
	in.announced.Do(func() {
		stopped := client.Stopped()
		t := tableOf(client, client.Driver().GetExecutor())
		go func() {
			ticks := time.NewTicker(announceInterval)
			defer ticks.Stop()
			for {
				in.record(t, client.ID())
				select {
				case <-stopped:
					return
				case <-ticks.C:
				}
			}
		}()
	})
}

// record writes the row of this process. The detail is long, so the same one keeps its
// stored value.
func (in *installation) record(t table, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), announceInterval)
	defer cancel()
	names, failed := []string{}, error(nil)
	for _, r := range in.registries() {
		listed, err := r.names(ctx)
		names, failed = append(names, listed...), errors.Join(failed, err)
	}
	slices.Sort(names)
	detail, err := json.Marshal(slices.Compact(names))
	if failed == nil && err == nil {
		failed = t.Exec(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, updated_at)
			VALUES ('', $1, $2, $3, $4, `+t.now()+`)
			ON CONFLICT (organization, assessment_id, address) DO UPDATE SET updated_at = excluded.updated_at,
				detail = CASE WHEN hiring_jobs.detail = excluded.detail THEN hiring_jobs.detail ELSE excluded.detail END`,
			workerAssessment, id, string(StatusWorker), string(detail))
	}
	if failed != nil {
		in.recorded.Store(0)
		return
	}
	in.recorded.CompareAndSwap(0, time.Now().UnixNano())
}

// aliveSQL returns SQL for the rows of workers that are alive.
func (t table) aliveSQL() string {
	return "organization = '' AND assessment_id = '" + workerAssessment + "' AND " +
		t.epochSQL("updated_at") + " > " + t.epochSQL(t.now()) + " - " + seconds(aliveFor)
}

// listedByAny reports whether a worker that is alive lists an organization.
func (t table) listedByAny(ctx context.Context, organization string) (bool, error) {
	contains := "jsonb_exists(CAST(detail AS jsonb), $1)"
	if t.database == sqlite {
		contains = "EXISTS (SELECT 1 FROM json_each(detail) WHERE value = $1)"
	}
	var id string
	return t.scanRow(ctx, "SELECT address FROM hiring_jobs WHERE "+t.aliveSQL()+" AND "+contains+" LIMIT 1", []any{organization}, &id)
}

// rescue makes the running jobs of workers that are dead available again, by the clock
// of the database. River's rescuer waits for the timeout of a job, which is long for
// runs of invitations, and uses the clock of the leading process. Nothing is rescued
// before this process has announced itself for as long as others may be silent: after
// an outage of the database all rows are old.
func (in *installation) rescue(ctx context.Context, t table) error {
	since := in.recorded.Load()
	if since == 0 || time.Since(time.Unix(0, since)) < aliveFor {
		return nil
	}
	worker, appendError := "coalesce(attempted_by[array_length(attempted_by, 1)], '')", `array_append(errors, jsonb_build_object(
		'at', now(), 'attempt', attempt, 'error', 'rescued: the process of this attempt is gone', 'trace', ''))`
	if t.database == sqlite {
		worker = "coalesce(attempted_by->>'$[#-1]', '')"
		appendError = `jsonb_insert(coalesce(errors, jsonb('[]')), '$[#]', jsonb_object(
			'at', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'attempt', attempt, 'error', 'rescued: the process of this attempt is gone', 'trace', ''))`
	}
	return t.Exec(ctx, `UPDATE river_job SET state = 'available', scheduled_at = `+t.now()+`, errors = `+appendError+`
		WHERE state = 'running' AND queue IN ('`+QueuePolls+`', '`+QueueDeliveries+`', '`+QueueInvitations+`') AND attempt < max_attempts
			AND `+t.epochSQL("attempted_at")+` < `+t.epochSQL(t.now())+` - `+seconds(aliveFor)+`
			AND `+worker+` NOT IN (SELECT address FROM hiring_jobs WHERE `+t.aliveSQL()+`)`)
}

// runningDelivery is a delivery that runs in this process.
type runningDelivery struct {
	organization Organization
	submissionID string
}

// handleStuck reports a delivery whose handler did not return after its timeout, and
// gives its worker to another job. Jobs of other packages go to the previous handler.
func (in *installation) handleStuck(previous river.JobStuckHandler) river.JobStuckHandler {
	return func(ctx context.Context, p river.JobStuckHandlerParams) river.JobStuckHandlerResult {
		running, ok := in.deliveries.Load(p.ID)
		if !ok && previous != nil {
			return previous(ctx, p)
		}
		if !ok {
			return river.JobStuckHandlerResult{}
		}
		d := running.(runningDelivery)
		in.logger().WarnContext(ctx, "jobs: a handler does not return after its timeout: it must return when its context ends",
			"organization", d.organization.Name, "kind", p.Kind, "submission_id", d.submissionID, "job_id", p.ID)
		d.organization.reportEvent(ctx, p.Kind, EventStuck)
		return river.JobStuckHandlerResult{AddWorkerSlot: true}
	}
}

var _ rivertype.Hook = (*installation)(nil)
