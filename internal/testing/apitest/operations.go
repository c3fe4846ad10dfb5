package apitest

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
)

// Operation is an exported method that sends a request, with the request that it must send.
type Operation struct {
	Name, Method, Route, URI, Body string
	Response                       string // A response that it accepts.
	Call                           func(context.Context, *hiring.Client) error
}

// Operations returns every exported method that sends one request, Client.Do included.
func Operations() []Operation {
	const object, list = `{"data":{"id":"x"},"meta":{"request_id":"req_0a"}}`, `{"data":[],"meta":{"request_id":"req_0a","has_more":false}}`
	ids := []string{"a1", "i1"}
	var all []Operation
	for _, o := range operations.All() {
		ids := ids[:len(o.IDs)]
		made := Operation{
			Name: o.Name, Method: o.Method(), Route: o.Template(), URI: o.PathWith(ids), Body: o.Body, Response: cmp.Or(o.Response, object),
			Call: func(ctx context.Context, c *hiring.Client) error { return o.Do(ctx, c, ids) },
		}
		if o.Query != "" {
			made.URI += "?" + o.Query
		}
		if strings.HasSuffix(o.Name, ".List") {
			made.Response = list
		}
		all = append(all, made)
	}
	return append(all, Operation{
		Name: "Do", Method: "PUT", Route: "/{id}/{id}", URI: "/widgets/W1?q=1", Body: `{"n":1}`, Response: object,
		Call: func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Do(ctx, "PUT", "/widgets/W1", map[string][]string{"q": {"1"}}, map[string]int{"n": 1}, nil)
			return err
		},
	})
}

// SampleInvitationID is an invitation of the sandbox's sample data.
const SampleInvitationID = "1a000000-0000-4000-8001-000000000001"

// DialectFields returns the field names of hiring.Dialect.
func DialectFields() []string {
	var names []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		names = append(names, field.Name)
	}
	return names
}
