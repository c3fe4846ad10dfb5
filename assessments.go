package hiring

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// AssessmentService manages assessments, the job postings that candidates are invited to.
//
//	GET    /assessments        read  (Dialect.ListAssessments)
//	GET    /assessments/{id}   read  (Dialect.GetAssessment)
//	POST   /assessments        write
//	PATCH  /assessments/{id}   write (Dialect.UpdateAssessment)
//	DELETE /assessments/{id}   write
type AssessmentService struct{ core *core }

var (
	createAssessmentRoute = registerRoute("POST /assessments")
	deleteAssessmentRoute = registerRoute("DELETE /assessments/{id}")
)

func (s *AssessmentService) mustCore() *core { return (*service)(s).mustCore() }

// List returns the assessments that are not deleted, newest first (assumed: list shape).
// The API has no sort parameter. Scope read; costs one read a page.
func (s *AssessmentService) List() Pager[Assessment] {
	return newPager(list[Assessment]{
		List:    paging.List{MaxSize: maxPageSize},
		core:    s.mustCore(),
		request: newRequest("Assessments.List", s.mustCore().dialect.ListAssessments).assume("ListAssessments", ""),
		id:      func(a *Assessment) string { return a.ID },
	})
}

// Get returns an assessment. Scope read; costs one read.
func (s *AssessmentService) Get(ctx context.Context, id string) (Assessment, error) {
	r := newRequest("Assessments.Get", s.mustCore().dialect.GetAssessment, pathID("id", id)).assume("GetAssessment", "")
	return do[Assessment](ctx, s.mustCore(), r)
}

// Create creates an active assessment from a challenge. It consumes no plan quota. Scope
// write; costs one write.
//
// The client retries a POST only when the API certainly did not process it. After
// [ErrOutcomeUnknown], check with List whether the assessment exists before you call
// Create again.
func (s *AssessmentService) Create(ctx context.Context, in NewAssessment) (Assessment, error) {
	return do[Assessment](ctx, s.mustCore(), in.request())
}

// Update changes the fields that in sets and returns the assessment (assumed: resource
// response). Scope write; costs one write.
func (s *AssessmentService) Update(ctx context.Context, id string, in AssessmentUpdate) (Assessment, error) {
	r := newRequest("Assessments.Update", s.mustCore().dialect.UpdateAssessment, pathID("id", id)).assume("UpdateAssessment", "")
	return do[Assessment](ctx, s.mustCore(), in.apply(r))
}

// Close sets the assessment's status to closed, which stops new work. The assessment stays
// in listings. Scope write; costs one write.
func (s *AssessmentService) Close(ctx context.Context, id string) (Assessment, error) {
	r := newRequest("Assessments.Close", s.mustCore().dialect.UpdateAssessment, pathID("id", id)).assume("UpdateAssessment", "")
	return do[Assessment](ctx, s.mustCore(), AssessmentUpdate{Status: AssessmentClosed}.apply(r))
}

// Delete removes the assessment from listings. Invitations already sent keep working, and
// submissions keep their reports. To stop new work, use Close. Scope write; costs one
// write.
//
// Any 2xx response of the API is success (assumed: any response).
func (s *AssessmentService) Delete(ctx context.Context, id string) error {
	return s.mustCore().makeCall(ctx, newRequest("Assessments.Delete", deleteAssessmentRoute, pathID("id", id)), nil)
}

// NewAssessment is the input of [AssessmentService.Create]. ChallengeID and Name are
// required. The API does not document the other fields, which are sent under the names of
// [Assessment] (assumed: optional members). A zero field is not sent.
type NewAssessment struct {
	ChallengeID      string
	Name             string
	TimeLimitMinutes int            // Sent as "time_limit_minutes" (assumed).
	BudgetDollarsCap *float64       // In dollars; sent as "budget_dollars_cap" (assumed). Nil is not sent.
	SelectedTaskIDs  []string       // The tasks of a multi-task challenge; sent as "selected_task_ids" (assumed).
	Extra            map[string]any // Further members of the body.
}

func (in NewAssessment) request() request {
	r := newRequest("Assessments.Create", createAssessmentRoute)
	if isBlank(in.ChallengeID) {
		r = r.refuseField("ChallengeID", "challenge_id", "must not be empty")
	}
	if in.Name == "" {
		r = r.refuseField("Name", "name", "must not be empty")
	}
	if in.TimeLimitMinutes < 0 {
		r = r.refuseField("TimeLimitMinutes", "time_limit_minutes", "must not be negative (0 leaves it out)")
	}
	if in.BudgetDollarsCap != nil && *in.BudgetDollarsCap < 0 {
		r = r.refuseField("BudgetDollarsCap", "budget_dollars_cap", "must not be negative")
	}
	return r.withMembers([]member{
		{name: "challenge_id", value: in.ChallengeID},
		{name: "name", value: in.Name},
		{name: "time_limit_minutes", value: in.TimeLimitMinutes, optional: true},
		{name: "budget_dollars_cap", value: in.BudgetDollarsCap, optional: true},
		{name: "selected_task_ids", value: in.SelectedTaskIDs, optional: true},
	}, in.Extra)
}

// AssessmentUpdate is the input of [AssessmentService.Update]. At least one field must be
// set.
type AssessmentUpdate struct {
	Status AssessmentStatus // Sent as "status" (assumed: status member).
	Extra  map[string]any   // Further members of the body.
}

func (in AssessmentUpdate) apply(r request) request {
	if in.Status == "" && len(in.Extra) == 0 {
		r = r.refuse("AssessmentUpdate", "must set at least one field")
	}
	return r.withMembers([]member{{name: "status", value: in.Status, optional: true}}, in.Extra)
}

// Assessment is a job posting built from a challenge.
type Assessment struct {
	ID               string                     `json:"id"`
	Name             string                     `json:"name"`
	ChallengeID      string                     `json:"challenge_id"`
	Status           AssessmentStatus           `json:"status"`
	TimeLimitMinutes int                        `json:"time_limit_minutes"`
	BudgetDollarsCap *float64                   `json:"budget_dollars_cap"` // In dollars.
	SelectedTaskIDs  []string                   `json:"selected_task_ids"`  // Nil if not set.
	CreatedAt        time.Time                  `json:"created_at,omitzero"`
	UpdatedAt        time.Time                  `json:"updated_at,omitzero"`
	Extra            map[string]json.RawMessage `json:",unknown,embed"`
}

func (Assessment) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (a Assessment) MarshalJSON() ([]byte, error) { return encode(a) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (a *Assessment) UnmarshalJSON(data []byte) error { return decode(data, a) }

func (a Assessment) check(wanted string) error { return checkID(a.ID, wanted) }

// AssessmentStatus is the status of an assessment. The set is open.
type AssessmentStatus string

// The documented statuses. The sandbox returns no others.
const (
	AssessmentActive AssessmentStatus = "active"
	AssessmentClosed AssessmentStatus = "closed"
)
