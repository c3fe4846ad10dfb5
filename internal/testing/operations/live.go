package operations

import (
	"net/http"
	"strconv"
	"testing"

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
	works(t, err)
	return made
}

func invite(t *testing.T, client *hiring.Client, assessmentID string) hiring.Invitation {
	t.Helper()
	sent, err := client.Invitations.Send(t.Context(), assessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	works(t, err)
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
	size(t, collect(t, client.Assessments.List()), 0)
	made := posted(t, client)
	l := &life{client: client, server: server, assessmentID: made.ID}
	equal(t, made, only(t, client.Assessments.List()))
	sent := invite(t, client, made.ID)
	l.invitationID = sent.ID
	equal(t, sent, l.invited(t, hiring.InvitationSent))
	works(t, server.Open(l.invitationID))
	present(t, l.invited(t, hiring.InvitationOpened).OpenedAt)
	size(t, collect(t, client.Submissions.List(hiring.SubmissionFilter{})), 0)

	var err error
	l.submissionID, err = server.Begin(l.invitationID)
	works(t, err)
	present(t, l.invited(t, hiring.InvitationStarted).StartedAt)
	begun := l.submitted(t)
	absent(t, begun.SubmittedAt)
	absent(t, begun.WorkspaceArchiveURL)
	equal(t, []hiring.EventKind{hiring.EventAttemptStarted}, l.kinds(t))

	l.worked(t)
	works(t, server.Submit(l.submissionID))
	present(t, l.invited(t, hiring.InvitationStarted).SubmittedAt)
	handedIn := l.submitted(t)
	present(t, handedIn.SubmittedAt)
	present(t, handedIn.WorkspaceArchiveURL)
	_, scored := handedIn.Report.Score()
	holds(t, !scored, "no score before the grading")
	l.graded(t)
}

// worked adds to the log of an attempt.
func (l *life) worked(t *testing.T) {
	t.Helper()
	works(t, l.server.AppendEvents(l.submissionID, "ai_prompt", `{"text":"a"}`, `{"text":"\ud800"}`))
	works(t, l.server.AppendEvents(l.submissionID, "of another kind", `{}`))
	want := []hiring.EventKind{hiring.EventAttemptStarted, hiring.EventAIPrompt, hiring.EventAIPrompt, "of another kind"}
	equal(t, want, l.kinds(t))
	rest := collect(t, l.client.Events.List(l.submissionID, hiring.EventFilter{SinceSeq: 3}).PageSize(1))
	need(t, size(t, rest, 1))
	equal(t, want[3], rest[0].Kind)
	report := l.submitted(t).Report
	need(t, present(t, report))
	equal(t, 2, report.Facts.AIExchangeCount)
}

// graded ends the attempt and reads what grading found.
func (l *life) graded(t *testing.T) {
	t.Helper()
	evaluated := hiring.SubmissionFilter{AssessmentID: l.assessmentID, Status: hiring.SubmissionEvaluated}
	size(t, collect(t, l.client.Submissions.List(evaluated)), 0)
	works(t, l.server.Evaluate(l.submissionID, sandbox.Result{ShipScore: new(87), Pillars: map[string]*int{"craft": new(0), "rigor": new(91)}}))
	l.invited(t, hiring.InvitationEvaluated)
	s := l.submitted(t)
	equal(t, hiring.SubmissionEvaluated, s.Status)
	present(t, s.EvaluatedAt)
	equal(t, l.submissionID, only(t, l.client.Submissions.List(evaluated)).ID)
	need(t, present(t, s.Report))
	r := *s.Report
	need(t, holds(t, r.Ready()))
	equal(t, []any{87, hiring.VerdictStrongYes}, []any{*r.ShipScore, r.Verdict})
	equal(t, []int{1, 1}, []int{r.PipelineRank.Rank, r.PipelineRank.Total})
	for id, want := range map[hiring.PillarID]string{
		hiring.PillarCorrectness: "", hiring.PillarCraft: "0", hiring.PillarAIFluency: "", hiring.PillarRigor: "91",
	} {
		pillar, ok := r.Pillar(id)
		need(t, holds(t, ok, id))
		got := ""
		if score, reported := pillar.ReliableScore(); reported {
			got = strconv.Itoa(score)
		}
		equal(t, want, got, id)
	}
}

// invited is the invitation as it is listed, which has come this far.
func (l *life) invited(t *testing.T, status hiring.InvitationStatus) hiring.Invitation {
	t.Helper()
	i := only(t, l.client.Invitations.List(l.assessmentID))
	equal(t, []any{l.invitationID, l.assessmentID, status}, []any{i.ID, i.AssessmentID, i.Status})
	return i
}

// submitted is the submission as it is read. Its report is the same in a read of its own,
// and both are the same in the listing, except the link, which is new each time.
func (l *life) submitted(t *testing.T) hiring.Submission {
	t.Helper()
	got, err := l.client.Submissions.Get(t.Context(), l.submissionID)
	works(t, err)
	report, err := l.client.Submissions.Report(t.Context(), l.submissionID)
	works(t, err)
	need(t, present(t, got.Report))
	equal(t, *got.Report, report)
	equal(t, got.Status, report.Status)
	listed := only(t, l.client.Submissions.List(hiring.SubmissionFilter{AssessmentID: l.assessmentID}))
	equal(t, got.WorkspaceArchiveURL == nil, listed.WorkspaceArchiveURL == nil)
	listed.WorkspaceArchiveURL = got.WorkspaceArchiveURL
	equal(t, got, listed)
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
	works(t, err)
	equal(t, sent.ID, again.ID)
	works(t, server.Open(sent.ID))
	opened, err := resend()
	works(t, err)
	equal(t, hiring.InvitationOpened, opened.Status)
	_, err = server.Begin(sent.ID)
	works(t, err)
	failure := fails(t, second(resend()), http.StatusConflict, hiring.ErrConflict)
	equal(t, []any{1, hiring.OutcomeNotDone}, []any{failure.Attempts, failure.Outcome})
	_ = fails(t, client.Invitations.Revoke(t.Context(), posting.ID, sent.ID), http.StatusConflict, hiring.ErrConflict)
	equal(t, hiring.InvitationStarted, only(t, client.Invitations.List(posting.ID)).Status)
}

// LiveRevoke revokes an invitation, once.
func LiveRevoke(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	posting := posted(t, client)
	sent := invite(t, client, posting.ID)
	works(t, client.Invitations.Revoke(t.Context(), posting.ID, sent.ID))
	equal(t, hiring.InvitationStatus("revoked"), only(t, client.Invitations.List(posting.ID)).Status)
	_ = fails(t, client.Invitations.Revoke(t.Context(), posting.ID, sent.ID), http.StatusConflict, hiring.ErrConflict)
	_ = fails(t, second(client.Invitations.Resend(t.Context(), posting.ID, sent.ID)), http.StatusConflict, hiring.ErrConflict)
	need(t, holds(t, server.Open(sent.ID) != nil, "a revoked invitation is not opened"))
	need(t, holds(t, second(server.Begin(sent.ID)) != nil, "a revoked invitation begins nothing"))
}

// LivePlan counts what is sent, and refuses what is beyond it.
func LivePlan(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	posting := posted(t, client)
	server.SetPlan(sandbox.LiveKey, 4, 5)
	invite(t, client, posting.ID)
	account, err := client.Account.Get(t.Context())
	works(t, err)
	equal(t, []int{5, 5}, []int{account.Usage.AssessmentsUsed, account.Usage.AssessmentsLimit})
	_, err = client.Invitations.Send(t.Context(), posting.ID, hiring.NewInvitation{Email: "bo@candidates.test", Name: "Bo"})
	failure := fails(t, err, http.StatusPaymentRequired, hiring.ErrPlanLimitReached)
	equal(t, []any{1, hiring.OutcomeNotDone}, []any{failure.Attempts, failure.Outcome})
	size(t, collect(t, client.Invitations.List(posting.ID)), 1)
	server.SetPlan(sandbox.LiveKey, 5, 6)
	invite(t, client, posting.ID)
}

// LiveAssessments closes, opens and deletes assessments. The submissions of a deleted one
// can still be read.
func LiveAssessments(t *testing.T, client *hiring.Client, server *sandbox.Server) {
	ctx, posting := t.Context(), posted(t, client)
	submissionID, err := server.Begin(invite(t, client, posting.ID).ID)
	works(t, err)
	send := func() error {
		return second(client.Invitations.Send(ctx, posting.ID, hiring.NewInvitation{Email: "bo@candidates.test", Name: "Bo"}))
	}
	closed, err := client.Assessments.Close(ctx, posting.ID)
	works(t, err)
	equal(t, hiring.AssessmentClosed, closed.Status)
	_ = fails(t, send(), http.StatusConflict, hiring.ErrConflict)
	works(t, second(client.Assessments.Update(ctx, posting.ID, hiring.AssessmentUpdate{Status: hiring.AssessmentActive})))
	works(t, send())

	works(t, client.Assessments.Delete(ctx, posting.ID))
	for _, err := range []error{
		second(client.Assessments.Get(ctx, posting.ID)), second(client.Assessments.Close(ctx, posting.ID)),
		client.Assessments.Delete(ctx, posting.ID), send(),
	} {
		_ = fails(t, err, http.StatusNotFound, hiring.ErrNotFound)
	}
	size(t, collect(t, client.Assessments.List()), 0)
	size(t, collect(t, client.Invitations.List(posting.ID)), 2)
	works(t, server.Evaluate(submissionID, sandbox.Result{ShipScore: new(12)}))
	report, err := client.Submissions.Report(ctx, submissionID)
	works(t, err)
	holds(t, report.Ready())
}
