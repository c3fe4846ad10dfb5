package sandbox

import (
	"net/http"
	"strconv"
	"time"
)

// status returns the status of the fault's response.
func (f *Fault) status() int {
	switch {
	case f.Status != 0:
		return f.Status
	case f.Code != "":
		return statusByCode[f.Code]
	case f.isRaw():
		return http.StatusOK
	}
	return http.StatusTooManyRequests // Only RetryAfter is set.
}

// response returns the response that the fault makes.
func (f *Fault) response(c *call) response {
	status, code := f.status(), f.Code
	if code == "" {
		code = codeOf(status)
	}
	switch {
	case f.isRaw():
		r := response{status: status}
		if f.Body != "" {
			r.body = []byte(f.Body)
		}
		return f.withRetryAfter(r)
	case status < 400 && f.Code == "":
		return f.withRetryAfter(response{status: status})
	case status == http.StatusTooManyRequests:
		c.quota.remaining = 0
		if f.RetryAfter > 0 {
			c.quota.reset = c.at.Truncate(time.Second).Add(wholeSeconds(f.RetryAfter))
		}
		r := c.overQuota()
		r.body = c.error(status, apiError{Code: code, Message: injectedMessage, Details: c.quota.errorDetails()}).body
		return r
	case status == http.StatusBadRequest:
		return f.withRetryAfter(c.error(status, apiError{Code: code, Message: injectedMessage, Details: problems{
			FormErrors: []string{injectedMessage}, FieldErrors: map[string][]string{},
		}}))
	}
	return f.withRetryAfter(c.fail(status, code, injectedMessage))
}

const injectedMessage = "This error was injected."

// withRetryAfter returns a response with the Retry-After header of the fault.
func (f *Fault) withRetryAfter(r response) response {
	if f.RetryAfter > 0 {
		r.extra = [2]string{"Retry-After", strconv.FormatInt(int64(wholeSeconds(f.RetryAfter)/time.Second), 10)}
	}
	return r
}

// wholeSeconds rounds a duration up to seconds, without overflow.
func wholeSeconds(d time.Duration) time.Duration {
	whole := d.Truncate(time.Second)
	if whole < d && whole+time.Second > whole {
		whole += time.Second
	}
	return whole
}

// writeRaw writes a response without the API's headers.
func (f *Fault) writeRaw(w http.ResponseWriter, c *call, r response) {
	h := w.Header()
	h.Set("Date", c.at.UTC().Format(http.TimeFormat))
	h.Set("Content-Type", f.ContentType)
	if f.ContentType == "" {
		h.Set("Content-Type", http.DetectContentType(r.body))
	}
	if r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	if r.extra[0] != "" {
		h.Set(r.extra[0], r.extra[1])
	}
	w.WriteHeader(r.status)
	if r.body != nil && c.request.Method != http.MethodHead {
		_, _ = w.Write(r.body)
	}
}
