package hiring

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Exchange is one attempt of a call, as an observer sees it. It holds nothing
// that names a candidate or a resource, so that it can feed logs and metrics.
// What was refused before it was sent is not an Exchange.
type Exchange struct {
	Operation     string // The Go name, as in "Submissions.Report".
	Method, Route string // Route is the template, as in "/submissions/{id}/report".
	Status        int    // 0 when there was no reply.
	RequestID     string
	Attempt       int           // 1 for the first.
	Duration      time.Duration // Until the body was read.
	RateLimit     RateLimit     // Zero when the reply did not say.
	Err           error         // Nil when the attempt succeeded. An *Error's message may name things: log its Code.
	Wait          time.Duration // The pause before the next attempt; 0 when there is none.
	Warning       string        // An assumption that looks wrong, such as a Dialect field, though the result is right.
	Started       time.Time     // When the request was handed to the transport, by the local clock.
	Server        string        // Host and port of who was asked, as in "hiring.example.com:443".
}

// Response is the raw reply of the last attempt made under a context of
// [WithResponse].
type Response struct {
	StatusCode int // 0 when there was no reply.
	Header     http.Header
	RequestID  string
	RateLimit  RateLimit
	Attempts   int
	Body       []byte // As far as it was read.
}

type responseKey struct{}

// WithResponse returns a context under which a call writes its raw reply to r
// before it returns, also when it fails. It serves one call at a time. Calls
// that read ahead or wait capture nothing.
func WithResponse(ctx context.Context, r *Response) context.Context {
	return context.WithValue(ctx, responseKey{}, r)
}

func responseOf(ctx context.Context) *Response {
	r, _ := ctx.Value(responseKey{}).(*Response)
	return r
}

// logTo is the observer of [WithLogger].
func logTo(logger *slog.Logger) func(context.Context, Exchange) {
	return func(ctx context.Context, e Exchange) {
		level, message := slog.LevelDebug, "hiring: call"
		switch {
		case e.Wait > 0:
			level, message = slog.LevelInfo, "hiring: call will be repeated"
		case e.Err != nil:
			level, message = slog.LevelWarn, "hiring: call failed"
		case e.Warning != "":
			level, message = slog.LevelWarn, "hiring: call answered unlike asked"
		}
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := make([]slog.Attr, 0, 10)
		attrs = append(attrs,
			slog.String("operation", e.Operation),
			slog.String("method", e.Method),
			slog.String("route", e.Route),
			slog.Int("status", e.Status),
			slog.String("request_id", e.RequestID),
			slog.Int("attempt", e.Attempt),
			slog.Duration("duration", e.Duration))
		if e.Wait > 0 {
			attrs = append(attrs, slog.Duration("wait", e.Wait))
		}
		if e.Warning != "" {
			attrs = append(attrs, slog.String("warning", e.Warning))
		}
		if failure, ok := errors.AsType[*Error](e.Err); ok && failure.Code != "" {
			attrs = append(attrs, slog.String("code", string(failure.Code)))
		}
		logger.LogAttrs(ctx, level, message, attrs...)
	}
}

// capture keeps a copy, because the buffer that body lies in is used again.
func (r *Response) capture(a *attempt, body []byte) {
	*r = Response{
		StatusCode: a.status,
		RequestID:  a.requestID,
		RateLimit:  a.limit,
		Attempts:   a.number,
		Body:       bytes.Clone(body),
		Header:     a.header.Clone(),
	}
	for name, values := range r.Header {
		for i := range values {
			values[i] = a.credential.secret.ScrubString(values[i])
		}
		if clean := a.credential.secret.ScrubString(name); clean != name {
			delete(r.Header, name)
			r.Header[clean] = values
		}
	}
}
