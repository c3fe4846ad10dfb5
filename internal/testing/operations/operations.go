package operations

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"context"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/generate"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Ids of the sandbox's sample data.
const (
	multiTaskChallenge  = "c0000000-0000-4000-8000-000000000001"
	singleTaskChallenge = "c0000000-0000-4000-8000-000000000004"
	aTask               = "7a5c0000-0000-4000-8000-000000000001"
	anInvitation        = "1a000000-0000-4000-8001-000000000001"
)

// Operation is a method of the client. Every fact about it is stated here, and
// tests and documentation derive from it.
type Operation struct {
	Name string // Such as "Submissions.Report".
	Cost string // In requests, for docs/operations.md.

	// Of methods that send one request:
	Route    string     // In the default dialect, such as "GET /submissions/{id}/report".
	IDs      []string   // Ids of the sample data for the placeholders of Route.
	OtherIDs [][]string // Further ids whose responses differ.
	Query    string     // The query that Call sends.
	Body     string     // The body that Call sends.
	Response string     // A 2xx body that Call decodes. Empty: an envelope with an object or a list.
	NoID     bool       // The response needs no resource with an id.
	Test     string     // The function of [Tests] that checks the response.

	// Call succeeds in test mode with IDs. It returns the resource, the page, or nil.
	Call func(ctx context.Context, c *hiring.Client, ids []string) (any, error)
	// Walk checks that pages of several sizes make the whole list. Of lists, which [list] completes.
	Walk func(t *testing.T, c *hiring.Client, server Controls)
	// Live makes what the ids of Route need in the live data, with a client of the server, and returns their ids. Of
	// writes with ids.
	Live func(t *testing.T, c *hiring.Client, server *sandbox.Server) []string

	Endless bool   // A composed operation that polls until it ends, so that module otelhiring must know when its next request is due.
	scope   string // The scope that a composed operation needs.
}

// all are the operations that send one request, by name. Each resource's file adds its own.
var all = make(map[string]Operation)

// composed are the operations that send several requests. They have their own tests.
var composed = make(map[string]Operation)

func add(o Operation) { all[o.Name] = o }

func compose(name, scope, cost string, endless bool) {
	composed[name] = Operation{Name: name, Cost: cost, scope: scope, Endless: endless}
}

// All returns the operations that send one request, sorted by name.
func All() []Operation { return sorted(all) }

// AllWithDo returns the operations that send one request, and a request of Client.Do.
func AllWithDo() []Operation {
	return append(All(), Operation{
		Name: "Do", Route: "PUT /{id}/{id}", IDs: []string{"widgets", "W1"}, Query: "q=1", Body: `{"n":1}`, NoID: true,
		Call: func(ctx context.Context, c *hiring.Client, ids []string) (any, error) {
			return c.Do(ctx, http.MethodPut, "/"+strings.Join(ids, "/"), url.Values{"q": {"1"}}, map[string]int{"n": 1}, nil)
		},
	})
}

// Composed returns the operations that send several requests, sorted by name.
func Composed() []Operation { return sorted(composed) }

func sorted(m map[string]Operation) []Operation {
	return slices.SortedFunc(maps.Values(m), func(a, b Operation) int { return strings.Compare(a.Name, b.Name) })
}

// tests are the behaviours by name. Each resource's file adds its own.
var tests = map[string]Test{
	"AssessmentInput":    AssessmentInput,
	"InvitationRefusals": InvitationRefusals,
	"SubmissionFilters":  SubmissionFilters,
	"Reports":            Reports,
	"PendingReport":      PendingReport,
	"OddEvents":          OddEvents,
	"Lists":              Lists,
	"ListResumes":        ListResumes,
	"InvalidInput":       InvalidInput,
	"InvalidToken":       InvalidToken,
	"InvalidTokenAgain":  InvalidTokenAgain,
	"InsufficientScope":  InsufficientScope,
	"NotFound":           NotFound,
	"RateLimited":        RateLimited,
	"InternalError":      InternalError,
	"Quota":              Quota,
	"NothingPersists":    NothingPersists,
	"Do":                 Do,
	"LocalRefusals":      LocalRefusals,
}

// Tests returns the behaviours by name.
func Tests() map[string]Test { return tests }

// Do calls Call and returns its error.
func (o Operation) Do(ctx context.Context, c *hiring.Client, ids []string) error {
	_, err := o.Call(ctx, c, ids)
	return err
}

// Method returns the HTTP method.
func (o Operation) Method() string { return strings.Fields(o.Route)[0] }

// Template returns the path of the route, with placeholders.
func (o Operation) Template() string {
	_, path, _ := strings.Cut(o.Route, " ")
	return path
}

// Path returns the path below /api/v1 with IDs in it.
func (o Operation) Path() string {
	path := o.Template()
	for _, id := range o.IDs {
		begin, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:begin] + id + path[end+1:]
	}
	return path
}

// URI returns the path below /api/v1 with IDs in it, and the query.
func (o Operation) URI() string { return strings.TrimSuffix(o.Path()+"?"+o.Query, "?") }

// IsList reports whether the operation reads a page of a list.
func (o Operation) IsList() bool { return o.Walk != nil }

// Reply returns a 2xx body that Call decodes.
func (o Operation) Reply() string {
	if o.IsList() {
		return `{"data":[],"meta":{"request_id":"req_0a","has_more":false}}`
	}
	return cmp.Or(o.Response, `{"data":{"id":"{id}"},"meta":{"request_id":"req_0a"}}`)
}

// Scope returns the scope that a key needs.
func (o Operation) Scope() string {
	switch {
	case o.scope != "":
		return o.scope
	case o.write():
		return "write"
	default:
		return "read"
	}
}

// Rows returns the rows of all operations for the table in docs/operations.md.
func Rows() []generate.Row {
	var rows []generate.Row
	for _, o := range append(All(), Composed()...) {
		rows = append(rows, generate.Row{Name: o.Name, Route: o.Route, Scope: o.Scope(), Cost: o.Cost})
	}
	return rows
}

func (o Operation) write() bool { return o.Method() != http.MethodGet }

func (o Operation) class() sandbox.Class {
	if o.write() {
		return sandbox.ClassWrite
	}
	return sandbox.ClassRead
}

func second[T any](_ T, err error) error { return err }
