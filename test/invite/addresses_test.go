package invite_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// spellings are variants of one address with characters that copied text may contain.
var spellings = []string{
	"ada@example.com", "ADA@Example.COM", " ada@example.com ", "\u00a0ada@example.com\u3000", "\u200bada@example.com", "ada\u200c@exam\u200dple.com",
	"ada@example.com\u2060", "\ufeff ada@example.com", " \u200b ada@example.com",
}

func TestOneAddressHasManySpellings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, way := range []string{"Ensure", "SendAll"} {
			server, assessment := apitest.StartWithAssessment(t)
			client := server.LiveClient()
			invite(t, server, assessment, apitest.Ada)
			for _, email := range spellings {
				in := hiring.NewInvitation{Email: email, Name: "Ada"}
				var got hiring.InviteResult
				var err error
				if way == "Ensure" {
					got, err = client.Invitations.Ensure(t.Context(), assessment, in)
				} else {
					var all reports
					err = client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{in}), hiring.SendAllOptions{Each: all.each})
					got = all.all[0]
				}
				require.NoError(t, err, "%s %q", way, email)
				assert.Equal(t, hiring.InviteExisting, got.Outcome, "%s %q", way, email)
			}
			_, writes := requestsOf(server)
			assert.Zero(t, writes)
		}
	})
}

func TestAnAddressHasNoControlCharacters(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	client := server.LiveClient()
	for _, email := range []string{"ada@example.com\n", "ada\r\n@example.com", "ada@example.com\x00", "\tada@example.com", "ada\u2028@example.com", "ada\u0085@example.com", "\u200b \ufeff"} {
		in := hiring.NewInvitation{Email: email, Name: "Ada"}
		_, err := client.Invitations.Ensure(t.Context(), assessment, in)
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused, "Ensure %q", email)
		assert.Equal(t, "Email", refused.Param)
		assert.NotContains(t, err.Error(), "ada")
		_, err = client.Invitations.Send(t.Context(), assessment, in)
		require.ErrorAs(t, err, &refused, "Send %q", email)
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{in, apitest.Ada}), hiring.SendAllOptions{Each: got.each}))
		require.ErrorIs(t, got.errors[0], hiring.ErrInvalidInput, "SendAll %q", email)
		require.NoError(t, got.errors[1], "the error concerns one candidate")
	}
	_, err := client.Submissions.FindByEmail(t.Context(), assessment, "ada\n@example.com")
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
}

func TestFindByEmailAcceptsEverySpelling(t *testing.T) {
	client := sandbox.Start(t).Client()
	var found hiring.Submission
	for submission, err := range client.Submissions.List(hiring.SubmissionFilter{AssessmentID: sandbox.AssessmentID}).All(t.Context()) {
		require.NoError(t, err)
		found = submission
		break
	}
	for _, around := range []string{"%s", "\u200b%s\u2060", " \ufeff%s"} {
		got, err := client.Submissions.FindByEmail(t.Context(), sandbox.AssessmentID, fmt.Sprintf(around, found.Candidate.Email))
		require.NoError(t, err, "%q", around)
		assert.Equal(t, found.ID, got.ID)
	}
}

func TestAMalformedInvitationDoesNotEndTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const broken = `[{"id":"i1","candidate_email":"ADA@example.com","candidate_name":7,"status":"sent","created_at":"yesterday","expires_at":5},
			{"id":"i2","candidate_email":"eve@example.com"}]`
		bob := hiring.NewInvitation{Email: "bob@example.com", Name: "Bob"}
		fake := apitest.NewScriptedServer(t, apitest.RespondData(broken), apitest.RespondData(`{"id":"i3","candidate_email":"bob@example.com"}`), apitest.RespondData(broken))
		client := fake.Client()
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), apitest.ID, slices.Values([]hiring.NewInvitation{apitest.Ada, bob}), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteExisting, hiring.InviteSent}, got.outcomes())
		assert.Equal(t, "i1", got.all[0].Invitation.ID)
		again, err := client.Invitations.Ensure(t.Context(), apitest.ID, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, again.Outcome)
	})
}

func TestAnUnreadableAddressStopsInviting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`[{"id":"i1","candidate_email":7}]`))
		_, err := fake.Client().Invitations.Ensure(t.Context(), apitest.ID, apitest.Ada)
		require.ErrorContains(t, err, "an invitation without a readable address cannot be decoded")
		require.ErrorContains(t, err, "/data/0/candidate_email")
		for _, sent := range fake.Requests() {
			assert.Equal(t, "GET", sent.Method)
		}
	})
}

func TestTheNewestInvitationWithAnIDIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`[{"candidate_email":"ada@example.com"},{"id":"newer","candidate_email":"ADA@example.com"},
			{"id":"older","candidate_email":"ada@example.com"}]`))
		got, err := fake.Client().Invitations.Ensure(t.Context(), apitest.ID, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		assert.Equal(t, "newer", got.Invitation.ID)
	})
}
