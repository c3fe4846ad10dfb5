package sandbox

import (
	"math"
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
		return statusOf(f.Code)
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
	case f.isRaw() || c.route == archiveRoute: // Storage has no envelope.
		text := f.Body
		if !f.isRaw() && status >= http.StatusBadRequest {
			text = http.StatusText(status) + "\n"
		}
		var body []byte
		if text != "" {
			body = []byte(text)
		}
		return f.withRetryAfter(rawResponse(status, body, f.ContentType))
	case status < 400 && f.Code == "":
		return f.withRetryAfter(response{status: status})
	case status == http.StatusTooManyRequests:
		c.quota.remaining = 0
		if f.RetryAfter > 0 {
			c.quota.reset = c.at.Truncate(time.Second).Add(wholeSeconds(f.RetryAfter))
		}
		r := c.error(status, apiError{Code: code, Message: injectedMessage, Details: c.quota.errorDetails()})
		r.extra = c.overQuota().extra
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
	return (min(d, math.MaxInt64-time.Second+1) + time.Second - 1).Truncate(time.Second)
}
