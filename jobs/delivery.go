package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Delivery is a result that is passed to a handler.
type Delivery struct {
	// ID identifies the result, for example to ignore repeated deliveries. It is the
	// id of the submission.
	ID string

	// Organization is the organization as given to [Watch], with its Value.
	Organization Organization

	// Submission has no WorkspaceArchiveURL, because that link is a credential and
	// expires. Call Submissions.DownloadArchive to download the archive.
	Submission hiring.Submission

	// Report is the report of the submission. It is ready.
	Report hiring.Report
}

// deliveryArgs are the arguments of the job that delivers one submission.
type deliveryArgs struct {
	Organization string `json:"organization"  river:"unique"`
	SubmissionID string `json:"submission_id" river:"unique"`

	// Submission is the JSON of the submission as the poll found it, without the
	// signed link. It is stored as base64, because the texts in it may contain
	// characters that jsonb rejects. When it is empty, the worker reads the
	// submission from the API.
	Submission []byte `json:"submission,omitempty"`
}

// Kind returns [KindDelivery].
func (deliveryArgs) Kind() string { return KindDelivery }

// InsertOpts returns options that allow one job for each result, as long as River
// keeps the job.
func (deliveryArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		MaxAttempts: RetryPolicy{}.withDefaults().attempts(), Queue: QueueDeliveries,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()},
	}
}

// deliveriesOf returns the jobs that deliver the submissions of a poll.
func deliveriesOf(o Organization, attempts int, found []hiring.Submission) ([]river.InsertManyParams, error) {
	params := make([]river.InsertManyParams, 0, len(found))
	for _, s := range found {
		s.WorkspaceArchiveURL = nil
		text, err := s.MarshalJSON() // json.Marshal would escape &, and an operator searches for addresses.
		if err != nil {
			return nil, fmt.Errorf("jobs: submission %s: %w", s.ID, err)
		}
		args := deliveryArgs{Organization: o.Name, SubmissionID: storable(s.ID), Submission: text}
		params = append(params, river.InsertManyParams{Args: args, InsertOpts: &river.InsertOpts{MaxAttempts: attempts}})
	}
	return params, nil
}

// Deliver delivers a submission, also if it was delivered before. The delivery starts after
// the commit of the caller's transaction.
//
//   - If River still keeps a delivery of the submission, Deliver retries it, as
//     [river.Client.JobRetryTx] does: a discarded one gets one more attempt. A running
//     delivery is not changed.
//   - Otherwise the worker reads the submission from the API, which costs one read. A 404 cancels
//     the delivery.
//   - Deliver deletes the row of a submission that could not be decoded.
//   - Deliver resumes the deliveries of the organization when they are paused, as [Resume] does.
//
// An empty name or id, and one that is not UTF-8 without NUL, is a [hiring.ParamError].
func Deliver[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization, submissionID string) error {
	if err := errors.Join(checkText("organization", organization), checkText("submissionID", submissionID)); err != nil {
		return err
	}
	t := callerTable(client, tx)
	_, err := t.resume(ctx, organization)
	_, removeErr := t.remove(ctx, organization, unreadableAddress+submissionID)
	if err := errors.Join(err, removeErr); err != nil {
		return err
	}
	inserted, err := client.InsertTx(ctx, tx, deliveryArgs{Organization: organization, SubmissionID: submissionID}, nil)
	if err != nil || !inserted.UniqueSkippedAsDuplicate {
		return err
	}
	_, err = client.JobRetryTx(ctx, tx, inserted.Job.ID)
	return err
}

// deliveryWorker delivers results to handlers.
type deliveryWorker[TTx any] struct {
	river.WorkerDefaults[deliveryArgs]
	*installation[TTx]
}

// pauseCheckInterval is the time after which a paused delivery checks whether the
// pause has ended.
var pauseCheckInterval = 5 * time.Minute

// NextRetry returns the time of the next attempt. A delivery that River rescues may have killed its process, so its delay grows with
// the number of rescues.
func (w *deliveryWorker[TTx]) NextRetry(job *river.Job[deliveryArgs]) time.Time {
	return w.nextRetry(job.ID, w.policy(job.Args.Organization).delay(1+job.Attempt-failures(job.JobRow)))
}

// policy returns the policy for the deliveries of an organization.
func (in *installation[TTx]) policy(organization string) RetryPolicy {
	if in.watched == nil { // Only River's rescuer asks.
		return RetryPolicy{}.withDefaults()
	}
	return in.results[in.watched.sourceOf(organization)].Retry
}

// Work delivers one submission.
func (w *deliveryWorker[TTx]) Work(ctx context.Context, job *river.Job[deliveryArgs]) error {
	policy := w.policy(job.Args.Organization)
	a := attempt{job.JobRow, job.Args.Organization, job.Args.SubmissionID, policy.delay, policy.Max}
	return w.supervise(ctx, w.watched, a, func(o Organization, source int) (err error) {
		job.MaxAttempts = w.results[source].Retry.attempts() // River decides by it. Deliver and an earlier configuration have inserted another number.
		receiver, err := w.table().load(ctx, o.Name, receiverAddress)
		if err != nil {
			return err
		}
		if receiver.status == StatusPaused {
			return river.JobSnooze(pauseCheckInterval)
		}
		release, turn := w.shares.take(ctx, o.Name)
		if release == nil {
			return river.JobSnooze(turn)
		}
		defer func() { release(err) }()
		defer w.expectReturn(ctx, o, job)()
		return w.deliver(ctx, o, &w.results[source], job)
	})
}

// expectReturn reports a delivery that does not return after its context has ended, again each minute until returned is called.
func (w *deliveryWorker[TTx]) expectReturn(ctx context.Context, o Organization, job *river.Job[deliveryArgs]) (returned func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		grace := time.Second // The process is about to end, or the delivery was cancelled.
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			grace = cmp.Or(w.config.JobStuckThreshold, river.JobStuckThresholdDefault)
		}
		for ; ; grace = 2 * healthInterval {
			select {
			case <-done:
				return
			case <-time.After(grace):
			}
			w.logger().WarnContext(ctx, "jobs: a handler does not return: it must return when its context ends",
				"organization", o.Name, "kind", KindDelivery, "submission_id", job.Args.SubmissionID, "job_id", job.ID)
			o.reportEvent(ctx, KindDelivery, EventStuck)
		}
	})
	return func() { stop(); close(done) }
}

// rescueError is the error that River's rescuer stores in a job.
const rescueError = "Stuck job rescued by JobRescuer"

// deliver calls the handlers.
func (w *deliveryWorker[TTx]) deliver(ctx context.Context, o Organization, results *Results[TTx], job *river.Job[deliveryArgs]) error {
	if n := len(job.Errors); n > 0 && job.Errors[n-1].Error == rescueError {
		w.logger().WarnContext(ctx, "jobs: an earlier attempt of this delivery did not end: its process was killed, or it hung",
			"organization", o.Name, "submission_id", job.Args.SubmissionID, "job_id", job.ID, "attempt", job.Attempt, "attempted_by", job.AttemptedBy)
	}
	submission, err := readSubmission(ctx, o.Client.Submissions, job.Args)
	if err != nil {
		return err
	}
	d := Delivery{ID: submission.ID, Organization: o, Submission: submission, Report: *submission.Report}
	if results.Send != nil {
		err = results.Send(ctx, d)
	}
	if errors.Is(err, ErrReceiverGone) {
		w.logger().WarnContext(ctx, "jobs: the receiver responded with 410: deliveries are paused until resume", "organization", o.Name)
		return errors.Join(w.table().pause(ctx, o.Name, errorText(err)), river.JobSnooze(pauseCheckInterval))
	}
	if err == nil && results.Handle != nil {
		err = w.handle(ctx, results, d, job)
	}
	if err == nil {
		o.telemetry.Delivered(ctx, DeliveredEvent{o.Name, submission.EvaluatedAt})
	}
	return err
}

// handle calls Handle in the transaction that completes the delivery.
func (w *deliveryWorker[TTx]) handle(ctx context.Context, results *Results[TTx], d Delivery, job *river.Job[deliveryArgs]) error {
	return w.inTx(ctx, func(tx TTx, t table) error {
		err := results.Handle(ctx, tx, d)
		if err == nil {
			err = w.complete(ctx, tx, job.JobRow)
		}
		if err != nil && t.ended(ctx) {
			err = river.JobCancel(errTxEnded)
		}
		return err
	})
}

// readSubmission returns the submission of a job with its report. It reads from the
// API what the job does not hold.
func readSubmission(ctx context.Context, service *hiring.SubmissionService, args deliveryArgs) (s hiring.Submission, err error) {
	if len(args.Submission) > 0 {
		err = json.Unmarshal(args.Submission, &s)
	} else {
		s, err = service.Get(ctx, args.SubmissionID)
		s.WorkspaceArchiveURL = nil
		if errors.Is(err, hiring.ErrNotFound) {
			return s, river.JobCancel(fmt.Errorf("jobs: the API has no submission %s: it was deleted, or it is of another organization: %w", args.SubmissionID, err))
		}
	}
	if err == nil && !s.Report.Ready() {
		err = fmt.Errorf("jobs: the report of submission %s is not ready", args.SubmissionID)
	}
	if ctx.Err() != nil {
		return s, err // The timeout of the job counts as a failure.
	}
	return s, snoozeIfTransient(err)
}
