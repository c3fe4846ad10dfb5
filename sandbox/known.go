package sandbox

// Keys that every server knows, and inputs with a fixed answer.
const (
	TestKey     = "sk_test_sandbox"       // Test mode, every scope.
	ReadOnlyKey = "sk_test_sandbox_read"  // Test mode, scope read.
	WriteKey    = "sk_test_sandbox_write" // Test mode, scopes read and write.
	LiveKey     = "sk_live_sandbox"       // Live data, every scope.

	PlanLimitEmail = "plan-limit@sandbox.test" // In test mode an invitation to it answers 402 PLAN_LIMIT_REACHED; a live key has SetPlan for that.

	UnknownID = "00000000-0000-4000-8000-000000000404" // Answers 404, as any unknown id does.
)

// Ids in the sample data.
const (
	AssessmentID       = "a0000000-0000-4000-8000-000000000001" // Of a multi-task challenge; 360 invitations in every known status.
	ClosedAssessmentID = "a0000000-0000-4000-8000-000000000005" // Inviting to it answers 409 CONFLICT.

	SubmissionID        = "5b000000-0000-4000-8001-000000000001" // Evaluated: every pillar has a score.
	BusySubmissionID    = "5b000000-0000-4000-8001-000000000002" // Evaluated: 2,400 events.
	PendingSubmissionID = "5b000000-0000-4000-8001-000000000014" // Submitted, not yet evaluated.
)
