package operations

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Assessments makes, reads, changes, closes and deletes.
func Assessments(t *testing.T, client *hiring.Client, _ Controls) {
	ctx := t.Context()
	made, err := client.Assessments.Create(ctx, hiring.NewAssessment{
		ChallengeID: multiTaskChallenge, Name: "Payments engineer", TimeLimitMinutes: 45, BudgetDollarsCap: new(4.5),
		SelectedTaskIDs: []string{aTask},
	})
	require.NoError(t, err)
	assert.NotEmpty(t, made.ID)
	assert.Equal(t, hiring.AssessmentActive, made.Status)
	assert.Equal(t, []any{"Payments engineer", multiTaskChallenge, 45, []string{aTask}}, []any{made.Name, made.ChallengeID, made.TimeLimitMinutes, made.SelectedTaskIDs})
	require.NotNil(t, made.BudgetDollarsCap)
	assert.InDelta(t, 4.5, *made.BudgetDollarsCap, 0)

	for _, listed := range collect(t, client.Assessments.List()) {
		got, err := client.Assessments.Get(ctx, listed.ID)
		require.NoError(t, err)
		assert.Equal(t, listed, got)
	}
	closed, err := client.Assessments.Close(ctx, sandbox.AssessmentID)
	require.NoError(t, err)
	assert.Equal(t, hiring.AssessmentClosed, closed.Status)
	opened, err := client.Assessments.Update(ctx, sandbox.ClosedAssessmentID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
	require.NoError(t, err)
	assert.Equal(t, hiring.AssessmentActive, opened.Status)
	renamed, err := client.Assessments.Update(ctx, sandbox.AssessmentID, hiring.AssessmentUpdate{Extra: map[string]any{
		"name": "Renamed", "time_limit_minutes": 10, "budget_dollars_cap": nil, "selected_task_ids": nil,
	}})
	require.NoError(t, err)
	assert.Equal(t, "Renamed", renamed.Name)
	assert.Nil(t, renamed.BudgetDollarsCap)
	assert.Zero(t, renamed.SelectedTaskIDs)
	require.NoError(t, client.Assessments.Delete(ctx, sandbox.AssessmentID))
}

// AssessmentInput is rejected by the API, which names the invalid member.
func AssessmentInput(t *testing.T, client *hiring.Client, _ Controls) {
	for member, in := range map[string]hiring.NewAssessment{
		"challenge_id":       {ChallengeID: sandbox.UnknownID, Name: "n"},
		"selected_task_ids":  {ChallengeID: multiTaskChallenge, Name: "n", SelectedTaskIDs: []string{sandbox.UnknownID}},
		"time_limit_minutes": {ChallengeID: multiTaskChallenge, Name: "n", Extra: map[string]any{"time_limit_minutes": "long"}},
		"budget_dollars_cap": {ChallengeID: multiTaskChallenge, Name: "n", Extra: map[string]any{"budget_dollars_cap": -1}},
	} {
		_, err := client.Assessments.Create(t.Context(), in)
		failure := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput)
		form, fields := failure.Fields()
		assert.Empty(t, form)
		assert.NotEmpty(t, fields[member], "what is wrong with %s, in %v", member, fields)
		assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome)
	}
	_, err := client.Assessments.Update(t.Context(), sandbox.AssessmentID, hiring.AssessmentUpdate{Status: "paused"})
	_, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput).Fields()
	assert.NotEmpty(t, fields["status"], "what is wrong with status, in %v", fields)
}

// Invitations lists, sends, resends and revokes.
func Invitations(t *testing.T, client *hiring.Client, _ Controls) {
	ctx := t.Context()
	statuses := map[hiring.InvitationStatus]int{}
	for _, i := range collect(t, client.Invitations.List(sandbox.AssessmentID)) {
		require.Equal(t, sandbox.AssessmentID, i.AssessmentID)
		assert.Equal(t, i.Status == hiring.InvitationSent, i.OpenedAt == nil)
		statuses[i.Status]++
	}
	for _, s := range []hiring.InvitationStatus{
		hiring.InvitationSent, hiring.InvitationOpened, hiring.InvitationStarted, hiring.InvitationEvaluated,
	} {
		assert.Positive(t, statuses[s], s)
	}
	sent, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "zoë@candidates.test", Name: "Zoë 🎉"})
	require.NoError(t, err)
	assert.Equal(t, []any{"zoë@candidates.test", "Zoë 🎉", hiring.InvitationSent, hiring.DecisionNone}, []any{sent.CandidateEmail, sent.CandidateName, sent.Status, sent.RecruiterDecision})
	require.NotNil(t, sent.SentAt)
	assert.True(t, sent.ExpiresAt.After(*sent.SentAt))

	first := only(t, client.Invitations.List(sandbox.AssessmentID))
	again, err := client.Invitations.Resend(ctx, sandbox.AssessmentID, first.ID)
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID)
	assert.True(t, again.SentAt.After(*first.SentAt))
	require.NoError(t, client.Invitations.Revoke(ctx, sandbox.AssessmentID, first.ID))
}

// InvitationRefusals are the plan's and the assessment's.
func InvitationRefusals(t *testing.T, client *hiring.Client, _ Controls) {
	ctx := t.Context()
	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: sandbox.PlanLimitEmail, Name: "Ada"})
	failure := fails(t, err, http.StatusPaymentRequired, hiring.ErrPlanLimitReached)
	assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome)
	assert.Equal(t, 1, failure.Attempts)
	_, err = client.Invitations.Send(ctx, sandbox.ClosedAssessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	failure = fails(t, err, http.StatusConflict, hiring.ErrConflict)
	assert.Equal(t, 1, failure.Attempts, "a conflict is never repeated")
	_, err = client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "not an address", Name: "Ada"})
	_, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput).Fields()
	assert.Len(t, fields, 1)
}

// NothingPersists of what test mode answers as if it had worked.
func NothingPersists(t *testing.T, client *hiring.Client, _ Controls) {
	before := readAll(t, client)
	for _, o := range All() {
		if o.write() {
			require.NoError(t, o.Do(t.Context(), client, o.IDs), o.Name)
		}
	}
	made, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: singleTaskChallenge, Name: "Analyst"})
	require.NoError(t, err)
	_, err = client.Assessments.Get(t.Context(), made.ID)
	_ = fails(t, err, http.StatusNotFound, hiring.ErrNotFound)
	assert.Equal(t, before, readAll(t, client))
}

// readAll returns the results of all reads, by operation: of a list the items of its first page.
func readAll(t *testing.T, client *hiring.Client) map[string]any {
	results := make(map[string]any)
	for _, o := range All() {
		if o.write() {
			continue
		}
		result, err := o.Call(t.Context(), client, o.IDs)
		require.NoError(t, err, o.Name)
		if o.IsList() {
			result = reflect.ValueOf(result).FieldByName("Items").Interface()
		}
		results[o.Name] = result
	}
	return results
}

// LocalRefusals checks that invalid arguments cost no request.
func LocalRefusals(t *testing.T, client *hiring.Client, _ Controls) {
	client, requests := counted(t, client)
	ctx := t.Context()
	for _, err := range []error{
		second(client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Name: "Ada"})),
		second(client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@candidates.test"})),
		second(client.Invitations.Send(ctx, "..", hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})),
		second(client.Assessments.Create(ctx, hiring.NewAssessment{Name: "n"})),
		second(client.Assessments.Update(ctx, sandbox.AssessmentID, hiring.AssessmentUpdate{})),
		client.Assessments.Delete(ctx, ""),
		second(client.Challenges.List().PageSize(101).Page(ctx)),
		second(client.Events.List(sandbox.SubmissionID, hiring.EventFilter{}).PageSize(501).Page(ctx)),
	} {
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
	}
	assert.Zero(t, *requests)
}
