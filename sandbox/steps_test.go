package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestInvite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		client := s.LiveClient()
		posting := s.AddAssessment("Backend")
		id, err := s.Invite(posting, "ada@candidates.test", "Ada")
		require.NoError(t, err)
		found, err := client.Invitations.List(posting).Collect(t.Context())
		require.NoError(t, err)
		require.Len(t, found, 1)
		assert.Equal(t, id, found[0].ID)
		assert.Equal(t, hiring.InvitationSent, found[0].Status)
		assert.Equal(t, 30*24*time.Hour, found[0].ExpiresAt.Sub(*found[0].SentAt))
		account, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, account.Usage.AssessmentsUsed)
		_, err = s.Begin(id)
		require.NoError(t, err)

		_, err = s.Invite(posting, "nobody", "N")
		require.ErrorContains(t, err, "email: give an email address")
		_, err = s.Invite(posting, "ada@candidates.test", "")
		require.ErrorContains(t, err, "name: must not be empty")
		_, err = s.Invite(sandbox.UnknownID, "ada@candidates.test", "Ada")
		require.ErrorContains(t, err, "no such id")
		s.SetPlan(sandbox.LiveKey, 1, 1)
		_, err = s.Invite(posting, "ada@candidates.test", "Ada")
		require.ErrorContains(t, err, "the plan's invitations for this period are used up")
		s.SetPlan(sandbox.LiveKey, 1, 2)
		_, err = client.Assessments.Update(t.Context(), posting, hiring.AssessmentUpdate{Status: hiring.AssessmentClosed})
		require.NoError(t, err)
		_, err = s.Invite(posting, "ada@candidates.test", "Ada")
		require.ErrorContains(t, err, "the assessment is closed")
	})
}
