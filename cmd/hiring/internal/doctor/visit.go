package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// What a visit may cost at most.
const (
	MaxReads  = 25
	MaxWrites = 25 // With a test key only.
)

// tries are how often one question is asked when no reply of the service comes.
const tries = 2

// visit asks the service. It is all of the package that sends anything.
type visit struct {
	client        *hiring.Client
	reads, writes int
	mayWrite      bool
	way           *way   // What was seen of the way there.
	over          string // Why nothing more is asked; empty as long as it is.
}

// newVisit makes the client that a visit asks with. A call that fails is asked
// once more at most, and waits for nothing: a visit is short, and its cost known.
func newVisit(c Config) (*visit, error) {
	v := &visit{way: newWay(c)}
	options := slices.Concat([]hiring.Option{hiring.WithTimeout(20 * time.Second), hiring.WithHTTPClient(c.HTTP)}, c.Options, []hiring.Option{
		hiring.WithDialect(c.Dialect),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: tries, BaseBackoff: 200 * time.Millisecond, MaxWait: 5 * time.Second}),
		hiring.WithObserver(v.count),
	})
	client, err := hiring.New(c.BaseURL, c.Key, options...)
	if err != nil {
		return nil, err
	}
	v.client = client
	v.mayWrite = client.Environment() == hiring.EnvironmentTest && !c.NoWrites
	return v, nil
}

func (v *visit) count(_ context.Context, e hiring.Exchange) {
	if e.Method == http.MethodGet {
		v.reads++
	} else {
		v.writes++
	}
	v.way.server = e.Server
}

// question is one request.
type question struct {
	route string   // As in "GET /assessments/{id}".
	ids   []string // For its placeholders, in their order.
	query url.Values
	body  any
}

// shown is the question for people: without ids, and without what is no number,
// time or word of ours.
func (q question) shown() string {
	if len(q.query) == 0 {
		return q.route
	}
	names := make([]string, 0, len(q.query))
	for name := range q.query {
		names = append(names, name)
	}
	slices.Sort(names)
	const most = 4
	parts := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		value := q.query.Get(name)
		if len(value) > 30 {
			value = "…"
		}
		parts = append(parts, name+"="+value)
	}
	return q.route + "?" + strings.Join(parts, "&")
}

// path is the question's, with its ids.
func (q question) path() string {
	_, path, _ := strings.Cut(q.route, " ")
	segments, ids := strings.Split(path, "/"), q.ids
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") && len(ids) > 0 {
			segments[i], ids = url.PathEscape(ids[0]), ids[1:]
		}
	}
	return strings.Join(segments, "/")
}

// ask sends a question, unless it would cost more than a visit may.
func (v *visit) ask(ctx context.Context, q question) answer {
	method, _, _ := strings.Cut(q.route, " ")
	if why := v.refuses(ctx, method); why != "" {
		return answer{asked: q.shown(), skipped: why}
	}
	return v.send(ctx, q.shown(), func(ctx context.Context) error {
		var data json.RawMessage
		var out any // Of a write, any reply will do.
		if method == http.MethodGet {
			out = &data
		}
		_, err := v.client.Do(ctx, method, q.path(), q.query, q.body, out)
		return err
	})
}

// document asks for the service's description of itself, which comes without the
// envelope that Do wants.
func (v *visit) document(ctx context.Context) answer {
	const asked = "GET /openapi.json"
	if why := v.refuses(ctx, http.MethodGet); why != "" {
		return answer{asked: asked, skipped: why}
	}
	return v.send(ctx, asked, func(ctx context.Context) error {
		_, err := v.client.OpenAPI(ctx)
		return err
	})
}

func (v *visit) send(ctx context.Context, asked string, call func(context.Context) error) answer {
	var response hiring.Response
	began := time.Now()
	err := call(v.way.watch(hiring.WithResponse(ctx, &response)))
	a := answer{
		asked: asked, status: response.StatusCode, header: response.Header, body: response.Body, err: err,
		at: began.Add(time.Since(began) / 2),
	}
	a.limited = a.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
	a.open()
	v.over = v.ends(a)
	return a
}

// refuses says why a question is not asked.
func (v *visit) refuses(ctx context.Context, method string) string {
	switch {
	case v.over != "":
		return v.over
	case ctx.Err() != nil:
		return "the time limit ended the checks"
	case method == http.MethodGet && v.reads+tries > MaxReads:
		return fmt.Sprintf("the %d reads of a visit are used up", MaxReads)
	case method != http.MethodGet && !v.mayWrite:
		return "it takes a write, which a visit makes with a test key only"
	case method != http.MethodGet && v.writes+tries > MaxWrites:
		return fmt.Sprintf("the %d writes of a visit are used up", MaxWrites)
	}
	return ""
}

// ends tells why a reply makes all further questions useless.
func (v *visit) ends(a answer) string {
	var refusal *hiring.Error
	switch {
	case a.err == nil:
		return ""
	case errors.Is(a.err, hiring.ErrInvalidToken):
		return "the key is refused"
	case errors.Is(a.err, hiring.ErrRateLimited):
		return "the quota is used up, or this address is throttled"
	case errors.As(a.err, &refusal) && refusal.Status == 0:
		return "the service cannot be reached"
	case a.isPage() || a.status/100 == 3:
		return "something else than the service answers"
	}
	return ""
}
