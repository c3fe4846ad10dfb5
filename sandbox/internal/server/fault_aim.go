package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// fault is one that was injected.
type fault struct {
	Fault

	id       int      // which one of the server
	method   string   // empty for any
	segments []string // nil for any path
	skip     int
	left     int
	fired    bool
}

// aim reads the route and makes sure that some operation has it.
func (f *fault) aim(routes []route) error {
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
	exists := func(r route) bool {
		method := r.method
		if method == http.MethodGet && f.method == http.MethodHead {
			method = f.method
		}
		return f.hits(&r, method, nil)
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

// hits reports whether the fault is about a route; params are what stands in the
// place of its placeholders, nil for anything.
func (f *fault) hits(r *route, method string, params []string) bool {
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
		case !isPlaceholder(wanted) && canonical(wanted) != params[0]:
			return false
		}
		params = params[1:]
	}
	return true
}

// faults are those that have something left to do, in the order in which they
// were injected.
type faults []*fault

// meet counts a request with every fault that is about it and returns the one
// that acts, or nil.
func (all *faults) meet(r *route, method string, params []string, key string) *Fault {
	var acting *fault
	for _, f := range *all {
		if !f.hits(r, method, params) || f.Key != "" && f.Key != key {
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
		acting.left--
		if acting.left == 0 {
			*all = slices.DeleteFunc(*all, func(f *fault) bool { return f == acting })
		}
	}
	return &acting.Fault
}

// unfired are those that nothing has met so far.
func (all faults) unfired() []Fault {
	var unmet []Fault
	for _, f := range all {
		if !f.fired {
			unmet = append(unmet, f.Fault)
		}
	}
	return unmet
}

// archiveRoute is that of the links to archives. They are not below /api/v1,
// but faults and the journal know them all the same.
var archiveRoute = newRoute("Archive", "GET /_archive/{id}", nothing, nil)
