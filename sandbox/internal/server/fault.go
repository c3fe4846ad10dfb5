package server

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Fault describes a failure of requests. Package sandbox documents it.
type Fault struct {
	// Route is a method and a path's template, as in GET /submissions/{id}, or
	// one of the two: a template matches every method, "POST *" matches every
	// path, and "" or "*" matches every request, unknown paths included. An id in
	// place of {id} names one resource. GET includes HEAD. Archive links have the
	// route GET /_archive/{id}. Their storage sends Status as plain text.
	Route string
	Key   string // Token of the key whose requests match; empty for any.
	Skip  int    // Matching requests that pass first.
	Times int    // Requests that fail: 0 for one, negative for all.

	Status     int              // Of the error; by default the status of Code. Below 400, a response without a body.
	Code       hiring.ErrorCode // Of the error; by default the code of Status.
	RetryAfter time.Duration    // The Retry-After header, rounded up to seconds. Alone it makes a 429.

	// Delay delays the response. If the request's context ends first, the response is
	// lost, and without After and Late the request has no effect. Delay uses the clock of
	// package time, so it takes no time in testing/synctest.
	Delay time.Duration
	Late  time.Duration // The request takes effect this long after it was received. The response is lost, or made of Status or Body.
	After bool          // The request takes effect before the fault.

	// Reset resets the connection without a response: the client reads ECONNRESET. Over
	// TCP and the pipe, net/http retries a GET when a reused connection is reset. The
	// journal then shows two requests for one of the client.
	Reset bool

	// CutAfter ends the connection after that many bytes of the body, at the latest
	// before the last one. If negative, it ends after the headers. A response without a
	// body is lost.
	CutAfter int

	// Body and ContentType replace the response with one of an intermediary, such as a
	// proxy: without the API's headers, with the given Status or 200. The default
	// ContentType is detected from Body, as in net/http.
	Body        string
	ContentType string
}

// String returns the fields that are set, with the key redacted.
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

// check returns an error for a fault that is contradictory or has no effect.
func (f *Fault) check() error {
	switch {
	case f.Skip < 0:
		return fmt.Errorf("it cannot skip %d requests", f.Skip)
	case f.RetryAfter < 0 || f.Delay < 0 || f.Late < 0:
		return fmt.Errorf("a duration is negative in %s", f)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("a response cannot have the status %d: 200 to 599 can be sent", f.Status)
	case f.Status == 0 && f.Code != "" && statusByCode[f.Code] == 0:
		return fmt.Errorf("the code %q needs a Status: it is not one of the API's", string(f.Code))
	case f.Reset && (f.replacesResponse() || f.CutAfter != 0):
		return fmt.Errorf("a connection that is reset carries no response: leave out Reset, or all but After, Late and Delay, of %s", f)
	case f.Late > 0 && f.CutAfter != 0 && !f.replacesResponse():
		return fmt.Errorf("with Late there is no response that could be cut: give Status or Body too, or leave out CutAfter, of %s", f)
	case !f.replacesResponse() && !f.Reset && !f.After && f.Delay == 0 && f.Late == 0 && f.CutAfter == 0:
		return fmt.Errorf("it would do nothing: %s", f)
	}
	return nil
}

// isRaw reports whether the response is not in the API's format.
func (f *Fault) isRaw() bool { return f.Body != "" || f.ContentType != "" }

// replacesResponse reports whether the fault replaces the response.
func (f *Fault) replacesResponse() bool {
	return f.isRaw() || f.Status != 0 || f.Code != "" || f.RetryAfter > 0
}

// dropsResponse reports whether the client receives no response.
func (f *Fault) dropsResponse() bool {
	return f.Reset || !f.replacesResponse() && (f.Late > 0 || f.After && f.Delay == 0 && f.CutAfter == 0)
}
