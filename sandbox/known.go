package sandbox

// Keys that every server accepts, and inputs with a fixed response.
const (
	TestKey     = "sk_test_sandbox"       // Test mode, every scope.
	ReadOnlyKey = "sk_test_sandbox_read"  // Test mode, scope read.
	WriteKey    = "sk_test_sandbox_write" // Test mode, scopes read and write.
	LiveKey     = "sk_live_sandbox"       // Live data, every scope.

	// In test mode an invitation to it gets a 402 PLAN_LIMIT_REACHED. With a live key, use SetPlan.
	PlanLimitEmail = "plan-limit@sandbox.test"

	UnknownID = "00000000-0000-4000-8000-000000000404" // An id that is not found.
)

// Ids in the sample data.
const (
	AssessmentID       = "a0000000-0000-4000-8000-000000000001" // Of a multi-task challenge; 360 invitations.
	ClosedAssessmentID = "a0000000-0000-4000-8000-000000000005" // Inviting to it gets a 409 CONFLICT.

	SubmissionID        = "5b000000-0000-4000-8001-000000000001" // Evaluated: every pillar has a score.
	BusySubmissionID    = "5b000000-0000-4000-8001-000000000002" // Evaluated: 2,400 events.
	PendingSubmissionID = "5b000000-0000-4000-8001-000000000014" // Submitted, not yet evaluated.
)
