package server

import (
	"slices"
	"sync"

	hiring "github.com/hiring-assessment/hiring-go"
)

var defaultRoutes = sync.OnceValue(func() []route { return newRoutes(hiring.DefaultDialect()) })

// newRoutes is the table of operations: what each is called, its route, what of
// its answer may drift and who answers. Each resource has a file with its
// handlers, what may drift, and its wire types, which are the service's
// documentation written down once more, on purpose: encoding the SDK's own
// resources would let one misspelt name be wrong on both sides and pass every
// test. Their members are in the documented order.
func newRoutes(d hiring.Dialect) []route {
	routes := []route{
		newRoute("Account.Get", "GET /account", accountShape, getAccount),
		newRoute("Members.List", "GET /members", memberShape, listMembers),
		newRoute("Challenges.List", d.ListChallenges, challengeShape, listChallenges),
		newRoute("Challenges.Get", "GET /challenges/{id}", challengeShape, getChallenge),
		newRoute("Assessments.List", d.ListAssessments, assessmentShape, listAssessments),
		newRoute("Assessments.Get", d.GetAssessment, assessmentShape, getAssessment),
		newRoute("Assessments.Create", "POST /assessments", assessmentShape, createAssessment),
		newRoute("Assessments.Update", d.UpdateAssessment, assessmentShape, updateAssessment),
		newRoute("Assessments.Delete", "DELETE /assessments/{id}", nothing, deleteAssessment),
		newRoute("Invitations.List", "GET /assessments/{id}/invitations", invitationShape, listInvitations),
		newRoute("Invitations.Send", "POST /assessments/{id}/invitations", invitationShape, sendInvitation),
		newRoute("Invitations.Resend", d.ResendInvitation, invitationShape, resendInvitation),
		newRoute("Invitations.Revoke", d.RevokeInvitation, nothing, revokeInvitation),
		newRoute("Submissions.List", "GET /submissions", submissionShape, listSubmissions),
		newRoute("Submissions.Get", "GET /submissions/{id}", submissionShape, getSubmission),
		newRoute("Submissions.Report", "GET /submissions/{id}/report", reportShape, getReport),
		newRoute("Events.List", "GET /submissions/{id}/events", eventShape, listEvents),
		newRoute("OpenAPI", "GET /openapi.json", nothing, getOpenAPI),
	}
	// A dialect may put a name where another route has an id; the name must win.
	slices.SortStableFunc(routes, func(a, b route) int {
		return slices.CompareFunc(a.segments, b.segments, func(x, y string) int {
			return boolInt(isPlaceholder(x)) - boolInt(isPlaceholder(y))
		})
	})
	return routes
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
