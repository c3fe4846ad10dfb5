package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestJournalThroughEveryTransport(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, name := range []string{"transport", "url"} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
			d := transports(t, s)[i]
			assert.Empty(t, s.Journal())
			d.get(t, "/submissions?status=evaluated&page_size=1")
			d.post(t, "/assessments", `{"name": "é"}`)
			d.do(t, http.MethodGet, "/api/v1/submissions/a%2Fb", "", "a body that a read does not have")
			d.do(t, http.MethodDelete, "/nowhere", "hunter2hunter2")
			d.do(t, http.MethodPut, "/api/v1/account", sandbox.LiveKey+"_x")
			s.Inject(sandbox.Fault{After: true})
			d.send(t.Context(), t, http.MethodPost, "/assessments/"+sandbox.AssessmentID+"/invitations", "{}")
			s.Inject(sandbox.Fault{Status: 502, Body: "<html>"})
			d.send(t.Context(), t, http.MethodGet, "/account", "")
			journal := s.Journal()
			for i := range journal {
				e := &journal[i]
				assert.NotContains(t, fmt.Sprint(e.Header), "hunter2")
				assert.Equal(t, e.Status != 0, e.ResponseHeader != nil)
				assert.Equal(t, e.Status != 0, len(e.Response) > 0)
				e.Header, e.ResponseHeader, e.Response, e.Took = nil, nil, nil, 0
			}
			assert.Equal(t, sandbox.Journal{
				{Method: "GET", Route: "/submissions", Path: "/api/v1/submissions", Query: "status=evaluated&page_size=1", Status: 200, Key: "sk_test_…dbox", At: now},
				{Method: "POST", Route: "/assessments", Path: "/api/v1/assessments", Status: 400, Key: "sk_test_…dbox", Body: []byte(`{"name": "é"}`), At: now},
				{Method: "GET", Route: "/submissions/{id}", Path: "/api/v1/submissions/a%2Fb", Status: 401, At: now},
				{Method: "DELETE", Path: "/nowhere", Status: 401, Key: "…ter2", At: now},
				{Method: "PUT", Path: "/api/v1/account", Status: 401, Key: "sk_live_…ox_x", At: now},
				{Method: "POST", Route: "/assessments/{id}/invitations", Path: "/api/v1/assessments/" + sandbox.AssessmentID + "/invitations", Key: "sk_test_…dbox", Body: []byte("{}"), At: now},
				{Method: "GET", Route: "/account", Path: "/api/v1/account", Status: 502, Key: "sk_test_…dbox", At: now},
			}, journal)
		})
	}
}

func TestTheJournalIsACopy(t *testing.T) {
	s := sandbox.Start(t)
	inProcess(s).post(t, "/assessments", "{}")
	journal := s.Journal()
	journal[0].Body[0], journal[0].Status = 'x', 0
	assert.Equal(t, "{}", string(s.Journal()[0].Body))
	assert.Equal(t, 400, s.Journal()[0].Status)
}

func TestKeysAreRedacted(t *testing.T) {
	for token, want := range map[string]string{
		"sk_test_":        "sk_test_…",
		"sk_test_abcd":    "sk_test_…",
		"sk_test_abcdef":  "sk_test_…",
		"sk_test_abcdefg": "sk_test_…defg",
		"abcd":            "…",
		"abcdef":          "…",
		"abcdefg":         "…defg",
		"sk_live_" + strings.Repeat("x", 90) + "last": "sk_live_…last",
	} {
		s := sandbox.Start(t)
		inProcess(s).do(t, http.MethodGet, "/api/v1/account", token)
		assert.Equal(t, want, s.Journal()[0].Key, token)
	}
	s := sandbox.Start(t)
	inProcess(s).do(t, http.MethodGet, "/api/v1/account", "", http.Header{"Authorization": {"Basic c2VjcmV0"}})
	assert.Empty(t, s.Journal()[0].Key)
}

func TestRepeated(t *testing.T) {
	s := sandbox.Start(t)
	d := inProcess(s)
	d.post(t, "/assessments", newAssessment)
	d.get(t, "/account")
	d.get(t, "/account")
	d.post(t, "/assessments", newAssessment+" ")
	d.do(t, http.MethodPatch, "/api/v1/assessments/"+sandbox.AssessmentID, sandbox.TestKey, newAssessment)
	d.do(t, http.MethodDelete, "/api/v1/assessments/"+sandbox.AssessmentID, sandbox.TestKey)
	d.do(t, http.MethodDelete, "/api/v1/assessments/"+sandbox.AssessmentID+"?a", sandbox.TestKey)
	d.do(t, http.MethodDelete, "/api/v1/assessments/"+sandbox.ClosedAssessmentID, sandbox.TestKey)
	assert.Empty(t, s.Journal().Repeated())
	s.Inject(sandbox.Fault{Route: "POST /assessments", After: true})
	d.send(t.Context(), t, http.MethodPost, "/assessments", newAssessment)
	d.post(t, "/assessments", newAssessment)
	d.do(t, http.MethodPost, "/api/v1/assessments", sandbox.TestKey, newAssessment, http.Header{"X-Sandbox-Page": {"again"}})
	repeated := s.Journal().Repeated()
	require.Len(t, repeated, 2, "what was sent three times is here twice")
	assert.Equal(t, []int{0, 201}, []int{repeated[0].Status, repeated[1].Status})
	assert.JSONEq(t, newAssessment, string(repeated[0].Body))
}

func TestFind(t *testing.T) {
	s := sandbox.Start(t)
	_, err := s.Journal().Find("GET", "/account")
	require.EqualError(t, err, "sandbox: no GET /account in the journal, which has []")
	d := inProcess(s)
	d.get(t, "/submissions")
	d.post(t, "/assessments/"+sandbox.AssessmentID+"/invitations", "{}")
	d.get(t, "/submissions?page_size=1")
	d.get(t, "/account")
	found, err := s.Journal().Find("GET", "/submissions")
	require.NoError(t, err)
	assert.Equal(t, "page_size=1", found.Query, "the newest")
	d.do(t, http.MethodGet, "/nowhere", "")
	_, err = s.Journal().Find("POST", "/assessments")
	require.EqualError(t, err, `sandbox: no POST /assessments in the journal, which has `+
		`["GET /account" "GET /nowhere" "GET /submissions" "POST /assessments/{id}/invitations"]`)
}

func TestTheJournalIsBounded(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithQuota(1<<30, 1<<30))
	d := inProcess(s)
	for i := range 10_007 {
		path := []string{"/account", "/nowhere"}[i%2]
		d.send(t.Context(), t, http.MethodGet, fmt.Sprintf("%s?n=%d", path, i), "")
	}
	journal := s.Journal()
	require.Len(t, journal, 10_000)
	assert.Equal(t, []string{"n=7", "n=10006"}, []string{journal[0].Query, journal[9_999].Query})
	for i, e := range journal { // Responses of the newest 1,000, and of those that failed.
		require.Equal(t, i >= 9_000 || e.Status == 404, e.Response != nil, i)
		require.Equal(t, i >= 9_000 || e.Status == 404, e.ResponseHeader != nil, i)
		require.NotEmpty(t, e.Header)
	}
	s.ClearJournal()
	assert.Greater(t, len(d.get(t, "/submissions?page_size=100").raw), 16<<10)
	assert.Len(t, s.Journal()[0].Response, 16<<10)
}

// A test may look for a key in an unexpected place, where it is redacted too.
func TestKeysAreHiddenEverywhereInTheJournal(t *testing.T) {
	s := sandbox.Start(t)
	s.AddKey(sandbox.Key{Token: "sk_test_sandbox_longer"})
	d := inProcess(s)
	d.do(t, http.MethodPost, "/api/v1/x/sk_test_sandbox_longer?api_key="+sandbox.TestKey, sandbox.TestKey, `{"key":"`+sandbox.ReadOnlyKey+`"}`,
		http.Header{"X-Other": {sandbox.ReadOnlyKey}})
	e := s.Journal()[0]
	assert.Equal(t, "/api/v1/x/sk_test_…nger", e.Path)
	assert.Equal(t, "api_key=sk_test_…dbox", e.Query)
	assert.JSONEq(t, `{"key":"sk_test_…read"}`, string(e.Body))
	assert.Equal(t, "sk_test_…read", e.Header.Get("X-Other"))
	d.do(t, http.MethodPatch, "/api/v1/assessments/"+sandbox.AssessmentID, sandbox.TestKey, `{"name":"`+sandbox.ReadOnlyKey+`"}`)
	assert.Contains(t, string(s.Journal()[1].Response), `"name":"sk_test_…read"`)
	for _, token := range []string{"sk_test_sandbox_longer", sandbox.TestKey, sandbox.ReadOnlyKey} {
		s.RevokeKey(token)
	}
	assert.Equal(t, e, s.Journal()[0], "those that were revoked too")
}
