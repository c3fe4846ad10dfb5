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

func TestNoScoreIsNull(t *testing.T) {
	s := sandbox.Start(t)
	posting := s.AddAssessment("Backend")
	full, err := s.AddResult(posting, "full@candidates.test", sandbox.Result{ShipScore: new(0), Pillars: map[hiring.PillarID]*int{"craft": new(0)}})
	require.NoError(t, err)
	none, err := s.AddResult(posting, "none@candidates.test", sandbox.Result{
		NoScore: true, Pillars: map[hiring.PillarID]*int{"craft": nil, "ai_fluency": nil, "rigor": new(70)},
	})
	require.NoError(t, err)
	r, err := s.LiveClient().Submissions.Report(t.Context(), none)
	require.NoError(t, err)
	assert.True(t, r.Evaluated)
	assert.Nil(t, r.ShipScore)
	assert.Empty(t, r.Verdict)
	assert.Equal(t, hiring.Confidence("low"), r.Confidence)
	assert.Equal(t, &hiring.PipelineRank{Rank: 2, Total: 2}, r.PipelineRank, "after every score")
	for _, p := range r.Pillars {
		assert.Equal(t, p.ID == hiring.PillarRigor, p.Score != nil, p.ID)
		assert.Equal(t, p.ID != hiring.PillarRigor, p.LowConfidence, p.ID)
	}
	r, err = s.LiveClient().Submissions.Report(t.Context(), full)
	require.NoError(t, err)
	assert.Equal(t, 1, r.PipelineRank.Rank)
	assert.Equal(t, new(0), r.ShipScore, "0 is a score")
	_, err = s.AddResult(posting, "x@candidates.test", sandbox.Result{ShipScore: new(1), NoScore: true})
	require.ErrorContains(t, err, "must be nil with NoScore")
	unclear, err := s.AddResult(posting, "unclear@candidates.test", sandbox.Result{NoScore: true})
	require.NoError(t, err)
	r, err = s.LiveClient().Submissions.Report(t.Context(), unclear)
	require.NoError(t, err)
	for _, p := range r.Pillars {
		assert.Nil(t, p.Score, p.ID)
	}
}

// TestAResultNeverChangesAnAssessmentOfTheProgram: the steps come after it was added.
func TestAResultNeverChangesAnAssessmentOfTheProgram(t *testing.T) {
	s := sandbox.Start(t)
	client := s.LiveClient()
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	before, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{Name: "Backend", ChallengeID: challenges[0].ID})
	require.NoError(t, err)
	s.Advance(time.Minute)
	id, err := s.AddResult(before.ID, "ada@candidates.test", sandbox.Result{ShipScore: new(90), LowConfidence: []hiring.PillarID{"craft"}})
	require.NoError(t, err)
	after, err := client.Assessments.Get(t.Context(), before.ID)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	sub, err := client.Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	assert.True(t, before.CreatedAt.Before(sub.StartedAt) && sub.StartedAt.Before(*sub.SubmittedAt) && sub.SubmittedAt.Before(*sub.EvaluatedAt))
	assert.Len(t, sub.Report.Strengths, 3, "none of a pillar without enough evidence")
}

func TestRegradeReplacesTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		posting := s.AddAssessment("Backend")
		first, err := s.AddResult(posting, "ada@candidates.test", sandbox.Result{ShipScore: new(80), Pillars: map[hiring.PillarID]*int{"craft": new(80)}})
		require.NoError(t, err)
		second, err := s.AddResult(posting, "bob@candidates.test", sandbox.Result{ShipScore: new(60)})
		require.NoError(t, err)
		before, err := s.LiveClient().Submissions.Get(t.Context(), first)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		require.NoError(t, s.Evaluate(first, sandbox.Result{ShipScore: new(40), Summary: "Looked again."}))
		after, err := s.LiveClient().Submissions.Get(t.Context(), first)
		require.NoError(t, err)
		assert.Equal(t, 40, *after.Report.ShipScore)
		assert.Equal(t, "Looked again.", after.Report.Summary)
		assert.Equal(t, time.Minute, after.EvaluatedAt.Sub(*before.EvaluatedAt))
		assert.Equal(t, &hiring.PipelineRank{Rank: 2, Total: 2}, after.Report.PipelineRank)
		other, err := s.LiveClient().Submissions.Report(t.Context(), second)
		require.NoError(t, err)
		assert.Equal(t, 1, other.PipelineRank.Rank, "it moved up")
	})
}

func TestReportCanBeReadyAfterTheEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		posting := s.AddAssessment("Backend")
		late, err := s.AddResult(posting, "late@candidates.test", sandbox.Result{ShipScore: new(80), Verdict: "yes", ReportDelay: time.Minute})
		require.NoError(t, err)
		never, err := s.AddResult(posting, "never@candidates.test", sandbox.Result{ShipScore: new(80), Verdict: "yes", ReportDelay: -1})
		require.NoError(t, err)
		live := s.LiveClient()
		evaluated, err := live.Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}).Collect(t.Context())
		require.NoError(t, err)
		require.Len(t, evaluated, 2)
		for _, submission := range evaluated {
			assert.False(t, submission.Report.Evaluated)
			assert.Nil(t, submission.Report.ShipScore)
			assert.Nil(t, submission.Report.PipelineRank)
		}
		report := func(id string) hiring.Report {
			r, err := live.Submissions.Report(t.Context(), id)
			require.NoError(t, err)
			return r
		}
		assert.Empty(t, report(late).Verdict, "nothing of it before its time")
		assert.Equal(t, hiring.Verdict("yes"), report(never).Verdict, "a verdict without a report")
		time.Sleep(time.Minute)
		assert.Equal(t, 80, *report(late).ShipScore)
		assert.Equal(t, time.Now().UTC(), report(late).GeneratedAt.UTC())
		assert.False(t, report(never).Evaluated)
	})
}

func TestFaultOfOneKey(t *testing.T) {
	s := sandbox.Start(t)
	s.Inject(sandbox.Fault{Key: sandbox.LiveKey, Status: 503, Times: -1})
	_, err := s.Client().Account.Get(t.Context())
	require.NoError(t, err)
	_, err = s.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Account.Get(t.Context())
	var failed *hiring.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, 503, failed.Status)
}

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
