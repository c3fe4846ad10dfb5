package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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
	// id of the submission. With WatchOptions.Regraded the time of the evaluation is
	// appended.
	ID string

	// Organization is the organization as given to [Watch], with its Value.
	Organization Organization

	// Submission has no WorkspaceArchiveURL, because that link is a credential and
	// expires. Call Submissions.DownloadArchive to download the archive.
	Submission hiring.Submission

	// Report is the report of the submission. It is ready.
	Report hiring.Report
}

func deliveryOf(o Organization, s hiring.Submission, r hiring.Report) Delivery {
	id := s.ID
	if o.Watch.Regraded && s.EvaluatedAt != nil {
		id += "_" + strconv.FormatInt(s.EvaluatedAt.UnixMilli(), 10)
	}
	return Delivery{ID: id, Organization: o, Submission: s, Report: r}
}

// deliveryArgs are the arguments of the job that delivers one submission.
type deliveryArgs struct {
	Organization string `json:"organization"  river:"unique"`
	SubmissionID string `json:"submission_id" river:"unique"`

	// EvaluatedAt is the time of the evaluation when the organization watches with
	// Regraded, and empty otherwise.
	EvaluatedAt string `json:"evaluated_at,omitempty" river:"unique"`

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
		args := deliveryArgs{Organization: o.Name, SubmissionID: s.ID, Submission: text}
		if o.Watch.Regraded && s.EvaluatedAt != nil {
			args.EvaluatedAt = s.EvaluatedAt.UTC().Format(time.RFC3339Nano)
		}
		params = append(params, river.InsertManyParams{Args: args, InsertOpts: &river.InsertOpts{MaxAttempts: attempts}})
	}
	return params, nil
}

// Deliver delivers a submission, also if it was delivered before. The delivery is
// inserted in the caller's transaction and starts after the commit. Deliver also
// resumes the deliveries of the organization when they are paused because of
// [ErrReceiverGone]: the others follow within five minutes.
//
// If River still keeps the delivery, it runs again with the submission that it holds,
// whether it is completed, cancelled, discarded or waiting. A running delivery is not
// changed. If River does not keep it, and always with WatchOptions.Regraded, the worker
// reads the submission from the API, which costs one read.
func Deliver[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization, submissionID string) error {
	t := tableOf(client, client.Driver().UnwrapExecutor(tx))
	if err := t.resume(ctx, organization); err != nil {
		return err
	}
	inserted, err := client.InsertTx(ctx, tx, deliveryArgs{Organization: organization, SubmissionID: submissionID}, nil)
	if err == nil && inserted.UniqueSkippedAsDuplicate {
		_, err = client.JobRetryTx(ctx, tx, inserted.Job.ID)
	}
	if err != nil {
		return err
	}
	return t.makeDue(ctx, inserted.Job.ID)
}

// deliveryWorker delivers results to handlers. [Watch] registers it.
type deliveryWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[deliveryArgs]
	supervisor[TTx]

	results         map[string]*Results[TTx] // By organization name.
	requestedDelays sync.Map                 // Delays of RetryAfterErrors, by job id, from Work until NextRetry.
}

// pauseCheckInterval is the time after which a paused delivery checks whether the
// pause has ended.
var pauseCheckInterval = 5 * time.Minute

// NextRetry returns the time of the next attempt by the [RetryPolicy] of the
// organization.
func (w *deliveryWorker[D, TTx]) NextRetry(job *river.Job[deliveryArgs]) time.Time {
	policy := RetryPolicy{}.withDefaults()
	if results, ok := w.results[job.Args.Organization]; ok {
		policy = results.Retry
	}
	d := policy.delay(job.Attempt)
	if requested, ok := w.requestedDelays.LoadAndDelete(job.ID); ok {
		d = min(max(d, requested.(time.Duration)), policy.Max)
	}
	return w.clock.Now().Add(jittered(d))
}

// Work delivers one submission.
func (w *deliveryWorker[D, TTx]) Work(ctx context.Context, job *river.Job[deliveryArgs]) error {
	return w.supervise(ctx, job.JobRow, job.Args.Organization, func(organization Organization) error {
		evaluatedAt, err := w.deliver(ctx, organization, job)
		if err == nil {
			organization.telemetry.delivered(ctx, DeliveredEvent{organization.Name, evaluatedAt})
		}
		if retryAfter, ok := errors.AsType[*RetryAfterError](err); ok && job.Attempt < job.MaxAttempts {
			w.requestedDelays.Store(job.ID, retryAfter.After)
		}
		return err
	})
}

// deliver calls the handlers, and returns when the submission was evaluated.
func (w *deliveryWorker[D, TTx]) deliver(ctx context.Context, organization Organization, job *river.Job[deliveryArgs]) (*time.Time, error) {
	t := workerTable[TTx](ctx)
	results := w.results[organization.Name]
	if results.Send != nil {
		paused, err := t.paused(ctx, organization.Name)
		if err != nil {
			return nil, err
		}
		if paused {
			return nil, river.JobSnooze(pauseCheckInterval)
		}
	}
	submission, report, err := readSubmission(ctx, organization.Client.Submissions, job.Args)
	if err != nil {
		return nil, err
	}
	d := deliveryOf(organization, submission, report)
	if results.Send != nil {
		err := results.Send(ctx, d)
		if errors.Is(err, ErrReceiverGone) {
			return nil, errors.Join(t.pause(ctx, organization.Name, err.Error()), river.JobSnooze(pauseCheckInterval))
		}
		if err != nil {
			return nil, err
		}
	}
	if results.Handle == nil {
		return submission.EvaluatedAt, nil
	}
	return submission.EvaluatedAt, inTx(ctx, func(tx TTx, _ table) error {
		if err := results.Handle(ctx, tx, d); err != nil {
			return err
		}
		return complete[D](ctx, tx, job)
	})
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
