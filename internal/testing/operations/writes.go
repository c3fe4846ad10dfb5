package operations

import (
	"errors"
	"net/http"
	"testing"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Assessments makes, reads, changes, closes and deletes.
func Assessments(t *testing.T, client *hiring.Client, _ Controls) {
	ctx := t.Context()
	made, err := client.Assessments.Create(ctx, hiring.NewAssessment{
		ChallengeID: multiTaskChallenge, Name: "Payments engineer", TimeLimitMinutes: 45, BudgetDollarsCap: 4.5,
		SelectedTaskIDs: []string{aTask},
	})
	works(t, err)
	present(t, made.ID)
	equal(t, hiring.AssessmentActive, made.Status)
	equal(t, []any{"Payments engineer", multiTaskChallenge, 45, []string{aTask}},
		[]any{made.Name, made.ChallengeID, made.TimeLimitMinutes, made.SelectedTaskIDs})
	need(t, present(t, made.BudgetDollarsCap))
	equal(t, 4.5, *made.BudgetDollarsCap)

	for _, listed := range collect(t, client.Assessments.List()) {
		got, err := client.Assessments.Get(ctx, listed.ID)
		works(t, err)
		equal(t, listed, got)
	}
	closed, err := client.Assessments.Close(ctx, sandbox.AssessmentID)
	works(t, err)
	equal(t, hiring.AssessmentClosed, closed.Status)
	opened, err := client.Assessments.Update(ctx, sandbox.ClosedAssessmentID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
	works(t, err)
	equal(t, hiring.AssessmentActive, opened.Status)
	renamed, err := client.Assessments.Update(ctx, sandbox.AssessmentID, hiring.AssessmentUpdate{Extra: map[string]any{
		"name": "Renamed", "time_limit_minutes": 10, "budget_dollars_cap": nil, "selected_task_ids": nil,
	}})
	works(t, err)
	equal(t, "Renamed", renamed.Name)
	absent(t, renamed.BudgetDollarsCap)
	absent(t, renamed.SelectedTaskIDs)
	works(t, client.Assessments.Delete(ctx, sandbox.AssessmentID))
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
		size(t, form, 0)
		present(t, fields[member], "what is wrong with %s, in %v", member, fields)
		equal(t, hiring.OutcomeNotDone, failure.Outcome)
	}
	_, err := client.Assessments.Update(t.Context(), sandbox.AssessmentID, hiring.AssessmentUpdate{Status: "paused"})
	_, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput).Fields()
	present(t, fields["status"], "what is wrong with status, in %v", fields)
}

// Invitations lists, sends, resends and revokes.
func Invitations(t *testing.T, client *hiring.Client, _ Controls) {
	ctx := t.Context()
	statuses := map[hiring.InvitationStatus]int{}
	for _, i := range collect(t, client.Invitations.List(sandbox.AssessmentID)) {
		need(t, equal(t, sandbox.AssessmentID, i.AssessmentID))
		equal(t, i.Status == hiring.InvitationSent, i.OpenedAt == nil)
		statuses[i.Status]++
	}
	for _, s := range []hiring.InvitationStatus{
		hiring.InvitationSent, hiring.InvitationOpened, hiring.InvitationStarted, hiring.InvitationEvaluated,
	} {
		more(t, statuses[s], 0, s)
	}
	sent, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "zoë@candidates.test", Name: "Zoë 🎉"})
	works(t, err)
	equal(t, []any{"zoë@candidates.test", "Zoë 🎉", hiring.InvitationSent, hiring.DecisionNone},
		[]any{sent.CandidateEmail, sent.CandidateName, sent.Status, sent.RecruiterDecision})
	need(t, present(t, sent.SentAt))
	holds(t, sent.ExpiresAt.After(*sent.SentAt))

	first := only(t, client.Invitations.List(sandbox.AssessmentID))
	again, err := client.Invitations.Resend(ctx, sandbox.AssessmentID, first.ID)
	works(t, err)
	equal(t, first.ID, again.ID)
	holds(t, again.SentAt.After(*first.SentAt))
	works(t, client.Invitations.Revoke(ctx, sandbox.AssessmentID, first.ID))
}

// InvitationRefusals are the plan's and the assessment's.
func InvitationRefusals(t *testing.T, client *hiring.Client, _ Controls) {
	ctx := t.Context()
	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: sandbox.PlanLimitEmail, Name: "Ada"})
	failure := fails(t, err, http.StatusPaymentRequired, hiring.ErrPlanLimitReached)
	equal(t, hiring.OutcomeNotDone, failure.Outcome)
	equal(t, 1, failure.Attempts)
	_, err = client.Invitations.Send(ctx, sandbox.ClosedAssessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	failure = fails(t, err, http.StatusConflict, hiring.ErrConflict)
	equal(t, 1, failure.Attempts, "a conflict is never repeated")
	_, err = client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "not an address", Name: "Ada"})
	_, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput).Fields()
	size(t, fields, 1)
}

// NothingPersists of what test mode answers as if it had worked.
func NothingPersists(t *testing.T, client *hiring.Client, _ Controls) {
	before, invited := collect(t, client.Assessments.List()), only(t, client.Invitations.List(sandbox.AssessmentID))
	for _, o := range All() {
		if o.write() {
			works(t, o.Do(t.Context(), client, o.IDs), o.Name)
		}
	}
	made, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: singleTaskChallenge, Name: "Analyst"})
	works(t, err)
	_, err = client.Assessments.Get(t.Context(), made.ID)
	_ = fails(t, err, http.StatusNotFound, hiring.ErrNotFound)
	equal(t, before, collect(t, client.Assessments.List()))
	equal(t, invited, only(t, client.Invitations.List(sandbox.AssessmentID)))
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
		need(t, holds(t, errors.As(err, &refused), "refused as a ParamError: %v", err))
		holds(t, errors.Is(err, hiring.ErrInvalidInput), "an ErrInvalidInput: %v", err)
	}
	absent(t, *requests)
}
