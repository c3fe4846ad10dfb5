package sandbox

import (
	"encoding/json"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// The wire types are the service's documentation written down once more, on
// purpose: encoding the SDK's own resources would let one misspelt name be
// wrong on both sides and pass every test. Members are in the documented order.

type wireAccount struct {
	ID                   string       `json:"id"`
	Name                 string       `json:"name"`
	Slug                 string       `json:"slug"`
	Plan                 wirePlan     `json:"plan"`
	Usage                wireUsage    `json:"usage"`
	Branding             wireBranding `json:"branding"`
	CustomDomain         *string      `json:"custom_domain"`
	CustomDomainVerified bool         `json:"custom_domain_verified"`
	CreatedAt            world.Moment `json:"created_at"`
}

type wirePlan struct {
	ID                 string `json:"id"`
	SubscriptionStatus string `json:"subscription_status"`
	BillingCurrency    string `json:"billing_currency"`
	LimitsEnforced     bool   `json:"limits_enforced"`
}

type wireUsage struct {
	PeriodStart      world.Moment `json:"period_start"`
	AssessmentsUsed  int          `json:"assessments_used"`
	AssessmentsLimit int          `json:"assessments_limit"`
}

type wireBranding struct {
	AccentColor  string  `json:"accent_color"`
	PrimaryColor *string `json:"primary_color"`
	LogoURL      *string `json:"logo_url"`
	SenderName   *string `json:"sender_name"`
	SupportEmail *string `json:"support_email"`
}

type wireMember struct {
	ID        string       `json:"id"`
	Email     string       `json:"email"`
	Name      string       `json:"name"`
	Role      string       `json:"role"`
	CreatedAt world.Moment `json:"created_at"`
}

type wireChallenge struct {
	ID               string       `json:"id"`
	Slug             string       `json:"slug"`
	Name             string       `json:"name"`
	Domain           string       `json:"domain"`
	Difficulty       string       `json:"difficulty"`
	Level            string       `json:"level"`
	Stack            string       `json:"stack"`
	TimeLimitMinutes int          `json:"time_limit_minutes"`
	BudgetDollarsCap float64      `json:"budget_dollars_cap"`
	IsPlatform       bool         `json:"is_platform"`
	IsMultiTask      bool         `json:"is_multi_task"`
	PublishedAt      world.Moment `json:"published_at"`
	CreatedAt        world.Moment `json:"created_at"`
	BriefMD          string       `json:"brief_md"`
	Tasks            []wireTask   `json:"tasks,omitempty"`
}

type wireTask struct {
	ID               string  `json:"id"`
	TaskKey          string  `json:"task_key"`
	Kind             string  `json:"kind"`
	Title            string  `json:"title"`
	OrderIndex       int     `json:"order_index"`
	Weight           float64 `json:"weight"`
	TimeLimitMinutes int     `json:"time_limit_minutes"`
}

type wireAssessment struct {
	ID               string       `json:"id"`
	Name             string       `json:"name"`
	ChallengeID      string       `json:"challenge_id"`
	Status           string       `json:"status"`
	TimeLimitMinutes int          `json:"time_limit_minutes"`
	BudgetDollarsCap *float64     `json:"budget_dollars_cap"`
	SelectedTaskIDs  []string     `json:"selected_task_ids"`
	CreatedAt        world.Moment `json:"created_at"`
	UpdatedAt        world.Moment `json:"updated_at"`
}

type wireInvitation struct {
	ID                string        `json:"id"`
	AssessmentID      string        `json:"assessment_id"`
	CandidateEmail    string        `json:"candidate_email"`
	CandidateName     string        `json:"candidate_name"`
	Status            string        `json:"status"`
	RecruiterDecision string        `json:"recruiter_decision"`
	SentAt            *world.Moment `json:"sent_at"`
	OpenedAt          *world.Moment `json:"opened_at"`
	StartedAt         *world.Moment `json:"started_at"`
	SubmittedAt       *world.Moment `json:"submitted_at"`
	ExpiresAt         world.Moment  `json:"expires_at"`
	CreatedAt         world.Moment  `json:"created_at"`
}

type wireSubmission struct {
	ID                  string           `json:"id"`
	AssessmentID        string           `json:"assessment_id"`
	Challenge           wireChallengeRef `json:"challenge"`
	Candidate           wireCandidate    `json:"candidate"`
	Status              string           `json:"status"`
	StartedAt           world.Moment     `json:"started_at"`
	SubmittedAt         *world.Moment    `json:"submitted_at"`
	EvaluatedAt         *world.Moment    `json:"evaluated_at"`
	PausedTotalSeconds  int              `json:"paused_total_seconds"`
	Budget              wireBudget       `json:"budget"`
	CreatedAt           world.Moment     `json:"created_at"`
	WorkspaceArchiveURL *string          `json:"workspace_archive_url"`
	Report              json.RawMessage  `json:"report"`
}

type wireChallengeRef struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type wireCandidate struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

type wireBudget struct {
	DollarsUsed float64 `json:"dollars_used"`
	DollarsCap  float64 `json:"dollars_cap"`
}

type wireReport struct {
	SubmissionID       string            `json:"submission_id"`
	Status             string            `json:"status"`
	Evaluated          bool              `json:"evaluated"`
	ShipScore          *int              `json:"ship_score"`
	Verdict            string            `json:"verdict"`
	VerdictLabel       string            `json:"verdict_label"`
	Confidence         string            `json:"confidence"`
	Summary            string            `json:"summary"`
	ScoredAsRole       *string           `json:"scored_as_role"`
	Pillars            []wirePillar      `json:"pillars"`
	Strengths          []json.RawMessage `json:"strengths"`
	Flags              []json.RawMessage `json:"flags"`
	InterviewQuestions []json.RawMessage `json:"interview_questions"`
	Facts              wireFacts         `json:"facts"`
	ScopeExclusions    []json.RawMessage `json:"scope_exclusions"`
	IntegrityStatus    string            `json:"integrity_status"`
	PipelineRank       *wireRank         `json:"pipeline_rank"`
	Percentile         *float64          `json:"percentile,omitempty"`
	Tasks              []json.RawMessage `json:"tasks"`
	GeneratedAt        *world.Moment     `json:"generated_at"`
}

type wirePillar struct {
	ID            string   `json:"id"`
	Label         string   `json:"label"`
	Score         *int     `json:"score"`
	LowConfidence bool     `json:"low_confidence"`
	Summary       string   `json:"summary"`
	NotAssessed   []string `json:"not_assessed"`
}

type wireFacts struct {
	TimeUsedMinutes       *float64 `json:"time_used_minutes"`
	TimeAllottedMinutes   int      `json:"time_allotted_minutes"`
	BudgetUsedDollars     float64  `json:"budget_used_dollars"`
	BudgetAllottedDollars float64  `json:"budget_allotted_dollars"`
	AIAuthoredPct         *float64 `json:"ai_authored_pct"`
	ChurnPct              *float64 `json:"churn_pct"`
	AIExchangeCount       int      `json:"ai_exchange_count"`
}

type wireRank struct {
	Rank  int `json:"rank"`
	Total int `json:"total"`
}
