package operations

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// LiveTest is one behaviour of the live world, whose candidates do what the
// test says. The client has [sandbox.LiveKey].
type LiveTest func(t *testing.T, client *hiring.Client, server *sandbox.Server)

// LiveTests is every behaviour of the live world by its name.
var LiveTests = map[string]LiveTest{
	"LiveLife":        LiveLife,
	"LiveResend":      LiveResend,
	"LiveRevoke":      LiveRevoke,
	"LivePlan":        LivePlan,
	"LiveAssessments": LiveAssessments,
}

// posted makes an assessment that persists.
func posted(t *testing.T, client *hiring.Client) hiring.Assessment {
	t.Helper()
	made, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: multiTaskChallenge, Name: "Payments engineer"})
	require.NoError(t, err)
	return made
}

func invite(t *testing.T, client *hiring.Client, assessmentID string) hiring.Invitation {
	t.Helper()
	sent, err := client.Invitations.Send(t.Context(), assessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.NoError(t, err)
	return sent
}

// life is that of the only candidate of an assessment.
type life struct {
	client       *hiring.Client
	server       *sandbox.Server
	assessmentID string
	invitationID string
	submissionID string
}

// LiveLife follows a candidate from the invitation to the report, and reads
// everything at each stage.
func LiveLife(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	assert.Empty(t, collect(t, client.Assessments.List()))
	made := posted(t, client)
	l := &life{client: client, server: server, assessmentID: made.ID}
	assert.Equal(t, made, only(t, client.Assessments.List()))
	sent := invite(t, client, made.ID)
	l.invitationID = sent.ID
	assert.Equal(t, sent, l.invited(t, hiring.InvitationSent))
	require.NoError(t, server.Open(l.invitationID))
	assert.NotNil(t, l.invited(t, hiring.InvitationOpened).OpenedAt)
	assert.Empty(t, collect(t, client.Submissions.List(hiring.SubmissionFilter{})))

	var err error
	l.submissionID, err = server.Begin(l.invitationID)
	require.NoError(t, err)
	assert.NotNil(t, l.invited(t, hiring.InvitationStarted).StartedAt)
	begun := l.submitted(t)
	assert.Nil(t, begun.SubmittedAt)
	assert.Nil(t, begun.WorkspaceArchiveURL)
	assert.Equal(t, []hiring.EventKind{hiring.EventAttemptStarted}, l.kinds(t))

	l.worked(t)
	require.NoError(t, server.Submit(l.submissionID))
	assert.NotNil(t, l.invited(t, hiring.InvitationStarted).SubmittedAt)
	handedIn := l.submitted(t)
	assert.NotNil(t, handedIn.SubmittedAt)
	assert.NotNil(t, handedIn.WorkspaceArchiveURL)
	_, scored := handedIn.Report.Score()
	assert.False(t, scored, "no score before the grading")
	l.graded(t)
}

// worked adds to the log of an attempt.
func (l *life) worked(t *testing.T) {
	t.Helper()
	require.NoError(t, l.server.AppendEvents(l.submissionID, "ai_prompt", `{"text":"a"}`, `{"text":"\ud800"}`))
	require.NoError(t, l.server.AppendEvents(l.submissionID, "of another kind", `{}`))
	want := []hiring.EventKind{hiring.EventAttemptStarted, hiring.EventAIPrompt, hiring.EventAIPrompt, "of another kind"}
	assert.Equal(t, want, l.kinds(t))
	rest := collect(t, l.client.Events.List(l.submissionID, hiring.EventFilter{SinceSeq: 3}).PageSize(1))
	require.Len(t, rest, 1)
	assert.Equal(t, want[3], rest[0].Kind)
	report := l.submitted(t).Report
	require.NotNil(t, report)
	assert.Equal(t, 2, report.Facts.AIExchangeCount)
}

// graded ends the attempt and reads what grading found.
func (l *life) graded(t *testing.T) {
	t.Helper()
	evaluated := hiring.SubmissionFilter{AssessmentID: l.assessmentID, Status: hiring.SubmissionEvaluated}
	assert.Empty(t, collect(t, l.client.Submissions.List(evaluated)))
	require.NoError(t, l.server.Evaluate(l.submissionID, sandbox.Result{ShipScore: new(87), Pillars: map[hiring.PillarID]*int{"craft": new(0), "rigor": new(91)}}))
	l.invited(t, hiring.InvitationEvaluated)
	s := l.submitted(t)
	assert.Equal(t, hiring.SubmissionEvaluated, s.Status)
	assert.NotNil(t, s.EvaluatedAt)
	assert.Equal(t, l.submissionID, only(t, l.client.Submissions.List(evaluated)).ID)
	require.NotNil(t, s.Report)
	r := *s.Report
	require.True(t, r.Ready())
	assert.Equal(t, []any{87, hiring.VerdictStrongYes}, []any{*r.ShipScore, r.Verdict})
	assert.Equal(t, []int{1, 1}, []int{r.PipelineRank.Rank, r.PipelineRank.Total})
	for id, want := range map[hiring.PillarID]string{
		hiring.PillarCorrectness: "", hiring.PillarCraft: "0", hiring.PillarAIFluency: "", hiring.PillarRigor: "91",
	} {
		pillar, ok := r.Pillar(id)
		require.True(t, ok, id)
		got := ""
		if score, reported := pillar.ReliableScore(); reported {
			got = strconv.Itoa(score)
		}
		assert.Equal(t, want, got, id)
	}
}

// invited is the invitation as it is listed, which has come this far.
func (l *life) invited(t *testing.T, status hiring.InvitationStatus) hiring.Invitation {
	t.Helper()
	i := only(t, l.client.Invitations.List(l.assessmentID))
	assert.Equal(t, []any{l.invitationID, l.assessmentID, status}, []any{i.ID, i.AssessmentID, i.Status})
	return i
}

// submitted is the submission as it is read. Its report is the same in a read of its own,
// and both are the same in the listing, except the link, which is new each time.
func (l *life) submitted(t *testing.T) hiring.Submission {
	t.Helper()
	got, err := l.client.Submissions.Get(t.Context(), l.submissionID)
	require.NoError(t, err)
	report, err := l.client.Submissions.Report(t.Context(), l.submissionID)
	require.NoError(t, err)
	require.NotNil(t, got.Report)
	assert.Equal(t, *got.Report, report)
	assert.Equal(t, got.Status, report.Status)
	listed := only(t, l.client.Submissions.List(hiring.SubmissionFilter{AssessmentID: l.assessmentID}))
	assert.Equal(t, got.WorkspaceArchiveURL == nil, listed.WorkspaceArchiveURL == nil)
	listed.WorkspaceArchiveURL = got.WorkspaceArchiveURL
	assert.Equal(t, got, listed)
	return got
}

// kinds are those of the log, in its order.
func (l *life) kinds(t *testing.T) []hiring.EventKind {
	t.Helper()
	var kinds []hiring.EventKind
	for _, event := range collect(t, l.client.Events.List(l.submissionID, hiring.EventFilter{})) {
		kinds = append(kinds, event.Kind)
	}
	return kinds
}

// LiveResend sends again until the candidate has begun.
func LiveResend(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	posting := posted(t, client)
	sent := invite(t, client, posting.ID)
	resend := func() (hiring.Invitation, error) { return client.Invitations.Resend(t.Context(), posting.ID, sent.ID) }
	again, err := resend()
	require.NoError(t, err)
	assert.Equal(t, sent.ID, again.ID)
	require.NoError(t, server.Open(sent.ID))
	opened, err := resend()
	require.NoError(t, err)
	assert.Equal(t, hiring.InvitationOpened, opened.Status)
	_, err = server.Begin(sent.ID)
	require.NoError(t, err)
	failure := fails(t, second(resend()), http.StatusConflict, hiring.ErrConflict)
	assert.Equal(t, []any{1, hiring.OutcomeNotDone}, []any{failure.Attempts, failure.Outcome})
	_ = fails(t, client.Invitations.Revoke(t.Context(), posting.ID, sent.ID), http.StatusConflict, hiring.ErrConflict)
	assert.Equal(t, hiring.InvitationStarted, only(t, client.Invitations.List(posting.ID)).Status)
}

// LiveRevoke revokes an invitation, once.
func LiveRevoke(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	posting := posted(t, client)
	sent := invite(t, client, posting.ID)
	require.NoError(t, client.Invitations.Revoke(t.Context(), posting.ID, sent.ID))
	assert.Equal(t, hiring.InvitationStatus("revoked"), only(t, client.Invitations.List(posting.ID)).Status)
	_ = fails(t, client.Invitations.Revoke(t.Context(), posting.ID, sent.ID), http.StatusConflict, hiring.ErrConflict)
	_ = fails(t, second(client.Invitations.Resend(t.Context(), posting.ID, sent.ID)), http.StatusConflict, hiring.ErrConflict)
	require.Error(t, server.Open(sent.ID), "a revoked invitation is not opened")
	require.Error(t, second(server.Begin(sent.ID)), "a revoked invitation begins nothing")
}

// LivePlan counts what is sent, and refuses what is beyond it.
func LivePlan(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	posting := posted(t, client)
	server.SetPlan(sandbox.LiveKey, 4, 5)
	invite(t, client, posting.ID)
	account, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int{5, 5}, []int{account.Usage.AssessmentsUsed, account.Usage.AssessmentsLimit})
	_, err = client.Invitations.Send(t.Context(), posting.ID, hiring.NewInvitation{Email: "bo@candidates.test", Name: "Bo"})
	failure := fails(t, err, http.StatusPaymentRequired, hiring.ErrPlanLimitReached)
	assert.Equal(t, []any{1, hiring.OutcomeNotDone}, []any{failure.Attempts, failure.Outcome})
	assert.Len(t, collect(t, client.Invitations.List(posting.ID)), 1)
	server.SetPlan(sandbox.LiveKey, 5, 6)
	invite(t, client, posting.ID)
}

// LiveAssessments closes, opens and deletes assessments. The submissions of a deleted one
// can still be read.
func LiveAssessments(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	ctx, posting := t.Context(), posted(t, client)
	submissionID, err := server.Begin(invite(t, client, posting.ID).ID)
	require.NoError(t, err)
	send := func() error {
		return second(client.Invitations.Send(ctx, posting.ID, hiring.NewInvitation{Email: "bo@candidates.test", Name: "Bo"}))
	}
	closed, err := client.Assessments.Close(ctx, posting.ID)
	require.NoError(t, err)
	assert.Equal(t, hiring.AssessmentClosed, closed.Status)
	_ = fails(t, send(), http.StatusConflict, hiring.ErrConflict)
	require.NoError(t, second(client.Assessments.Update(ctx, posting.ID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})))
	require.NoError(t, send())

	require.NoError(t, client.Assessments.Delete(ctx, posting.ID))
	for _, err := range []error{
		second(client.Assessments.Get(ctx, posting.ID)), second(client.Assessments.Close(ctx, posting.ID)),
		client.Assessments.Delete(ctx, posting.ID), send(),
	} {
		_ = fails(t, err, http.StatusNotFound, hiring.ErrNotFound)
	}
	assert.Empty(t, collect(t, client.Assessments.List()))
	assert.Len(t, collect(t, client.Invitations.List(posting.ID)), 2)
	require.NoError(t, server.Evaluate(submissionID, sandbox.Result{ShipScore: new(12)}))
	report, err := client.Submissions.Report(ctx, submissionID)
	require.NoError(t, err)
	assert.True(t, report.Ready())
}
