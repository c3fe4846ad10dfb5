package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// injectedFault is an injected Fault and its state.
type injectedFault struct {
	Fault

	id        int // Unique within the server.
	skip      int
	remaining int // Negative: all requests.
	fired     int
	last      time.Time // When it fired last.
}

// newFault returns a fault. It returns an error for a contradictory fault and for a route
// that no operation has.
func newFault(f Fault, routes []*route) (*injectedFault, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	all := patterns(routes)
	if f.Route != "" && f.Route != "*" && !strings.HasSuffix(f.Route, " *") && !slices.Contains(all, f.Route) {
		return nil, inputError{"route", fmt.Sprintf("no operation has the route %q; there are %s", f.Route, strings.Join(all, ", "))}
	}
	return &injectedFault{Fault: f, skip: f.Skip, remaining: cmp.Or(f.Times, 1)}, nil
}

// matches reports whether the fault concerns a call, whose route is nil for an unknown path.
func (f *injectedFault) matches(c *call) bool {
	method := c.request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return (f.Route == "" || f.Route == "*" || f.Route == method+" *" || c.route != nil && f.Route == c.route.pattern()) &&
		(f.Key == "" || f.Key == bearer(c.request)) && (f.Candidate == "" || strings.EqualFold(f.Candidate, c.entry.Subject))
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

// end ends the active faults that ended selects, and returns their number.
func (all *faults) end(ended func(*injectedFault) bool) (count int) {
	all.active = slices.DeleteFunc(all.active, func(f *injectedFault) bool {
		if !ended(f) {
			return false
		}
		count++
		all.ended = append(all.ended[max(0, len(all.ended)-maxEndedFaults+1):], f)
		return true
	})
	return count
}

// match counts a call, whose subject is known, against every matching fault and returns the fault
// that applies, or nil.
func (all *faults) match(c *call) *injectedFault {
	var acting *injectedFault
	for _, f := range all.active {
		if !f.matches(c) {
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
	acting.last = c.at
	if acting.remaining > 0 {
		acting.remaining--
		all.end(func(f *injectedFault) bool { return f == acting && f.remaining == 0 })
	}
	return acting
}

// archiveRoute is the route of archive links. They are not below /api/v1, but faults and
// the journal support them.
var archiveRoute = newRoute("Archive", "GET /_archive/{id}", nil)
