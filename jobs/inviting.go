package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Invitations are the options of [SendInvitations].
type Invitations struct {
	// Set either Organizations or Directory. Both may have the values of [Watch], whose
	// Organization.Watch is not used.
	Organizations []Organization
	Directory     *Directory

	// Telemetry receives failures of the runs of these organizations.
	Telemetry Telemetry

	// PlanWait is the longest wait before the next attempt after the API has reported
	// that the limit of the plan is reached. Default: an hour.
	PlanWait time.Duration
}

// SendInvitations adds the worker that sends the invitations of [Invite] to the
// configuration of a River client, as [Watch] does. For each organization one job at
// a time, in any of the processes, sends the queued invitations with
// [hiring.InvitationService.EnsureAll]: at most one invitation e-mail to each address,
// within the write rate limit.
//
//   - The row of an address gets the status sending before each request. A run that another
//     run has overtaken cannot write it, and sends nothing.
//   - After a crash an address with that status is tried again 90 s after the request: the
//     timeout of an attempt, 30 s whatever the client has, and the minute after which a
//     listing shows the invitation.
//   - When the window of the rate limit is used up, the job is snoozed until the next
//     window.
//   - When the limit of the plan is reached, the job is snoozed for PlanWait, with a log
//     line at WARN. The queued invitations are then reported as [InvitationsStuck].
//   - An invitation that the API rejects is cancelled. Its row contains the reason.
//     The others are sent.
//   - After a transient error ([hiring.IsTransient]) the job is snoozed, for one minute
//     at first and for at most five. A snooze does not use up attempts.
//   - Any other error, such as a rejected key, is retried as often as River's
//     MaxAttempts allows: by default 25 attempts in about two hours. Then the job is
//     discarded, and another is inserted within a minute, until the error is repaired.
//
// Scope write; costs what EnsureAll costs.
func SendInvitations[D riverdriver.Driver[TTx], TTx any](config *river.Config, invitations Invitations) error {
	var in *installation
	registry, err := newRegistry(func() *slog.Logger { return in.logger() },
		source{invitations.Organizations, invitations.Directory, invitations.Telemetry.complete()})
	if err != nil {
		return err
	}
	if in, err = install[D](config); err != nil {
		return err
	}
	in.inviting = registry
	if invitations.PlanWait <= 0 {
		invitations.PlanWait = time.Hour
	}
	workers := 10
	if invitations.Directory == nil {
		workers = min(len(invitations.Organizations), workers)
	}
	addQueue(config, QueueInvitations, workers)
	return river.AddWorkerSafely(config.Workers, &inviteWorker[D, TTx]{supervisor: supervisor[TTx]{in, registry}, planWait: invitations.PlanWait})
}

// inviteArgs are the arguments of the job that sends the invitations of an
// organization.
type inviteArgs struct {
	Organization string `json:"organization" river:"unique"`
}

// Kind returns the kind of the job.
func (inviteArgs) Kind() string { return KindInvitations }

// InsertOpts returns options that allow one unfinished job for each organization.
func (inviteArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueInvitations, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinishedStates}}
}

// inviteWorker sends invitations. [SendInvitations] registers it.
type inviteWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[inviteArgs]
	supervisor[TTx]

	planWait time.Duration
}

var (
	inviteTimeout  = 10 * time.Minute
	retryDelay     = time.Minute      // Multiplied by the number of failures or snoozes.
	attemptTimeout = 30 * time.Second // Of one request.
	settleTime     = time.Minute      // After the end of an attempt, until a listing shows its invitation.
)

// longestRetry is the largest multiple of retryDelay.
const longestRetry = 5

// Timeout returns ten minutes, because each run of EnsureAll begins by listing the
// existing invitations: shorter runs would use up the read rate limit. A run whose
// process was killed is resumed sooner; see rescue.
func (w *inviteWorker[D, TTx]) Timeout(*river.Job[inviteArgs]) time.Duration { return inviteTimeout }

// NextRetry returns the time of the next attempt: one to five minutes after a failure,
// growing with the number of failures.
func (w *inviteWorker[D, TTx]) NextRetry(job *river.Job[inviteArgs]) time.Time {
	return w.clock.Now().Add(jittered(inviteDelay(job.Attempt)))
}

func inviteDelay(failures int) time.Duration {
	return retryDelay * time.Duration(min(failures, longestRetry))
}

// Work sends invitations until none is queued.
func (w *inviteWorker[D, TTx]) Work(ctx context.Context, job *river.Job[inviteArgs]) error {
	a := attempt{row: job.JobRow, organization: job.Args.Organization}
	a.retryDelay = func(error) time.Duration { return inviteDelay(job.Attempt) }
	return w.supervise(ctx, a, func(o Organization, _ int) error { return w.sendQueued(ctx, o, job) })
}

func (w *inviteWorker[D, TTx]) sendQueued(ctx context.Context, organization Organization, job *river.Job[inviteArgs]) error {
	t := workerTable[TTx](ctx)
	if err := river.MetadataSet(ctx, metadataPlan, ""); err != nil {
		return err
	}
	client, err := organization.Client.With(hiring.WithTimeout(attemptTimeout))
	if err != nil {
		return err
	}
	for {
		r := invitationRun{table: t, organization: organization.Name}
		if r.settled, err = t.settledBefore(ctx); err != nil {
			return err
		}
		first, found, err := r.next(ctx, queuedInvitation{})
		if err != nil {
			return err
		}
		if !found {
			return w.completeUnlessQueued(ctx, job)
		}
		r.assessmentID = first.assessmentID
		if err := r.run(ctx, client.Invitations); err != nil {
			if errors.Is(err, errOvertaken) {
				return errOvertaken
			}
			return w.snoozeOrFail(ctx, organization, job.JobRow, err)
		}
	}
}

// completeUnlessQueued completes the job if no invitation is left. It completes the
// job first and checks second: the completion makes this transaction and that of a
// concurrent Invite wait for each other, so one of them sees the other's changes.
func (w *inviteWorker[D, TTx]) completeUnlessQueued(ctx context.Context, job *river.Job[inviteArgs]) error {
	return inTx(ctx, func(tx TTx, t table) error {
		if err := complete[D](ctx, tx, job); err != nil {
			return err
		}
		wait, found, err := t.untilNext(ctx, job.Args.Organization)
		if err == nil && found {
			err = river.JobSnooze(wait) // Rolls back the completion.
		}
		return err
	})
}

// snoozeOrFail returns the error of the job after a run that ended early: a snooze, or
// err itself.
func (w *inviteWorker[D, TTx]) snoozeOrFail(ctx context.Context, o Organization, job *rivertype.JobRow, err error) error {
	switch {
	case errors.Is(err, hiring.ErrPlanLimitReached):
		w.logger().WarnContext(ctx, "jobs: the limit of the plan is reached: queued invitations wait", "organization", o.Name,
			"kind", KindInvitations, "next_attempt", time.Now().Add(w.planWait).UTC().Format(time.RFC3339))
		return errors.Join(river.MetadataSet(ctx, metadataPlan, "reached"), river.JobSnooze(w.planWait))
	case errors.Is(err, hiring.ErrRateLimited):
		return snoozeIfRateLimited(err)
	case errors.Is(err, errTimeUp), ctx.Err() != nil:
		return river.JobSnooze(0) // The rows have the times of requests without a result.
	case hiring.IsTransient(err):
		return river.JobSnooze(outageDelay(job))
	}
	return err
}

// metadataPlan is the key in the metadata of a run that has the value reached while the
// limit of the plan stops the run.
const metadataPlan = "hiring_plan"

// outageDelay returns the delay after a transient error: one to five minutes, growing
// with the number of snoozes.
func outageDelay(job *rivertype.JobRow) time.Duration { return inviteDelay(snoozes(job) + 1) }

// snoozes returns the number of snoozes of a job, which River counts in the metadata.
func snoozes(job *rivertype.JobRow) int {
	var metadata struct {
		Snoozes int `json:"snoozes"`
	}
	_ = json.Unmarshal(job.Metadata, &metadata) // Invalid metadata counts as no snooze.
	return metadata.Snoozes
}

// invitationRun is one run of EnsureAll for the queued invitations of an assessment.
type invitationRun struct {
	table

	organization, assessmentID string

	settled float64          // See settledBefore. The run lists the invitations later.
	current queuedInvitation // The candidate that EnsureAll works on.
	failed  error            // Error of the table. It ends the run.
}

// errTimeUp is returned by a run that has used the time of its job.
var errTimeUp = errors.New("jobs: the time of the job is used up")

func (r *invitationRun) run(ctx context.Context, service *hiring.InvitationService) error {
	sendCtx, stop := withEarlierDeadline(ctx)
	defer stop()
	err := service.EnsureAll(sendCtx, r.assessmentID, r.candidates(ctx), hiring.EnsureAllOptions{
		Before: func(hiring.NewInvitation) error { return r.update(ctx, StatusSending) },
		Each: func(i hiring.InviteResult, err error) bool {
			r.failed = errors.Join(r.failed, r.record(context.WithoutCancel(ctx), i, err))
			return r.failed == nil
		},
	})
	switch {
	case r.failed != nil:
		return r.failed
	case errors.Is(err, hiring.ErrNotFound):
		return r.cancelAll(ctx, err)
	case err != nil && sendCtx.Err() != nil && !errors.Is(err, hiring.ErrRateLimited):
		return errTimeUp
	}
	return err
}

// candidates returns the queued invitations. It reads each from the table when EnsureAll
// asks for it.
func (r *invitationRun) candidates(ctx context.Context) iter.Seq[hiring.NewInvitation] {
	return func(yield func(hiring.NewInvitation) bool) {
		for {
			q, found, err := r.next(ctx, queuedInvitation{assessmentID: r.assessmentID, address: r.current.address})
			if err != nil {
				r.failed = err
			}
			if err != nil || !found || q.assessmentID != r.assessmentID {
				return
			}
			r.current = q
			if !yield(hiring.NewInvitation{Email: q.Email, Name: q.Name, Extra: q.Extra}) {
				return
			}
		}
	}
}

// record stores the result of the current candidate. An address whose outcome is not known
// keeps the status sending.
func (r *invitationRun) record(ctx context.Context, i hiring.InviteResult, err error) error {
	status := StatusQueued
	switch {
	case err == nil && i.Outcome == hiring.InviteSent:
		status = StatusSent
	case err == nil:
		status = StatusExisting
	case errors.Is(err, errOvertaken):
		return errOvertaken
	case i.Outcome == hiring.InviteUnknown && outcome(err) == hiring.OutcomeDone:
		status = StatusUnknown
	case i.Outcome == hiring.InviteUnknown:
		return nil
	case isRejected(err):
		status = StatusCancelled
	}
	if err != nil && status != StatusQueued {
		r.current.Problem = err.Error()
	}
	r.current.InvitationID = i.Invitation.ID
	return r.update(ctx, status)
}

// cancelAll cancels the queued invitations of an assessment that does not exist.
func (r *invitationRun) cancelAll(ctx context.Context, reason error) error {
	r.current = queuedInvitation{}
	for range r.candidates(ctx) {
		r.current.Problem = reason.Error()
		if err := r.update(ctx, StatusCancelled); err != nil {
			return err
		}
	}
	return r.failed
}

// isRejected reports whether the API or the client rejected the invitation of one
// candidate. An error of the listing is not a rejection.
func isRejected(err error) bool {
	if apiErr, ok := errors.AsType[*hiring.Error](err); ok {
		return apiErr.Method == http.MethodPost && (apiErr.Status == http.StatusBadRequest || apiErr.Status == http.StatusConflict)
	}
	_, ok := errors.AsType[*hiring.ParamError](err)
	return ok
}

func outcome(err error) hiring.Outcome {
	if apiErr, ok := errors.AsType[*hiring.Error](err); ok {
		return apiErr.Outcome
	}
	return ""
}
