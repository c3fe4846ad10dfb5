package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// data answers with one resource.
func (c *call) data(status int, resource []byte) reply {
	body := make([]byte, 0, len(resource)+64)
	body = append(body, `{"data":`...)
	body = c.drifted(body, resource)
	body = append(body, `,"meta":{"request_id":"`...)
	body = append(body, c.requestID...)
	body = c.appendNews(append(body, '"'), "meta")
	return reply{status: status, body: append(body, `}}`...)}
}

// list answers with count resources, which item appends one by one and which
// take about size bytes; meta is what follows the request id in meta, comma
// included.
func (c *call) list(count, size int, item func(b []byte, i int) []byte, meta string) reply {
	body := make([]byte, 0, size+count+len(meta)+96)
	body = append(body, `{"data":[`...)
	for i := range count {
		if i > 0 {
			body = append(body, ',')
		}
		at := len(body)
		body = item(body, i)
		if c.drift != nil {
			body = c.drifted(body[:at], slices.Clone(body[at:]))
		}
	}
	body = append(body, `],"meta":{"request_id":"`...)
	body = append(body, c.requestID...)
	body = append(body, '"')
	body = c.appendNews(append(body, meta...), "meta")
	return reply{status: http.StatusOK, body: append(body, `}}`...)}
}

type wireError struct {
	Code      hiring.ErrorCode `json:"code"`
	Message   string           `json:"message"`
	Details   any              `json:"details,omitempty"`
	RequestID string           `json:"request_id"`
}

func (c *call) error(status int, e wireError) reply {
	e.RequestID = c.requestID
	body := render(struct {
		Error wireError `json:"error"`
	}{e})
	body = c.appendNews(body[:len(body)-len(`}}`)], "error")
	return reply{status: status, body: append(body, `}}`...)}
}

func (c *call) fail(status int, code hiring.ErrorCode, message string) reply {
	return c.error(status, wireError{Code: code, Message: message})
}

// notFound is the same for an unknown, a malformed and a foreign id, and for a
// path that does not exist.
func (c *call) notFound() reply {
	return c.fail(http.StatusNotFound, hiring.ErrNotFound, "The resource does not exist.")
}

func (c *call) noRoute(allow string) reply {
	if allow == "" {
		return c.notFound()
	}
	r := c.fail(http.StatusMethodNotAllowed, hiring.ErrNotFound, "The path does not support this method.")
	r.extra = [2]string{"Allow", allow}
	return r
}

func (c *call) invalid(p problems) reply {
	if p.FormErrors == nil {
		p.FormErrors = []string{}
	}
	if p.FieldErrors == nil {
		p.FieldErrors = map[string][]string{}
	}
	return c.error(http.StatusBadRequest, wireError{
		Code: hiring.ErrInvalidInput, Message: "The request is not valid; see details.", Details: p,
	})
}

// overQuota answers a request of a key that has used up its quota.
func (c *call) overQuota() reply { return c.refuse("The hourly quota of this key is used up.") }

// refuse answers a request that comes too often, by what c.quota says.
func (c *call) refuse(message string) reply {
	r := c.error(http.StatusTooManyRequests, wireError{
		Code: hiring.ErrRateLimited, Message: message,
		Details: c.quota.details(),
	})
	r.extra = [2]string{"Retry-After", strconv.FormatInt(c.quota.retryAfter(c.at), 10)}
	return r
}

// drifted appends a resource as the call's response shows it.
func (c *call) drifted(b, raw []byte) []byte {
	if c.drift == nil {
		return append(b, raw...)
	}
	within := ""
	if len(c.params) > 0 && strings.HasPrefix(c.route.name, "Events.") {
		within = c.params[0] // sequence numbers are those of one submission
	}
	return c.drift.object(b, c.route.drifts, raw, within)
}

// appendNews appends unknown members to meta, or to an error.
func (c *call) appendNews(b []byte, where string) []byte {
	if c.drift == nil {
		return b
	}
	return c.drift.news(b, where+c.requestID, true)
}
