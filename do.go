package hiring

import (
	"context"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
)

// Do makes a call that the package has no method for yet: path is below
// /api/v1 and already escaped, as in "/assessments/"+id+"/archive". It goes
// through the same key, retries and errors as every other call, and counts as a
// read when method is GET, else as a write.
//
// in is sent as JSON unless it is nil. The reply's data is decoded into out, a
// pointer, unless that is nil; then any 2xx of the service succeeds, whatever its
// body. Anything else as out is a [ParamError], before anything is sent. Both follow the rules of
// encoding/json/v2, but a member matches a field whatever its case.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, in, out any) (Meta, error) {
	var meta Meta
	r := anyRequest(method, path)
	r.query = query
	if r.bodyless = out == nil; !r.bodyless {
		if v := reflect.ValueOf(out); v.Kind() != reflect.Pointer || v.IsNil() {
			r = r.refuse("out", "must be a pointer that is not nil, or nil itself")
		}
	}
	if in != nil {
		r = r.send(in)
	}
	err := c.core.send(ctx, r, func(r *reply) error {
		data, m, err := open[Value](r)
		if out == nil {
			meta = m.public() // As far as there is any.
			return nil
		}
		if err != nil {
			return err
		}
		meta = m.public()
		return decodeWithin(&r.within, *data, out, json.MatchCaseInsensitiveNames(true))
	})
	return meta, err
}

func anyRequest(method, path string) request {
	r := request{operation: "Do", method: method}
	if !isMethod(method) {
		r = r.refuse("method", "must be GET, POST, PATCH, PUT or DELETE")
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.ContainsAny(path, "?#") {
		return r.refuse("path", "must not contain ? or #: pass a query by itself, and escape ids with url.PathEscape")
	}
	var route strings.Builder
	for segment := range strings.SplitSeq(path[1:], "/") {
		value, err := url.PathUnescape(segment)
		if err != nil || badSegment(value) {
			return r.refuse("path", `must be escaped and have no empty, "." or ".." segment`)
		}
		if looksLikeID(value) {
			value = "{id}"
		}
		route.WriteString("/" + value)
	}
	r.route = route.String()
	r.path, _ = url.PathUnescape(path)
	if (&url.URL{Path: r.path}).EscapedPath() != path {
		r.rawPath = (&url.URL{Path: r.path, RawPath: path}).EscapedPath()
	}
	return r
}

// looksLikeID is generous: a route is for metrics, which must stay few and name
// nobody. The service's own words are lower case and short.
func looksLikeID(segment string) bool {
	if len(segment) > 32 {
		return true
	}
	return strings.ContainsFunc(segment, func(r rune) bool {
		return (r < 'a' || r > 'z') && r != '_' && r != '-' && r != '.'
	})
}
