package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// DeliveryArgs are those of the delivery of one submission.
type DeliveryArgs struct {
	Organization string `json:"organization"  river:"unique"`
	SubmissionID string `json:"submission_id" river:"unique"`

	// Submission is its JSON, as it was when it was noticed, without the signed
	// link, which expires. It is opaque to the database: what a candidate or a
	// grader writes may hold what jsonb refuses. Empty: to be read again.
	Submission []byte `json:"submission,omitempty"`
}

// Kind names the job.
func (DeliveryArgs) Kind() string { return "hiring_delivery" }

// InsertOpts make the job the only one for its submission, as long as River
// keeps it.
func (DeliveryArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueDeliveries, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()}}
}

func deliveriesOf(organization string, found []hiring.Submission) ([]river.InsertManyParams, error) {
	params := make([]river.InsertManyParams, 0, len(found))
	for i := range found {
		found[i].WorkspaceArchiveURL = nil
		text, err := json.Marshal(found[i])
		if err != nil {
			return nil, fmt.Errorf("jobs: submission %s: %w", found[i].ID, err)
		}
		params = append(params, river.InsertManyParams{Args: DeliveryArgs{organization, found[i].ID, text}})
	}
	return params, nil
}

// Deliver has a submission delivered, again if it was before, in the caller's
// transaction. A delivery that River still keeps, completed, cancelled or
// discarded, is retried with what it holds; a new one reads the submission, which
// costs one read. One that is running is left alone.
func Deliver[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization, submissionID string) error {
	inserted, err := client.InsertTx(ctx, tx, DeliveryArgs{Organization: organization, SubmissionID: submissionID}, nil)
	if err == nil && inserted.UniqueSkippedAsDuplicate {
		_, err = client.JobRetryTx(ctx, tx, inserted.Job.ID)
	}
	return err
}

// DeliveryWorker hands results over. [Watch] registers it.
type DeliveryWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[DeliveryArgs]

	organizations organizations
	handle        func(context.Context, TTx, hiring.Submission, hiring.Report) error
	send          func(context.Context, hiring.Submission, hiring.Report) error
}

// Work delivers one submission.
func (w *DeliveryWorker[D, TTx]) Work(ctx context.Context, job *river.Job[DeliveryArgs]) error {
	organization, err := w.organizations.find(job.Args.Organization)
	if err != nil {
		return err
	}
	return organization.told(ctx, job.JobRow, func() error {
		evaluatedAt, err := w.deliver(ctx, organization, job)
		if err == nil {
			organization.delivered(ctx, evaluatedAt)
		}
		return err
	})
}

// deliver returns when the submission was evaluated.
func (w *DeliveryWorker[D, TTx]) deliver(ctx context.Context, organization Organization, job *river.Job[DeliveryArgs]) (*time.Time, error) {
	submission, report, err := read(ctx, organization.Client.Submissions, job.Args)
	if err != nil {
		return nil, err
	}
	if w.send != nil {
		if err := w.send(ctx, submission, report); err != nil {
			return nil, err
		}
	}
	if w.handle == nil {
		return submission.EvaluatedAt, nil
	}
	return submission.EvaluatedAt, inTx(ctx, river.ClientFromContext[TTx](ctx), func(tx TTx, _ table) error {
		if err := w.handle(ctx, tx, submission, report); err != nil {
			return err
		}
		return complete[D](ctx, tx, job)
	})
}

// read takes the submission from the job, and what that lacks from the service.
func read(ctx context.Context, service *hiring.SubmissionService, args DeliveryArgs) (s hiring.Submission, r hiring.Report, err error) {
	if len(args.Submission) > 0 {
		err = json.Unmarshal(args.Submission, &s)
	} else {
		s, err = service.Get(ctx, args.SubmissionID)
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
	return s, r, patient(err)
}

// patient makes a refusal for want of quota a pause: it says nothing against the
// job.
func patient(err error) error {
	if failure, ok := errors.AsType[*hiring.Error](err); ok && errors.Is(err, hiring.ErrRateLimited) {
		return &rivertype.JobSnoozeError{Duration: max(failure.RetryAfter, time.Second)}
	}
	return err
}
