package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The most requests that a run sends.
const (
	MaxReads  = 40
	MaxWrites = 25 // With a test key only.
)

// maxAttempts is how often a request is sent when no response arrives.
const maxAttempts = 2

// reply is the result of one call of the client, or the reason why the call was not made.
type reply struct {
	label    string // The request, without ids. Empty when none was sent.
	skipped  string // Why the call was not made; empty when it was made.
	limited  bool   // The time limit of the whole run had ended when the call returned.
	err      error  // The client's.
	warnings []string
	hiring.Response

	at time.Time // By the local clock, half way between request and response.
}

// prober makes all calls of this package.
type prober struct {
	client        *hiring.Client // With the names that are known so far.
	proxy, server string         // Hosts; proxy is empty when there is none, and server until a request was made.
	mayWrite      bool
	reads, writes int
	present       reply // Filled by the client while a call is made.
	stop          reply // The reply after which no more calls are made; zero before.
	stopped       string
}

// newProber makes the client of a run. It retries once and waits at most five seconds, so
// that a run is short and its cost is known.
func newProber(c Config) (*prober, error) {
	p := &prober{proxy: proxyOf(c)}
	options := slices.Concat([]hiring.Option{hiring.WithTimeout(20 * time.Second), hiring.WithHTTPClient(c.HTTP)}, c.Options, []hiring.Option{
		hiring.WithDialect(c.Dialect),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: maxAttempts, BaseBackoff: 200 * time.Millisecond, MaxWait: 5 * time.Second}),
		hiring.WithObserver(p.observe),
	})
	client, err := hiring.New(c.BaseURL, c.Key, options...)
	if err != nil {
		return nil, err
	}
	p.client = client
	p.mayWrite = client.Environment() == hiring.EnvironmentTest && !c.NoWrites
	return p, nil
}

func (p *prober) observe(_ context.Context, e hiring.Exchange) {
	if e.Method == http.MethodGet {
		p.reads++
	} else {
		p.writes++
	}
	p.server = e.Server
	p.present.label = e.Method + " " + e.Route
	if e.Warning != "" {
		p.present.warnings = append(p.present.warnings, e.Warning)
	}
}

// read makes a call of one request that reads, unless that would exceed the limits of a
// run.
func (p *prober) read(ctx context.Context, call func() error) reply {
	skipped := ""
	if p.reads+maxAttempts > MaxReads {
		skipped = fmt.Sprintf("the run has used its %d reads", MaxReads)
	}
	return p.call(ctx, skipped, call)
}

// get makes a call of read that returns a resource.
func get[T any](ctx context.Context, p *prober, call func(context.Context) (T, error)) (resource T, r reply) {
	r = p.read(ctx, func() (err error) {
		resource, err = call(ctx)
		return err
	})
	return resource, r
}

// write makes a call of one request that writes, with a test key only.
func (p *prober) write(ctx context.Context, call func() error) reply {
	skipped := ""
	switch {
	case !p.mayWrite:
		skipped = "it needs a write, which doctor sends with a test key only"
	case p.writes+maxAttempts > MaxWrites:
		skipped = fmt.Sprintf("the run has used its %d writes", MaxWrites)
	}
	return p.call(ctx, skipped, call)
}

func (p *prober) call(ctx context.Context, skipped string, call func() error) reply {
	switch {
	case p.stopped != "":
		return reply{skipped: p.stopped}
	case ctx.Err() != nil:
		return reply{skipped: "the time limit ended the checks"}
	case skipped != "":
		return reply{skipped: skipped}
	}
	p.present = reply{}
	began := time.Now()
	err := call()
	r := p.present
	r.err, r.at = err, began.Add(time.Since(began)/2)
	r.limited = err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
	if reason := r.stopReason(); reason != "" {
		p.stopped, p.stop = reason, r
	}
	return r
}

// stopReason returns why no further requests make sense, or "".
func (r reply) stopReason() string {
	failure, ok := errors.AsType[*hiring.Error](r.err)
	switch {
	case !ok || r.timedOut() || r.label == "":
		return "" // Without a request, the client found that it cannot continue a list.
	case errors.Is(r.err, hiring.ErrInvalidToken):
		return "the key was rejected"
	case failure.Status == http.StatusTooManyRequests || errors.Is(r.err, hiring.ErrRateLimited):
		return "the rate limit is reached, or the IP address is throttled"
	case failure.Status == 0 && failure.Attempts > 0 && r.StatusCode == 0:
		return "the server cannot be reached"
	case r.notFromAPI() && failure.Status != http.StatusNotFound: // A 404 says something about one route.
		return "the responses do not come from the API"
	}
	return ""
}

func (r reply) ok() bool { return r.skipped == "" && r.label != "" && r.err == nil }

// absent reports whether the response says that there is no such route or resource.
func (r reply) absent() bool {
	return r.err != nil && (r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusMethodNotAllowed)
}

// code returns the code of an error of the API, or "".
func (r reply) code() hiring.ErrorCode {
	if failure, ok := errors.AsType[*hiring.Error](r.err); ok {
		return failure.Code
	}
	return ""
}

// forbidden reports whether the key lacks the scope for the request.
func (r reply) forbidden() bool { return errors.Is(r.err, hiring.ErrInsufficientScope) }

// timedOut reports whether a time limit ended the request or its response. Such a response
// says nothing about the server or the key.
func (r reply) timedOut() bool {
	return r.limited || r.StatusCode/100 == 2 && errors.Is(r.err, context.DeadlineExceeded)
}

// blames reports whether the client says that a field of Dialect may be wrong.
func (r reply) blames(field string) bool {
	failure, ok := errors.AsType[*hiring.Error](r.err)
	return ok && strings.Contains(failure.Hint, "Dialect."+field)
}

// rejects reports whether the response is a 400 about a parameter or member: one of its
// messages is about that field or has its name in quotation marks.
func (r reply) rejects(name string) bool {
	failure, ok := errors.AsType[*hiring.Error](r.err)
	if !ok || failure.Status != http.StatusBadRequest {
		return false
	}
	form, fields := failure.Fields()
	texts := strings.Join(append(form, failure.Message), " ")
	return fields[name] != nil || slices.ContainsFunc([]string{`"`, `'`, "`"}, func(mark string) bool { return strings.Contains(texts, mark+name+mark) })
}

// warning returns the client's warning that has a text, or "".
func (r reply) warning(text string) string {
	for _, warning := range r.warnings {
		if strings.Contains(warning, text) {
			return warning
		}
	}
	return ""
}

// summary describes the result. The text of an error of the API may quote an input, so
// only its code is shown.
func (r reply) summary() string {
	switch {
	case r.skipped != "":
		return r.skipped
	case r.label == "" && r.err == nil:
		return "there is no data to send the request with"
	case r.limited && r.StatusCode == 0:
		return r.label + ": no response within the time limit"
	case r.timedOut():
		return r.label + ": the time limit ended the response"
	case r.err == nil:
		return r.label + ": " + http.StatusText(r.StatusCode)
	case r.code() != "" && r.StatusCode != 0:
		return r.label + ": " + strconv.Itoa(r.StatusCode) + " " + string(r.code())
	}
	return strings.TrimPrefix(r.err.Error(), "hiring: ")
}
