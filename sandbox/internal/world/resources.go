package world

// The types of this file have the JSON member names of the API, written by hand
// from its documentation in the documented order. They are independent of the
// types of package hiring: a member that one side misspells must fail a test.

// Account is an organization and its plan.
type Account struct {
	ID                   string   `json:"id"`
	Name                 string   `json:"name"`
	Slug                 string   `json:"slug"`
	Plan                 Plan     `json:"plan"`
	Usage                Usage    `json:"usage"`
	Branding             Branding `json:"branding"`
	CustomDomain         *string  `json:"custom_domain"`
	CustomDomainVerified bool     `json:"custom_domain_verified"`
	CreatedAt            Moment   `json:"created_at"`
}

// Plan is the plan of an organization.
type Plan struct {
	ID                 string `json:"id"`
	SubscriptionStatus string `json:"subscription_status"`
	BillingCurrency    string `json:"billing_currency"`
	LimitsEnforced     bool   `json:"limits_enforced"`
}

// Usage is the used part of the plan in the current period.
type Usage struct {
	PeriodStart      Moment `json:"period_start"`
	AssessmentsUsed  int    `json:"assessments_used"`
	AssessmentsLimit int    `json:"assessments_limit"`
}

// Branding is the appearance of an organization to candidates.
type Branding struct {
	AccentColor  string  `json:"accent_color"`
	PrimaryColor *string `json:"primary_color"`
	LogoURL      *string `json:"logo_url"`
	SenderName   *string `json:"sender_name"`
	SupportEmail *string `json:"support_email"`
}

// Member is a member of an organization.
type Member struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Role      string `json:"role"`
	CreatedAt Moment `json:"created_at"`
}

// Challenge is a task, or a set of tasks, for candidates.
type Challenge struct {
	ID               string  `json:"id"`
	Slug             string  `json:"slug"`
	Name             string  `json:"name"`
	Domain           string  `json:"domain"`
	Difficulty       string  `json:"difficulty"`
	Level            string  `json:"level"`
	Stack            string  `json:"stack"`
	TimeLimitMinutes int     `json:"time_limit_minutes"`
	BudgetDollarsCap float64 `json:"budget_dollars_cap"`
	IsPlatform       bool    `json:"is_platform"`
	IsMultiTask      bool    `json:"is_multi_task"`
	PublishedAt      Moment  `json:"published_at"`
	CreatedAt        Moment  `json:"created_at"`
	BriefMD          string  `json:"brief_md"`
	Tasks            []Task  `json:"tasks,omitempty"` // None unless it is multi-task.
}

// Task is a part of a multi-task challenge.
type Task struct {
	ID               string  `json:"id"`
	TaskKey          string  `json:"task_key"`
	Kind             string  `json:"kind"`
	Title            string  `json:"title"`
	OrderIndex       int     `json:"order_index"`
	Weight           float64 `json:"weight"`
	TimeLimitMinutes int     `json:"time_limit_minutes"`
}

// Assessment is a challenge to which candidates are invited.
type Assessment struct {
	byTest bool // Added by a test, not by the program: it may get earlier times.

	ID               string   `json:"id"`
	Name             string   `json:"name"`
	ChallengeID      string   `json:"challenge_id"`
	Status           string   `json:"status"`
	TimeLimitMinutes int      `json:"time_limit_minutes"`
	BudgetDollarsCap *float64 `json:"budget_dollars_cap"`
	SelectedTaskIDs  []string `json:"selected_task_ids"`
	CreatedAt        Moment   `json:"created_at"`
	UpdatedAt        Moment   `json:"updated_at"`
}

// Invitation is a candidate's invitation to an assessment.
type Invitation struct {
	ID                string  `json:"id"`
	AssessmentID      string  `json:"assessment_id"`
	CandidateEmail    string  `json:"candidate_email"`
	CandidateName     string  `json:"candidate_name"`
	Status            string  `json:"status"`
	RecruiterDecision string  `json:"recruiter_decision"`
	SentAt            *Moment `json:"sent_at"`
	OpenedAt          *Moment `json:"opened_at"`
	StartedAt         *Moment `json:"started_at"`
	SubmittedAt       *Moment `json:"submitted_at"`
	ExpiresAt         Moment  `json:"expires_at"`
	CreatedAt         Moment  `json:"created_at"`
}

// Submission is a candidate's attempt at an assessment.
type Submission struct {
	ID                 string       `json:"id"`
	AssessmentID       string       `json:"assessment_id"`
	Challenge          ChallengeRef `json:"challenge"`
	Candidate          Person       `json:"candidate"`
	Status             string       `json:"status"`
	StartedAt          Moment       `json:"started_at"`
	SubmittedAt        *Moment      `json:"submitted_at"`
	EvaluatedAt        *Moment      `json:"evaluated_at"`
	PausedTotalSeconds int          `json:"paused_total_seconds"`
	Budget             Budget       `json:"budget"`
	CreatedAt          Moment       `json:"created_at"`
}

// ChallengeRef identifies a challenge.
type ChallengeRef struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
}

// Person is the name and address of a candidate.
type Person struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Budget is the allowed and used budget for assistants.
type Budget struct {
	DollarsUsed float64 `json:"dollars_used"`
	DollarsCap  float64 `json:"dollars_cap"`
}

// RawJSON is JSON that the package stores and does not decode.
type RawJSON string

// UnmarshalJSON keeps a value of the sample data as it is.
func (t *RawJSON) UnmarshalJSON(raw []byte) error {
	*t = RawJSON(raw)
	return nil
}

var emptyArray = []byte("[]")

// RawJSONs is an array of JSON values. A nil one encodes as an empty array.
type RawJSONs []RawJSON

// MarshalJSON returns the values as an array.
func (t RawJSONs) MarshalJSON() ([]byte, error) {
	if len(t) == 0 {
		return emptyArray, nil
	}
	b := []byte{'['}
	for i, text := range t {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return append(b, ']'), nil
}

// Event is an entry in the log of a submission.
type Event struct {
	Seq     int64
	Kind    string
	At      Moment
	Payload RawJSON // Empty: no payload.
}

// Report is the result of grading. Before the evaluation it has four pillars without
// scores.
type Report struct {
	SubmissionID       string   `json:"submission_id"`
	Status             string   `json:"status"`
	Evaluated          bool     `json:"evaluated"`
	ShipScore          *int     `json:"ship_score"`
	Verdict            string   `json:"verdict"`
	VerdictLabel       string   `json:"verdict_label"`
	Confidence         string   `json:"confidence"`
	Summary            string   `json:"summary"`
	ScoredAsRole       *string  `json:"scored_as_role"`
	Pillars            []Pillar `json:"pillars"`
	Strengths          RawJSONs `json:"strengths"`
	Flags              RawJSONs `json:"flags"`
	InterviewQuestions RawJSONs `json:"interview_questions"`
	Facts              Facts    `json:"facts"`
	ScopeExclusions    RawJSONs `json:"scope_exclusions"`
	IntegrityStatus    string   `json:"integrity_status"`
	PipelineRank       *Rank    `json:"pipeline_rank"` // Nil: Attempt.Rank depends on other submissions.
	Percentile         *float64 `json:"percentile,omitempty"`
	Tasks              RawJSONs `json:"tasks"`
	GeneratedAt        *Moment  `json:"generated_at"`
}

// Pillar is one of the four scored areas.
type Pillar struct {
	ID            string   `json:"id"`
	Label         string   `json:"label"`
	Score         *int     `json:"score"`
	LowConfidence bool     `json:"low_confidence"`
	Summary       string   `json:"summary"`
	NotAssessed   []string `json:"not_assessed"`
}

// Facts are measurements of an attempt.
type Facts struct {
	TimeUsedMinutes       *float64 `json:"time_used_minutes"`
	TimeAllottedMinutes   int      `json:"time_allotted_minutes"`
	BudgetUsedDollars     float64  `json:"budget_used_dollars"`
	BudgetAllottedDollars float64  `json:"budget_allotted_dollars"`
	AIAuthoredPct         *float64 `json:"ai_authored_pct"`
	ChurnPct              *float64 `json:"churn_pct"`
	AIExchangeCount       int      `json:"ai_exchange_count"`
}

// Rank is the rank of a submission among evaluated ones.
type Rank struct {
	Rank  int `json:"rank"`
	Total int `json:"total"`
}

// pillars are the four pillars without scores.
var pillars = [...]Pillar{
	{ID: "correctness", Label: "Correctness", NotAssessed: []string{}},
	{ID: "craft", Label: "Craft", NotAssessed: []string{}},
	{ID: "ai_fluency", Label: "AI Fluency", NotAssessed: []string{}},
	{ID: "rigor", Label: "Rigor", NotAssessed: []string{}},
}
