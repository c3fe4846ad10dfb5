package hiring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// buffers holds the memory of responses, which is used again.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the size of the largest buffer that is used again.
const maxPooled = 1 << 20

// response is what an attempt received, read once. Everything that judges a response takes it.
type response struct {
	status       int
	header       http.Header
	requestID    string        // From the header, without the key.
	date         time.Time     // By the server's clock; zero without a Date.
	retryAfter   time.Duration // The Retry-After of the header; 0 without one.
	window       quota.Window  // The rate limit, of the header or of the details of a 429. Zero: not known.
	hasAPIHeader bool          // The header shows a rate limit and a request id, as the API does: the Date is not an intermediary's.
	received     time.Time     // When the response arrived, by the local clock.

	buffer  *bytes.Buffer // The memory of body, which is used again after free.
	body    []byte        // Without a byte-order mark.
	bodyErr error         // Why body is not all of it.

	isAPISuccess bool       // A 2xx in the form of the API. Another 2xx may be a sign-in page.
	rejection    *rejection // What the API says about a failure, from the body. Nil: the body says nothing.
	// The error of an attempt whose body did not arrive whole; nil for a body that is too long. receive
	// makes it, because classify knows neither the context nor the clock.
	cut *Error
}

// readHeader returns what a status and header say. server is the server's time as it is known without them.
func readHeader(status int, h http.Header, key *credential, server time.Time) response {
	r := response{status: status, header: h, requestID: key.redact(h.Get("X-Request-Id")), date: dateOf(h)}
	if !r.date.IsZero() {
		server = r.date
	}
	r.retryAfter = retryAfterOf(h, server)
	window, ok := windowOf(h.Get("X-Ratelimit-Limit"), h.Get("X-Ratelimit-Remaining"), h.Get("X-Ratelimit-Reset"))
	r.window, r.hasAPIHeader = window, ok && r.requestID != ""
	return r
}

// isRateLimited reports whether the API refused the request because of the rate limit, so that other
// requests have to wait too.
func (r *response) isRateLimited() bool {
	var code ErrorCode
	if r.rejection != nil {
		code = r.rejection.Code
	}
	return isRateLimit(r.status, code)
}

// delay returns how long the response asks to wait before another attempt: the Retry-After, or for
// a 429 the rest of its window.
func (r *response) delay() time.Duration {
	if r.retryAfter == 0 && r.isRateLimited() && r.window != (quota.Window{}) {
		return r.window.UntilReset(r.date)
	}
	return r.retryAfter
}

// outcome returns the outcome of a write after the attempt with this response.
func (r *response) outcome() Outcome {
	switch {
	case rejects(r.status):
		return OutcomeNotDone
	case r.isAPISuccess:
		return OutcomeDone
	}
	return OutcomeUnknown
}

// isCutJSON reports whether the body ended before it showed that it is not the API's.
func (r *response) isCutJSON() bool {
	return r.bodyErr != nil && (len(r.body) == 0 || looksLikeJSON(r.body))
}

// receive reads a response within its attempt. The caller frees it.
func (c *call) receive(resp *http.Response) response {
	if resp.Body == nil { // Mocks may leave it out.
		resp.Body = http.NoBody
	}
	defer resp.Body.Close()
	received := time.Now()
	r := readHeader(resp.StatusCode, resp.Header, c.key, c.core.shared.clock.at(received))
	r.received, r.buffer = received, buffers.Get().(*bytes.Buffer)
	r.buffer.Reset()
	if r.status >= 200 { // A body after a status below 200 may never end, as after a switch of protocols.
		most := min(c.core.config.maxBytes, math.MaxInt64-1)
		c.body = io.LimitedReader{R: resp.Body, N: most + 1}
		if _, r.bodyErr = r.buffer.ReadFrom(&c.body); c.body.N == 0 {
			r.bodyErr = &http.MaxBytesError{Limit: most}
		}
	}
	r.body = bytes.TrimPrefix(r.buffer.Bytes(), []byte("\ufeff"))
	if r.status >= 300 {
		r.rejection = readRejection(r.body)
	}
	if r.isRateLimited() && r.window == (quota.Window{}) && r.rejection != nil {
		r.window = windowIn(r.rejection.Details)
	}
	r.isAPISuccess = c.hasAPIForm(&r)
	if _, tooLong := errors.AsType[*http.MaxBytesError](r.bodyErr); r.bodyErr != nil && !tooLong {
		r.cut = c.cutOff(&r, "the response was not complete", r.bodyErr)
	}
	return r
}

// free gives the memory of the body back. Nothing may use the body afterwards.
func (r *response) free() {
	if r.buffer.Cap() <= maxPooled {
		buffers.Put(r.buffer)
	}
}

// record passes what a response says to the server's clock and the rate limits. A response with an
// Age header comes from a cache and is about another time. A 401 is about a key that has no rate
// limit.
func (c *call) record(r *response) {
	if r.header.Get("Age") != "" || r.status == http.StatusUnauthorized {
		return
	}
	if r.hasAPIHeader {
		c.core.shared.clock.set(r.date, c.attempt.exchange.Started, r.received)
	}
	class, quotas := c.request.class(), &c.core.shared.quotas
	if r.window != (quota.Window{}) {
		quotas.Update(c.key.id, class, r.window, r.date, r.received)
	}
	if delay := r.delay(); r.isRateLimited() && delay > 0 {
		quotas.Close(c.key.id, class, delay, r.received)
	}
}

// recordKey passes to the rate limits whether the API accepted the key of an attempt that ended
// with failure or nil.
func (c *call) recordKey(failure *Error) {
	if failure == nil || failure.Code != "" || failure.RequestID != "" { // The response is from the API.
		refused := failure != nil && failure.Status == http.StatusUnauthorized && failure.Code == ErrInvalidToken
		c.core.shared.quotas.Authenticated(c.key.id, !refused, time.Now())
	}
}

// capture copies a response, nil for none, to the Response of the caller's context.
func (c *call) capture(r *response) {
	to := responseOf(c.ctx)
	if to == nil {
		return
	}
	*to = Response{Attempts: c.attempts}
	if r == nil {
		return
	}
	to.StatusCode, to.RequestID, to.RateLimit = r.status, r.requestID, RateLimit(r.window)
	to.Body, to.Header = bytes.Clone(r.buffer.Bytes()), r.header.Clone()
	for _, values := range to.Header {
		for i := range values {
			values[i] = c.key.redact(values[i])
		}
	}
}

// classify decodes a response, and returns its error or nil. It decides by nothing but
// the response, the call's request and its earlier attempts. The decoder stores what it has read, and that
// of a list moves to the next page.
func (c *call) classify(r *response) (warning string, failure *Error) {
	switch {
	case r.status < 200:
		return "", c.newError(r, fmt.Sprintf("the response is not from the API: status %03d does not end a request", r.status), nil)
	case r.status >= 300:
		failure = c.rejected(r)
		if c.unknown && c.request.method == http.MethodDelete && failure.Code == ErrNotFound {
			return "", nil // An earlier attempt may have deleted the resource.
		}
		return "", failure
	case !r.isAPISuccess:
		return "", c.notFromAPI(r)
	case c.decoder == nil:
		return "", nil
	case r.bodyErr != nil && !c.request.anyBody:
		return "", c.incomplete(r)
	}
	warning, err := c.decoder(r.body)
	if err != nil {
		return warning, c.undecodable(r, err)
	}
	return warning, nil
}

// hasAPIForm reports whether a response is a 2xx in the form of the API's.
func (c *call) hasAPIForm(r *response) bool {
	rest := bytes.TrimLeft(r.body, " \t\r\n")
	switch {
	case r.status/100 != 2:
		return false
	case len(rest) == 0:
		return r.requestID != ""
	case bytes.HasPrefix(rest, []byte(`{"data":`)):
		return true
	case c.request.method+" "+c.request.route == openAPIRoute: // The one document that has no envelope.
		return hasMember(rest, "data", "meta", "openapi")
	}
	return hasMember(rest, "data", "meta")
}

// hasMember reports whether body is a JSON object with a member of one of these names.
func hasMember(body []byte, names ...string) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return false
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = d.ReadToken(); err == nil && slices.Contains(names, name.String()) {
			return true
		}
		if err == nil {
			err = d.SkipValue()
		}
	}
	return false
}
