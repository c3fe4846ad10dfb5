package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Routes of invitations.
const (
	InviteRoute = "POST /assessments/{id}/invitations"
	ListRoute   = "GET /assessments/{id}/invitations"
)

// Ada is a candidate.
var Ada = hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}

// InvitationCounts returns the number of invitations of each address.
func InvitationCounts(t *testing.T, server *sandbox.Server, assessment string) map[string]int {
	t.Helper()
	mails := make(map[string]int)
	for invitation, err := range UnlimitedClient(t, server).Invitations.List(assessment).All(t.Context()) {
		require.NoError(t, err)
		mails[strings.ToLower(invitation.CandidateEmail)]++
	}
	return mails
}

// The number of kills, the timeout and the key of tests under fault injection.
const (
	Kills          = 20
	AttemptTimeout = 5 * time.Second
	UnlimitedKey   = "sk_live_the_audit"
)

// Candidates returns n candidates. Even runs spell the addresses in upper case.
func Candidates(n, run int) []hiring.NewInvitation {
	all := make([]hiring.NewInvitation, n)
	for i := range all {
		all[i] = hiring.NewInvitation{Email: fmt.Sprintf("candidate-%d@example.com", i), Name: fmt.Sprint("Candidate ", i)}
		if run%2 == 0 {
			all[i].Email = strings.ToUpper(all[i].Email)
		}
	}
	return all
}

// StartWithAssessment starts a sandbox with an assessment that another key created.
func StartWithAssessment(t *testing.T) (server *sandbox.Server, assessment string) {
	t.Helper()
	server = sandbox.Start(t)
	server.AddKey(sandbox.Key{Token: UnlimitedKey, Scope: sandbox.ScopeAdmin})
	client := UnlimitedClient(t, server)
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	made, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	require.NoError(t, err)
	return server, made.ID
}

// UnlimitedClient returns a client with its own key and transport. Rate limits of other keys and
// faults of other transports do not affect it. Faults of the server do.
func UnlimitedClient(t *testing.T, server *sandbox.Server) *hiring.Client {
	t.Helper()
	client, err := hiring.New("https://sandbox.invalid", UnlimitedKey, hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	require.NoError(t, err)
	return client
}
