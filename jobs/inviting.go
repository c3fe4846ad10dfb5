package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/riverqueue/river"

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
}

// planWait is the wait after the API has reported that the limit of the plan is reached.
const planWait = time.Hour

// SendInvitations adds the worker that sends the invitations of [Invite] to the
// configuration of a River client, as [Watch] does. For each organization one job at
// a time, in any of the processes, sends the queued invitations with
// [hiring.InvitationService.EnsureAll]: at most one invitation e-mail to each address,
// within the write rate limit. Call it once for a configuration.
//
//   - The row of an address gets the status sending before each request. A run that another
//     run has overtaken cannot write it, and sends nothing.
//   - After a crash an address with that status is tried again 90 s after the request: the
//     timeout of an attempt, 30 s whatever the client has, and the minute after which a
//     listing shows the invitation.
//   - When the limit of the plan is reached, the job is snoozed for an hour, with a log
//     line at WARN. The queued invitations are then reported as [InvitationsStuck].
//   - An invitation that is rejected ([hiring.InviteRejected]) is cancelled. Its row contains the
//     reason, and a log line at WARN counts them. The others are sent. Ten rejections in a row with which EnsureAll ends are an error
//     of the job, and the other invitations stay queued.
//   - After a transient error ([hiring.IsTransient]), such as a used up rate limit, the job is
//     snoozed for as long as the API asked for, otherwise for two minutes. A snooze does not
//     use up attempts. There is a log line at WARN, for a used-up rate limit only when the snooze is longer than five minutes. The queued invitations are
//     [InvitationsStuck], except after a used-up rate limit.
//   - Any other error, such as a rejected key or an assessment that does not exist for the key, is retried as often as River's
//     MaxAttempts allows: by default 25 attempts in about two hours. Then the job is
//     discarded, and another is inserted within two minutes, until the error is repaired.
//
// Scope write; costs what EnsureAll costs.
func SendInvitations[TTx any](config *river.Config, db Database[TTx], invitations Invitations) error {
	source, err := newSource(invitations.Organizations, invitations.Directory, invitations.Telemetry, make(map[string]bool))
	if err != nil {
		return err
	}
	in, err := install(config, db)
	if err != nil {
		return err
	}
	if in.inviting != nil {
		return errors.New("jobs: SendInvitations: call it once for a river.Config")
	}
	in.inviting = in.register(nil, source)
	addQueue(config, QueueInvitations, river.QueueConfig{MaxWorkers: 10, FetchPollInterval: rarePollInterval})
	return nil
}

// inviteArgs are the arguments of the job that sends the invitations of an
// organization.
type inviteArgs struct {
	Organization string `json:"organization" river:"unique"`
}

// Kind returns [KindInvitations].
func (inviteArgs) Kind() string { return KindInvitations }

// InsertOpts returns options that allow one unfinished job for each organization.
func (inviteArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueInvitations, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinishedStates}}
}

// inviteWorker sends invitations.
type inviteWorker[TTx any] struct {
	river.WorkerDefaults[inviteArgs]
	*installation[TTx]
}

var (
	inviteTimeout  = 3 * time.Minute
	retryDelay     = time.Minute      // Multiplied by the number of failures.
	attemptTimeout = 30 * time.Second // Of one request.
	settleTime     = time.Minute      // After the end of an attempt, until a listing shows its invitation.
)

// Timeout returns three minutes. River gives the job of a killed process to another after
// five; see setRescueAfter. Each run begins by listing the existing invitations, so shorter
// runs would use up the read rate limit.
func (w *inviteWorker[TTx]) Timeout(*river.Job[inviteArgs]) time.Duration { return inviteTimeout }

// NextRetry returns the time of the next attempt: one to five minutes after a failure,
// growing with the number of failures, and a minute after River has rescued the job of a killed process.
func (w *inviteWorker[TTx]) NextRetry(job *river.Job[inviteArgs]) time.Time {
	return w.nextRetry(job.ID, inviteDelay(1))
}

func inviteDelay(failures int) time.Duration { return retryDelay * time.Duration(min(failures, 5)) }

// Work sends invitations until none is queued.
func (w *inviteWorker[TTx]) Work(ctx context.Context, job *river.Job[inviteArgs]) error {
	a := attempt{row: job.JobRow, organization: job.Args.Organization, delay: inviteDelay}
	return w.supervise(ctx, w.inviting, a, func(o Organization, _ int) error { return w.sendQueued(ctx, o, job) })
}

func (w *inviteWorker[TTx]) sendQueued(ctx context.Context, organization Organization, job *river.Job[inviteArgs]) error {
	t := w.table()
	client, err := organization.Client.With(hiring.WithTimeout(attemptTimeout))
	if err != nil {
		return err
	}
	var missing error
	for after := ""; ; { // The assessment that was missing last: it does not hold up the others.
		r := invitationRun{table: t, organization: organization.Name}
		if r.settled, err = t.settledBefore(ctx); err != nil {
			return err
		}
		first, found, err := r.next(ctx, after, nil)
		if err != nil {
			return err
		}
		if !found && missing != nil {
			return missing
		}
		if !found {
			return w.completeUnlessQueued(ctx, job)
		}
		r.assessmentID = first.assessmentID
		err = r.run(ctx, client.Invitations)
		if r.rejected > 0 {
			w.logger().WarnContext(ctx, "jobs: invitations were rejected", "organization", organization.Name,
				"assessment_id", r.assessmentID, "count", r.rejected, "cause", r.cause)
		}
		switch {
		case errors.Is(err, hiring.ErrNotFound):
			missing = fmt.Errorf("jobs: assessment %s %s, its invitations stay queued: %w", r.assessmentID, lacksAssessmentText, err)
			after = r.assessmentID
		case err != nil:
			return w.snoozeOrFail(ctx, organization, err)
		}
	}
}

// completeUnlessQueued completes the job if no invitation is left. It completes the
// job first and checks second: the completion makes this transaction and that of a
// concurrent Invite wait for each other, so one of them sees the other's changes.
func (w *inviteWorker[TTx]) completeUnlessQueued(ctx context.Context, job *river.Job[inviteArgs]) error {
	return w.inTx(ctx, func(tx TTx, t table) error {
		if err := w.complete(ctx, tx, job.JobRow); err != nil {
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
func (w *inviteWorker[TTx]) snoozeOrFail(ctx context.Context, o Organization, err error) error {
	limit, waits, delay := "", "API", cmp.Or(requestedDelay(err), jittered(2*retryDelay))
	switch {
	case errors.Is(err, hiring.ErrPlanLimitReached):
		limit, waits, delay = "the limit of the plan is reached", "plan", planWait
	case errors.Is(err, errTimeUp), ctx.Err() != nil:
		return river.JobSnooze(0) // The rows have the times of requests without a result.
	case errors.Is(err, hiring.ErrRateLimited):
		limit, waits = "the rate limit is used up", waitsRateLimit
	case !hiring.IsTransient(err):
		return err
	}
	if limit != "" && delay > longWait { // What the API fails with is logged by report.
		w.logger().WarnContext(ctx, "jobs: "+limit+": queued invitations wait", "organization", o.Name,
			"kind", KindInvitations, "next_attempt", w.Now().Add(delay).UTC().Format(time.RFC3339))
	}
	return errors.Join(err, river.MetadataSet(ctx, metadataWaits, waits), river.JobSnooze(delay))
}

// metadataWaits is the key in the metadata of a poll or a run for what it waits for: the plan, the API, or the rate limit, which is
// no failure. The value is empty after an attempt that does not wait.
const (
	metadataWaits  = "hiring_waits"
	waitsRateLimit = "rate limit"

	longWait = 5 * time.Minute // A longer wait is logged.
)

// lacksAssessmentText is in the error of a run whose assessment does not exist. Invite finds it in the job.
const lacksAssessmentText = "does not exist for this key"

// invitationRun is one run of EnsureAll for the queued invitations of an assessment.
type invitationRun struct {
	table

	organization, assessmentID string

	settled float64          // See settledBefore. The run lists the invitations later.
	current queuedInvitation // The candidate that EnsureAll works on.
	failed  error            // Error of the table. It ends the run.

	rejected int
	cause    string // Of the last rejection.
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
	case err != nil && sendCtx.Err() != nil && requestedDelay(err) == 0:
		return errTimeUp
	}
	return err
}

// candidates returns the queued invitations. It reads each from the table when EnsureAll
// asks for it.
func (r *invitationRun) candidates(ctx context.Context) iter.Seq[hiring.NewInvitation] {
	return func(yield func(hiring.NewInvitation) bool) {
		for {
			q, found, err := r.next(ctx, r.assessmentID, &r.current.address)
			r.failed = errors.Join(r.failed, err)
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
	failure, failed := errors.AsType[*hiring.Error](err)
	status := StatusQueued
	switch {
	case err == nil && i.Outcome == hiring.InviteSent:
		status = StatusSent
	case err == nil:
		status = StatusExisting
	case errors.Is(err, errOvertaken):
		return errOvertaken
	case i.Outcome == hiring.InviteUnknown && failed && failure.Outcome == hiring.OutcomeDone:
		status = StatusUnknown
	case i.Outcome == hiring.InviteUnknown:
		return nil
	case i.Outcome == hiring.InviteRejected:
		status = StatusCancelled
		r.rejected, r.cause = r.rejected+1, causeOf(err)
	}
	if err != nil && status != StatusQueued {
		r.current.Problem = errorText(err)
	}
	r.current.InvitationID = i.Invitation.ID
	return r.update(ctx, status)
}
