package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// route is the route of one operation, of the API or of the control API.
type route struct {
	name      string // As in package hiring, such as Submissions.Report.
	method    string
	template  string // Below /api/v1, such as /submissions/{id}/report.
	segments  []string
	scope     Scope
	handle    func(*call) response // Of the API.
	operation *operation           // Of the control API.
}

// newRoute returns the route of a pattern such as "GET /account". GET needs the scope read,
// every other method the scope write.
func newRoute(name, pattern string, handle func(*call) response) *route {
	method, template, _ := strings.Cut(pattern, " ")
	scope := ScopeWrite
	if method == http.MethodGet {
		scope = ScopeRead
	}
	segments := strings.Split(template[1:], "/")
	return &route{name: name, method: method, template: template, segments: segments, scope: scope, handle: handle}
}

// pattern returns the pattern of newRoute.
func (r *route) pattern() string { return r.method + " " + r.template }

// patterns returns the patterns of routes and of archive links, sorted.
func patterns(routes []*route) (all []string) {
	for _, r := range append(slices.Clip(routes), archiveRoute) {
		all = append(all, r.pattern())
	}
	slices.Sort(all)
	return all
}

func isPlaceholder(segment string) bool { return segment != "" && segment[0] == '{' }

const (
	maxSegments = 16
	basePath    = "/api/v1/"
	archivePath = "/_archive/"
)

// match returns the route of a request, of those below a prefix, and the values of its placeholders. For a known
// path with another method it returns the allowed methods.
//
// It matches the path as sent. http.ServeMux would redirect a path with ".." or an empty
// segment, which the API never does.
func match(routes []*route, prefix, method, escapedPath string) (found *route, params []string, allow string) {
	rest, ok := strings.CutPrefix(escapedPath, prefix)
	if !ok {
		return nil, nil, ""
	}
	var buffer [maxSegments]string
	segments, ok := splitPath(rest, buffer[:0])
	if !ok {
		return nil, nil, ""
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var others []string
	for _, r := range routes {
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

// splitPath appends the unescaped segments of a path. ok is false for an empty segment, an
// invalid escape and too many segments.
func splitPath(path string, segments []string) (all []string, ok bool) {
	for segment := range strings.SplitSeq(path, "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "" || len(segments) == maxSegments {
			return nil, false
		}
		segments = append(segments, name)
	}
	return segments, true
}

// matches reports whether the route has a path.
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

// params returns the values of the placeholders in a path.
func (r *route) params(segments []string) []string {
	var values []string
	for i, segment := range r.segments {
		if isPlaceholder(segment) {
			values = append(values, canonicalID(segments[i]))
		}
	}
	return values
}

// forResource returns the handler of a route to one resource. It passes what find returns to do, or responds to nil
// with a 404. The journal then says if the data of the other mode has the resource.
func forResource[T any](find func(*call) *T, do func(*call, *T) response) func(*call) response {
	return func(c *call) response {
		found := find(c)
		if found == nil {
			r, data, problem := c.notFound(), sample(), "Test data has it; this key sees live data."
			if c.world == data {
				data, problem = c.server.live.Organization("", c.at), "Live data has it; this key sees test data."
			}
			if c.world = data; find(c) != nil {
				r.error.Problem = problem
			}
			return r
		}
		return do(c, found)
	}
}

// getOne responds with a resource.
func getOne[T any](c *call, found *world.Record[T]) response {
	return c.data(http.StatusOK, found.Value)
}

// The functions below return the resource whose id is in the path, nil if there is none.

func (c *call) assessment() *world.Record[world.Assessment] {
	return c.world.Assessments.Find(c.params[0])
}

func (c *call) challenge() *world.Record[world.Challenge] {
	return c.world.Challenges.Find(c.params[0])
}

func (c *call) attempt() *world.Attempt                     { return c.world.Submissions.Find(c.params[0]) }
func (c *call) invitation() *world.Record[world.Invitation] { return c.invitations().Find(c.params[1]) }

// invitations returns the invitations of an assessment, which may have been deleted.
func (c *call) invitations() *world.Collection[*world.Record[world.Invitation]] {
	return c.world.Invitations(c.params[0])
}
