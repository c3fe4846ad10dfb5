package contract_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/contract"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const base = "https://sandbox.invalid"

// served returns the document as a server serves it. It is read with a key of
// its own, so that no test finds a read missing.
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

// court is where judges come from: all of them know the same document.
type court struct {
	raw      []byte
	document *contract.Document
	ledger   contract.Ledger
}

func newCourt(t *testing.T, opts ...sandbox.Option) *court {
	t.Helper()
	raw := served(t, sandbox.New(opts...))
	return &court{raw: raw, document: load(t, raw)}
}

// judge puts a judge before a server's door, for the length of a test.
func (c *court) judge(t *testing.T, server *sandbox.Server, next http.RoundTripper) *contract.Judge {
	t.Helper()
	require.True(t, bytes.Equal(c.raw, served(t, server)), "every server serves the same document")
	return &contract.Judge{Document: c.document, Next: next, Ledger: &c.ledger, Report: func(fault string) {
		t.Helper()
		t.Error(fault)
	}}
}

// TestContract runs the client's suite before a judge, through each door, asks
// besides for what no client would, and wants to have seen all that is documented.
func TestContract(t *testing.T) {
	c := newCourt(t)
	t.Run("transport", func(t *testing.T) {
		operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
			server := sandbox.Start(t)
			return judged(t, base, c.judge(t, server, server.Transport())), server
		})
	})
	t.Run("url", func(t *testing.T) {
		operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
			server, wire := sandbox.Start(t), &http.Transport{}
			t.Cleanup(wire.CloseIdleConnections)
			return judged(t, server.URL(), c.judge(t, server, wire)), server
		})
	})
	t.Run("probes", func(t *testing.T) { probe(t, c) })
	c.complete(t)
	t.Logf("%d operations, %d documented answers, %d exchanges judged", len(c.document.Operations()), len(c.ledger.Seen()), c.ledger.Exchanges())
}

func judged(t *testing.T, baseURL string, judge *contract.Judge, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	client, err := hiring.New(baseURL, sandbox.TestKey, append(opts, hiring.WithHTTPClient(&http.Client{Transport: judge}))...)
	require.NoError(t, err)
	return client
}

// TestContractInAnotherDialect: the document says what the server does, whatever
// the names are.
func TestContractInAnotherDialect(t *testing.T) {
	dialect := hiring.Dialect{
		PageParam: "p", PageSizeParam: "per_page", CursorParam: "after", EventPageSizeParam: "limit", SinceLayout: "20060102T150405.000Z",
		ListChallenges: "GET /library", ListAssessments: "GET /assessments/all", GetAssessment: "GET /postings/{id}",
		UpdateAssessment: "PUT /postings/{id}", ResendInvitation: "POST /postings/{id}/{invitation_id}/again",
		RevokeInvitation: "DELETE /postings/{id}/{invitation_id}", InvitationEmail: "email", InvitationName: "name",
	}
	c := newCourt(t, sandbox.WithDialect(dialect))
	operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
		server := sandbox.Start(t, sandbox.WithDialect(dialect))
		return judged(t, base, c.judge(t, server, server.Transport()), hiring.WithDialect(dialect)), server
	})
	for _, operation := range c.document.Operations() {
		seen := c.ledger.Seen()
		assert.Positive(t, seen[operation.Answers()[0]], "%s never succeeded", operation.OperationID)
	}
}

// unseen says which documented answers no server can give, and why.
func unseen(o contract.Operation, status int) string {
	if status == http.StatusForbidden && o.Scope() == "read" {
		return "no scope is narrower than read"
	}
	return ""
}

// complete wants every documented answer to have come, unless it cannot.
func (c *court) complete(t *testing.T) {
	t.Helper()
	seen := c.ledger.Seen()
	for _, operation := range c.document.Operations() {
		for _, answer := range operation.Answers() {
			reason := unseen(operation, answer.Status)
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
