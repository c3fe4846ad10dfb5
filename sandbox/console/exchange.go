package console

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

type exchangePage struct {
	sandbox.Entry

	Curl, Go     string
	Request      message
	Response     message
	Newer, Older int // Numbers; 0 for none.
}

// message is a request or a response.
type message struct {
	Headers [][2]string
	Body    string
	Omitted int // Bytes of the body that are not shown.
}

// maxBodyShown is the number of bytes of a body that the page shows.
const maxBodyShown = 64 << 10

func (c *console) exchange(r *http.Request) (page, error) {
	n := parseNumber(r.PathValue("number"))
	e, ok := c.entry(n)
	if !ok {
		return page{}, errNotFound
	}
	p := exchangePage{Entry: e}
	if len(e.Body) <= maxBodyShown { // A longer body is too long for the page and for a shell's command line.
		p.Curl, p.Go = curlCommand(e, baseURL(r)), goProgram(e, baseURL(r))
	}
	p.Request = message{Headers: sortedHeaders(e.Detail.Header)}
	p.Request.Body, p.Request.Omitted = bodyText(e.Body, len(e.Body))
	p.Response = message{Headers: sortedHeaders(e.Detail.ResponseHeader)}
	p.Response.Body, p.Response.Omitted = bodyText(e.Detail.Response, e.Detail.ResponseSize)
	if _, older := c.entry(n - 1); older {
		p.Older = n - 1
	}
	if _, newer := c.entry(n + 1); newer {
		p.Newer = n + 1
	}
	return page{Template: "exchange", Data: p}, nil
}

// entry returns the exchange with a number, if the journal has it.
func (c *console) entry(n int) (sandbox.Entry, bool) {
	found, _ := c.server.JournalPage(n+1, 1, func(sandbox.Entry) bool { return true })
	if n < 1 || len(found) == 0 || found[0].Detail.Number != n {
		return sandbox.Entry{}, false
	}
	return found[0], true
}

// sortedHeaders returns the headers as pairs of name and value, by name.
func sortedHeaders(all http.Header) [][2]string {
	var list [][2]string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, value := range all[name] {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

// bodyText returns a body as text, and the number of bytes that it omits.
func bodyText(body []byte, size int) (text string, omitted int) {
	var indented bytes.Buffer
	if len(body) == size && json.Indent(&indented, body, "", "  ") == nil && indented.Len() <= maxBodyShown {
		return indented.String(), 0
	}
	body = body[:min(len(body), maxBodyShown)]
	return strings.ToValidUTF8(string(body), "\uFFFD"), size - len(body)
}
