package sandbox

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
	fired     int
	removed   bool // A test removed it.
}

// newFault returns a fault. It returns an error for a contradictory fault and for a route
// that no operation has.
func newFault(f Fault, routes []*route) (*injectedFault, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	added := &injectedFault{Fault: f, skip: f.Skip, remaining: max(f.Times, 1)}
	return added, added.resolveRoute(append(slices.Clip(routes), archiveRoute))
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
		return inputError{"route", fmt.Sprintf("%q is no route: give a method and a path template, as in GET /submissions/{id}", f.Route)}
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
	return inputError{"route", fmt.Sprintf("no operation has the route %q; there are %s", f.Route, strings.Join(all, ", "))}
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

// maxEndedFaults is the number of ended faults that are remembered.
const maxEndedFaults = 100

// faults are the injected faults.
type faults struct {
	count  int              // Injected so far.
	active []*injectedFault // With requests left, in the order of injection.
	ended  []*injectedFault // The newest ones, in the order in which they ended.
}

// add adds a fault and returns its id.
func (all *faults) add(f *injectedFault) (id int) {
	all.count++
	f.id = all.count
	all.active = append(all.active, f)
	return f.id
}

// end ends the active faults that ended selects.
func (all *faults) end(ended func(*injectedFault) bool) {
	all.active = slices.DeleteFunc(all.active, func(f *injectedFault) bool {
		if !ended(f) {
			return false
		}
		all.ended = append(all.ended[max(0, len(all.ended)-maxEndedFaults+1):], f)
		return true
	})
}

// remove ends the active faults that selected selects, and returns their number.
func (all *faults) remove(selected func(*injectedFault) bool) (removed int) {
	all.end(func(f *injectedFault) bool {
		if selected(f) {
			f.removed = true
			removed++
		}
		return f.removed
	})
	return removed
}

// match counts a request against every matching fault and returns the fault that applies,
// or nil.
func (all *faults) match(r *route, method string, params []string, token string) *Fault {
	var acting *injectedFault
	for _, f := range all.active {
		if !f.matches(r, method, params) || f.Key != "" && f.Key != token {
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
	acting.fired++
	if acting.Times >= 0 {
		acting.remaining--
		all.end(func(f *injectedFault) bool { return f == acting && f.remaining == 0 })
	}
	return &acting.Fault
}

// archiveRoute is the route of archive links. They are not below /api/v1, but faults and
// the journal support them.
var archiveRoute = newRoute("Archive", "GET /_archive/{id}", noDrift, nil)
