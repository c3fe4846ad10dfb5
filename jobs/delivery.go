package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
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

// Kind returns the kind of the job.
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
		text, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("jobs: submission %s: %w", s.ID, err)
		}
		args := deliveryArgs{Organization: o.Name, SubmissionID: storable(s.ID), Submission: text}
		params = append(params, river.InsertManyParams{Args: args, InsertOpts: &river.InsertOpts{MaxAttempts: attempts}})
	}
	return params, nil
}

// Deliver delivers a submission, also if it was delivered before. The delivery is
// inserted in the caller's transaction and starts after the commit.
//
//   - If River still keeps the delivery, it runs again with the submission that it holds,
//     whether it is completed, cancelled, discarded or waiting. One that had ended has all
//     attempts of its policy again. A running delivery is not changed.
//   - Otherwise the worker reads the submission from the API, which costs one read.
//   - Deliver deletes the row of a submission that could not be decoded.
//   - Deliver resumes the deliveries of the organization when they are paused because of
//     [ErrReceiverGone]: the others follow within five minutes.
//
// An empty name or id, and one that is not UTF-8 without NUL, is a [hiring.ParamError].
func Deliver[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization, submissionID string) error {
	if err := errors.Join(checkText("organization", organization), checkText("submissionID", submissionID)); err != nil {
		return err
	}
	t := tableOf(client, client.Driver().UnwrapExecutor(tx))
	err := t.Exec(ctx, "DELETE FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address IN ($2, $3)",
		organization, receiverAddress, unreadableAddress+submissionID)
	if err != nil {
		return err
	}
	inserted, err := client.InsertTx(ctx, tx, deliveryArgs{Organization: organization, SubmissionID: submissionID}, nil)
	if err != nil {
		return err
	}
	job := inserted.Job
	if !inserted.UniqueSkippedAsDuplicate {
		return nil
	}
	if _, err = client.JobRetryTx(ctx, tx, job.ID); err != nil || job.FinalizedAt == nil {
		return err
	}
	return t.Exec(ctx, "UPDATE river_job SET attempt = 0, max_attempts = $2 WHERE id = $1 AND state = 'available'", job.ID, job.MaxAttempts)
}

// deliveryWorker delivers results to handlers. [Watch] registers it.
type deliveryWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[deliveryArgs]
	supervisor[TTx]

	results []Results[TTx] // By source.
	shares  *shares
	delays  sync.Map // Delays before the next attempts, by job id, from Work until NextRetry.
}

// pauseCheckInterval is the time after which a paused delivery checks whether the
// pause has ended.
var pauseCheckInterval = 5 * time.Minute

// NextRetry returns the time of the next attempt. Work has chosen the delay, except for
// a delivery that River rescues.
func (w *deliveryWorker[D, TTx]) NextRetry(job *river.Job[deliveryArgs]) time.Time {
	if d, ok := w.delays.LoadAndDelete(job.ID); ok {
		return w.clock.Now().Add(d.(time.Duration))
	}
	return w.clock.Now().Add(jittered(w.policy(job.Args.Organization).delay(job.Attempt)))
}

// policy returns the policy of an organization, or the default for one that is not known.
func (w *deliveryWorker[D, TTx]) policy(organization string) RetryPolicy {
	if e, err := w.organizations.entry(organization); err == nil {
		return w.results[e.source].Retry
	}
	return RetryPolicy{}.withDefaults()
}

// Work delivers one submission.
func (w *deliveryWorker[D, TTx]) Work(ctx context.Context, job *river.Job[deliveryArgs]) error {
	a := attempt{row: job.JobRow, organization: job.Args.Organization, submissionID: job.Args.SubmissionID}
	a.retryDelay = func(err error) time.Duration {
		policy := w.policy(a.organization)
		d := policy.delay(job.Attempt)
		if retryAfter, ok := errors.AsType[*RetryAfterError](err); ok {
			d = min(max(d, retryAfter.After), policy.Max)
		}
		d = jittered(d)
		w.delays.Store(job.ID, d)
		return d
	}
	return w.supervise(ctx, a, func(o Organization, source int) (err error) {
		results := &w.results[source]
		release, ok := w.shares.take(ctx, o.Name)
		if !ok {
			return river.JobSnooze(shareDelay(job.JobRow))
		}
		defer func() { release(err) }()
		w.installation.deliveries.Store(job.ID, runningDelivery{o, job.Args.SubmissionID})
		defer w.installation.deliveries.Delete(job.ID)
		var evaluatedAt *time.Time
		evaluatedAt, err = w.deliver(ctx, o, results, job)
		if err == nil {
			o.telemetry.Delivered(ctx, DeliveredEvent{o.Name, evaluatedAt})
		}
		return err
	})
}

// shareDelay returns the delay of a delivery for which its organization has no worker
// left: from one second to two minutes, growing with the number of snoozes.
func shareDelay(job *rivertype.JobRow) time.Duration {
	return jittered(min(time.Second<<min(snoozes(job), 7), 2*time.Minute))
}

// deliver calls the handlers, and returns when the submission was evaluated.
func (w *deliveryWorker[D, TTx]) deliver(ctx context.Context, o Organization, results *Results[TTx], job *river.Job[deliveryArgs]) (*time.Time, error) {
	t := workerTable[TTx](ctx)
	if results.Send != nil {
		paused, err := t.paused(ctx, o.Name)
		if err != nil {
			return nil, err
		}
		if paused {
			return nil, river.JobSnooze(pauseCheckInterval)
		}
	}
	submission, report, err := readSubmission(ctx, o.Client.Submissions, job.Args)
	if err != nil {
		return nil, err
	}
	d := Delivery{ID: submission.ID, Organization: o, Submission: submission, Report: report}
	if results.Send != nil {
		err := results.Send(ctx, d)
		if errors.Is(err, ErrReceiverGone) {
			return nil, errors.Join(t.pause(ctx, o.Name, err.Error()), river.JobSnooze(pauseCheckInterval))
		}
		if err != nil {
			return nil, err
		}
	}
	if results.Handle == nil {
		return submission.EvaluatedAt, nil
	}
	err = inTx(ctx, func(tx TTx, t table) error {
		err := results.Handle(ctx, tx, d)
		if err == nil {
			err = complete[D](ctx, tx, job)
		}
		if err != nil && t.checkOpen(ctx) != nil {
			err = river.JobCancel(errTxEnded)
		}
		return err
	})
	return submission.EvaluatedAt, err
}

// readSubmission returns the submission of a job and its report. It reads from the
// API what the job does not hold.
func readSubmission(ctx context.Context, service *hiring.SubmissionService, args deliveryArgs) (
	s hiring.Submission, r hiring.Report, err error,
) {
	if len(args.Submission) > 0 {
		err = json.Unmarshal(args.Submission, &s)
	} else {
		s, err = service.Get(ctx, args.SubmissionID)
		s.WorkspaceArchiveURL = nil
	}
	if err == nil && s.Report != nil {
		r = *s.Report
	}
	if err == nil && !r.Ready() {
		r, err = service.Report(ctx, args.SubmissionID)
		s.Report = &r
	}
	if err == nil && !r.Ready() {
		err = fmt.Errorf("jobs: the report of submission %s is not ready", args.SubmissionID)
	}
	return s, r, snoozeIfRateLimited(err)
}

// snoozeIfRateLimited returns a snooze in place of an error about a rate limit, so
// that the attempt does not count as a failure.
func snoozeIfRateLimited(err error) error {
	if apiErr, ok := errors.AsType[*hiring.Error](err); ok && errors.Is(err, hiring.ErrRateLimited) {
		return &rivertype.JobSnoozeError{Duration: max(apiErr.RetryAfter, time.Second)}
	}
	return err
}
