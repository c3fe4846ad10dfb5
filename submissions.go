package hiring

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/go-querystring/query"

	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// SubmissionService reads candidates' attempts and their reports.
//
//	GET /submissions               read
//	GET /submissions/{id}          read
//	GET /submissions/{id}/report   read
type SubmissionService struct{ core *core }

var (
	submissionsRoute = registerRoute("GET /submissions")
	submissionRoute  = registerRoute("GET /submissions/{id}")
	reportRoute      = registerRoute("GET /submissions/{id}/report")
)

func (s *SubmissionService) mustCore() *core { return (*service)(s).mustCore() }

// List returns the submissions that match the filter, newest first (assumed: list shape),
// each with its report inline (assumed: inline report). Without one Report is nil, which
// [Report.Score] accepts. The API has no sort parameter. Scope read; costs one read a
// page.
func (s *SubmissionService) List(filter SubmissionFilter) Pager[Submission] {
	return submissionsAs(s.mustCore(), "Submissions.List", filter, submissionID)
}

// submissionsAs returns the submissions that match the filter, each decoded into a T. id returns the id
// of a T. Nil: submissions that come twice are not dropped.
func submissionsAs[T any](k *core, operation string, filter SubmissionFilter, id func(*T) string) Pager[T] {
	r := newRequest(operation, submissionsRoute)
	r.query, _ = query.Values(filter) // Values fails only for a value that is not a struct.
	if !filter.Since.IsZero() {
		r.query.Set("since", urls.FormatTime(k.dialect.SinceLayout, filter.Since))
		r = r.assume("SinceLayout", "since")
	}
	return newPager(list[T]{List: paging.List{Style: paging.ByCursor, MaxSize: maxPageSize}, core: k, request: r, id: id})
}

func submissionID(s *Submission) string { return s.ID }

// Get returns a submission with its report inline and a link to its workspace archive,
// which is valid for an hour. Scope read; costs one read.
func (s *SubmissionService) Get(ctx context.Context, id string) (Submission, error) {
	return do[Submission](ctx, s.mustCore(), newRequest("Submissions.Get", submissionRoute, pathID("id", id)))
}

// FindByEmail returns the newest submission of an assessment for a candidate's address.
// Use it to find the submission of an invitation, which contains no submission id. The
// comparison ignores case, surrounding white space and zero-width characters. The report
// is inline as in [SubmissionService.List].
//
// If the assessment has no such submission, FindByEmail returns an [*Error] with the code
// [ErrNotFound] and Status 0. The candidate may not have started, or was invited under
// another address.
//
// Scope read; costs one read for each 100 submissions of the assessment, newest first,
// until the address is found.
func (s *SubmissionService) FindByEmail(ctx context.Context, assessmentID, email string) (found Submission, err error) {
	err = s.mustCore().traces.traced(ctx, TraceCall{Operation: "Submissions.FindByEmail"}, func(ctx context.Context) error {
		found, err = s.findByEmail(ctx, assessmentID, email)
		return err
	})
	return found, err
}

func (s *SubmissionService) findByEmail(ctx context.Context, assessmentID, email string) (Submission, error) {
	r := newRequest("Submissions.FindByEmail", submissionsRoute)
	if isBlank(assessmentID) {
		r = r.refuseField("assessmentID", "assessment_id", "must not be empty")
	}
	if problem := addressProblem(strings.TrimSpace(email)); problem != "" {
		r = r.refuse("email", problem)
	}
	if r.err != nil {
		return Submission{}, r.err
	}
	none := &Error{
		Code: ErrNotFound, Message: "no submission of the assessment has that address",
		Method: r.method, Route: r.route, Operation: r.operation, kind: kindFinal,
	}
	wanted := AddressKey(email)
	pages := submissionsAs(s.core, r.operation, SubmissionFilter{AssessmentID: assessmentID}, submissionID)
	for page, err := range pages.Pages(ctx) {
		if err != nil {
			return Submission{}, err
		}
		for _, submission := range page.Items {
			elsewhere := submission.AssessmentID != "" && idKey(submission.AssessmentID) != idKey(assessmentID)
			if !elsewhere && AddressKey(submission.Candidate.Email) == wanted {
				return submission, nil
			}
		}
		none.RequestID = page.Meta.RequestID
		none.Attempts = 1 // The attempts of the last page, not of all pages.
	}
	return Submission{}, none
}

// Report returns a submission's report. Before grading has finished it returns a report
// whose [Report.Ready] is false and whose scores are nil, and no error. Scope read; costs
// one read.
func (s *SubmissionService) Report(ctx context.Context, id string) (Report, error) {
	return do[Report](ctx, s.mustCore(), newRequest("Submissions.Report", reportRoute, pathID("id", id)))
}

// SubmissionFilter selects submissions. A zero field does not restrict the list.
type SubmissionFilter struct {
	AssessmentID string           `url:"assessment_id,omitempty"`
	Status       SubmissionStatus `url:"status,omitempty"` // As in Submission.Status (assumed: status filter).

	// Since is a lower bound of one of a submission's times. The API does not document which
	// one (assumed: meaning of since), so such a list is not "evaluated since": for new results
	// use [SubmissionService.Watch] or [SubmissionService.Poll].
	Since time.Time `url:"-"`
}

// Submission is a candidate's attempt at an assessment. A nil time or report means that
// the step has not happened (assumed: not yet).
type Submission struct {
	ID                  string                     `json:"id"`
	AssessmentID        string                     `json:"assessment_id"`
	Challenge           SubmissionChallenge        `json:"challenge"`
	Candidate           Candidate                  `json:"candidate"`
	Status              SubmissionStatus           `json:"status"`
	StartedAt           time.Time                  `json:"started_at,omitzero"`
	SubmittedAt         *time.Time                 `json:"submitted_at"`
	EvaluatedAt         *time.Time                 `json:"evaluated_at"`
	PausedTotalSeconds  int                        `json:"paused_total_seconds"`
	Budget              Budget                     `json:"budget"`
	CreatedAt           time.Time                  `json:"created_at,omitzero"`
	WorkspaceArchiveURL *string                    `json:"workspace_archive_url"` // Signed, valid for an hour: a secret.
	Report              *Report                    `json:"report"`
	Extra               map[string]json.RawMessage `json:",unknown,embed"`
}

func (Submission) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (s Submission) MarshalJSON() ([]byte, error) { return encode(s) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (s *Submission) UnmarshalJSON(data []byte) error { return decode(data, s) }

func (s Submission) check(wanted string) error {
	err := checkID(s.ID, wanted)
	if err == nil && s.Report != nil && s.Report.SubmissionID != "" {
		err = checkID(s.Report.SubmissionID, s.ID)
	}
	return err
}

// SubmissionChallenge is the challenge of a submission.
type SubmissionChallenge struct {
	Name  string                     `json:"name"`
	Slug  string                     `json:"slug"`
	Extra map[string]json.RawMessage `json:",unknown,embed"`
}

func (SubmissionChallenge) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (s SubmissionChallenge) MarshalJSON() ([]byte, error) { return encode(s) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (s *SubmissionChallenge) UnmarshalJSON(data []byte) error { return decode(data, s) }

// Candidate identifies the person of a submission, with the address and the name of the
// invitation. Both are personal data: do not log them.
type Candidate struct {
	Email string                     `json:"email"` // AddressKey returns the same text for all its spellings.
	Name  string                     `json:"name"`
	Extra map[string]json.RawMessage `json:",unknown,embed"`
}

func (Candidate) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (c Candidate) MarshalJSON() ([]byte, error) { return encode(c) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (c *Candidate) UnmarshalJSON(data []byte) error { return decode(data, c) }

// Budget is a submission's spending on AI, in dollars.
type Budget struct {
	DollarsUsed float64                    `json:"dollars_used"`
	DollarsCap  float64                    `json:"dollars_cap"`
	Extra       map[string]json.RawMessage `json:",unknown,embed"`
}

func (Budget) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (b Budget) MarshalJSON() ([]byte, error) { return encode(b) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (b *Budget) UnmarshalJSON(data []byte) error { return decode(data, b) }

// SubmissionStatus is the status of a submission. The set is open, and only "evaluated" is
// documented. The sandbox also returns "started" and "submitted".
type SubmissionStatus string

// SubmissionEvaluated means that grading has finished.
const SubmissionEvaluated SubmissionStatus = "evaluated"
