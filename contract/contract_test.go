package contract_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/routers"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/contract"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const base = "https://sandbox.invalid"

// served returns the document of a server. It uses a key of its own, so that tests have
// all their reads.
func served(t *testing.T, server *sandbox.Server) []byte {
	t.Helper()
	server.AddKey(sandbox.Key{Token: "sk_test_document", Scope: sandbox.ScopeRead})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1/openapi.json", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer sk_test_document")
	res, err := server.Transport().RoundTrip(r)
	require.NoError(t, err)
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode, "%s", raw)
	return raw
}

func load(t *testing.T, raw []byte) *contract.Document {
	t.Helper()
	document, err := contract.Load(raw)
	require.NoError(t, err)
	return document
}

// suite creates validators that share a document and a coverage.
type suite struct {
	raw      []byte
	document *contract.Document
	coverage contract.Coverage
}

func newSuite(t *testing.T, opts ...sandbox.Option) *suite {
	t.Helper()
	raw := served(t, sandbox.New(opts...))
	return &suite{raw: raw, document: load(t, raw)}
}

// validator returns a validator in front of a transport, for one test.
func (c *suite) validator(t *testing.T, server *sandbox.Server, next http.RoundTripper) *contract.Validator {
	t.Helper()
	require.True(t, bytes.Equal(c.raw, served(t, server)), "every server serves the same document")
	return &contract.Validator{Document: c.document, Next: next, Coverage: &c.coverage, Report: func(fault string) {
		t.Helper()
		t.Error(fault)
	}}
}

// TestContract runs the client's suite over each transport with a validator, sends
// requests that the client never sends, and requires that every documented status was seen.
func TestContract(t *testing.T) {
	c := newSuite(t)
	t.Run("transport", func(t *testing.T) {
		operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
			server := sandbox.Start(t)
			return validatedClient(t, base, c.validator(t, server, server.Transport())), server
		})
	})
	t.Run("url", func(t *testing.T) {
		operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
			server, wire := sandbox.Start(t), &http.Transport{}
			t.Cleanup(wire.CloseIdleConnections)
			return validatedClient(t, server.URL(), c.validator(t, server, wire)), server
		})
	})
	t.Run("probes", func(t *testing.T) { probe(t, c) })
	c.complete(t)
	t.Logf("%d operations, %d documented statuses, %d exchanges validated", len(c.document.Routes()), len(c.coverage.Seen()), c.coverage.Exchanges())
}

func validatedClient(t *testing.T, baseURL string, validator *contract.Validator, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	client, err := hiring.New(baseURL, sandbox.TestKey, append(opts, hiring.WithHTTPClient(&http.Client{Transport: validator}))...)
	require.NoError(t, err)
	return client
}

// TestContractInAnotherDialect checks that the document agrees with the server in another
// dialect.
func TestContractInAnotherDialect(t *testing.T) {
	dialect := hiring.Dialect{
		PageParam: "p", PageSizeParam: "per_page", CursorParam: "after", EventPageSizeParam: "limit", SinceLayout: "20060102T150405.000Z",
		ListChallenges: "GET /library", ListAssessments: "GET /assessments/all", GetAssessment: "GET /postings/{id}",
		UpdateAssessment: "PUT /postings/{id}", ResendInvitation: "POST /postings/{id}/{invitation_id}/again",
		RevokeInvitation: "DELETE /postings/{id}/{invitation_id}", InvitationEmail: "email", InvitationName: "name",
	}
	c := newSuite(t, sandbox.WithDialect(dialect))
	operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
		server := sandbox.Start(t, sandbox.WithDialect(dialect))
		return validatedClient(t, base, c.validator(t, server, server.Transport()), hiring.WithDialect(dialect)), server
	})
	for _, route := range c.document.Routes() {
		seen := c.coverage.Seen()
		assert.Positive(t, seen[contract.Statuses(route.Operation)[0]], "%s never succeeded", route.Operation.OperationID)
	}
}

// unseen returns why a documented status cannot occur, or "".
func unseen(o *routers.Route, status int) string {
	if status == http.StatusForbidden && contract.Scope(o.Operation) == "read" {
		return "no scope is narrower than read"
	}
	return ""
}

// complete requires that every documented status was seen, unless it cannot occur.
func (c *suite) complete(t *testing.T) {
	t.Helper()
	seen := c.coverage.Seen()
	for _, route := range c.document.Routes() {
		for _, answer := range contract.Statuses(route.Operation) {
			reason := unseen(route, answer.Status)
			switch {
			case reason == "" && seen[answer] == 0:
				t.Errorf("%s is documented but never came", answer)
			case reason != "" && seen[answer] > 0:
				t.Errorf("%s came, although %s", answer, reason)
			}
			delete(seen, answer)
		}
	}
	assert.Empty(t, seen, "answers that are not documented")
}
