package sandbox

import (
	"errors"
	"fmt"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Fault describes what goes wrong with requests. In JSON, a duration is a number of
// seconds or a text like "8s".
//
// Each fault counts every request of its route. When several faults could act on
// a request, the one that was injected first acts.
//
// Without After, the fault acts before the request takes effect: the request costs
// no rate limit. With After, the request takes effect, and the fault concerns the
// response. After alone loses the response.
//
// An injected error carries the rate-limit headers, with the true remaining
// requests. An injected 429 says that none remain until RetryAfter is over, or
// without RetryAfter until the window ends. A client that knows of requests in a
// later window waits for RetryAfter only. The rate limit itself does not change:
// [Server.SetQuota] changes it.
type Fault struct {
	// Route is a method and a path template, as in GET /submissions/{id}. "POST *"
	// matches every path, and "" or "*" every request, unknown paths included. GET
	// includes HEAD. Archive links have the route GET /_archive/{id}. Their storage
	// sends Status as plain text.
	Route string `json:"route,omitzero"`
	Key   string `json:"key,omitzero"` // Token of the key whose requests match; empty: any.
	// Address of the candidate whom matching requests concern, by an id in the path or by the body; empty: any.
	Candidate string `json:"candidate,omitzero"`
	Skip      int    `json:"skip,omitzero"`  // Matching requests that pass first.
	Times     int    `json:"times,omitzero"` // Requests that it affects; 0: one; negative: all.

	// Status code of the response; without Code, its usual code; below 400: no body.
	Status int `json:"status,omitzero"`
	// Error code of the response; without Status, its usual status.
	Code hiring.ErrorCode `json:"code,omitzero"`
	// The Retry-After header, rounded up to seconds; alone: a 429.
	RetryAfter time.Duration `json:"retry_after,omitzero"`

	// Delay delays the response. If the request's context ends first, the response is
	// lost, and without After the request has no effect. Delay uses the clock of
	// package time, so it takes no time in testing/synctest.
	Delay time.Duration `json:"delay,omitzero"`
	After bool          `json:"after,omitzero"` // The request takes effect before the fault.

	// Reset resets the connection without a response: the client reads ECONNRESET. Over
	// TCP, net/http retries a GET when a reused connection is reset. The
	// journal then shows two requests for one of the client.
	Reset bool `json:"reset,omitzero"`

	// CutAfter ends the connection after that many bytes of the body, at the latest
	// before the last one. If negative, it ends after the headers. A response without a
	// body is lost.
	CutAfter int `json:"cut_after,omitzero"`

	// Body and ContentType replace the response with one of an intermediary, such as a
	// proxy: without the API's headers, with the given Status or 200. The default
	// ContentType is detected from Body, as in net/http.
	Body        string `json:"body,omitzero"`
	ContentType string `json:"content_type,omitzero"`
}

// check returns an error for a fault that is contradictory or has no effect.
func (f *Fault) check() error {
	replaces := f.replacesResponse()
	switch {
	case f.Skip < 0:
		return inputError{"skip", "must not be negative"}
	case f.RetryAfter < 0:
		return inputError{"retry_after", "must not be negative"}
	case f.Delay < 0:
		return inputError{"delay", "must not be negative"}
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return inputError{"status", "must be from 200 to 599"}
	case f.Code != "" && f.Status == 0 && statusOf(f.Code) == 0:
		return inputError{"code", fmt.Sprintf("%q is not a code of the API: give a status too", string(f.Code))}
	case f.Reset && (replaces || f.CutAfter != 0):
		return inputError{"reset", "a connection that is reset carries no response: leave out everything but after and delay"}
	case !replaces && !f.Reset && !f.After && f.Delay == 0 && f.CutAfter == 0:
		return errors.New("the fault would do nothing: give a status, a code, a body, a delay or reset")
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
	return f.Reset || !f.replacesResponse() && f.After && f.Delay == 0 && f.CutAfter == 0
}
