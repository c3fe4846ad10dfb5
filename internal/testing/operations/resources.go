package operations

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Account reads the organization.
func Account(t *testing.T, client *hiring.Client, _ Controls) {
	account, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, account.ID)
	assert.NotEmpty(t, account.Name)
	assert.NotEmpty(t, account.Plan.ID)
	assert.NotEmpty(t, account.Branding.AccentColor)
	assert.NotEmpty(t, account.CreatedAt, "created_at")
	assert.NotEmpty(t, account.Usage.PeriodStart, "usage.period_start")
	assert.Zero(t, account.Extra)
	left, limited := account.InvitationsLeft()
	assert.Equal(t, account.Usage.AssessmentsLimit-account.Usage.AssessmentsUsed, left)
	assert.Equal(t, account.Plan.LimitsEnforced, limited)
}

// Members reads the organization's people, who come in one piece.
func Members(t *testing.T, client *hiring.Client, _ Controls) {
	client, requests := counted(t, client)
	members := collect(t, client.Members.List())
	assert.Equal(t, 1, *requests)
	roles := map[hiring.MemberRole]int{}
	for _, m := range members {
		assert.NotEmpty(t, m.ID)
		assert.Contains(t, m.Email, "@")
		assert.NotEmpty(t, m.Name)
		roles[m.Role]++
	}
	assert.Equal(t, map[hiring.MemberRole]int{hiring.MemberRoleAdmin: 1, hiring.MemberRoleMember: 2}, roles)
}

// Challenges checks that each listed challenge can be read.
func Challenges(t *testing.T, client *hiring.Client, _ Controls) {
	listed := collect(t, client.Challenges.List())
	require.NotEmpty(t, listed)
	for _, c := range listed {
		got, err := client.Challenges.Get(t.Context(), c.ID)
		require.NoError(t, err)
		assert.Equal(t, c, got)
		assert.Equal(t, c.IsMultiTask, len(c.Tasks) > 0, c.Name)
		assert.NotEmpty(t, c.BriefMD)
	}
	several, err := client.Challenges.Get(t.Context(), multiTaskChallenge)
	require.NoError(t, err)
	for i, task := range several.Tasks {
		assert.Equal(t, i, task.OrderIndex)
		assert.Positive(t, task.Weight)
	}
}

// Submissions checks that the inline report equals the report endpoint's.
func Submissions(t *testing.T, client *hiring.Client, _ Controls) {
	page, err := client.Submissions.List(hiring.SubmissionFilter{}).PageSize(10).Page(t.Context())
	require.NoError(t, err)
	require.Len(t, page.Items, 10)
	for _, listed := range page.Items {
		got, err := client.Submissions.Get(t.Context(), listed.ID)
		require.NoError(t, err)
		assert.Equal(t, listed, got)
		assert.Nil(t, got.WorkspaceArchiveURL, "test mode has no archives")
		report, err := client.Submissions.Report(t.Context(), listed.ID)
		require.NoError(t, err)
		require.NotNil(t, got.Report)
		assert.Equal(t, *got.Report, report)
		assert.Equal(t, report.Ready(), got.Status == hiring.SubmissionEvaluated)
		assert.Equal(t, report.Ready(), got.EvaluatedAt != nil)
	}
}

// SubmissionFilters narrows the list by each filter and by all of them.
func SubmissionFilters(t *testing.T, client *hiring.Client, _ Controls) {
	everything := collect(t, client.Submissions.List(hiring.SubmissionFilter{}))
	since := everything[len(everything)/2].CreatedAt
	for _, f := range []hiring.SubmissionFilter{
		{Status: hiring.SubmissionEvaluated}, {Status: "no such status"},
		{AssessmentID: sandbox.AssessmentID}, {AssessmentID: sandbox.UnknownID},
		{Since: since}, {Since: since.Add(time.Millisecond)}, {Since: since.In(time.FixedZone("", 5*3600))},
		{AssessmentID: sandbox.AssessmentID, Status: hiring.SubmissionEvaluated, Since: since},
	} {
		var want []string
		for _, s := range everything {
			if (f.Status == "" || s.Status == f.Status) && (f.AssessmentID == "" || s.AssessmentID == f.AssessmentID) &&
				!s.CreatedAt.Before(f.Since) {
				want = append(want, s.ID)
			}
		}
		var got []string
		for _, s := range collect(t, client.Submissions.List(f)) {
			got = append(got, s.ID)
		}
		assert.Equal(t, want, got, "%+v", f)
	}
}

// Reports reads what grading found, wherever something can be missing.
func Reports(t *testing.T, client *hiring.Client, _ Controls) {
	var unscored, unsure, placed, unplaced, silent, flagged int
	for _, s := range collect(t, client.Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated})) {
		r := *s.Report
		require.True(t, r.Ready())
		require.NotNil(t, r.ShipScore)
		require.NotNil(t, r.PipelineRank)
		require.NotNil(t, r.GeneratedAt)
		for _, id := range []hiring.PillarID{hiring.PillarCorrectness, hiring.PillarCraft, hiring.PillarAIFluency, hiring.PillarRigor} {
			pillar, ok := r.Pillar(id)
			require.True(t, ok, id)
			_, reported := pillar.ReliableScore()
			assert.Equal(t, pillar.Score != nil && !pillar.LowConfidence, reported)
			unscored += count(pillar.Score == nil)
			unsure += count(pillar.Score != nil && pillar.LowConfidence)
		}
		placed += count(r.Percentile != nil)
		unplaced += count(r.Percentile == nil)
		silent += count(r.Summary == "")
		flagged += count(len(r.Flags) > 0)
	}
	for _, seen := range []int{unscored, unsure, placed, unplaced, silent, flagged} {
		assert.Positive(t, seen)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// PendingReport reads a report that is not ready: 200, and nothing in it.
func PendingReport(t *testing.T, client *hiring.Client, _ Controls) {
	report, err := client.Submissions.Report(t.Context(), sandbox.PendingSubmissionID)
	require.NoError(t, err)
	assert.False(t, report.Ready(), "the report is not ready")
	assert.Nil(t, report.ShipScore)
	assert.Nil(t, report.PipelineRank)
	assert.Nil(t, report.GeneratedAt)
	require.Len(t, report.Pillars, 4)
	for _, p := range report.Pillars {
		_, ok := p.ReliableScore()
		assert.False(t, ok, "%s is not reported", p.ID)
	}
}

// Do calls what there might be no method for.
func Do(t *testing.T, client *hiring.Client, _ Controls) {
	var account hiring.Account
	meta, err := client.Do(t.Context(), http.MethodGet, "/account", nil, nil, &account)
	require.NoError(t, err)
	assert.NotEmpty(t, meta.RequestID)
	want, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, account)

	var made hiring.Assessment
	in := map[string]any{"challenge_id": singleTaskChallenge, "name": "Analyst"}
	_, err = client.Do(t.Context(), http.MethodPost, "/assessments", nil, in, &made)
	require.NoError(t, err)
	assert.Equal(t, hiring.AssessmentActive, made.Status)

	_, err = client.Do(t.Context(), http.MethodDelete, "/assessments/"+sandbox.AssessmentID, nil, nil, nil)
	require.NoError(t, err)
	_, err = client.Do(t.Context(), http.MethodGet, "/nowhere", nil, nil, nil)
	_ = fails(t, err, http.StatusNotFound, hiring.ErrNotFound)
}

// OpenAPI reads the document of the interface.
func OpenAPI(t *testing.T, client *hiring.Client, _ Controls) {
	raw, err := client.OpenAPI(t.Context())
	require.NoError(t, err)
	var document struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(raw, &document))
	assert.True(t, strings.HasPrefix(document.OpenAPI, "3.1."), "OpenAPI %s is 3.1", document.OpenAPI)
	assert.NotEmpty(t, document.Paths["/api/v1/submissions/{id}/report"], "the path of reports")
}
