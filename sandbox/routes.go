package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	hiring "github.com/hiring-assessment/hiring-go"
)

// route is one operation of the service.
type route struct {
	name     string // As package hiring calls it: Submissions.Report.
	method   string
	template string // Below /api/v1: /submissions/{id}/report.
	segments []string
	scope    Scope
	handle   func(*call) reply
}

func newRoute(name, pattern string, handle func(*call) reply) route {
	method, template, _ := strings.Cut(pattern, " ")
	scope := ScopeWrite
	if method == http.MethodGet {
		scope = ScopeRead
	}
	segments := strings.Split(template[1:], "/")
	return route{name, method, template, segments, scope, handle}
}

var defaultRoutes = sync.OnceValue(func() []route { return newRoutes(hiring.DefaultDialect()) })

func newRoutes(d hiring.Dialect) []route {
	routes := []route{
		newRoute("Account.Get", "GET /account", getAccount),
		newRoute("Members.List", "GET /members", listMembers),
		newRoute("Challenges.List", d.ListChallenges, listChallenges),
		newRoute("Challenges.Get", "GET /challenges/{id}", getChallenge),
		newRoute("Assessments.List", d.ListAssessments, listAssessments),
		newRoute("Assessments.Get", d.GetAssessment, getAssessment),
		newRoute("Assessments.Create", "POST /assessments", createAssessment),
		newRoute("Assessments.Update", d.UpdateAssessment, updateAssessment),
		newRoute("Assessments.Delete", "DELETE /assessments/{id}", deleteAssessment),
		newRoute("Invitations.List", "GET /assessments/{id}/invitations", listInvitations),
		newRoute("Invitations.Send", "POST /assessments/{id}/invitations", sendInvitation),
		newRoute("Invitations.Resend", d.ResendInvitation, resendInvitation),
		newRoute("Invitations.Revoke", d.RevokeInvitation, revokeInvitation),
		newRoute("Submissions.List", "GET /submissions", listSubmissions),
		newRoute("Submissions.Get", "GET /submissions/{id}", getSubmission),
		newRoute("Submissions.Report", "GET /submissions/{id}/report", getReport),
		newRoute("Events.List", "GET /submissions/{id}/events", listEvents),
		newRoute("OpenAPI", "GET /openapi.json", getOpenAPI),
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

func isPlaceholder(segment string) bool { return segment[0] == '{' }

const (
	maxSegments = 16
	basePath    = "/api/v1/"
)

// match finds the route of a request and the values of its placeholders. A path
// that no route has gives nothing, one that has other methods gives those.
//
// It works on the path as it was sent: cleaning, as ServeMux does it, would
// answer a ".." or an empty segment with a redirect that the service never sends.
func match(routes []route, method, escapedPath string) (found *route, params []string, allow string) {
	rest, ok := strings.CutPrefix(escapedPath, basePath)
	if !ok {
		return nil, nil, ""
	}
	var buffer [maxSegments]string
	segments, ok := split(rest, buffer[:0])
	if !ok {
		return nil, nil, ""
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var others []string
	for i := range routes {
		r := &routes[i]
		if !r.matches(segments) {
			continue
		}
		if r.method == method {
			return r, r.params(segments), ""
		}
		others = append(others, r.method)
		if r.method == http.MethodGet {
			others = append(others, http.MethodHead)
		}
	}
	slices.Sort(others)
	return nil, nil, strings.Join(slices.Compact(others), ", ")
}

func split(path string, into []string) ([]string, bool) {
	for segment := range strings.SplitSeq(path, "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "" || len(into) == maxSegments {
			return nil, false
		}
		into = append(into, name)
	}
	return into, true
}

func (r *route) matches(segments []string) bool {
	if len(segments) != len(r.segments) {
		return false
	}
	for i, segment := range r.segments {
		if !isPlaceholder(segment) && segment != segments[i] {
			return false
		}
	}
	return true
}

// params are the ids in a path.
func (r *route) params(segments []string) []string {
	var values []string
	for i, segment := range r.segments {
		if isPlaceholder(segment) {
			values = append(values, canonical(segments[i]))
		}
	}
	return values
}
