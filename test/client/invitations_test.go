package client_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Routes of invitations.
const (
	inviteRoute = "POST /assessments/{id}/invitations"
	listRoute   = "GET /assessments/{id}/invitations"
)

// ada is a candidate.
var ada = hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}

// invitationCounts returns the number of invitations of each address.
func invitationCounts(t *testing.T, server *sandbox.Server, assessment string) map[string]int {
	t.Helper()
	mails := make(map[string]int)
	for invitation, err := range unlimitedClient(t, server).Invitations.List(assessment).All(t.Context()) {
		require.NoError(t, err)
		mails[strings.ToLower(invitation.CandidateEmail)]++
	}
	return mails
}

// The number of kills, the timeout and the key of tests under fault injection.
const (
	kills          = 20
	attemptTimeout = 5 * time.Second
	unlimitedKey   = "sk_live_the_audit"
)

func candidates(n int) []hiring.NewInvitation {
	all := make([]hiring.NewInvitation, n)
	for i := range all {
		all[i] = hiring.NewInvitation{Email: fmt.Sprintf("candidate-%d@example.com", i), Name: fmt.Sprint("Candidate ", i)}
	}
	return all
}

// startWithAssessment starts a sandbox with an assessment that another key created.
func startWithAssessment(t *testing.T) (server *sandbox.Server, assessment string) {
	t.Helper()
	server = sandbox.Start(t)
	server.AddKey(sandbox.Key{Token: unlimitedKey, Scope: sandbox.ScopeAdmin})
	client := unlimitedClient(t, server)
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	made, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	require.NoError(t, err)
	return server, made.ID
}

// unlimitedClient returns a client with its own key and transport. Rate limits of other keys and
// faults of other transports do not affect it. Faults of the server do.
func unlimitedClient(t *testing.T, server *sandbox.Server) *hiring.Client {
	t.Helper()
	client, err := hiring.New("https://sandbox.invalid", unlimitedKey, hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	require.NoError(t, err)
	return client
}

// Programs store keys. The hash is that of all code points, each before and within an address.
func TestAddressKeysNeverChange(t *testing.T) {
	hash := sha256.New()
	for c := range unicode.MaxRune + 1 {
		_, _ = io.WriteString(hash, hiring.AddressKey(string(c)+"A"+string(c)+"@B")+"\n")
	}
	assert.Equal(t, "a13814ed478ddb41b587854d7282327cd1c82e24611451e3c0d0d6514807eb78", hex.EncodeToString(hash.Sum(nil)))
}
