package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	ChaosKills   = 20
	ChaosTimeout = 5 * time.Second
	AuditKey     = "sk_live_the_audit"
)

// Crowd names n candidates. Every other run spells their addresses differently.
func Crowd(n, run int) []hiring.NewInvitation {
	all := make([]hiring.NewInvitation, n)
	for i := range all {
		all[i] = hiring.NewInvitation{Email: fmt.Sprintf("candidate-%d@example.com", i), Name: fmt.Sprint("Candidate ", i)}
		if run%2 == 0 {
			all[i].Email = strings.ToUpper(all[i].Email)
		}
	}
	return all
}

// LiveWorld is a server with an assessment that a key of its own made.
func LiveWorld(t *testing.T) (server *sandbox.Server, assessment string) {
	t.Helper()
	server = sandbox.Start(t)
	server.AddKey(sandbox.Key{Token: AuditKey, Scope: sandbox.ScopeAdmin})
	client := Audit(t, server)
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	made, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	require.NoError(t, err)
	return server, made.ID
}

// Audit returns a client that no fault and no quota of the test's concerns,
// except for faults that were injected into the server.
func Audit(t *testing.T, server *sandbox.Server) *hiring.Client {
	t.Helper()
	client, err := hiring.New("https://sandbox.invalid", AuditKey, hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	require.NoError(t, err)
	return client
}
