package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// injectedFault is an injected Fault and its state.
type injectedFault struct {
	Fault

	id        int      // Unique within the server.
	method    string   // Empty for any method.
	segments  []string // Of the path; nil for any path.
	skip      int
	remaining int
	fired     bool
}

// resolveRoute parses Route. It returns an error if no operation has that route.
func (f *injectedFault) resolveRoute(routes []*route) error {
	method, template, ok := strings.Cut(f.Route, " ")
	if !ok {
		method, template = "", f.Route
	}
	f.method = method
	if template == "" || template == "*" {
		return nil
	}
	template = strings.TrimPrefix(template, strings.TrimSuffix(basePath, "/"))
	if !strings.HasPrefix(template, "/") {
		return fmt.Errorf("the route %q is none: give a method and a path's template, as in GET /submissions/{id}", f.Route)
	}
	f.segments = strings.Split(template[1:], "/")
	exists := func(r *route) bool {
		method := r.method
		if method == http.MethodGet && f.method == http.MethodHead {
			method = f.method
		}
		return f.matches(r, method, nil)
	}
	if slices.ContainsFunc(routes, exists) {
		return nil
	}
	all := make([]string, len(routes))
	for i, r := range routes {
		all[i] = r.method + " " + r.template
	}
	slices.Sort(all)
	return fmt.Errorf("no operation has the route %q; there are %s", f.Route, strings.Join(all, ", "))
}

// matches reports whether the fault concerns a route. params are the values of the
// route's placeholders; nil matches any value.
func (f *injectedFault) matches(r *route, method string, params []string) bool {
	if f.method != "" && f.method != method && (r == nil || f.method != r.method) {
		return false
	}
	if f.segments == nil {
		return true
	}
	if r == nil || len(f.segments) != len(r.segments) {
		return false
	}
	for i, segment := range r.segments {
		wanted := f.segments[i]
		switch {
		case wanted == "":
			return false
		case !isPlaceholder(segment):
			if wanted != segment {
				return false
			}
			continue
		case params == nil:
			continue
		case !isPlaceholder(wanted) && canonicalID(wanted) != params[0]:
			return false
		}
		params = params[1:]
	}
	return true
}

// faults are the injected faults with requests left, in the order of injection.
type faults []*injectedFault

// match counts a request against every matching fault and returns the fault that applies,
// or nil.
func (all *faults) match(r *route, method string, params []string, key string) *Fault {
	var acting *injectedFault
	for _, f := range *all {
		if !f.matches(r, method, params) || f.Key != "" && f.Key != key {
			continue
		}
		switch {
		case f.skip > 0:
			f.skip--
		case acting == nil:
			acting = f
		}
	}
	if acting == nil {
		return nil
	}
	acting.fired = true
	if acting.Times >= 0 {
		acting.remaining--
		if acting.remaining == 0 {
			*all = slices.DeleteFunc(*all, func(f *injectedFault) bool { return f == acting })
		}
	}
	return &acting.Fault
}

// unfired returns the faults that have affected no request.
func (all faults) unfired() []Fault {
	var unfired []Fault
	for _, f := range all {
		if !f.fired {
			unfired = append(unfired, f.Fault)
		}
	}
	return unfired
}

// archiveRoute is the route of archive links. They are not below /api/v1, but faults and
// the journal support them.
var archiveRoute = newRoute("Archive", "GET /_archive/{id}", noDrift, nil)
