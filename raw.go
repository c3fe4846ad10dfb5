package hiring

import (
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// Do sends a request to an endpoint that this package has no method for. path is below
// /api/v1 and already escaped, as in "/assessments/"+id+"/archive". query may be nil. Do
// uses the same key, retries and errors as every other method. It needs the scope of the
// endpoint, and costs one read when method is GET, else one write.
//
// Do sends in as JSON unless in is nil, and decodes the response's data into out, a
// pointer. If out is nil, any 2xx response of the API is success. If out is anything else,
// Do returns a [ParamError] and sends nothing. The result is the meta of the response: its
// request id, and the position in a list, whose next page the caller requests. Encoding and decoding follow
// encoding/json/v2, except that field names match in any case.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, in, out any) (Meta, error) {
	r := anyRequest(c.mustCore().dialect, method, path)
	r.query = query
	if v := reflect.ValueOf(out); out != nil && (v.Kind() != reflect.Pointer || v.IsNil()) {
		r = r.refuse("out", "must be a pointer that is not nil, or nil itself")
	}
	if in != nil {
		r = r.withBody(in)
	}
	r.anyBody = out == nil
	var e envelope[RawValue]
	err := c.mustCore().makeCall(ctx, r, func(body []byte) (string, error) {
		err := readEnvelope(body, &e)
		if err != nil {
			e = envelope[RawValue]{}
		}
		switch {
		case out == nil:
			return "", nil
		case err != nil:
			return "", err
		case e.Data == nil:
			return "", errNoData
		}
		return "", decode(*e.Data, out, jsonv2.MatchCaseInsensitiveNames(true))
	})
	return e.Meta.public(), err
}

// anyRequest returns a request for a path that the caller chose.
func anyRequest(d Dialect, method, escaped string) request {
	r := request{operation: "Do", method: method}
	if !urls.IsMethod(method) {
		r = r.refuse("method", "must be GET, POST, PATCH, PUT or DELETE")
	}
	path, template, err := urls.ParsePath(escaped, d.knowsSegment)
	if err != nil {
		return r.refuse("path", err.Error())
	}
	if path.Plain == apiPrefix || strings.HasPrefix(path.Plain, apiPrefix+"/") {
		r = r.refuse("path", "must be below "+apiPrefix+": leave out "+apiPrefix+", which the client adds")
	}
	r.route, r.path, r.rawPath = template, path.Plain, path.Raw
	return r
}

var openAPIRoute = registerRoute("GET /openapi.json")

// OpenAPI returns the API's OpenAPI 3.1 document. The document comes without the envelope
// of other responses (assumed: bare document) or is taken out of the envelope. Scope read;
// costs one read.
func (c *Client) OpenAPI(ctx context.Context) (json.RawMessage, error) {
	var document json.RawMessage
	err := c.mustCore().makeCall(ctx, newRequest("OpenAPI", openAPIRoute), func(body []byte) (string, error) {
		var members map[string]RawValue
		if err := decode(body, &members); err != nil {
			return "", err
		}
		document = slices.Clone(json.RawMessage(body))
		if data := members["data"]; members["openapi"] == nil && data != nil {
			document, members = json.RawMessage(data), nil
			_ = decode(data, &members) // Data of another type has no member.
		}
		if _, ok := members["openapi"].Text(); !ok {
			return "", errNoDocument
		}
		return "", nil
	})
	if err != nil {
		return nil, err
	}
	return document, nil
}
