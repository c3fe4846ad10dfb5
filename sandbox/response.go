package sandbox

import (
	"net/http"
	"strconv"
)

// response is the response of a handler. It is created under the server's lock and sent
// without the lock.
type response struct {
	status int
	body   []byte // Nil without a body.
	extra  [2]string
}

// writeTo sends the response with the headers of every response.
func (r response) writeTo(w http.ResponseWriter, c *call) {
	values := []string{
		c.at.UTC().Format(http.TimeFormat), c.requestID, strconv.Itoa(c.quota.limit),
		strconv.Itoa(c.quota.remaining), strconv.FormatInt(c.quota.reset.Unix(), 10),
		"application/json", strconv.Itoa(len(r.body)), r.extra[1],
	}
	h := w.Header()
	h["Date"] = values[0:1:1]
	h["X-Request-Id"] = values[1:2:2]
	h["X-Ratelimit-Limit"] = values[2:3:3]
	h["X-Ratelimit-Remaining"] = values[3:4:4]
	h["X-Ratelimit-Reset"] = values[4:5:5]
	if r.body != nil {
		h["Content-Type"] = values[5:6:6]
		h["Content-Length"] = values[6:7:7]
	}
	if r.extra[0] != "" {
		h[r.extra[0]] = values[7:8:8]
	}
	w.WriteHeader(r.status)
	if r.body != nil && c.request.Method != http.MethodHead {
		_, _ = w.Write(r.body) // The client may have disconnected.
	}
}
