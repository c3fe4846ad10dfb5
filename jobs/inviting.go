package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Invitations says whose candidates are invited, and how.
type Invitations struct {
	Organizations []Organization // Watch is not used.

	// PlanWait is how long to wait at most, after the service said that the
	// plan's limit is reached, before it is looked at again: an hour by default.
	// It is looked at sooner when a month has passed since the period began.
	PlanWait time.Duration
}

// SendInvitations registers the worker that invites whom [Invite] has added with
// the configuration of a River client, as [Watch] does. For each organization one
// job at a time goes through the queued rows, whatever the number of processes,
// with the care of [hiring.InvitationService.SendAll], which is that of Ensure
// for many: at most one mail to each address, within the write quota.
//
// When the window of the rate limit is used up, the job is snoozed until the next
// window; when the plan's limit is reached, as PlanWait says. A candidate that the API
// refuses is cancelled, with the reason in the row, and does not stop the others.
// During a transient error ([hiring.IsTransient]) the job is snoozed, for a minute at
// first and up to ten, and uses up no attempts. Any other error, such as a refused
// key, is retried as often as River's MaxAttempts says, 25 times in some three hours
// by default. Then the job is discarded, and resumes when it is retried or [Invite]
// is called.
//
// Scope write; costs what SendAll costs.
func SendInvitations[D riverdriver.Driver[TTx], TTx any](config *river.Config, invitations Invitations) error {
	known, err := nameAll(invitations.Organizations)
	if err != nil {
		return err
	}
	prepare(config)
	if invitations.PlanWait <= 0 {
		invitations.PlanWait = time.Hour
	}
	addQueue(config, QueueInvitations, min(len(known), 10))
	common := supervisor[TTx]{known, install[D](config)}
	return river.AddWorkerSafely(config.Workers, &InviteWorker[D, TTx]{supervisor: common, planWait: invitations.PlanWait})
}

// InviteArgs are those of the job that invites an organization's candidates.
type InviteArgs struct {
	Organization string `json:"organization" river:"unique"`
}

// Kind names the job.
func (InviteArgs) Kind() string { return "hiring_invitations" }

// InsertOpts make the job the only one for its organization.
func (InviteArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueInvitations, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: alone}}
}

// InviteWorker sends invitations. [SendInvitations] registers it.
type InviteWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[InviteArgs]
	supervisor[TTx]

	planWait time.Duration
}

// Durations of runs.
var (
	inviteTimeout = 10 * time.Minute
	retryPause    = time.Minute      // After a failure and during an outage, times their number.
	beatEvery     = 20 * time.Second // How often a run shows that its process lives.
)

// Timeout leaves a run the time to keep to the pace of SendAll, which lists anew each
// time. River's rescuer asks too, and leaves a job alone for its timeout: for a job
// whose process no longer shows that it lives, the timeout has passed.
func (w *InviteWorker[D, TTx]) Timeout(job *river.Job[InviteArgs]) time.Duration {
	if w.isAbandoned(job.JobRow) {
		return time.Second
	}
	return inviteTimeout
}

// NextRetry grows with the number of failures. A run whose process died resumes at
// once: its checkpoint holds what was on its way.
func (w *InviteWorker[D, TTx]) NextRetry(job *river.Job[InviteArgs]) time.Time {
	if w.isAbandoned(job.JobRow) {
		return w.clock.Now()
	}
	return w.clock.Now().Add(retryPause * time.Duration(min(job.Attempt, 10)))
}

func (w *InviteWorker[D, TTx]) isAbandoned(job *rivertype.JobRow) bool {
	return job.AttemptedAt != nil && w.clock.Now().Sub(*job.AttemptedAt) > 3*beatEvery
}

// Work invites until no candidate is queued.
func (w *InviteWorker[D, TTx]) Work(ctx context.Context, job *river.Job[InviteArgs]) error {
	return w.supervise(ctx, job.JobRow, job.Args.Organization, func(organization Organization) error {
		defer func() { now := w.clock.Now(); job.AttemptedAt = &now }() // NextRetry: this process lives.
		return w.inviteAll(ctx, organization, job)
	})
}

func (w *InviteWorker[D, TTx]) inviteAll(ctx context.Context, organization Organization, job *river.Job[InviteArgs]) error {
	client := river.ClientFromContext[TTx](ctx)
	t := tableOf(client, client.Driver().GetExecutor())
	running, stop := t.beat(ctx, job.JobRow)
	defer stop()
	for {
		first, found, err := t.next(running, organization.Name, queued{})
		if err != nil {
			return errors.Join(context.Cause(running), err)
		}
		if !found {
			stop()
			return w.finish(ctx, client, job)
		}
		r := inviting{table: t, organization: organization, assessmentID: first.assessmentID}
		if err := r.run(running); err != nil {
			if errors.Is(context.Cause(running), errOvertaken) {
				return errOvertaken
			}
			return w.pause(ctx, organization, job.JobRow, err)
		}
	}
}

// beat renews the time of the attempt in the row of a job until stop is called. The
// context that it returns ends when the job belongs to another attempt.
func (t table) beat(ctx context.Context, job *rivertype.JobRow) (running context.Context, stop func()) {
	running, cancel := context.WithCancelCause(ctx)
	now := "now()"
	if t.database == sqlite {
		now = "strftime('%Y-%m-%d %H:%M:%f', 'now')" // As River writes it.
	}
	query := "UPDATE " + t.rivers + " SET attempted_at = " + now + " WHERE id = $1 AND state = 'running' AND attempt = $2 RETURNING id"
	var ended sync.WaitGroup
	ended.Go(func() {
		ticks := time.NewTicker(beatEvery)
		defer ticks.Stop()
		for {
			select {
			case <-running.Done():
				return
			case <-ticks.C:
			}
			var id int64
			if mine, err := t.row(running, query, []any{job.ID, job.Attempt}, &id); err == nil && !mine {
				cancel(errOvertaken)
			}
		}
	})
	return running, func() {
		cancel(context.Canceled)
		ended.Wait()
	}
}

// errMore says that somebody was added while the job ended.
var errMore = errors.New("jobs: there are more candidates")

// finish completes the job, unless candidates were added meanwhile. It completes
// first: from then on another Invite waits for the end of this transaction, or
// this one for the end of its.
func (w *InviteWorker[D, TTx]) finish(ctx context.Context, client *river.Client[TTx], job *river.Job[InviteArgs]) error {
	err := inTx(ctx, client, func(tx TTx, t table) error {
		if err := complete[D](ctx, tx, job); err != nil {
			return err
		}
		_, found, err := t.next(ctx, job.Args.Organization, queued{})
		if err == nil && found {
			err = errMore
		}
		return err
	})
	if errors.Is(err, errMore) {
		return river.JobSnooze(0)
	}
	return err
}

// pause tells what to do after a run that did not come to its end.
func (w *InviteWorker[D, TTx]) pause(ctx context.Context, o Organization, job *rivertype.JobRow, err error) error {
	switch {
	case errors.Is(err, hiring.ErrPlanLimitReached):
		return river.JobSnooze(w.planPause(ctx, o))
	case errors.Is(err, hiring.ErrRateLimited):
		return patient(err)
	case errors.Is(err, errSlice), ctx.Err() != nil:
		return river.JobSnooze(0) // The checkpoint holds what is on its way.
	case hiring.IsTransient(err):
		return river.JobSnooze(outagePause(job))
	}
	return err
}

// outagePause grows with the number of pauses before it, which River counts: they
// are no attempts.
func outagePause(job *rivertype.JobRow) time.Duration {
	var counted struct {
		Snoozes int64 `json:"snoozes"`
	}
	_ = json.Unmarshal(job.Metadata, &counted) // Without it, the shortest.
	return retryPause * time.Duration(min(counted.Snoozes+1, 10))
}

// planPause is how long the plan may stay as it is. The service does not say when
// a period ends.
func (w *InviteWorker[D, TTx]) planPause(ctx context.Context, o Organization) time.Duration {
	account, err := o.Client.Account.Get(ctx)
	if err != nil {
		return w.planWait
	}
	turn := time.Until(account.Usage.PeriodStart.AddDate(0, 1, 0))
	if turn <= 0 { // Periods are longer than that.
		return w.planWait
	}
	return min(w.planWait, turn)
}

// inviting is one run of SendAll over the queued candidates of an assessment.
type inviting struct {
	table

	organization Organization
	assessmentID string

	sent   []queued // Handed to SendAll, and without a result.
	failed error    // Of the table.
	ended  bool
}

// errSlice ends a run that would wait for longer than a job may take.
var errSlice = errors.New("jobs: to be continued")

func (r *inviting) run(ctx context.Context) error {
	asking, stop := sooner(ctx)
	defer stop()
	err := r.organization.Client.Invitations.SendAll(asking, r.assessmentID, r.candidates(ctx), hiring.SendAllOptions{
		Checkpoint: &rowCheckpoint{table: r.table, organization: r.organization.Name, assessmentID: r.assessmentID},
		Each: func(i hiring.InviteResult, err error) bool {
			r.failed = errors.Join(r.failed, r.record(ctx, i, err))
			return r.failed == nil
		},
	})
	if r.failed != nil {
		return r.failed
	}
	if gone(err) || err == nil {
		return nil
	}
	if asking.Err() != nil && !errors.Is(err, hiring.ErrRateLimited) {
		return errSlice
	}
	return err
}

// candidates are read one by one, while they are sent.
func (r *inviting) candidates(ctx context.Context) iter.Seq[hiring.NewInvitation] {
	return func(yield func(hiring.NewInvitation) bool) {
		last := queued{assessmentID: r.assessmentID}
		for !r.ended {
			q, found, err := r.next(ctx, r.organization.Name, last)
			if err != nil {
				r.failed = err
			}
			if err != nil || !found || q.assessmentID != r.assessmentID {
				return
			}
			last = q
			r.sent = append(r.sent, q)
			if !yield(hiring.NewInvitation{Email: q.Email, Name: q.Name, Extra: q.Extra}) {
				return
			}
		}
	}
}

// rowCheckpoint is the checkpoint of SendAll for an assessment, as a row of the
// table. A run that another run has overtaken cannot save, so it sends nothing.
type rowCheckpoint struct {
	table

	organization, assessmentID string
	version                    int64
}

// StatusSending is the status of the row that holds what invitations of an
// assessment are on their way: a checkpoint of [hiring.InvitationService.SendAll],
// without candidate data. Its address is " checkpoint".
const StatusSending Status = "sending"

// checkpointAddress begins with a space, which no candidate's address does.
const checkpointAddress = " checkpoint"

func (c *rowCheckpoint) Load(ctx context.Context) (state string, err error) {
	_, err = c.row(ctx, "SELECT detail, version FROM hiring_jobs WHERE organization = $1 AND assessment_id = $2 AND address = $3",
		[]any{c.organization, c.assessmentID, checkpointAddress}, &state, &c.version)
	return state, err
}

func (c *rowCheckpoint) Save(ctx context.Context, state string) error {
	saved, err := c.row(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, $2, $3, 'sending', $4, $5)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET detail = excluded.detail, version = excluded.version, updated_at = CURRENT_TIMESTAMP
		WHERE hiring_jobs.version = excluded.version - 1
		RETURNING version`,
		[]any{c.organization, c.assessmentID, checkpointAddress, state, c.version + 1}, &c.version)
	if err == nil && !saved {
		err = errOvertaken
	}
	return err
}

// record stores the result of the next candidate. A candidate that stays queued is
// tried again.
func (r *inviting) record(ctx context.Context, i hiring.InviteResult, err error) error {
	q := r.sent[0] // Results come in order, one for each candidate.
	r.sent = r.sent[1:]
	var status Status
	switch {
	case err == nil && i.Outcome == hiring.InviteSent:
		status = StatusSent
	case err == nil:
		status = StatusExisting
	case i.Outcome == hiring.InviteUnknown && outcome(err) == hiring.OutcomeDone:
		status = StatusUnknown
	case i.Outcome == hiring.InviteNotSent && (refused(err) || gone(err)):
		status = StatusCancelled
	default:
		r.ended = true
		return nil
	}
	if err != nil {
		q.Problem = err.Error()
	}
	q.InvitationID = i.Invitation.ID
	return r.settle(context.WithoutCancel(ctx), r.organization.Name, q, status)
}

// refused tells a candidate that the service does not take from a listing that it
// does not give.
func refused(err error) bool {
	failure, ok := errors.AsType[*hiring.Error](err)
	if !ok {
		return errors.Is(err, hiring.ErrInvalidInput)
	}
	return failure.Method == http.MethodPost && (failure.Status == http.StatusBadRequest || failure.Status == http.StatusConflict)
}

// gone tells an assessment that is not there: nobody else in it can be invited
// either.
func gone(err error) bool { return errors.Is(err, hiring.ErrNotFound) }

func outcome(err error) hiring.Outcome {
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		return failure.Outcome
	}
	return ""
}
