package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The most requests that a run sends.
const (
	MaxReads  = 25
	MaxWrites = 25 // With a test key only.
)

// maxAttempts is how often a request is sent when no response arrives.
const maxAttempts = 2

// prober sends all requests of this package.
type prober struct {
	client        *hiring.Client
	reads, writes int
	mayWrite      bool
	connection    *connection // What is known of the connection.
	stopped       string      // Why no more requests are sent; empty while they are.
}

// newProber makes the client of a run. It retries once and waits at most five seconds, so
// that a run is short and its cost is known.
func newProber(c Config) (*prober, error) {
	p := &prober{connection: newConnection(c)}
	options := slices.Concat([]hiring.Option{hiring.WithTimeout(20 * time.Second), hiring.WithHTTPClient(c.HTTP)}, c.Options, []hiring.Option{
		hiring.WithDialect(c.Dialect),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: maxAttempts, BaseBackoff: 200 * time.Millisecond, MaxWait: 5 * time.Second}),
		hiring.WithObserver(p.count),
	})
	client, err := hiring.New(c.BaseURL, c.Key, options...)
	if err != nil {
		return nil, err
	}
	p.client = client
	p.mayWrite = client.Environment() == hiring.EnvironmentTest && !c.NoWrites
	return p, nil
}

func (p *prober) count(_ context.Context, e hiring.Exchange) {
	if e.Method == http.MethodGet {
		p.reads++
	} else {
		p.writes++
	}
	p.connection.server = e.Server
}

// request is one request to the API.
type request struct {
	route string   // As in "GET /assessments/{id}".
	ids   []string // For its placeholders, in order.
	query url.Values
	body  any
}

// label returns the request as reports show it: without ids, and without long values such
// as cursors.
func (q request) label() string {
	if len(q.query) == 0 {
		return q.route
	}
	const most = 4
	names := slices.Sorted(maps.Keys(q.query))
	var parts []string
	for _, name := range names[:min(most, len(names))] {
		value := q.query.Get(name)
		if len(value) > 30 {
			value = "…"
		}
		parts = append(parts, name+"="+value)
	}
	if len(names) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(names)-most))
	}
	return q.route + "?" + strings.Join(parts, "&")
}

// path returns the path of the request with its ids.
func (q request) path() string {
	_, path, _ := strings.Cut(q.route, " ")
	segments, ids := strings.Split(path, "/"), q.ids
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") && len(ids) > 0 {
			segments[i], ids = url.PathEscape(ids[0]), ids[1:]
		}
	}
	return strings.Join(segments, "/")
}

// do sends a request.
func (p *prober) do(ctx context.Context, q request) response {
	method, _, _ := strings.Cut(q.route, " ")
	return p.send(ctx, method, q.label(), func(ctx context.Context) error {
		var data json.RawMessage
		var out any // Nil accepts any response, as of a write.
		if method == http.MethodGet {
			out = &data
		}
		_, err := p.client.Do(ctx, method, q.path(), q.query, q.body, out)
		return err
	})
}

// document requests the OpenAPI document. It comes without the envelope that Client.Do
// expects.
func (p *prober) document(ctx context.Context) response {
	return p.send(ctx, http.MethodGet, "GET /openapi.json", func(ctx context.Context) error {
		_, err := p.client.OpenAPI(ctx)
		return err
	})
}

// send calls a function that sends a request, unless that would exceed the limits of a
// run, and returns the response.
func (p *prober) send(ctx context.Context, method, label string, call func(context.Context) error) response {
	if reason := p.skipReason(ctx, method); reason != "" {
		return response{label: label, skipped: reason}
	}
	var captured hiring.Response
	began := time.Now()
	err := call(p.connection.withTrace(hiring.WithResponse(ctx, &captured)))
	resp := response{
		label: label, status: captured.StatusCode, header: captured.Header, body: captured.Body, err: err,
		at: began.Add(time.Since(began) / 2),
	}
	resp.limited = resp.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
	resp.parse()
	p.stopped = p.stopReason(resp)
	return resp
}

// skipReason returns why a request is not sent, or "".
func (p *prober) skipReason(ctx context.Context, method string) string {
	switch {
	case p.stopped != "":
		return p.stopped
	case ctx.Err() != nil:
		return "the time limit ended the checks"
	case method == http.MethodGet && p.reads+maxAttempts > MaxReads:
		return fmt.Sprintf("the run has used its %d reads", MaxReads)
	case method != http.MethodGet && !p.mayWrite:
		return "it needs a write, which doctor sends with a test key only"
	case method != http.MethodGet && p.writes+maxAttempts > MaxWrites:
		return fmt.Sprintf("the run has used its %d writes", MaxWrites)
	}
	return ""
}

// stopReason returns why no further requests make sense after a response, or "".
func (p *prober) stopReason(resp response) string {
	var apiError *hiring.Error
	switch {
	case resp.err == nil:
		return ""
	case errors.Is(resp.err, hiring.ErrInvalidToken):
		return "the key was rejected"
	case errors.Is(resp.err, hiring.ErrRateLimited):
		return "the rate limit is reached, or the IP address is throttled"
	case errors.As(resp.err, &apiError) && apiError.Status == 0:
		return "the server cannot be reached"
	case resp.isPage() || resp.status/100 == 3:
		return "the responses do not come from the API"
	}
	return ""
}
