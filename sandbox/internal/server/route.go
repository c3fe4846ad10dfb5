package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is one operation of the service.
type route struct {
	name     string // As package hiring calls it: Submissions.Report.
	method   string
	template string // Below /api/v1: /submissions/{id}/report.
	segments []string
	scope    Scope
	drifts   *shape // What of the answer may drift.
	handle   func(*call) reply
}

func newRoute(name, pattern string, drifts *shape, handle func(*call) reply) route {
	method, template, _ := strings.Cut(pattern, " ")
	scope := ScopeWrite
	if method == http.MethodGet {
		scope = ScopeRead
	}
	segments := strings.Split(template[1:], "/")
	return route{name, method, template, segments, scope, drifts, handle}
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
