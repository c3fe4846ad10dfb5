package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	maxBody = 512 << 10
	// drainLimit is the maximum that is read of a body that is too large. A sender whose
	// connection is closed earlier may lose the response.
	drainLimit = 16 << 20
)

// call is one request and its state until the response.
type call struct {
	server    *Server // Its state may be used while its lock is held.
	drift     *drift  // Nil without drift.
	request   *http.Request
	at        time.Time
	requestID string
	quota     quota
	world     *world.Organization
	route     *route // Nil for an unknown path or method.
	params    []string
	allow     string    // Methods of the path, if the request has another.
	entry     exchange  // Of the journal, before its end.
	began     time.Time // Of the real clock.
	throttled bool
	query     url.Values
	body      []byte // At most one byte more than the limit.
	bodyErr   error
}

// bodyTimeout is how long the body of a request may take.
const bodyTimeout = time.Minute

// readBody is called without the lock, so that a slow sender does not block other
// requests.
func (c *call) readBody(w http.ResponseWriter) {
	c.body, c.bodyErr = readLimited(w, c.request, maxBody)
}

// readLimited reads a body of at most limit bytes, and returns one byte more of a longer
// one. A body that takes longer than bodyTimeout is an error, except over a transport
// without deadlines.
func readLimited(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	// net/http removes the deadline at the end of the body. Otherwise it reads the rest
	// before it responds, which the deadline limits too.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err = io.ReadAll(io.LimitReader(r.Body, limit+1))
	if int64(len(body)) > limit {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, drainLimit))
	}
	return body, err
}

// readQuery checks the size of the body and the syntax of the query.
func (c *call) readQuery() problems {
	var p problems
	switch {
	case len(c.body) > maxBody:
		p.addForm("The request body exceeds 512 KB.")
	case c.bodyErr != nil:
		p.addForm("The request body could not be read.")
	}
	if c.request.URL.RawQuery != "" {
		var err error
		if c.query, err = url.ParseQuery(c.request.URL.RawQuery); err != nil {
			p.addForm("The query string is malformed.")
		}
	}
	return p
}

// number reads an integer parameter between least and most.
func (c *call) number(p *problems, name string, absent, least, most int64) int64 {
	if !c.query.Has(name) {
		return absent
	}
	text := c.query.Get(name)
	value, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		p.add(name, "Expected an integer.")
	case value < least:
		p.add(name, "Must be at least "+strconv.FormatInt(least, 10)+".")
	case value > most:
		p.add(name, "Must be at most "+strconv.FormatInt(most, 10)+".")
	}
	return value
}

// members reads the body, which must be one JSON object. Names are case-sensitive.
// Decoding into a struct would accept NAME for name.
func (c *call) members(p *problems) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	switch body := bytes.TrimLeft(c.body, " \t\r\n"); {
	case !json.Valid(c.body):
		p.addForm("The request body is not valid JSON.")
	case body[0] != '{':
		p.addForm("The request body must be a JSON object.")
	default:
		_ = json.Unmarshal(body, &object) // Cannot fail: body is a valid object.
	}
	return object
}

// now returns the time of the call with the precision of resources.
func (c *call) now() world.Moment { return world.MomentOf(c.at) }
