package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestFindByEmail(t *testing.T) {
	server := sandbox.Start(t)
	client := server.Client()
	all, err := client.Submissions.List(hiring.SubmissionFilter{AssessmentID: sandbox.AssessmentID}).Collect(t.Context())
	require.NoError(t, err)
	newest := make(map[string]string)
	for _, s := range all {
		if _, newer := newest[s.Candidate.Email]; !newer {
			newest[s.Candidate.Email] = s.ID
		}
	}
	for _, at := range []int{0, 99, 100, len(all) - 1} {
		email := all[at].Candidate.Email
		for _, spelled := range []string{email, strings.ToUpper(email), " " + email + "\n"} {
			requests := len(server.Journal())
			found, err := client.Submissions.FindByEmail(t.Context(), sandbox.AssessmentID, spelled)
			require.NoError(t, err, "%d as %q", at, spelled)
			assert.Equal(t, newest[email], found.ID, "%d as %q", at, spelled)
			assert.LessOrEqual(t, len(server.Journal())-requests, at/100+1, "%d: no page is read beyond the address", at)
		}
	}
}

func TestFindByEmailOfSeveralAttemptsIsTheNewest(t *testing.T) {
	const attempts = `{"data":[{"id":"1","candidate":{"email":"bob@x.test"}},{"id":"2","candidate":{"email":"Ada@x.test"}},` +
		`{"id":"3","candidate":{"email":"ada@x.test"}}],"meta":{"has_more":true,"next_cursor":"c"}}`
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, attempts))
	found, err := fake.Client().Submissions.FindByEmail(t.Context(), "a", "ada@x.test")
	require.NoError(t, err)
	assert.Equal(t, "2", found.ID)
	require.Len(t, fake.Requests(), 1, "no page is read beyond the address")
	assert.Equal(t, apitest.BaseURL+"/api/v1/submissions?assessment_id=a&page_size=100", fake.Requests()[0].URL)
}

func TestFindByEmailNotFound(t *testing.T) {
	server := sandbox.Start(t)
	client := server.Client()
	other, err := client.Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	for _, s := range other {
		if s.AssessmentID == sandbox.AssessmentID {
			continue
		}
		_, err := client.Submissions.FindByEmail(t.Context(), sandbox.AssessmentID, "nobody."+s.Candidate.Email)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		require.False(t, hiring.IsTransient(err))
		failure, ok := errors.AsType[*hiring.Error](err)
		require.True(t, ok)
		assert.Equal(t, []any{0, "GET", "/submissions", hiring.Outcome("")}, []any{failure.Status, failure.Method, failure.Route, failure.Outcome})
		assert.NotEmpty(t, failure.RequestID)
		assert.Contains(t, err.Error(), "Submissions.FindByEmail")
		assert.NotContains(t, err.Error(), "attempts", "three pages are not three attempts")
		assert.NotContains(t, strings.ToLower(err.Error()), strings.ToLower(s.Candidate.Email), "the address is not for logs")
		return
	}
	t.Fatal("the sample has submissions of one assessment only")
}

// A service that ignores the filter returns other assessments' candidates.
func TestFindByEmailIgnoresOtherAssessments(t *testing.T) {
	const submissions = `{"data":[{"id":"1","assessment_id":"other","candidate":{"email":"ada@x.test"}},%s],"meta":{"has_more":false,"next_cursor":null}}`
	find := func(t *testing.T, second string) (hiring.Submission, error) {
		t.Helper()
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, fmt.Sprintf(submissions, second)))
		return fake.Client().Submissions.FindByEmail(t.Context(), "Mine", "ada@x.test")
	}
	for name, second := range map[string]string{
		"of the assessment":                `{"id":"2","assessment_id":"mine","candidate":{"email":"ADA@x.test"}}`,
		"without an assessment of its own": `{"id":"2","candidate":{"email":"ada@x.test"}}`,
	} {
		found, err := find(t, second)
		require.NoError(t, err, name)
		assert.Equal(t, "2", found.ID, name)
	}
	_, err := find(t, `{"id":"2","assessment_id":"third","candidate":{"email":"ada@x.test"}}`)
	require.ErrorIs(t, err, hiring.ErrNotFound)
}

func TestFindByEmailInputs(t *testing.T) {
	server := sandbox.Start(t)
	for _, c := range []struct{ assessmentID, email, param string }{
		{"", "ada@x.test", "assessmentID"}, {" \n", "ada@x.test", "assessmentID"},
		{sandbox.AssessmentID, "", "email"}, {sandbox.AssessmentID, "\t ", "email"},
	} {
		_, err := server.Client().Submissions.FindByEmail(t.Context(), c.assessmentID, c.email)
		require.ErrorIs(t, err, hiring.ErrInvalidInput, "%q", c)
		refused, ok := errors.AsType[*hiring.ParamError](err)
		require.True(t, ok, "%q", c)
		assert.Equal(t, c.param, refused.Param, "%q", c)
	}
	assert.Empty(t, server.Journal(), "refused before anything is sent")
}

func TestFindByEmailReturnsErrors(t *testing.T) {
	server := sandbox.Start(t)
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	server.Inject(sandbox.Fault{Route: "GET /submissions", Skip: 1, Status: 500})
	_, err := client.Submissions.FindByEmail(t.Context(), sandbox.AssessmentID, "nobody@x.test")
	require.ErrorIs(t, err, hiring.ErrInternal, "the second page")
	require.NotErrorIs(t, err, hiring.ErrNotFound)
	assert.Equal(t, "Submissions.FindByEmail", apitest.RequireError(t, "FindByEmail", err).Operation)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client.Submissions.FindByEmail(ctx, sandbox.AssessmentID, "nobody@x.test")
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "Submissions.FindByEmail", apitest.RequireError(t, "FindByEmail", err).Operation)
}
