package world

// Account is an organization and what it may use.
type Account struct {
	ID                   string
	Name                 string
	Slug                 string
	Plan                 Plan
	Usage                Usage
	Branding             Branding
	CustomDomain         *string
	CustomDomainVerified bool
	CreatedAt            Moment
}

// Plan is what an organization pays for.
type Plan struct {
	ID                 string
	SubscriptionStatus string
	BillingCurrency    string
	LimitsEnforced     bool
}

// Usage is what the organization has used of its plan in this period.
type Usage struct {
	PeriodStart      Moment
	AssessmentsUsed  int
	AssessmentsLimit int
}

// Branding is how an organization looks to its candidates.
type Branding struct {
	AccentColor  string
	PrimaryColor *string
	LogoURL      *string
	SenderName   *string
	SupportEmail *string
}

// Member is somebody of an organization.
type Member struct {
	ID        string
	Email     string
	Name      string
	Role      string
	CreatedAt Moment
}

// Challenge is something to be worked on.
type Challenge struct {
	ID               string
	Slug             string
	Name             string
	Domain           string
	Difficulty       string
	Level            string
	Stack            string
	TimeLimitMinutes int
	BudgetDollarsCap float64
	IsPlatform       bool
	IsMultiTask      bool
	PublishedAt      Moment
	CreatedAt        Moment
	BriefMD          string
	Tasks            []Task // None unless it is multi-task.
}

// Task is a part of a multi-task challenge.
type Task struct {
	ID               string
	TaskKey          string
	Kind             string
	Title            string
	OrderIndex       int
	Weight           float64
	TimeLimitMinutes int
}

// Assessment is a challenge that candidates are invited to.
type Assessment struct {
	ID               string
	Name             string
	ChallengeID      string
	Status           string
	TimeLimitMinutes int
	BudgetDollarsCap *float64
	SelectedTaskIDs  []string
	CreatedAt        Moment
	UpdatedAt        Moment
}

// Invitation is how a candidate gets to an assessment.
type Invitation struct {
	ID                string
	AssessmentID      string
	CandidateEmail    string
	CandidateName     string
	Status            string
	RecruiterDecision string
	SentAt            *Moment
	OpenedAt          *Moment
	StartedAt         *Moment
	SubmittedAt       *Moment
	ExpiresAt         Moment
	CreatedAt         Moment
}

// Submission is what a candidate makes of an assessment.
type Submission struct {
	ID                 string
	AssessmentID       string
	Challenge          ChallengeRef
	Candidate          Person
	Status             string
	StartedAt          Moment
	SubmittedAt        *Moment
	EvaluatedAt        *Moment
	PausedTotalSeconds int
	Budget             Budget
	CreatedAt          Moment
}

// ChallengeRef names a challenge.
type ChallengeRef struct {
	Name string
	Slug string
}

// Person is a candidate as the organization knows them.
type Person struct {
	Email string
	Name  string
}

// Budget is what a candidate may spend on assistants, and has.
type Budget struct {
	DollarsUsed float64
	DollarsCap  float64
}

// Text is written and read by others: the world hands it on and never looks into
// it. It can have any shape.
type Text string

// Event is an entry in the log of a submission.
type Event struct {
	Seq     int64
	Kind    string
	At      Moment
	Payload Text   // Empty: nothing.
	Shown   []byte // What whoever shows the event keeps with it: events never change.
}

// Report is what grading finds in a submission. One that was not graded yet has
// four pillars about which nothing is known.
type Report struct {
	SubmissionID       string
	Status             string
	Evaluated          bool
	ShipScore          *int
	Verdict            string
	VerdictLabel       string
	Confidence         string
	Summary            string
	ScoredAsRole       *string
	Pillars            []Pillar
	Strengths          []Text
	Flags              []Text
	InterviewQuestions []Text
	Facts              Facts
	ScopeExclusions    []Text
	IntegrityStatus    string
	Percentile         *float64
	Tasks              []Text
	GeneratedAt        *Moment
}

// Pillar is one of the four things that are graded.
type Pillar struct {
	ID            string
	Label         string
	Score         *int
	LowConfidence bool
	Summary       string
	NotAssessed   []string
}

// Facts are what was measured.
type Facts struct {
	TimeUsedMinutes       *float64
	TimeAllottedMinutes   int
	BudgetUsedDollars     float64
	BudgetAllottedDollars float64
	AIAuthoredPct         *float64
	ChurnPct              *float64
	AIExchangeCount       int
}

// Rank is a submission's place among all that were evaluated.
type Rank struct {
	Rank  int
	Total int
}

// pillars are the four, without what is found about them.
var pillars = [...]Pillar{
	{ID: "correctness", Label: "Correctness", NotAssessed: []string{}},
	{ID: "craft", Label: "Craft", NotAssessed: []string{}},
	{ID: "ai_fluency", Label: "AI Fluency", NotAssessed: []string{}},
	{ID: "rigor", Label: "Rigor", NotAssessed: []string{}},
}
