package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestOperationsOverEveryTransport runs the same suite over each transport of the sandbox.
func TestOperationsOverEveryTransport(t *testing.T) {
	for name, open := range map[string]operations.Open{"transport": inProcess, "url": overTCP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			operations.Run(t, open)
		})
	}
}

// TestEveryAssumedNameComesFromTheDialect checks that no request has an assumed default
// name.
func TestEveryAssumedNameComesFromTheDialect(t *testing.T) {
	operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
		server := sandbox.Start(t, sandbox.WithDialect(otherDialect))
		return server.Client(hiring.WithDialect(otherDialect)), server
	})
}

var otherDialect = hiring.Dialect{
	PageParam: "p", PageSizeParam: "per_page", CursorParam: "after", EventPageSizeParam: "limit", SinceLayout: "20060102T150405.000Z",
	ListChallenges: "GET /library", ListAssessments: "GET /postings", GetAssessment: "GET /postings/{id}",
	UpdateAssessment: "PUT /postings/{id}/settings", ResendInvitation: "POST /postings/{id}/{invitation_id}/again",
	RevokeInvitation: "DELETE /postings/{id}/{invitation_id}", InvitationEmail: "email", InvitationName: "name",
}

func inProcess(t *testing.T) (*hiring.Client, *sandbox.Server) {
	server := sandbox.Start(t)
	return server.Client(), server
}

func overTCP(t *testing.T) (*hiring.Client, *sandbox.Server) {
	server := sandbox.Start(t)
	client, err := hiring.New(server.URL(), sandbox.TestKey)
	require.NoError(t, err)
	return client, server
}
