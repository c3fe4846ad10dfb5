package server

import (
	"net/http"
	"time"
)

// Class is one of the two kinds of requests that are counted apart.
type Class string

// GET and HEAD are reads, every other method is a write.
const (
	ClassRead  Class = "read"
	ClassWrite Class = "write"
)

func classOf(method string) Class {
	if method == http.MethodGet || method == http.MethodHead {
		return ClassRead
	}
	return ClassWrite
}

// quota is what the rate-limit headers of one response say.
type quota struct {
	limit, remaining int
	reset            time.Time
}

// retryAfter is in whole seconds. Windows end on a whole second, so it equals
// X-RateLimit-Reset minus the Date of the same response.
func (q quota) retryAfter(now time.Time) int64 { return q.reset.Unix() - now.Unix() }

// details are those of a 429: what the headers say, once more.
func (q quota) details() any {
	return struct {
		Limit     int   `json:"limit"`
		Remaining int   `json:"remaining"`
		Reset     int64 `json:"reset"`
	}{q.limit, q.remaining, q.reset.Unix()}
}

// window counts one class of one key's requests. It opens at the first request.
type window struct {
	remaining int
	reset     time.Time
}

const windowLength = time.Hour

// windowEnd rounds up, because X-RateLimit-Reset is in whole seconds and must
// not be earlier than the moment at which requests pass again.
func windowEnd(opened time.Time) time.Time {
	return opened.Add(windowLength + time.Second - 1).Truncate(time.Second)
}

func (w *window) open(now time.Time, limit int) {
	if !now.Before(w.reset) {
		w.remaining, w.reset = limit, windowEnd(now)
	}
}

// take consumes one request, unless none is left.
func (w *window) take(now time.Time, limit int) (quota, bool) {
	w.open(now, limit)
	granted := w.remaining > 0
	if granted {
		w.remaining--
	}
	return quota{limit: limit, remaining: w.remaining, reset: w.reset}, granted
}
