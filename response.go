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

// notFromAPI returns the error of a 2xx response that is not from the API. One that was cut short
// before it showed where it came from may be of the API.
func (c *call) notFromAPI(h http.Header, body []byte, bodyErr error) *Error {
	var e *Error
	if bodyErr != nil && (len(body) == 0 || looksLikeJSON(body)) {
		e = c.undecodable(0, body, bodyErr)
	} else {
		message, hint := c.describeBody(h, body, "envelope")
		e = c.fail(message, nil)
		e.kind, e.Hint = final, cmp.Or(hint, pageHint)
	}
	e.Outcome = c.outcome(OutcomeUnknown)
	return e
}

// undecodable returns the error of a 2xx response of the API whose decoding failed.
func (c *call) undecodable(status int, body []byte, cause error) *Error {
	var semantic *jsonv2.SemanticError
	var syntactic *jsontext.SyntacticError
	why, stated := errors.AsType[responseError](cause)
	stuck, isStuck := errors.AsType[*paging.Stuck](cause)
	tooLong, limited := errors.AsType[*http.MaxBytesError](cause)
	var e *Error
	switch {
	case stated:
		e = c.fail(string(why), nil)
	case isStuck:
		e = c.fail(stuck.Error(), stuck)
		e.kind, e.Hint = final, stuck.Hint()
		return e
	case limited:
		e = c.fail(fmt.Sprintf("the response is longer than %d bytes", tooLong.Limit), nil)
		e.Hint = "see WithMaxResponseBytes"
	case status == http.StatusNoContent:
		e = c.fail(string(errNoData), nil)
	case errors.As(cause, &syntactic) && len(bytes.TrimSpace(body)) == 0:
		e = c.fail("the response is empty", io.ErrUnexpectedEOF)
		e.kind = broken
		return e
	case errors.As(cause, &semantic), errors.As(cause, &syntactic):
		// The cause's own text may hold candidates' data, so it is dropped.
		e = c.fail("the response cannot be decoded"+jsoncodec.Where(cause), nil)
		if errors.Is(cause, io.ErrUnexpectedEOF) {
			e.causedBy(io.ErrUnexpectedEOF)
			e.kind = broken
			return e
		}
	default: // The body ended with an error.
		return c.interrupted("the response was not complete", cause)
	}
	e.kind = invalidBody
	return e
}

// resource is implemented by the structs that represent the API's JSON. Their exported
// JSON methods keep unknown members under encoding/json and json/v2 alike. This package
// does not call these methods, because they would parse each level again.
type resource interface{ resource() }

// readable is implemented by the types that responses contain. The method returns a
// fastjson.Reader of the type. The readers of structs are generated from their tags.
type readable interface{ reader() any }

// entity is a resource that a call can return. An empty identity means that the response
// has the data of another resource. It need not be an id, as that of a Report.
type entity interface {
	resource
	readable
	identity() string
}

var apiCodec = jsoncodec.New[resource]()

func encode(v any) ([]byte, error) { return apiCodec.Encode(v) }

func decode(b []byte, v any, options ...jsonv2.Options) error {
	return apiCodec.Decode(b, v, options...)
}

// readerOf returns the reader of a readable type.
func readerOf[T any]() fastjson.Reader[T] {
	return any(*new(T)).(readable).reader().(fastjson.Reader[T])
}

func listReaderOf[T any]() fastjson.Reader[[]T] { return fastjson.Slice(readerOf[T]()) }

// decoder decodes the body of a 2xx API response, which lies in memory that is used again. bodyErr is why body is not all
// of it: a decoder returns it, unless it needs no data. It is called again for each attempt and keeps nothing of an
// earlier one. The warning is for a response that is usable but unexpected; it is "" for any other.
type decoder func(body []byte, bodyErr error) (warning string, err error)

// responseError is the complete text of an error about a 2xx response.
type responseError string

func (e responseError) Error() string { return string(e) }

// envelope is the form of a 2xx response.
type envelope[T any] struct {
	Data *T       `json:"data"`
	Meta wireMeta `json:"meta"`

	data T // What Data usually points to, which saves an allocation.
}

// envelopeReaders holds a fastjson.Reader[envelope[T]] for each type T that was decoded.
var envelopeReaders sync.Map

// envelopeReader returns the reader of an envelope whose data is read by the reader that
// data returns.
func envelopeReader[T any](data func() fastjson.Reader[T]) fastjson.Reader[envelope[T]] {
	key := reflect.TypeFor[T]()
	known, ok := envelopeReaders.Load(key)
	if !ok {
		known, _ = envelopeReaders.LoadOrStore(key, fastjson.Object(nil,
			fastjson.Field("data", func(e *envelope[T]) **T {
				if e.Data == nil {
					e.Data = &e.data
				}
				return &e.Data // Nil for null.
			}, fastjson.Pointer(data())),
			fastjson.Field("meta", func(e *envelope[T]) *wireMeta { return &e.Meta }, readerOf[wireMeta]()),
		))
	}
	return known.(fastjson.Reader[envelope[T]])
}

// readEnvelope decodes an envelope into e. JSON that the fast decoder refuses is decoded with
// json/v2, whose error says where and why.
func readEnvelope[T any](body []byte, bodyErr error, e *envelope[T], data func() fastjson.Reader[T]) error {
	*e = envelope[T]{} // Nothing of an earlier attempt is kept.
	if bodyErr != nil {
		return bodyErr
	}
	if fastjson.Decode(body, envelopeReader(data), e, apiCodec.Reading) != nil {
		*e = envelope[T]{}
		if err := decode(body, e); err != nil {
			return err
		}
	}
	if len(e.Meta.NextCursor) > maxCursor {
		return errLongCursor
	}
	return nil
}

// maxCursor is the longest cursor that is decoded, in bytes. It is more than fits into a URL.
const maxCursor = 64 << 10

const (
	errLongCursor = responseError("the response's next_cursor is longer than 64 KB")
	errNoData     = responseError("the response has no data")
	errNoIdentity = responseError("the response's data has no id, so it is not the expected resource")
)

// readData reads the data of an envelope unchanged, to tell null from absence.
var readData = fastjson.Object(nil, fastjson.Field("data", func(v *RawValue) *RawValue { return v }, fastjson.Raw))

// decodeList decodes an envelope whose data is an array. Data of null is an empty list.
func decodeList[T any](body []byte, bodyErr error) (items []T, meta wireMeta, err error) {
	var e envelope[[]T]
	if err := readEnvelope(body, bodyErr, &e, listReaderOf[T]); err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data != nil {
		return *e.Data, e.Meta, nil
	}
	var data RawValue
	if fastjson.Decode(body, readData, &data, apiCodec.Reading) != nil || data == nil {
		return nil, wireMeta{}, errNoData
	}
	return nil, e.Meta, nil
}

// errorEnvelope is the envelope of a response with an error.
type errorEnvelope struct {
	Error *struct {
		Code      ErrorCode       `json:"code"`
		Message   string          `json:"message"`
		Details   json.RawMessage `json:"details"`
		RequestID RawValue        `json:"request_id"` // Any type is accepted, so that an invalid id does not hide the code.
	} `json:"error"`
}

// rejected returns the error of a response with a status from 300, or nil for a 404 of a DELETE
// whose earlier attempt may have deleted the resource.
func (c *call) rejected(resp *http.Response, body []byte, bodyErr error) *Error {
	e := c.fail("", bodyErr)
	e.Outcome = c.outcome(OutcomeNotDone)
	if !rejects(resp.StatusCode) {
		e.Outcome = c.outcome(OutcomeUnknown)
	}
	e.RetryAfter = retryAfterOf(resp.Header, c.core.shared.clock.at(time.Now()))
	var rejection errorEnvelope
	hint := "" // Of a body that is not JSON.
	switch {
	case resp.StatusCode < 400:
		where := "elsewhere"
		if to, err := resp.Location(); err == nil && to.Host != c.url.Host {
			where += " (to " + quote(c.key.redact(to.Host)) + ")"
		}
		e.Message = "the server redirects " + where + ", which is not followed because the key would be sent there: correct the base URL"
	case decode(body, &rejection) == nil && rejection.Error != nil && (rejection.Error.Code != "" || rejection.Error.Message != ""):
		redact := c.key.redact
		e.Code, e.Message = ErrorCode(redact(string(rejection.Error.Code))), redact(rejection.Error.Message)
		if details := rejection.Error.Details; len(details) > 0 && string(details) != "null" {
			e.Details = []byte(redact(string(details)))
		}
		if id, ok := rejection.Error.RequestID.Text(); ok && e.RequestID == "" {
			e.RequestID = redact(id)
		}
	default:
		e.Message, hint = c.describeBody(resp.Header, body, "error envelope")
	}
	if _, tooLong := errors.AsType[*http.MaxBytesError](bodyErr); bodyErr != nil && !tooLong {
		if e.Code == "" && hint == "" && e.Status >= 400 {
			e.Message = "the response was cut short"
		} else {
			e.Message = unended(e.Message) + "; the response was cut short"
		}
	}
	e.Hint = c.advice(e, hint)
	if c.unknown && c.request.method == http.MethodDelete && e.Code == ErrNotFound {
		return nil
	}
	return e
}

// statusClientClosed is the status with which a gateway ends a request whose connection is lost.
const statusClientClosed = 499

// advice returns the hint for a response with a status from 300. about is that for its body.
func (c *call) advice(e *Error, about string) string {
	advice := about
	switch {
	case about != "":
	case e.Status == http.StatusUnauthorized:
		advice = c.url.Host + " refused " + c.key.described() + ": check it for expiry and revocation, or make another in the dashboard"
	case e.Status == http.StatusNotFound && !strings.Contains(c.request.route, "{"):
		advice = "the path has no id: check the base URL"
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		if fields := strings.Join(c.request.assumed, " or Dialect."); fields != "" && advice != "" {
			advice += ", or correct Dialect." + fields
		} else if fields != "" {
			advice = "if an assumed name is wrong, correct Dialect." + fields
		}
	}
	return advice
}

// Hints for responses that are not from the API.
const (
	pageHint     = "a proxy answered, or the base URL is wrong"
	encodingHint = "check the proxy, and DisableCompression of the transport"
)

// describeBody returns an error text for a body that did not come from the API, and the hint for one that is not JSON. It
// does not quote JSON, which may contain candidates' data. envelope names the expected JSON.
func (c *call) describeBody(h http.Header, body []byte, envelope string) (message, hint string) {
	switch encoding := encodingOf(h); {
	case len(body) == 0:
		return "the response is empty and not from the API", ""
	case looksLikeJSON(body):
		return "the response is JSON but not the API's " + envelope, ""
	case encoding != "":
		return fmt.Sprintf("the body is encoded as %q, which was not requested", clip(encoding, maxQuoted)), encodingHint
	}
	return "the response is not from the API: " + quote(c.key.redact(string(body[:min(len(body), 64<<10)]))), pageHint
}

// encodingOf returns the encoding of a body that the transport has not decoded, "" for none.
func encodingOf(h http.Header) string {
	if encoding := headerValue(h, "Content-Encoding"); encoding != "identity" {
		return encoding
	}
	return ""
}

// isTimeout reports whether err, which ended an attempt, is a timeout. The end of a context counts
// as one.
func (c *call) isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return c.attempt.ctx.Err() != nil || ok && timeout.Timeout()
}

// outcome returns the outcome of the call when that of its last attempt is o. An earlier
// attempt may have taken effect. The outcome of a read is "".
func (c *call) outcome(o Outcome) Outcome {
	switch {
	case c.request.class() == quota.Read:
		return ""
	case c.unknown && o != OutcomeDone:
		return OutcomeUnknown
	}
	return o
}

// fail returns an error with what is known of the call and its last response.
func (c *call) fail(message string, cause error) *Error {
	seen := &c.attempt.exchange
	e := &Error{
		Message:   c.key.redact(message),
		Status:    seen.Status,
		RequestID: seen.RequestID,
		Method:    c.request.method,
		Route:     c.request.route,
		Attempts:  c.attempts,
		Outcome:   c.outcome(OutcomeNotDone),
		RateLimit: seen.RateLimit,
		Operation: c.request.operation,
	}
	e.causedBy(c.key.clean(cause))
	return e
}

// text returns the text of an error without the URLs that net/http puts into it.
func (c *call) text(err error) string {
	message := strings.ReplaceAll(err.Error(), c.url.String(), "the API")
	message = strings.ReplaceAll(message, c.url.RequestURI(), c.request.route)
	return quote(c.key.redact(message))
}
