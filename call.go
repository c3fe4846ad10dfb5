package hiring

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/retry"
)

// core is what the services of one client share.
type core struct {
	config  config
	base    url.URL // Scheme, host and path prefix, the latter with apiPrefix.
	dialect Dialect
	http    http.Client
	timeout time.Duration // Of an attempt; 0 for none.
	agent   []string
	keys    keyring
	family  *family
	server  string // Of base, as in Exchange.
	watchers

	withoutReports atomic.Bool // Somebody was warned that listings hold none.
}

// policy is how failed attempts are repeated.
func (k *core) policy() retry.Policy { return retry.Policy(k.config.retry) }

// call is one operation on its way, over all its attempts. go-retryablehttp runs
// the loop: the gate lets an attempt through, it is sent, what came of it is
// judged and told, and perhaps there is another.
type call struct {
	core    *core
	ctx     context.Context // The caller's.
	request request
	read    func(*reply) error // Decodes a 2xx; may run once an attempt.

	now      *attempt // The present one, made afresh for each; nil before the first,
	first    attempt  // which nearly always is the only one.
	attempts int32    // That were sent.
	unknown  bool     // Some attempt of a write may have taken effect.
	refused  error    // Why the attempt that was decided on was not made.

	client   http.Client
	retry    retryablehttp.Client
	template retryablehttp.Request // What every attempt repeats.
	url      url.URL
}

// do makes a call whose reply promises a T.
func do[T entity](ctx context.Context, k *core, r request) (T, error) {
	data, err := k.fetch(ctx, r, readOne[T])
	if result, ok := data.(*T); ok {
		return *result, err
	}
	return *new(T), err
}

// readOne reads a reply that promises a T.
func readOne[T entity](r *reply) error {
	data, _, err := open[T](r)
	switch {
	case err != nil:
		return err
	case (*data).identity() == "":
		return noIdentity
	}
	r.data = data
	return nil
}

// do makes a call that succeeds with any 2xx of the service, whatever its body.
func (k *core) do(ctx context.Context, r request) error { return k.send(ctx, r, nil) }

// send makes a call of one request, whose 2xx reply it hands to read.
func (k *core) send(ctx context.Context, r request, read func(*reply) error) error {
	_, err := k.fetch(ctx, r, read)
	return err
}

// fetch is send, and returns the data that read found.
func (k *core) fetch(ctx context.Context, r request, read func(*reply) error) (data any, err error) {
	err = k.probed(ctx, TraceCall{r.operation, r.method, r.route}, func(ctx context.Context) error {
		data, err = k.try(ctx, r, read)
		return err
	})
	return data, err
}

// try makes attempts until one succeeds or no further one may help.
func (k *core) try(ctx context.Context, r request, read func(*reply) error) (data any, err error) {
	if r.err != nil {
		return nil, r.err
	}
	c := &call{core: k, ctx: ctx, request: r, read: read}
	if err := contextError(ctx); err != nil {
		return nil, c.fresh().ended(err)
	}
	c.client = k.http
	c.client.Transport = c
	c.retry = retryablehttp.Client{
		HTTPClient:   &c.client,
		RetryMax:     k.config.retry.MaxAttempts, // One more than CheckRetry ever grants.
		CheckRetry:   c.checkRetry,
		Backoff:      c.backoff,
		PrepareRetry: c.prepareRetry,
	}
	if err := c.build(); err != nil {
		return nil, c.fresh().fail("the request could not be built", err)
	}
	defer c.leave()
	if err := c.next(); err != nil { //nolint:contextcheck // the call carries its context
		return nil, err
	}
	_, _ = c.retry.Do(&c.template) //nolint:bodyclose // judge reads and closes every reply
	if c.refused != nil {
		return nil, fmt.Errorf("%w; before that: %w", c.refused, c.now.failure)
	}
	if c.now.failure != nil {
		return nil, join(ctx, c.now.failure)
	}
	return c.now.reply.data, nil
}

// next passes the gate with another attempt, if it may.
func (c *call) next() error {
	a := c.fresh()
	if err := a.admit(); err != nil {
		return err
	}
	c.now = a
	return nil
}

// fresh is an attempt of which nothing is known yet but the key before.
func (c *call) fresh() *attempt {
	if c.now == nil {
		c.first.call, c.first.credential = c, noKey
		return &c.first
	}
	return &attempt{call: c, credential: c.now.credential}
}

// leave gives back what an attempt held that a panic or a Goexit cut short.
func (c *call) leave() {
	if c.now != nil {
		c.now.leave()
	}
}

// The hooks of go-retryablehttp, which never changes what they say.

// RoundTrip sends the attempt. It never forwards CloseIdleConnections, which
// retryablehttp calls after each failure: the connections belong to all calls.
func (c *call) RoundTrip(r *http.Request) (*http.Response, error) { return c.now.send(r) }

func (c *call) checkRetry(_ context.Context, resp *http.Response, err error) (bool, error) {
	return c.now.finish(resp, err), nil
}

func (c *call) backoff(_, _ time.Duration, _ int, _ *http.Response) time.Duration {
	return c.now.pause()
}

func (c *call) prepareRetry(*http.Request) error {
	c.refused = c.next()
	return c.refused
}

// build makes the request that every attempt repeats; an attempt adds
// what belongs to it alone.
func (c *call) build() error {
	c.url = c.core.base
	c.request.extend(&c.url)
	common := noHeader
	if c.core.http.Jar != nil {
		common = make(http.Header) // http.Client adds the cookies to it.
	}
	c.template.Request = (&http.Request{
		Method:     c.request.method,
		URL:        &c.url,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     common,
	}).WithContext(c.ctx)
	if c.request.body == nil {
		return nil
	}
	return c.template.SetBody(c.request.body)
}

var (
	jsonType      = []string{"application/json"}
	noHeader      = make(http.Header)
	errNoResponse = errors.New("the transport returned neither a reply nor an error")
)
