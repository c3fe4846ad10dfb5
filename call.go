package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/bound"
)

// reply is a 2xx reply whose body was read in full.
type reply struct {
	body    []byte      // Lies in a buffer that is used again: copy what is kept.
	within  bound.Bound // What decoding may take.
	warning string      // Set by the reader when the reply is usable but odd.
}

// call is one operation on its way, over all its attempts. It is the transport
// and the retry policy of a retryablehttp.Client of its own, so that attempts
// share state without locks or context values.
type call struct {
	core    *core
	ctx     context.Context // The caller's.
	request request
	read    func(*reply) error // Decodes a 2xx; may run once an attempt.

	client   http.Client
	retry    retryablehttp.Client
	template retryablehttp.Request // What every attempt repeats.
	url      url.URL

	attempts int
	unknown  bool   // Some attempt of a write may have taken effect.
	failure  *Error // Of the last attempt; nil when it succeeded.
	waiting  bool   // For the next attempt.
	wait     time.Duration
	refused  error // Why the attempt that was decided on was not made.

	// Of the present attempt.
	sent       bool // It reached the transport.
	inFlight   bool // The gate counts it.
	trial      trial
	open       io.Closer // The body of a reply that nobody has read yet.
	begun      uint64
	started    time.Time
	credential *credential
	timed      context.Context
	cancel     context.CancelFunc
	dialled    atomic.Bool // A connection was asked for,
	connected  atomic.Bool // and one was had: from here on, the request may have been written.
	transport  error
	status     int
	header     http.Header
	requestID  string
	limit      RateLimit
	throttled  bool
	buffer     *[]byte
	grown      int64 // Bytes that were allocated for it.
	reply      reply
}

// do makes a call whose reply promises a T.
func do[T entity](ctx context.Context, k *core, r request) (T, error) {
	var result *T
	err := k.send(ctx, r, func(r *reply) error {
		data, _, err := open[T](r)
		switch {
		case err != nil:
			return err
		case (*data).identity() == "":
			return noIdentity
		}
		result = data
		return nil
	})
	if result == nil {
		result = new(T)
	}
	return *result, err
}

// do makes a call that succeeds with any 2xx of the service, whatever its body.
func (k *core) do(ctx context.Context, r request) error { return k.send(ctx, r, nil) }

// send makes a call of one request, whose 2xx reply it hands to read.
func (k *core) send(ctx context.Context, r request, read func(*reply) error) error {
	return k.probed(ctx, ProbeCall{r.operation, r.method, r.route}, func(ctx context.Context) error {
		return k.try(ctx, r, read)
	})
}

// try runs the request through retries and hands a 2xx reply to read.
func (k *core) try(ctx context.Context, r request, read func(*reply) error) error {
	if r.err != nil {
		return r.err
	}
	c := &call{core: k, ctx: ctx, request: r, read: read, credential: noKey}
	if err := contextError(ctx); err != nil {
		return c.fail(c.notSent(), err)
	}
	c.client = k.http
	c.client.Transport = c
	c.retry = retryablehttp.Client{
		HTTPClient: &c.client,
		RetryMax:   k.config.retry.MaxAttempts, // One more than CheckRetry ever grants.
		CheckRetry: c.checkRetry,
		Backoff:    func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return c.pause() },
		PrepareRetry: func(*http.Request) error {
			c.refused = c.admit()
			return c.refused
		},
	}
	if err := c.build(); err != nil {
		return c.fail("the request could not be built", err)
	}
	defer c.leave()
	if err := c.admit(); err != nil {
		return err
	}
	_, _ = c.retry.Do(&c.template) //nolint:bodyclose // checkRetry reads, judges and closes every reply
	if c.refused != nil {
		return fmt.Errorf("%w; before that: %w", c.refused, c.failure)
	}
	if c.failure != nil {
		return join(ctx, c.failure)
	}
	return nil
}

// build makes the request that every attempt repeats; RoundTrip adds what
// belongs to one attempt alone.
func (c *call) build() error {
	c.url = c.request.url(c.core.base)
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

// RoundTrip makes one attempt with the key of the moment. It never forwards
// CloseIdleConnections, which retryablehttp calls after each failure: the
// connections belong to all calls.
func (c *call) RoundTrip(r *http.Request) (*http.Response, error) {
	c.waiting = false
	c.dialled.Store(false)
	c.connected.Store(false)
	h := c.headers(r.Header)
	c.attempts++
	c.started = time.Now()
	c.trial.begin(c.ctx, c.core, ProbeAttempt{
		Operation: c.request.operation, Method: c.request.method, Route: c.request.route, Server: c.core.server, Number: c.attempts,
	}, h, func(line string) bool { return c.credential.secret.ScrubString(line) == line })
	c.timed, c.cancel = c.core.attemptContext(c.trial.ctx)
	ctx := c.timed
	if !isRead(c.request.method) {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn: func(string) { c.dialled.Store(true) },
			GotConn: func(httptrace.GotConnInfo) { c.connected.Store(true) },
		})
	}
	r = r.WithContext(ctx)
	r.Header = h
	c.sent = true
	resp, err := c.core.transport().RoundTrip(r)
	if err == nil && resp == nil {
		err = errNoResponse
	}
	if err != nil {
		c.transport = err
		return nil, err
	}
	c.arrived(resp)
	return resp, nil
}

func (k *core) transport() http.RoundTripper {
	if k.http.Transport == nil {
		return http.DefaultTransport
	}
	return k.http.Transport
}

// headers returns those of one attempt. Of common, which all attempts share, it
// takes the cookies that http.Client adds from its jar once an attempt.
func (c *call) headers(common http.Header) http.Header {
	h := http.Header{"Authorization": c.credential.header, "User-Agent": c.core.agent, "Accept": jsonType}
	if c.request.body != nil {
		h["Content-Type"] = jsonType
	}
	if cookies := common["Cookie"]; cookies != nil {
		h["Cookie"] = cookies
		delete(common, "Cookie")
	}
	return h
}

// arrived keeps what the head of a reply says.
func (c *call) arrived(resp *http.Response) {
	c.status, c.header = resp.StatusCode, resp.Header
	if resp.Body == nil {
		resp.Body = http.NoBody // What http.Client makes of it, unless it complains.
	}
	c.open = resp.Body
	c.requestID = c.credential.secret.ScrubString(resp.Header.Get("X-Request-Id"))
	c.learn(resp.Header, time.Now())
	if resp.Header.Get("Location") != "" {
		// http.Client fails on some redirects before it asks whether to follow.
		resp.Header = resp.Header.Clone()
		resp.Header.Del("Location")
	}
}

func (k *core) attemptContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if k.config.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, k.config.timeout)
}

// maxDrained is how much of a body that nobody wants is read, so that the
// connection can serve again.
const maxDrained = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// readBody reads a reply's body and closes it. What it returns lies in a shared
// buffer until release. A body that does not stop by itself is closed when the
// attempt's time is over.
func (c *call) readBody(resp *http.Response) ([]byte, error) {
	body := &closeOnce{body: resp.Body} // Not of c: when time is over, this may run into the next attempt.
	resp.Body = http.NoBody             // Not every body can be closed twice, and retryablehttp would.
	defer body.close()
	defer context.AfterFunc(c.timed, body.closeLate)()
	limit, whole := c.core.config.maxBytes, true
	if c.status >= 300 {
		limit = min(limit, 1<<20)
	} else if c.read == nil {
		limit, whole = min(limit, maxDrained), false
	}
	c.buffer = buffers.Get().(*[]byte)
	err := c.fill(body.body, limit)
	if err == nil && whole && int64(len(*c.buffer)) > limit {
		err = tooLongError{limit}
	}
	if whole && c.status < 300 { // Else it is short.
		clean, late := c.credential.secret.ScrubWithin(*c.buffer, &bound.Bound{Until: c.timed})
		return clean, cmp.Or(err, late)
	}
	return c.credential.secret.Scrub(*c.buffer), err
}

// fill reads limit bytes into the buffer, and one more to notice a longer body.
// What it allocates on the way is
// less than twice the limit in all: the last of ever larger buffers, each half of
// the next, is as large as the limit.
func (c *call) fill(body io.Reader, limit int64) error {
	b := (*c.buffer)[:0]
	c.grown = 0
	for {
		if len(b) == cap(b) {
			size := limit + 1
			for size/2 > max(minBuffer, int64(len(b))) {
				size /= 2
			}
			c.grown += size
			b = append(make([]byte, 0, size), b...)
		}
		n, err := body.Read(b[len(b):min(int64(cap(b)), limit+1)])
		b = b[:len(b)+n]
		*c.buffer = b
		switch {
		case err == io.EOF, err == nil && int64(len(b)) > limit:
			return nil
		case err != nil:
			return err
		}
	}
}

const minBuffer = 4 << 10

// within is what the reply may still take, so that all of it together stays
// within four times what its body may have.
func (c *call) within(body []byte) bound.Bound {
	limit := min(max(c.core.config.maxBytes, minLimit), math.MaxInt64/4)
	left := 4*limit - c.grown
	if responseOf(c.ctx) != nil {
		left -= int64(len(body))
	}
	if c.buffer != nil && len(body) > 0 && &body[0] != &(*c.buffer)[0] { // The key was taken out.
		left -= int64(cap(body))
	}
	return bound.Bound{Left: left, Until: c.timed}
}

// minLimit is for limits so small that what every call takes is more.
const minLimit = 16 << 10

// closeOnce closes a body once, whoever comes first.
type closeOnce struct {
	body     io.ReadCloser
	once     sync.Once
	panicked any // What the body panicked with in closeLate.
}

// close is for the caller's goroutine, whose the body's panics are.
func (c *closeOnce) close() {
	c.once.Do(func() { _ = c.body.Close() })
	if c.panicked != nil {
		panic(c.panicked)
	}
}

// closeLate is close for a goroutine of its own, which no panic may end.
func (c *closeOnce) closeLate() {
	c.once.Do(func() {
		defer func() { c.panicked = recover() }()
		_ = c.body.Close()
	})
}

// landed takes the attempt off the gate's count.
func (c *call) landed() {
	if c.inFlight {
		c.inFlight = false
		c.core.family.ended(c.credential.id, c.request.method)
	}
}

// leave gives back what an attempt held that a panic or a Goexit cut short. After
// any other there is nothing left to give back.
func (c *call) leave() {
	if len(c.trial.ends) > 0 {
		defer c.trial.abandon(c.exchange())
	}
	c.landed()
	c.release()
	if c.cancel != nil {
		c.cancel()
	}
	if c.open != nil {
		_ = c.open.Close()
	}
}

// release gives the buffer back, unless it has grown too large to keep.
func (c *call) release() {
	if c.buffer != nil && cap(*c.buffer) <= 1<<20 {
		buffers.Put(c.buffer)
	}
	c.buffer = nil
}
