package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/trouble"
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
// When the quota's window is used up, the job is snoozed until it turns; when the
// plan's limit is reached, as PlanWait says. A candidate that the service refuses
// is cancelled, with the reason in the row, and holds up nobody. While the service
// cannot be reached or answers with a 5xx, the job is snoozed for as long as that
// lasts: for a minute at least, because a request may still be on its way, and the
// longer the more often it has paused, up to ten. What only people can mend, as a refused key, is tried as often as
// River's MaxAttempts says, 25 times in some three hours by default: then the job
// is discarded, and goes on when somebody retries it or invites another.
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
	return river.AddWorkerSafely(config.Workers, &InviteWorker[D, TTx]{organizations: known, planWait: invitations.PlanWait})
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

	organizations organizations
	planWait      time.Duration
}

// How long a run may take, and what a request that is on its way may need until
// the service lists what it did.
var (
	inviteTimeout = 10 * time.Minute
	onItsWay      = time.Minute
)

// Timeout leaves time to keep to the pace of SendAll, which lists anew each time.
func (w *InviteWorker[D, TTx]) Timeout(*river.Job[InviteArgs]) time.Duration { return inviteTimeout }

// NextRetry lets what is on its way arrive.
func (w *InviteWorker[D, TTx]) NextRetry(job *river.Job[InviteArgs]) time.Time {
	return time.Now().Add(onItsWay * time.Duration(min(job.Attempt, 10)))
}

// Work invites until nobody is left.
func (w *InviteWorker[D, TTx]) Work(ctx context.Context, job *river.Job[InviteArgs]) error {
	organization, err := w.organizations.find(job.Args.Organization)
	if err != nil {
		return err
	}
	return organization.told(ctx, job.JobRow, func() error { return w.inviteAll(ctx, organization, job) })
}

func (w *InviteWorker[D, TTx]) inviteAll(ctx context.Context, organization Organization, job *river.Job[InviteArgs]) error {
	client := river.ClientFromContext[TTx](ctx)
	t := tableOf(client, client.Driver().GetExecutor())
	for {
		first, found, err := t.next(ctx, organization.Name, queued{})
		if err != nil {
			return err
		}
		if !found {
			return w.finish(ctx, client, job)
		}
		r := inviting{table: t, organization: organization, assessmentID: first.assessmentID}
		if err := r.run(ctx); err != nil {
			return w.pause(ctx, organization, job.JobRow, err)
		}
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
		return river.JobSnooze(onItsWay) // At its pace, or stopped: what is on its way may still arrive.
	case passes(err):
		return river.JobSnooze(outagePause(job))
	}
	return err
}

// passes tells a failure that time mends: no reply, or that of a service in trouble.
func passes(err error) bool {
	failure, ok := errors.AsType[*hiring.Error](err)
	if !ok || failure.Code == hiring.ErrInvalidToken {
		return false
	}
	return failure.Attempts > 0 && failure.Status == 0 && !trouble.Permanent(failure) || failure.Status >= http.StatusInternalServerError
}

// outagePause grows with the number of pauses before it, which River counts: they
// are no attempts.
func outagePause(job *rivertype.JobRow) time.Duration {
	var counted struct {
		Snoozes int64 `json:"snoozes"`
	}
	_ = json.Unmarshal(job.Metadata, &counted) // Without it, the shortest.
	return onItsWay * time.Duration(min(counted.Snoozes+1, 10))
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

	last   queued
	failed error // Of the table.
	ended  bool
}

// errSlice ends a run that would wait for longer than a job may take.
var errSlice = errors.New("jobs: to be continued")

func (r *inviting) run(ctx context.Context) error {
	asking, stop := sooner(ctx)
	defer stop()
	err := r.organization.Client.Invitations.SendAll(asking, r.assessmentID, r.candidates(ctx), func(i hiring.Invited, err error) bool {
		r.failed = errors.Join(r.failed, r.record(ctx, i, err))
		return r.failed == nil
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
		r.last = queued{assessmentID: r.assessmentID}
		for !r.ended {
			q, found, err := r.next(ctx, r.organization.Name, r.last)
			r.failed = err
			if err != nil || !found || q.assessmentID != r.assessmentID {
				return
			}
			r.last = q
			if !yield(hiring.NewInvitation{Email: q.Email, Name: q.Name, Extra: q.Extra}) {
				return
			}
		}
	}
}

// record keeps what became of the last candidate. Who stays queued is tried again.
func (r *inviting) record(ctx context.Context, i hiring.Invited, err error) error {
	q := r.last
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
