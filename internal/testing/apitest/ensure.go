package apitest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	InviteRoute = "POST /assessments/{id}/invitations"
	ListRoute   = "GET /assessments/{id}/invitations"
)

var Ada = hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}

// MailsOf tells how many invitations each address has.
func MailsOf(t *testing.T, server *sandbox.Server, assessment string) map[string]int {
	t.Helper()
	mails := make(map[string]int)
	for invitation, err := range Audit(t, server).Invitations.List(assessment).All(t.Context()) {
		require.NoError(t, err)
		mails[strings.ToLower(invitation.CandidateEmail)]++
	}
	return mails
}
