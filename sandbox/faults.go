package sandbox

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Fault is something that goes wrong with a request.
//
// Which requests: those of Route that come after the first Skip ones, Times of
// them. Each fault counts every request of its route, whatever other faults do.
// Of several faults that would act on one request, the one that was injected
// first does, and the others stay as they are.
//
// What goes wrong: Delay alone makes a slow reply; Status, Code and RetryAfter
// put an error of the service in its place, Body and ContentType any other
// reply; Reset and CutAfter break the connection. Delay goes with each of them,
// CutAfter with any reply.
//
// When: without After and Late the fault comes before the service has seen the
// request, which then costs no quota and has no effect. With After the service
// does its work at once, quota included, and the fault concerns the reply; After
// without any other member loses it. With Late the reply is lost at once and
// the work is done only that much later by the server's clock, before anything
// else that the server is asked then.
//
// An injected error carries the four headers of every reply. They tell what
// the key has left, unchanged. A 429 tells that nothing is left until RetryAfter
// is over (without RetryAfter: until the key's window ends), in its headers, its
// details and Retry-After alike: a client that takes it for its used-up quota
// sends nothing of that class until then. The quota itself is not touched, so
// the next reply tells the truth again; [Server.SetQuota] uses it up for good.
type Fault struct {
	// Route is a method and a path's template, as in GET /submissions/{id}, or
	// one of the two: a template stands for every method, "POST *" for every
	// path, and "" or "*" for every request, also one to a path that the service
	// does not have. An id in the place of {id} names one resource. GET means
	// HEAD too. The links to archives have the route GET /_archive/{id}; storage
	// answers a Status as plain text, and its files are all it does.
	Route string
	Skip  int // How many requests of the route pass first.
	Times int // How many requests it concerns; 0: one; negative: every one.

	Status     int              // Of the error that is answered; without Code, the one that goes with it. Below 400: a reply without a body.
	Code       hiring.ErrorCode // Of the error that is answered; without Status, the one that goes with it.
	RetryAfter time.Duration    // The Retry-After header, in whole seconds, rounded up. Alone: a 429.

	// Delay passes before the answer. The end of the request's context ends it,
	// and the reply is lost; without After and Late, so is the request. It waits on
	// package time's clock: inside testing/synctest it takes no time.
	Delay time.Duration
	Late  time.Duration // See above. With Status or Body, that is the reply to what is done only later.
	After bool          // See above.

	// Reset ends the connection without a reply, as a crash would: the client
	// reads ECONNRESET. Over TCP and the pipe, net/http itself repeats a GET whose
	// connection served before and then was reset: that is a request of its own,
	// here and in the journal, of which the client tells nothing.
	Reset bool

	// CutAfter ends the connection after that many bytes of the body, at the
	// latest before the last one; negative: after the headers. A reply without a
	// body is lost whole.
	CutAfter int

	// Body and ContentType replace the service's reply with that of something
	// before it, such as a proxy, with the given Status, or else 200: none of the
	// service's headers. Without ContentType it is guessed, as net/http does it.
	Body        string
	ContentType string
}

// String tells the members that are set.
func (f Fault) String() string {
	var set []string
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if field := v.Field(i); !field.IsZero() {
			format := "%s: %v"
			if field.Kind() == reflect.String {
				format = "%s: %.100q"
			}
			set = append(set, fmt.Sprintf(format, v.Type().Field(i).Name, field.Interface()))
		}
	}
	return "Fault{" + strings.Join(set, ", ") + "}"
}

// Inject makes something go wrong with requests to come. It panics when the
// fault makes no sense and when no operation has its route: such a fault would
// never fire. A server of [Start] fails the test when a fault has not fired
// once by its end; one that fired fewer than Times times is no failure.
func (s *Server) Inject(f Fault) {
	if err := s.inject(f); err != nil {
		panic(fmt.Sprintf("sandbox: Inject: %v", err))
	}
}

func (s *Server) inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	added := &fault{Fault: f, skip: f.Skip, left: max(f.Times, 1)}
	if err := added.aim(append(slices.Clip(s.routes), archiveRoute)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, added)
	return nil
}

func (f *Fault) check() error {
	switch {
	case f.Skip < 0:
		return fmt.Errorf("it cannot skip %d requests", f.Skip)
	case f.RetryAfter < 0 || f.Delay < 0 || f.Late < 0:
		return fmt.Errorf("a duration is negative in %s", f)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("a reply cannot have the status %d: 200 to 599 can be sent", f.Status)
	case f.Status == 0 && f.Code != "" && codes[f.Code] == 0:
		return fmt.Errorf("the code %q needs a Status: it is none of the service's", string(f.Code))
	case f.Reset && (f.replaces() || f.CutAfter != 0):
		return fmt.Errorf("a connection that is reset carries no reply: leave out Reset, or all but After, Late and Delay, of %s", f)
	case f.Late > 0 && f.CutAfter != 0 && !f.replaces():
		return fmt.Errorf("with Late there is no reply that could be cut: give Status or Body too, or leave out CutAfter, of %s", f)
	case !f.replaces() && !f.Reset && !f.After && f.Delay == 0 && f.Late == 0 && f.CutAfter == 0:
		return fmt.Errorf("it would do nothing: %s", f)
	}
	return nil
}

// raw tells whether the reply is not the service's.
func (f *Fault) raw() bool { return f.Body != "" || f.ContentType != "" }

// replaces tells whether the fault has a reply of its own.
func (f *Fault) replaces() bool {
	return f.raw() || f.Status != 0 || f.Code != "" || f.RetryAfter > 0
}

// loses tells whether nothing at all is answered.
func (f *Fault) loses() bool {
	return f.Reset || !f.replaces() && (f.Late > 0 || f.After && f.Delay == 0 && f.CutAfter == 0)
}

// fault is one that was injected.
type fault struct {
	Fault

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

// hits tells whether the fault is about a route; params are what stands in the
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

// faultFor counts the call with every fault that is about it and returns the
// one that acts, or nil.
func (s *Server) faultFor(c *call) *Fault {
	var acting *fault
	for _, f := range s.faults {
		if !f.hits(c.route, c.request.Method, c.params) {
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
		if acting.left--; acting.left == 0 {
			s.faults = slices.DeleteFunc(s.faults, func(f *fault) bool { return f == acting })
		}
	}
	return &acting.Fault
}

// unfired returns the faults that nothing has met so far.
func (s *Server) unfired() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Fault
	for _, f := range s.faults {
		if !f.fired {
			all = append(all, f.Fault)
		}
	}
	return all
}
