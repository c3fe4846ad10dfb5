package server

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Fault describes what goes wrong with requests. Package sandbox documents it.
type Fault struct {
	// Route is a method and a path's template, as in GET /submissions/{id}, or
	// one of the two: a template matches every method, "POST *" matches every
	// path, and "" or "*" matches every request, unknown paths included. An id in
	// place of {id} names one resource. GET includes HEAD. Archive links have the
	// route GET /_archive/{id}. Their storage sends Status as plain text.
	Route string
	Key   string // The token of the key whose requests it affects; empty: any.
	Skip  int    // How many requests of the route pass first.
	Times int    // How many requests it concerns; 0: one; negative: every one.

	Status     int              // Of the error that is answered; without Code, the one that goes with it. Below 400: a response without a body.
	Code       hiring.ErrorCode // Of the error that is answered; without Status, the one that goes with it.
	RetryAfter time.Duration    // The Retry-After header, in whole seconds, rounded up. Alone: a 429.

	// Delay delays the response. It ends with the request's context: the response is
	// then lost, and without After and Late the request has no effect. It uses package
	// time's clock, so inside testing/synctest it takes no time.
	Delay time.Duration
	Late  time.Duration // See above. With Status or Body, that is the response to what is done only later.
	After bool          // See above.

	// Reset resets the connection without a response: the client reads ECONNRESET.
	// Over TCP and the pipe, net/http retries a GET when a reused
	// connection is reset. The journal shows two requests, the client one.
	Reset bool

	// CutAfter ends the connection after that many bytes of the body, at the
	// latest before the last one; negative: after the headers. A response without a
	// body is lost whole.
	CutAfter int

	// Body and ContentType replace the service's response with that of something
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
		if name := v.Type().Field(i).Name; name == "Key" && f.Key != "" {
			set = append(set, fmt.Sprintf("Key: %q", redact(f.Key)))
		} else if field := v.Field(i); !field.IsZero() {
			format := "%s: %v"
			if field.Kind() == reflect.String {
				format = "%s: %.100q"
			}
			set = append(set, fmt.Sprintf(format, v.Type().Field(i).Name, field.Interface()))
		}
	}
	return "Fault{" + strings.Join(set, ", ") + "}"
}

func (f *Fault) check() error {
	switch {
	case f.Skip < 0:
		return fmt.Errorf("it cannot skip %d requests", f.Skip)
	case f.RetryAfter < 0 || f.Delay < 0 || f.Late < 0:
		return fmt.Errorf("a duration is negative in %s", f)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("a response cannot have the status %d: 200 to 599 can be sent", f.Status)
	case f.Status == 0 && f.Code != "" && codes[f.Code] == 0:
		return fmt.Errorf("the code %q needs a Status: it is none of the service's", string(f.Code))
	case f.Reset && (f.replaces() || f.CutAfter != 0):
		return fmt.Errorf("a connection that is reset carries no response: leave out Reset, or all but After, Late and Delay, of %s", f)
	case f.Late > 0 && f.CutAfter != 0 && !f.replaces():
		return fmt.Errorf("with Late there is no response that could be cut: give Status or Body too, or leave out CutAfter, of %s", f)
	case !f.replaces() && !f.Reset && !f.After && f.Delay == 0 && f.Late == 0 && f.CutAfter == 0:
		return fmt.Errorf("it would do nothing: %s", f)
	}
	return nil
}

// raw reports whether the response is not in the API's format.
func (f *Fault) raw() bool { return f.Body != "" || f.ContentType != "" }

// replaces reports whether the fault replaces the response.
func (f *Fault) replaces() bool {
	return f.raw() || f.Status != 0 || f.Code != "" || f.RetryAfter > 0
}

// loses reports whether the client receives no response.
func (f *Fault) loses() bool {
	return f.Reset || !f.replaces() && (f.Late > 0 || f.After && f.Delay == 0 && f.CutAfter == 0)
}
