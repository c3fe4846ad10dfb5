package compare

import (
	"encoding/json"
	"time"
)

// The resources as they are declared by hand.

type wireEnvelope[T any] struct {
	Data T    `json:"data"`
	Meta meta `json:"meta"`
}

type meta struct {
	RequestID  string  `json:"request_id"`
	Page       int     `json:"page"`
	PageSize   int     `json:"page_size"`
	Total      int     `json:"total"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

type account struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
	Plan struct {
		ID                 string `json:"id"`
		SubscriptionStatus string `json:"subscription_status"`
		BillingCurrency    string `json:"billing_currency"`
		LimitsEnforced     bool   `json:"limits_enforced"`
	} `json:"plan"`
	Usage struct {
		PeriodStart      time.Time `json:"period_start"`
		AssessmentsUsed  int       `json:"assessments_used"`
		AssessmentsLimit int       `json:"assessments_limit"`
	} `json:"usage"`
	Branding struct {
		AccentColor  string  `json:"accent_color"`
		PrimaryColor *string `json:"primary_color"`
		LogoURL      *string `json:"logo_url"`
		SenderName   *string `json:"sender_name"`
		SupportEmail *string `json:"support_email"`
	} `json:"branding"`
	CustomDomain         *string   `json:"custom_domain"`
	CustomDomainVerified bool      `json:"custom_domain_verified"`
	CreatedAt            time.Time `json:"created_at"`
}

type invitation struct {
	ID                string     `json:"id"`
	AssessmentID      string     `json:"assessment_id"`
	CandidateEmail    string     `json:"candidate_email"`
	CandidateName     string     `json:"candidate_name"`
	Status            string     `json:"status"`
	RecruiterDecision string     `json:"recruiter_decision"`
	SentAt            *time.Time `json:"sent_at"`
	OpenedAt          *time.Time `json:"opened_at"`
	StartedAt         *time.Time `json:"started_at"`
	SubmittedAt       *time.Time `json:"submitted_at"`
	ExpiresAt         time.Time  `json:"expires_at"`
	CreatedAt         time.Time  `json:"created_at"`
}

type submission struct {
	ID           string `json:"id"`
	AssessmentID string `json:"assessment_id"`
	Challenge    struct {
		Name string `json:"name"`
		Slug string `json:"slug"`
	} `json:"challenge"`
	Candidate struct {
		Email string `json:"email"`
		Name  string `json:"name"`
	} `json:"candidate"`
	Status             string     `json:"status"`
	StartedAt          time.Time  `json:"started_at"`
	SubmittedAt        *time.Time `json:"submitted_at"`
	EvaluatedAt        *time.Time `json:"evaluated_at"`
	PausedTotalSeconds int        `json:"paused_total_seconds"`
	Budget             struct {
		DollarsUsed float64 `json:"dollars_used"`
		DollarsCap  float64 `json:"dollars_cap"`
	} `json:"budget"`
	CreatedAt           time.Time `json:"created_at"`
	WorkspaceArchiveURL *string   `json:"workspace_archive_url"`
	Report              *report   `json:"report"`
}

type report struct {
	SubmissionID       string            `json:"submission_id"`
	Status             string            `json:"status"`
	Evaluated          bool              `json:"evaluated"`
	ShipScore          *int              `json:"ship_score"`
	Verdict            string            `json:"verdict"`
	VerdictLabel       string            `json:"verdict_label"`
	Confidence         string            `json:"confidence"`
	Summary            string            `json:"summary"`
	ScoredAsRole       *string           `json:"scored_as_role"`
	Pillars            []pillar          `json:"pillars"`
	Strengths          []json.RawMessage `json:"strengths"`
	Flags              []json.RawMessage `json:"flags"`
	InterviewQuestions []json.RawMessage `json:"interview_questions"`
	Facts              facts             `json:"facts"`
	ScopeExclusions    []json.RawMessage `json:"scope_exclusions"`
	IntegrityStatus    string            `json:"integrity_status"`
	PipelineRank       *struct {
		Rank  int `json:"rank"`
		Total int `json:"total"`
	} `json:"pipeline_rank"`
	Percentile  *float64          `json:"percentile"`
	Tasks       []json.RawMessage `json:"tasks"`
	GeneratedAt *time.Time        `json:"generated_at"`
}

type pillar struct {
	ID            string   `json:"id"`
	Label         string   `json:"label"`
	Score         *int     `json:"score"`
	LowConfidence bool     `json:"low_confidence"`
	Summary       string   `json:"summary"`
	NotAssessed   []string `json:"not_assessed"`
}

type facts struct {
	TimeUsedMinutes       *float64 `json:"time_used_minutes"`
	TimeAllottedMinutes   int      `json:"time_allotted_minutes"`
	BudgetUsedDollars     float64  `json:"budget_used_dollars"`
	BudgetAllottedDollars float64  `json:"budget_allotted_dollars"`
	AIAuthoredPct         *float64 `json:"ai_authored_pct"`
	ChurnPct              *float64 `json:"churn_pct"`
	AIExchangeCount       int      `json:"ai_exchange_count"`
}

type event struct {
	Seq         int64           `json:"seq"`
	Kind        string          `json:"kind"`
	TimestampMS int64           `json:"ts_ms"`
	Payload     json.RawMessage `json:"payload"`
}
