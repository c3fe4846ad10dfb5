package invite_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestSendAllWithoutEachReturnsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(20, 1)
		people[2].Email, people[4].Email = "", "nobody"
		server.Inject(sandbox.Fault{
			Route: apitest.InviteRoute, Skip: 1, Times: 1, Status: 409,
			Body: fmt.Sprintf(`{"error":{"code":"CONFLICT","message":"%s is busy.","request_id":"req_1"}}`, strings.ToUpper(people[1].Email)),
		})
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{})
		require.Error(t, err)
		require.ErrorIs(t, err, hiring.ErrConflict)
		var invalid *hiring.ParamError
		require.ErrorAs(t, err, &invalid)
		assert.Contains(t, err.Error(), "candidate 2: Invitations.Send: 409 CONFLICT: the address is busy")
		assert.Contains(t, err.Error(), "candidate 3: Email: must not be empty; candidate 5: Invitations.Send: 400 INVALID_INPUT")
		assert.NotContains(t, err.Error(), "more candidates")
		assert.NotContains(t, strings.ToLower(err.Error()), "@example.com")
		assert.Len(t, apitest.InvitationCounts(t, server, assessment), 17, "the others were invited")
	})
}

func TestSendAllWithoutEachCountsFurtherFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		client := server.LiveClient()
		people := make([]hiring.NewInvitation, 25)
		people[7] = apitest.Ada
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{})
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		assert.Equal(t, 10, strings.Count(err.Error(), "candidate "))
		assert.Contains(t, err.Error(), "and 14 more candidates failed")
		assert.NotContains(t, err.Error(), "\n")
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people[7:8]), hiring.SendAllOptions{}),
			"nil when every candidate has an invitation")
	})
}

func TestSendAllWithoutEachReturnsTheCauseFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := append([]hiring.NewInvitation{{Name: "No address"}}, apitest.Candidates(3, 1)...)
		server.SetPlan(sandbox.LiveKey, 9, 10)
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{})
		failure, ok := errors.AsType[*hiring.Error](err)
		require.True(t, ok)
		assert.Equal(t, hiring.ErrPlanLimitReached, failure.Code)
		require.NotErrorIs(t, err, hiring.ErrRunEnded, "the candidates after it did not fail themselves")
		assert.Contains(t, err.Error(), "402 PLAN_LIMIT_REACHED")
		assert.Contains(t, err.Error(), "candidate 1: Email")
		assert.NotContains(t, err.Error(), "candidate 4")
	})
}

func TestSendAllWithoutEachReturnsAnUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
		server.Inject(sandbox.Fault{Route: apitest.ListRoute, Skip: 1, Status: 403, Code: hiring.ErrInsufficientScope})
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(1, 1)), hiring.SendAllOptions{})
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.Equal(t, 1, strings.Count(err.Error(), "candidate 1: "), "%v", err)
		assert.Equal(t, 1, strings.Count(err.Error(), "the lookup of the invitation failed"), "once: %v", err)
	})
}

// The first candidate has not failed when the run cannot begin.
func TestABadCheckpointIsNoFailureOfACandidate(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	people := slices.Values(apitest.Candidates(2, 1))
	err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, people, hiring.SendAllOptions{Checkpoint: &memory{state: "xyz"}})
	var refused *hiring.ParamError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "Checkpoint", refused.Param)
	assert.NotContains(t, err.Error(), "candidate")
}
