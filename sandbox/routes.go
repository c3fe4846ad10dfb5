package sandbox

import (
	"slices"
	"sync"

	hiring "github.com/hiring-assessment/hiring-go"
)

// newRoutes returns all routes under a dialect: the name of each operation, its route, the
// part of its response that may drift, and its handler. The JSON types of the resources are
// written by hand from the API's documentation. The sandbox does not encode the client's
// types, because one misspelt name would then be wrong on both sides and pass every test.
func newRoutes(d hiring.Dialect) []*route {
	routes := []*route{
		newRoute("Account.Get", "GET /account", accountDrift, getAccount),
		newRoute("Members.List", "GET /members", memberDrift, listMembers),
		newRoute("Challenges.List", d.ListChallenges, challengeDrift, listChallenges),
		newRoute("Challenges.Get", "GET /challenges/{id}", challengeDrift, getChallenge),
		newRoute("Assessments.List", d.ListAssessments, assessmentDrift, listAssessments),
		newRoute("Assessments.Get", d.GetAssessment, assessmentDrift, getAssessment),
		newRoute("Assessments.Create", "POST /assessments", assessmentDrift, createAssessment),
		newRoute("Assessments.Update", d.UpdateAssessment, assessmentDrift, updateAssessment),
		newRoute("Assessments.Delete", "DELETE /assessments/{id}", assessmentDrift, deleteAssessment),
		newRoute("Invitations.List", "GET /assessments/{id}/invitations", invitationDrift, listInvitations),
		newRoute("Invitations.Send", "POST /assessments/{id}/invitations", invitationDrift, sendInvitation),
		newRoute("Invitations.Resend", d.ResendInvitation, invitationDrift, resendInvitation),
		newRoute("Invitations.Revoke", d.RevokeInvitation, invitationDrift, revokeInvitation),
		newRoute("Submissions.List", "GET /submissions", submissionDrift, listSubmissions),
		newRoute("Submissions.Get", "GET /submissions/{id}", submissionDrift, getSubmission),
		newRoute("Events.List", "GET /submissions/{id}/events", eventDrift, listEvents),
		newRoute("Submissions.Report", "GET /submissions/{id}/report", reportDrift, getReport),
		newRoute("OpenAPI", "GET /openapi.json", noDrift, getOpenAPI),
	}
	// A dialect may have a fixed segment where another route has an id. The fixed segment
	// takes precedence.
	slices.SortStableFunc(routes, func(a, b *route) int {
		return slices.CompareFunc(a.segments, b.segments, func(x, y string) int {
			return boolInt(isPlaceholder(x)) - boolInt(isPlaceholder(y))
		})
	})
	return routes
}

// defaultRoutes returns the routes of the default dialect. It is set by init, because the
// handler of the OpenAPI document calls it.
var defaultRoutes func() []*route

func init() {
	defaultRoutes = sync.OnceValue(func() []*route { return newRoutes(hiring.DefaultDialect()) })
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
