package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// steeredID sends a request to the control API and returns a member of the response.
func steeredID(t *testing.T, s *sandbox.Server, path, body, member string) string {
	t.Helper()
	var response map[string]string
	require.NoError(t, json.Unmarshal([]byte(steered(t, s, path, body)), &response))
	require.NotEmpty(t, response[member])
	return response[member]
}

// TestNullIsNoScoreOverHTTP checks that null never becomes a score of 0.
func TestNullIsNoScoreOverHTTP(t *testing.T) {
	s, _ := controlled(t)
	posting := steeredID(t, s, "assessments", `{"name":"Backend"}`, "assessment_id")
	const result = `"ship_score":null,"pillars":{"craft":null,"rigor":0}`
	id := steeredID(t, s, "results", `{"assessment_id":"`+posting+`","email":"ada@candidates.test",`+result+`}`, "submission_id")
	for _, again := range []string{"{" + result + "}", `{"ship_score":null,"pillars":null}`, `{"ship_score":null}`} {
		steered(t, s, "submissions/"+id+"/regrade", again)
		r, err := s.LiveClient().Submissions.Report(t.Context(), id)
		require.NoError(t, err)
		assert.Nil(t, r.ShipScore)
		assert.NotEmpty(t, r.Verdict)
		for _, p := range r.Pillars {
			assert.Equal(t, strings.Contains(again, "rigor") && p.ID == hiring.PillarRigor, p.Score != nil, "%s: %s", again, p.ID)
		}
	}
}

// TestControlAPIDoesAllThatGoDoes calls each operation once and checks its effect through
// the API.
func TestControlAPIDoesAllThatGoDoes(t *testing.T) {
	s, d := controlled(t, sandbox.WithDetails(), sandbox.WithKey(sandbox.Key{Token: "sk_live_acme", Organization: "acme"}))
	live := s.LiveClient()
	challenge := steeredID(t, s, "challenges", `{"name":"Search","tasks":["Index","Ranking"]}`, "challenge_id")
	posting := steeredID(t, s, "assessments", `{"name":"Backend","challenge_id":"`+challenge+`"}`, "assessment_id")
	a, err := live.Assessments.Get(t.Context(), posting)
	require.NoError(t, err)
	assert.Equal(t, challenge, a.ChallengeID)
	steeredID(t, s, "assessments", `{"name":"Of acme","organization":"acme"}`, "assessment_id")
	status, _ := steer(t, s, http.MethodPost, "assessments", `{"name":"n","challenge_id":"`+sandbox.UnknownID+`"}`)
	assert.Equal(t, 400, status)
	status, _ = steer(t, s, http.MethodPost, "assessments", `{"name":"n","organization":"nobody"}`)
	assert.Equal(t, 400, status)
	steeredID(t, s, "members", `{"email":"sam@sandbox.test","name":"Sam","role":"member"}`, "member_id")
	invitation := steeredID(t, s, "invitations", `{"assessment_id":"`+posting+`","email":"ada@candidates.test","name":"Ada"}`, "invitation_id")
	steered(t, s, "invitations/"+invitation+"/decision", `{"decision":"shortlisted"}`)
	submission := steeredID(t, s, "invitations/"+invitation+"/begin", "", "submission_id")
	steered(t, s, "submissions/"+submission+"/events", `{"kind":"ai_prompt","payloads":[{"text":"a"},{"text":"b"}]}`)
	steered(t, s, "advance", `{"seconds":"15m"}`)
	steered(t, s, "submissions/"+submission+"/pause", `{"seconds":"10m"}`)
	steered(t, s, "submissions/"+submission+"/evaluate", `{"ship_score":70,"report_delay":"1h"}`)
	steered(t, s, "submissions/"+submission+"/archive", `{"available":false}`)
	got, err := live.Submissions.Get(t.Context(), submission)
	require.NoError(t, err)
	assert.Equal(t, []any{600, false, true}, []any{got.PausedTotalSeconds, got.Report.Evaluated, got.WorkspaceArchiveURL == nil})
	assert.Equal(t, 2, got.Report.Facts.AIExchangeCount)
	steered(t, s, "advance", `{"seconds":3600}`)
	got, err = live.Submissions.Get(t.Context(), submission)
	require.NoError(t, err)
	assert.Equal(t, 70, *got.Report.ShipScore)

	_, mails := steer(t, s, http.MethodGet, "mails", "")
	assert.Contains(t, mails, `"email":"ada@candidates.test"`)
	steered(t, s, "plan", `{"key":"sk_live_sandbox","used":5,"limit":5,"limits_enforced":false}`)
	account, err := live.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{5, false}, []any{account.Usage.AssessmentsLimit, account.Plan.LimitsEnforced})
	steered(t, s, "throttle", `{"throttled":true}`)
	assert.Equal(t, 429, d.get(t, "/account").status)
	steered(t, s, "throttle", `{"throttled":false}`)
	plain := string(d.get(t, "/account").Data)
	steered(t, s, "drift", `{"on":true,"seed":7}`)
	assert.NotEqual(t, plain, string(d.get(t, "/account").Data))
	steered(t, s, "drift", `{"on":false}`)
	steered(t, s, "faults", `{"key":"sk_live_sandbox","status":503,"times":-1}`)
	assert.Equal(t, 200, d.get(t, "/account").status, "another key")
	assert.Equal(t, 503, d.with(sandbox.LiveKey).send(t.Context(), t, http.MethodGet, "/account", "").status)
	_, journal := steer(t, s, http.MethodGet, "journal?details=true", "")
	entries := journal[:strings.Index(journal, `"repeated":`)]
	last := entries[strings.LastIndex(entries, `{"number"`):]
	for _, part := range []string{`"request_id":"req_`, `"fault":{"key":"sk_live_…dbox","times":-1,"status":503}`, `"response":"{\"error\"`, `"Authorization":["Bearer sk_live_…dbox"]`, `"response_headers":{`} {
		assert.Contains(t, last, part)
	}
	assert.NotContains(t, journal, `"`+sandbox.LiveKey)
	steered(t, s, "faults/clear", "")
	assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", sandbox.LiveKey).status)
	steered(t, s, "journal/clear", "")
	_, journal = steer(t, s, http.MethodGet, "journal", "")
	assert.Contains(t, journal, `{"entries":[],"repeated":[],"more":false,`)
}

// TestControlIndexNamesEveryOperation calls every operation with the example of the
// index, and checks that an unknown id, an unknown member and an unknown parameter are
// refused.
func TestControlIndexNamesEveryOperation(t *testing.T) {
	s, _ := controlled(t, sandbox.WithDetails())
	_, err := s.Client().Account.Get(t.Context())
	require.NoError(t, err)
	posting := s.AddAssessment("Backend")
	begin := func() (invitation, submission string) {
		invitation, err := s.Invite(posting, "eve@candidates.test", "Eve")
		require.NoError(t, err)
		submission, err = s.Begin(invitation)
		require.NoError(t, err)
		return invitation, submission
	}
	status, body := steer(t, s, http.MethodGet, "", "")
	require.Equal(t, 200, status)
	var index struct {
		MagicValues map[string]string `json:"magic_values"`
		Operations  []struct {
			Method  string          `json:"method"`
			Path    string          `json:"path"`
			Summary string          `json:"summary"`
			Example json.RawMessage `json:"example"`
		} `json:"operations"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &index))
	assert.Equal(t, sandbox.PlanLimitEmail, index.MagicValues["PlanLimitEmail"])
	assert.Equal(t, sandbox.UnknownID, index.MagicValues["UnknownID"])
	assert.Greater(t, len(index.Operations), 50)
	for _, o := range index.Operations {
		assert.NotEmpty(t, o.Summary, o.Path)
		path, example := strings.TrimPrefix(o.Path, "/_sandbox/"), string(o.Example)
		if path == "events" || path == "reset" || path == "journal/clear" || path == "clock" && o.Method == http.MethodPost {
			continue // Tests of their own.
		}
		s.SetPlan(sandbox.LiveKey, 0, 100)
		if strings.Contains(path, "{id}") {
			status, body := steer(t, s, o.Method, strings.Replace(path, "{id}", sandbox.UnknownID, 1), example)
			assert.Equal(t, 404, status, "%s: %s", path, body)
		}
		invitation, err := s.Invite(posting, "eve@candidates.test", "Eve")
		require.NoError(t, err)
		var submission string
		switch path {
		case "invitations/{id}/submit", "submissions/{id}/pause":
			invitation, submission = begin()
			s.Advance(20 * time.Minute)
		case "submissions/{id}/regrade":
			submission, err = s.AddResult(posting, "eve@candidates.test", sandbox.Result{})
		default:
			_, submission = begin()
		}
		require.NoError(t, err)
		id := invitation
		switch strings.SplitN(path, "/", 2)[0] {
		case "submissions":
			id = submission
		case "journal":
			id = "1"
		case "faults":
			id = "1"
		case "assessments":
			id = s.AddAssessment("To close")
		}
		path = strings.Replace(path, "{id}", id, 1)
		if o.Method == http.MethodGet {
			var parameters map[string]any
			if example != "" {
				require.NoError(t, json.Unmarshal(o.Example, &parameters))
			}
			query := make(url.Values)
			for name, value := range parameters {
				query.Set(name, fmt.Sprint(value))
			}
			status, body := steer(t, s, o.Method, path+"?"+query.Encode(), "")
			assert.Equal(t, 200, status, "%s: %s", path, body)
			if path != "" && path != "health" {
				status, _ = steer(t, s, o.Method, path+"?nonsense=1", "")
				assert.Equal(t, 400, status, path)
			}
			continue
		}
		status, body := steer(t, s, o.Method, path, example)
		assert.Less(t, status, 300, "%s %s: %s", path, example, body)
		status, body = steer(t, s, o.Method, path, `{"nonsense":1}`)
		assert.Equal(t, 400, status, "%s: %s", path, body)
	}
	s.ClearFaults()
	status, body = steer(t, s, http.MethodPost, "nothing", "")
	assert.Equal(t, 404, status)
	assert.Contains(t, body, "GET /_sandbox/", "an unknown path points to the index")
}
