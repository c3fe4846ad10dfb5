package sandbox_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// live is one organization of the live data, with one transport.
type live struct {
	transport

	s   *sandbox.Server
	key string
}

func liveWorld(opts ...sandbox.Option) live {
	s := sandbox.New(append([]sandbox.Option{unlimited()}, opts...)...)
	return live{inProcess(s), s, sandbox.LiveKey}
}

// The method as returns the live data of another organization.
func (l live) as(organization string) live {
	l.key = "sk_live_" + organization
	l.s.AddKey(sandbox.Key{Token: l.key, Organization: organization})
	return l
}

func (l live) get(t *testing.T, path string) apiResponse {
	t.Helper()
	return l.do(t, http.MethodGet, "/api/v1"+path, l.key)
}

func (l live) post(t *testing.T, path, body string) apiResponse {
	t.Helper()
	return l.do(t, http.MethodPost, "/api/v1"+path, l.key, body)
}

func (l live) patch(t *testing.T, path, body string) apiResponse {
	t.Helper()
	return l.do(t, http.MethodPatch, "/api/v1"+path, l.key, body)
}

func (l live) delete(t *testing.T, path string) apiResponse {
	t.Helper()
	return l.do(t, http.MethodDelete, "/api/v1"+path, l.key)
}

// assess creates an assessment and returns its path.
func (l live) assess(t *testing.T) string {
	t.Helper()
	return "/assessments/" + ids1(t, l.post(t, "/assessments", newAssessment))
}

func candidateBody(email string) string {
	return `{"candidate_email":"` + email + `","candidate_name":"Ada"}`
}

// invite returns an invitation's id.
func (l live) invite(t *testing.T, assessment, email string) string {
	t.Helper()
	return ids1(t, l.post(t, assessment+"/invitations", candidateBody(email)))
}

func (l live) begin(t *testing.T, invitation string) string {
	t.Helper()
	id, err := l.s.Begin(invitation)
	require.NoError(t, err)
	return id
}

// invitation returns one from the list.
func (l live) invitation(t *testing.T, assessment, id string) fields {
	t.Helper()
	for _, raw := range into[[]json.RawMessage](t, l.get(t, assessment+"/invitations?page_size=100")) {
		if i := conforms(t, "invitation", raw); i.text("id") == id {
			return i
		}
	}
	require.Fail(t, "no such invitation", id)
	return nil
}

func (l live) submission(t *testing.T, id string) (submission, report fields) {
	t.Helper()
	submission = conforms(t, "submission", l.get(t, "/submissions/"+id).Data)
	report = conforms(t, "report", submission["report"])
	assert.JSONEq(t, string(submission["report"]), string(l.get(t, "/submissions/"+id+"/report").Data))
	assert.Equal(t, submission.text("status"), report.text("status"))
	conforms(t, "ref", submission["challenge"])
	conforms(t, "candidate", submission["candidate"])
	conforms(t, "budget", submission["budget"])
	conforms(t, "facts", report["facts"])
	return submission, report
}

func (l live) used(t *testing.T) float64 {
	t.Helper()
	account := conforms(t, "account", l.get(t, "/account").Data)
	conforms(t, "plan", account["plan"])
	conforms(t, "branding", account["branding"])
	var usage object
	require.NoError(t, json.Unmarshal(conforms(t, "usage", account["usage"])["assessments_used"], new(int)))
	require.NoError(t, json.Unmarshal(account["usage"], &usage))
	return usage["assessments_used"].(float64)
}

const noonUTC = "2026-03-10T12:00:00.123Z"

func checkPillars(t *testing.T, report fields, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	var pillars []json.RawMessage
	require.NoError(t, json.Unmarshal(report["pillars"], &pillars))
	for _, raw := range pillars {
		p := conforms(t, "pillar", raw)
		got[p.text("id")] = string(p["score"])
		assert.Equal(t, p.null("score"), string(p["low_confidence"]) == "true")
	}
	require.Equal(t, want, got)
	require.Len(t, pillars, 4)
}

func (f fields) budget(t *testing.T, name string) json.RawMessage {
	t.Helper()
	return conforms(t, "budget", f["budget"])[name]
}

func (l live) submissionWithoutLink(t *testing.T, id string) (submission, report fields) {
	t.Helper()
	submission, report = l.submission(t, id)
	assert.False(t, submission.null("workspace_archive_url"))
	return submission, report
}

// The method with returns the helpers with another key.
func (d transport) with(key string) transport {
	inner := d.client.Transport
	d.client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+key)
		return inner.RoundTrip(r)
	})}
	return d
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
