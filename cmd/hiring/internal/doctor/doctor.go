// Package doctor checks what a first contact with a server must know: the connection, the
// key, and the names that the client assumes (hiring.Dialect). It sends only reads.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Verdict is the result of a check.
type Verdict string

// The verdicts.
const (
	Holds      Verdict = "ok"
	Wrong      Verdict = "wrong"
	NotChecked Verdict = "not checked" // There is no data yet, it needs a write, or the run ended before.
)

// Finding is the result of one check.
type Finding struct {
	Name     string  `json:"name"` // A field of Dialect, or a part of the connection.
	Verdict  Verdict `json:"verdict"`
	Found    string  `json:"found,omitzero"`  // What holds, as in "page"; empty when nothing does.
	Evidence string  `json:"evidence"`        // What showed it, or why nothing did. It names no resource and no candidate.
	Change   string  `json:"change,omitzero"` // What the user can do about something wrong.
}

// Report is the result of a run.
type Report struct {
	Findings []Finding `json:"findings"`
	Reads    int       `json:"reads"`            // Requests that count against the read rate limit, retries included.
	Stopped  string    `json:"stopped,omitzero"` // Why the run ended before all checks; empty when it did not.
	Cause    error     `json:"-"`                // The client's error that ended the run, or nil.
}

// With returns the findings with a verdict.
func (r Report) With(v Verdict) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Verdict != v })
}

// Run checks the server of a client, whose names are those of the dialect: a zero field means the
// default. It returns an error for an invalid dialect.
func Run(ctx context.Context, client *hiring.Client, baseURL string, dialect hiring.Dialect) (Report, error) {
	e := new(examination)
	var err error
	if e.dialect, err = dialect.WithDefaults(); err != nil {
		return Report{}, err
	}
	e.scheme, _, _ = strings.Cut(baseURL, "://")
	e.client, err = client.With(hiring.WithTimeout(20*time.Second), hiring.WithDialect(e.dialect), hiring.WithObserver(e.observe),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 2, BaseBackoff: 200 * time.Millisecond, MaxWait: 5 * time.Second}))
	if err != nil {
		return Report{}, err
	}
	return e.run(ctx), nil
}

// examination is one run.
type examination struct {
	client    *hiring.Client
	dialect   hiring.Dialect
	scheme    string // Of the base URL.
	server    string
	operation string // The last request: its method and route.
	reads     int
	stop      reply // The reply that ended the run; zero before.
	stopped   string

	documented  map[string]bool // The names in the server's OpenAPI document.
	submissions []hiring.Submission
	assessment  string // An id, or "".
}

func (e *examination) observe(_ context.Context, x hiring.Exchange) {
	e.reads++
	e.server, e.operation = x.Server, x.Method+" "+x.Route
}

func (e *examination) run(ctx context.Context) Report {
	_, account := read(ctx, e, e.client.Account.Get)
	if e.stopped == "" && account.err != nil && !account.late {
		e.stopped, e.stop = "the account cannot be read", account
	}
	document, _ := read(ctx, e, e.client.OpenAPI)
	e.documented = namesIn(document)
	var names []Finding
	for _, c := range checks() {
		names = append(names, e.check(ctx, c))
	}
	if ctx.Err() != nil {
		e.stopped, e.stop.err = late, ctx.Err()
	}
	return Report{Findings: append(e.checkConnection(account), names...), Reads: e.reads, Stopped: e.stopped, Cause: e.stop.err}
}

const late = "the time limit ended them"

// check checks a field of Dialect, unless the run has ended.
func (e *examination) check(ctx context.Context, c check) Finding {
	f := notChecked(late)
	if e.stopped == "" && ctx.Err() == nil {
		f = c.probe(ctx, e)
	}
	if e.stopped != "" {
		f = notChecked(e.stopped)
	}
	if f.Verdict == Wrong && f.Change == "" {
		f.Change = "set Dialect." + c.field + " to the name in the server's OpenAPI document, which hiring api /openapi.json shows, or ask the API's support"
	}
	f.Name = c.field
	return f
}

// reply is the result of one call of the client.
type reply struct {
	hiring.Response

	label string // The request, without ids.
	err   error
	late  bool // The time limit of the run ended the call.
}

// read makes a call that reads. After a reply that ends the run it makes none.
func (e *examination) read(ctx context.Context, call func(context.Context) error) (r reply) {
	if e.stopped != "" {
		return reply{err: errors.New(e.stopped)}
	}
	r.err = call(hiring.WithResponse(ctx, &r.Response))
	r.label, r.late = e.operation, ctx.Err() != nil
	failure, ok := errors.AsType[*hiring.Error](r.err)
	switch {
	case !ok || r.late:
	case errors.Is(r.err, hiring.ErrInvalidToken):
		e.stopped = "the key was rejected"
	case r.limited():
		e.stopped = "the rate limit is reached, or the IP address is throttled"
	case failure.Status == 0 && r.StatusCode == 0 && failure.Attempts > 0:
		e.stopped = "the server cannot be reached"
	case r.foreign() && r.StatusCode != http.StatusNotFound: // A 404 is about one route.
		e.stopped = "the responses do not come from the API"
	}
	if e.stopped != "" {
		e.stop = r
	}
	return r
}

// foreign reports whether the response is from an intermediary: a redirect or a web page.
func (r reply) foreign() bool {
	text := strings.TrimLeft(string(r.Body), " \t\r\n\ufeff")
	return r.StatusCode/100 == 3 || r.StatusCode != 0 && r.err != nil && text != "" && !strings.ContainsAny(text[:1], `{["`)
}

// limited reports whether the rate limit is reached, as the API or the client says.
func (r reply) limited() bool {
	return r.StatusCode == http.StatusTooManyRequests || errors.Is(r.err, hiring.ErrQuotaExhausted)
}

// invalid reports whether the API rejected a parameter.
func (r reply) invalid() bool { return errors.Is(r.err, hiring.ErrInvalidInput) }

// blames reports whether the client says that a field of Dialect is wrong.
func (r reply) blames(field string) bool {
	failure, ok := errors.AsType[*hiring.Error](r.err)
	return ok && strings.Contains(failure.Hint, "Dialect."+field)
}

// summary describes the result. The API's message may quote an input, so only the code of an
// error is shown.
func (r reply) summary() string {
	failure, ok := errors.AsType[*hiring.Error](r.err)
	switch {
	case r.late:
		return r.label + ": no complete response within the time limit"
	case r.err == nil:
		return r.label + ": " + http.StatusText(r.StatusCode)
	case ok && failure.Code != "" && r.StatusCode != 0:
		return fmt.Sprintf("%s: %d %s", r.label, r.StatusCode, failure.Code)
	}
	return strings.TrimPrefix(r.err.Error(), "hiring: ")
}

func holds(found, evidence string) Finding {
	return Finding{Verdict: Holds, Found: found, Evidence: evidence}
}
func notChecked(why string) Finding { return Finding{Verdict: NotChecked, Evidence: why} }
func wrong(evidence, change string) Finding {
	return Finding{Verdict: Wrong, Evidence: evidence, Change: change}
}
