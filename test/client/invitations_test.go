package client_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

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

// mailCounts returns the number of e-mails to each address.
func mailCounts(server *sandbox.Server) map[string]int {
	mails := make(map[string]int)
	for _, mail := range server.Mails() {
		mails[strings.ToLower(mail.Email)]++
	}
	return mails
}

func candidates(n int) []hiring.NewInvitation {
	all := make([]hiring.NewInvitation, n)
	for i := range all {
		all[i] = hiring.NewInvitation{Email: fmt.Sprintf("candidate-%d@example.com", i), Name: fmt.Sprint("Candidate ", i)}
	}
	return all
}

func startWithAssessment(t *testing.T) (server *sandbox.Server, assessment string) {
	t.Helper()
	server = sandbox.Start(t)
	return server, server.AddAssessment("Backend engineer")
}

// Programs store keys. The hash is that of all code points, each before and within an address.
func TestAddressKeysNeverChange(t *testing.T) {
	hash := sha256.New()
	for c := range unicode.MaxRune + 1 {
		_, _ = io.WriteString(hash, hiring.AddressKey(string(c)+"A"+string(c)+"@B")+"\n")
	}
	assert.Equal(t, "a13814ed478ddb41b587854d7282327cd1c82e24611451e3c0d0d6514807eb78", hex.EncodeToString(hash.Sum(nil)))
}
