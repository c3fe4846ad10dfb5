package hiring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// buffers holds the memory of responses, which is used again.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the size of the largest buffer that is used again.
const maxPooled = 1 << 20

// read reads and decodes a response within its attempt. It returns the delay that the response requests before another
// attempt, and the error of the response or nil.
func (c *call) read(resp *http.Response) (warning string, requested time.Duration, failure *Error) {
	defer resp.Body.Close()
	received := time.Now()
	buffer := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buffer.Cap() <= maxPooled {
			buffers.Put(buffer)
		}
	}()
	buffer.Reset()
	var err error
	if resp.StatusCode >= 200 { // What follows another status may never end, as after a switch of protocols.
		_, err = buffer.ReadFrom(http.MaxBytesReader(nil, resp.Body, c.core.config.maxBytes))
	}
	body := buffer.Bytes()
	requested = c.learn(resp, body, received)
	c.capture(resp, body)
	warning, failure = c.classify(resp, bytes.TrimPrefix(body, []byte("\ufeff")), err)
	if failure == nil || failure.Code != "" || failure.RequestID != "" { // The response is from the API.
		refused := failure != nil && failure.Status == http.StatusUnauthorized && failure.Code == ErrInvalidToken
		c.core.shared.quotas.Authenticated(c.key.id, !refused, time.Now())
	}
	return warning, requested, failure
}

// capture copies a response, nil for none, to the Response of the caller's context.
func (c *call) capture(resp *http.Response, body []byte) {
	to := responseOf(c.ctx)
	if to == nil {
		return
	}
	*to = Response{Attempts: c.attempts}
	if resp == nil {
		return
	}
	seen := &c.attempt.exchange
	to.StatusCode, to.RequestID, to.RateLimit = seen.Status, seen.RequestID, seen.RateLimit
	to.Body, to.Header = bytes.Clone(body), resp.Header.Clone()
	for _, values := range to.Header {
		for i := range values {
			values[i] = c.key.redact(values[i])
		}
	}
}

// classify decodes a response, and returns its error or nil. bodyErr is why body is not all of the
// response's body.
func (c *call) classify(resp *http.Response, body []byte, bodyErr error) (warning string, failure *Error) {
	switch status := resp.StatusCode; {
	case status < 200:
		e := c.fail(fmt.Sprintf("the response is not from the API: status %03d does not end a request", status), nil)
		e.Outcome = c.outcome(OutcomeUnknown)
		return "", e
	case status >= 300:
		return "", c.rejected(resp, body, bodyErr)
	case !c.isFromAPI(resp.Header, body):
		return "", c.notFromAPI(resp.Header, body, bodyErr)
	case c.decoder == nil:
		return "", nil
	}
	warning, err := c.decoder(body, bodyErr)
	if err != nil {
		failure = c.undecodable(resp.StatusCode, body, err)
		failure.Outcome = c.outcome(OutcomeDone)
	}
	return warning, failure
}

// isFromAPI reports whether a 2xx response is from the API. Otherwise it may be a sign-in page.
func (c *call) isFromAPI(h http.Header, body []byte) bool {
	rest := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(rest) == 0:
		return headerValue(h, "X-Request-Id") != ""
	case bytes.HasPrefix(rest, []byte(`{"data":`)):
		return true
	case c.request.route == "/openapi.json": // The one document that has no envelope.
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

