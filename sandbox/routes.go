package sandbox

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	hiring "github.com/hiring-assessment/hiring-go"
)

// newRoutes returns all routes under a dialect: the name of each operation, its route and
// its handler. The JSON types of the resources are
// written by hand from the API's documentation. The sandbox does not encode the client's
// types, because one misspelt name would then be wrong on both sides and pass every test.
func newRoutes(d hiring.Dialect) []*route {
	routes := []*route{
		newRoute("Account.Get", "GET /account", getAccount),
		newRoute("Members.List", "GET /members", listMembers),
		newRoute("Challenges.List", d.ListChallenges, listChallenges),
		newRoute("Challenges.Get", "GET /challenges/{id}", forResource((*call).challenge, getOne)),
		newRoute("Assessments.List", d.ListAssessments, listAssessments),
		newRoute("Assessments.Get", d.GetAssessment, forResource((*call).assessment, getOne)),
		newRoute("Assessments.Create", "POST /assessments", createAssessment),
		newRoute("Assessments.Update", d.UpdateAssessment, forResource((*call).assessment, updateAssessment)),
		newRoute("Assessments.Delete", "DELETE /assessments/{id}", forResource((*call).assessment, deleteAssessment)),
		newRoute("Invitations.List", "GET /assessments/{id}/invitations", forResource((*call).invitations, numberedPage)),
		newRoute("Invitations.Send", "POST /assessments/{id}/invitations", forResource((*call).assessment, sendInvitation)),
		newRoute("Invitations.Resend", d.ResendInvitation, forResource((*call).invitation, resendInvitation)),
		newRoute("Invitations.Revoke", d.RevokeInvitation, forResource((*call).invitation, revokeInvitation)),
		newRoute("Submissions.List", "GET /submissions", listSubmissions),
		newRoute("Submissions.Get", "GET /submissions/{id}", forResource((*call).attempt, getSubmission)),
		newRoute("Events.List", "GET /submissions/{id}/events", forResource((*call).attempt, listEvents)),
		newRoute("Submissions.Report", "GET /submissions/{id}/report", forResource((*call).attempt, getReport)),
		newRoute("OpenAPI", "GET /openapi.json", getOpenAPI),
	}
	// A dialect may have a fixed segment where another route has an id. The fixed segment
	// takes precedence.
	slices.SortStableFunc(routes, func(a, b *route) int {
		return slices.CompareFunc(a.segments, b.segments, func(x, y string) int {
			return cmp.Compare(strings.Index(x, "{"), strings.Index(y, "{"))
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
