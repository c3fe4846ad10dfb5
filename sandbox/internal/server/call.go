package server

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
	// drainLimit bounds what is read of a body that is too large anyway: cutting
	// off a sender in the middle could cost it the response.
	drainLimit = 16 << 20
)

// call is one request on its way to its response.
type call struct {
	config    *Config
	drift     *drift      // nil without drift
	live      *world.Live // for new ids
	storage   *storage    // for links to archives
	request   *http.Request
	at        time.Time
	requestID string
	quota     quota
	world     world.World
	archives  []byte // how links to archives begin, once known
	route     *route // nil for a path or method that the service does not have
	params    []string
	allow     string  // the methods of a path that does not have the request's
	entry     *Entry  // in the journal
	detail    *Detail // of it; nil unless the server keeps details
	query     url.Values
	body      []byte // at most one byte more than is allowed
	bodyErr   error
}

// readBody runs before anything is locked or judged: a slow sender must hold
// up no other request.
func (c *call) readBody() {
	if c.request.Body == nil || c.request.Body == http.NoBody {
		return
	}
	c.body, c.bodyErr = io.ReadAll(io.LimitReader(c.request.Body, maxBody+1))
	if len(c.body) > maxBody {
		_, _ = io.Copy(io.Discard, io.LimitReader(c.request.Body, drainLimit))
	}
}

// readQuery judges what concerns every operation: the size of the body and the
// form of the query.
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

// number reads a parameter that must be an integer in a range.
func (c *call) number(p *problems, name string, absent, least, most int64) int64 {
	if !c.query.Has(name) {
		return absent
	}
	text := c.query.Get(name)
	value, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || text[0] == '+':
		p.add(name, "Expected an integer.")
	case value < least:
		p.add(name, "Must be at least "+strconv.FormatInt(least, 10)+".")
	case value > most:
		p.add(name, "Must be at most "+strconv.FormatInt(most, 10)+".")
	}
	return value
}

// members reads the body, which must be a JSON object and nothing after it.
// Names are compared as they are: decoding into a struct would take NAME for name.
func (c *call) members(p *problems) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	switch body := bytes.TrimLeft(c.body, " \t\r\n"); {
	case !json.Valid(c.body):
		p.addForm("The request body is not valid JSON.")
	case body[0] != '{':
		p.addForm("The request body must be a JSON object.")
	default:
		_ = json.Unmarshal(body, &object) // valid, and an object: it cannot fail
	}
	return object
}

// now is the time of the call as resources carry it.
func (c *call) now() world.Moment { return world.MomentOf(c.at) }
