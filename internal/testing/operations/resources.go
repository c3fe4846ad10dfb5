package operations

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Account reads the organization.
func Account(t *testing.T, client *hiring.Client, _ Controls) {
	account, err := client.Account.Get(t.Context())
	works(t, err)
	present(t, account.ID)
	present(t, account.Name)
	present(t, account.Plan.ID)
	present(t, account.Branding.AccentColor)
	present(t, account.CreatedAt, "created_at")
	present(t, account.Usage.PeriodStart, "usage.period_start")
	absent(t, account.Extra)
	left, limited := account.InvitationsLeft()
	equal(t, account.Usage.AssessmentsLimit-account.Usage.AssessmentsUsed, left)
	equal(t, account.Plan.LimitsEnforced, limited)
}

// Members reads the organization's people, who come in one piece.
func Members(t *testing.T, client *hiring.Client, _ Controls) {
	client, requests := counted(t, client)
	members := collect(t, client.Members.List())
	equal(t, 1, *requests)
	roles := map[hiring.MemberRole]int{}
	for _, m := range members {
		present(t, m.ID)
		contains(t, m.Email, "@")
		present(t, m.Name)
		roles[m.Role]++
	}
	equal(t, map[hiring.MemberRole]int{hiring.MemberRoleAdmin: 1, hiring.MemberRoleMember: 2}, roles)
}

// Challenges checks that each listed challenge can be read.
func Challenges(t *testing.T, client *hiring.Client, _ Controls) {
	listed := collect(t, client.Challenges.List())
	need(t, present(t, listed))
	for _, c := range listed {
		got, err := client.Challenges.Get(t.Context(), c.ID)
		works(t, err)
		equal(t, c, got)
		equal(t, c.IsMultiTask, len(c.Tasks) > 0, c.Name)
		present(t, c.BriefMD)
	}
	several, err := client.Challenges.Get(t.Context(), multiTaskChallenge)
	works(t, err)
	for i, task := range several.Tasks {
		equal(t, i, task.OrderIndex)
		more(t, task.Weight, 0)
	}
}

// Submissions checks that the inline report equals the report endpoint's.
func Submissions(t *testing.T, client *hiring.Client, _ Controls) {
	page, err := client.Submissions.List(hiring.SubmissionFilter{}).PageSize(10).Page(t.Context())
	works(t, err)
	need(t, size(t, page.Items, 10))
	for _, listed := range page.Items {
		got, err := client.Submissions.Get(t.Context(), listed.ID)
		works(t, err)
		equal(t, listed, got)
		absent(t, got.WorkspaceArchiveURL, "test mode has no archives")
		report, err := client.Submissions.Report(t.Context(), listed.ID)
		works(t, err)
		need(t, present(t, got.Report))
		equal(t, *got.Report, report)
		equal(t, report.Ready(), got.Status == hiring.SubmissionEvaluated)
		equal(t, report.Ready(), got.EvaluatedAt != nil)
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
		equal(t, want, got, "%+v", f)
	}
}

// Reports reads what grading found, wherever something can be missing.
func Reports(t *testing.T, client *hiring.Client, _ Controls) {
	var unscored, unsure, placed, unplaced, silent, flagged int
	for _, s := range collect(t, client.Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated})) {
		r := *s.Report
		need(t, holds(t, r.Ready()))
		need(t, present(t, r.ShipScore))
		need(t, present(t, r.PipelineRank))
		need(t, present(t, r.GeneratedAt))
		for _, id := range []hiring.PillarID{hiring.PillarCorrectness, hiring.PillarCraft, hiring.PillarAIFluency, hiring.PillarRigor} {
			pillar, ok := r.Pillar(id)
			need(t, holds(t, ok, id))
			_, reported := pillar.ReliableScore()
			equal(t, pillar.Score != nil && !pillar.LowConfidence, reported)
			unscored += count(pillar.Score == nil)
			unsure += count(pillar.Score != nil && pillar.LowConfidence)
		}
		placed += count(r.Percentile != nil)
		unplaced += count(r.Percentile == nil)
		silent += count(r.Summary == "")
		flagged += count(len(r.Flags) > 0)
	}
	for _, seen := range []int{unscored, unsure, placed, unplaced, silent, flagged} {
		more(t, seen, 0)
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
	works(t, err)
	holds(t, !report.Ready(), "the report is not ready")
	absent(t, report.ShipScore)
	absent(t, report.PipelineRank)
	absent(t, report.GeneratedAt)
	need(t, size(t, report.Pillars, 4))
	for _, p := range report.Pillars {
		_, ok := p.ReliableScore()
		holds(t, !ok, "%s is not reported", p.ID)
	}
}

// Do calls what there might be no method for.
func Do(t *testing.T, client *hiring.Client, _ Controls) {
	var account hiring.Account
	meta, err := client.Do(t.Context(), http.MethodGet, "/account", nil, nil, &account)
	works(t, err)
	present(t, meta.RequestID)
	want, err := client.Account.Get(t.Context())
	works(t, err)
	equal(t, want, account)

	var made hiring.Assessment
	in := map[string]any{"challenge_id": singleTaskChallenge, "name": "Analyst"}
	_, err = client.Do(t.Context(), http.MethodPost, "/assessments", nil, in, &made)
	works(t, err)
	equal(t, hiring.AssessmentActive, made.Status)

	_, err = client.Do(t.Context(), http.MethodDelete, "/assessments/"+sandbox.AssessmentID, nil, nil, nil)
	works(t, err)
	_, err = client.Do(t.Context(), http.MethodGet, "/nowhere", nil, nil, nil)
	_ = fails(t, err, http.StatusNotFound, hiring.ErrNotFound)
}

// OpenAPI reads the document of the interface.
func OpenAPI(t *testing.T, client *hiring.Client, _ Controls) {
	raw, err := client.OpenAPI(t.Context())
	works(t, err)
	var document struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	works(t, json.Unmarshal(raw, &document))
	holds(t, strings.HasPrefix(document.OpenAPI, "3.1."), "OpenAPI %s is 3.1", document.OpenAPI)
	present(t, document.Paths["/api/v1/submissions/{id}/report"], "the path of reports")
}
