package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

type exchangePage struct {
	sandbox.Entry

	Curl, Go      string
	Request       message
	Reply         message
	Newer, Older  int // Numbers; 0 for none.
	CutShort      bool
	Authenticated bool
}

// message is a request or a response.
type message struct {
	Headers [][2]string
	Body    string
	Cut     int // Bytes of the body that are not shown.
}

// shown is the number of bytes of a body that the page shows.
const shown = 64 << 10

func (c *console) exchange(r *http.Request) (page, error) {
	n := number(r.PathValue("number"))
	e, ok := c.entry(n)
	if !ok {
		return page{}, errNotFound
	}
	p := exchangePage{Entry: e}
	if len(e.Body) <= shown { // A longer body is too long for the page and for a shell's command line.
		p.Curl, p.Go = asCurl(e, baseURL(r)), asGo(e, baseURL(r))
	}
	p.Request = message{Headers: headers(e.Detail.Header)}
	p.Request.Body, p.Request.Cut = readable(e.Body, len(e.Body))
	p.Reply = message{Headers: headers(e.Detail.ResponseHeader)}
	p.Reply.Body, p.Reply.Cut = readable(e.Detail.Response, e.Detail.ResponseSize)
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
	found, _ := c.server.Page(n+1, 1, func(sandbox.Entry) bool { return true })
	if n < 1 || len(found) == 0 || found[0].Detail.Number != n {
		return sandbox.Entry{}, false
	}
	return found[0], true
}

func headers(all http.Header) [][2]string {
	var list [][2]string
	for name, values := range all {
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

// readable returns a body as text, and the number of bytes that it omits.
func readable(body []byte, size int) (text string, cut int) {
	var indented bytes.Buffer
	if len(body) == size && json.Indent(&indented, body, "", "  ") == nil && indented.Len() <= shown {
		return indented.String(), 0
	}
	body = body[:min(len(body), shown)]
	return strings.ToValidUTF8(string(body), "\uFFFD"), size - len(body)
}
