package sandbox

import (
	"net/http"
	"time"
)

// Class is a class of requests with a rate limit of its own.
type Class string

// GET and HEAD are reads. Every other method is a write.
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

// quota holds the values of the rate-limit headers.
type quota struct {
	limit, remaining int
	reset            time.Time
}

// retryAfter returns the seconds until the window ends. Windows end on a full second, so
// the result equals X-RateLimit-Reset minus the Date of the response.
func (q quota) retryAfter(now time.Time) int64 { return q.reset.Unix() - now.Unix() }

// errorDetails returns the details of a 429: the values of the headers.
func (q quota) errorDetails() any {
	return map[string]int64{"limit": int64(q.limit), "remaining": int64(q.remaining), "reset": q.reset.Unix()}
}

// window counts the requests of one class and key. It opens with the first request.
type window struct {
	remaining int
	reset     time.Time
}

const windowLength = time.Hour

// windowEnd returns when a window ends: an hour after the Date of the response that opened it, which
// has full seconds, as X-RateLimit-Reset has.
func windowEnd(opened time.Time) time.Time {
	return opened.Truncate(time.Second).Add(windowLength)
}

// open starts a new window if the last one has ended.
func (w *window) open(now time.Time, limit int) {
	if !now.Before(w.reset) {
		w.remaining, w.reset = limit, windowEnd(now)
	}
}

// quotaOf returns the rate limit of a key without counting a request. For no key, and for a
// window that has not begun, it is the one of a window that begins now.
func (s *Server) quotaOf(key *keyState, class Class, now time.Time) quota {
	limit := s.config.limit(class)
	if key == nil || !now.Before(key.window(class).reset) {
		return quota{limit, limit, windowEnd(now)}
	}
	w := key.window(class)
	return quota{limit, w.remaining, w.reset}
}

// take counts a request if one remains.
func (w *window) take(now time.Time, limit int) (quota, bool) {
	w.open(now, limit)
	granted := w.remaining > 0
	if granted {
		w.remaining--
	}
	return quota{limit: limit, remaining: w.remaining, reset: w.reset}, granted
}
