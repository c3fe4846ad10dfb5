package sandbox

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// response is the response of a handler. It is created under the server's lock and sent
// without the lock.
type response struct {
	status int
	body   []byte     // Nil without a body.
	error  *errorJSON // Of an error of the API.
	extra  [2]string
	raw    http.Header // Of a response that is not the API's; nil for the API's.
}

// rawResponse returns a response of an intermediary or of storage. The default type is
// detected from the body.
func rawResponse(status int, body []byte, contentType string) response {
	header := http.Header{"Content-Type": {cmp.Or(contentType, http.DetectContentType(body))}}
	if status != http.StatusNoContent && status != http.StatusNotModified {
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return response{status: status, body: body, raw: header}
}

// header returns the header of the response. One of the API has the headers of every
// response.
func (r response) header(c *call) http.Header {
	h := http.Header{"Date": {c.at.UTC().Format(http.TimeFormat)}}
	maps.Copy(h, r.raw)
	if r.raw == nil {
		h["X-Request-Id"] = []string{c.requestID}
		h["X-Ratelimit-Limit"] = []string{strconv.Itoa(c.quota.limit)}
		h["X-Ratelimit-Remaining"] = []string{strconv.Itoa(c.quota.remaining)}
		h["X-Ratelimit-Reset"] = []string{strconv.FormatInt(c.quota.reset.Unix(), 10)}
		if r.body != nil {
			h["Content-Type"] = []string{"application/json"}
			h["Content-Length"] = []string{strconv.Itoa(len(r.body))}
		}
	}
	if r.extra[0] != "" {
		h[r.extra[0]] = []string{r.extra[1]}
	}
	return h
}

// size returns the size of the body as sent.
func (r response) size(c *call) int {
	if c.request.Method == http.MethodHead {
		return 0
	}
	return len(r.body)
}

// writeTo sends the response, of whose body size bytes. If these are not all, it then breaks
// the connection.
func (r response) writeTo(w http.ResponseWriter, c *call, size int) {
	maps.Copy(w.Header(), r.header(c))
	w.WriteHeader(r.status)
	if size > 0 {
		_, _ = w.Write(r.body[:size]) // The client may have disconnected.
	}
	if size < r.size(c) {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// data returns a response with a resource, or with a list of them. meta is the rest of the
// meta object, beginning with a comma.
func (c *call) data(status int, resource any, meta ...string) response {
	body := appendJSON([]byte(`{"data":`), resource)
	body = append(body, `,"meta":{"request_id":"`+c.requestID+`"`+strings.Join(meta, "")+`}}`...)
	return c.envelope(status, body)
}

// apiError is the error of an envelope.
type apiError struct {
	Code      hiring.ErrorCode `json:"code"`
	Message   string           `json:"message"`
	Details   any              `json:"details,omitempty"`
	RequestID string           `json:"request_id"`
}

// error returns a response with an error.
func (c *call) error(status int, e apiError) response {
	e.RequestID = c.requestID
	r := c.envelope(status, encodeJSON(struct {
		Error apiError `json:"error"`
	}{e}))
	r.error = &errorJSON{Code: string(e.Code), Message: e.Message}
	return r
}

// fail returns a response with an error without details.
func (c *call) fail(status int, code hiring.ErrorCode, message string) response {
	return c.error(status, apiError{Code: code, Message: message})
}

// notFound returns the 404 of unknown, malformed and other organizations' ids, and of
// unknown paths.
func (c *call) notFound() response {
	return c.fail(http.StatusNotFound, hiring.ErrNotFound, "The resource does not exist.")
}

// noRoute returns the 404 of an unknown path, or the 405 of a path with other methods.
func (c *call) noRoute(allow string) response {
	if allow == "" {
		return c.notFound()
	}
	r := c.fail(http.StatusMethodNotAllowed, hiring.ErrNotFound, "The path does not support this method.")
	r.extra = [2]string{"Allow", allow}
	return r
}

// invalid returns the 400 with problems.
func (c *call) invalid(p problems) response {
	p.FormErrors = append([]string{}, p.FormErrors...) // Never null.
	if p.FieldErrors == nil {
		p.FieldErrors = map[string][]string{}
	}
	r := c.error(http.StatusBadRequest, apiError{
		Code: hiring.ErrInvalidInput, Message: "The request is not valid; see details.", Details: p,
	})
	if fields := slices.Sorted(maps.Keys(p.FieldErrors)); len(fields) > 0 {
		r.error.Field, r.error.Others, r.error.Problem = fields[0], fields[1:], p.FieldErrors[fields[0]][0]
	} else {
		r.error.Problem = p.FormErrors[0]
	}
	return r
}

// overQuota returns the 429 of a key without remaining requests.
func (c *call) overQuota() response { return c.refuse("The hourly quota of this key is used up.") }

// refuse returns a 429 with the values of c.quota.
func (c *call) refuse(message string) response {
	r := c.error(http.StatusTooManyRequests, apiError{
		Code: hiring.ErrRateLimited, Message: message,
		Details: c.quota.errorDetails(),
	})
	r.extra = [2]string{"Retry-After", strconv.FormatInt(c.quota.retryAfter(c.at), 10)}
	return r
}

// envelope returns a response in the API's format, changed by drift.
func (c *call) envelope(status int, body []byte) response {
	if c.drift != nil {
		body = c.drift.change(body, "", "")
	}
	return response{status: status, body: body}
}
