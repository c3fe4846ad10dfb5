package sandbox_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// rawCalls are requests whose responses are the same over each transport, except for
// times.
var rawCalls = []struct {
	call string // Method, path, and the name of the key if it is not TestKey.
	body string
}{
	{"GET /api/v1/account", ""},
	{"HEAD /api/v1/account", ""},
	{"GET /api/v1/account " + sandbox.ReadOnlyKey, ""},
	{"GET /api/v1/account " + sandbox.LiveKey, ""},
	{"GET /api/v1/account none", ""},
	{"GET /api/v1/account sk_test_nobody", ""},
	{"GET /api/v1/members", ""},
	{"GET /api/v1/challenges?page_size=2", ""},
	{"GET /api/v1/assessments?page=2&page_size=3", ""},
	{"GET /api/v1/assessments/" + sandbox.AssessmentID + "/invitations?page_size=100&page=4", ""},
	{"GET /api/v1/submissions?status=evaluated&page_size=5", ""},
	{"GET /api/v1/submissions?page_size=101", ""},
	{"GET /api/v1/submissions?cursor=made-up&since=yesterday", ""},
	{"GET /api/v1/submissions/" + sandbox.SubmissionID, ""},
	{"GET /api/v1/submissions/" + sandbox.PendingSubmissionID + "/report", ""},
	{"GET /api/v1/submissions/" + sandbox.SubmissionID + "/report?format=pdf", ""},
	{"GET /api/v1/submissions/" + sandbox.BusySubmissionID + "/events?page_size=500&since_seq=100", ""},
	{"GET /api/v1/submissions/" + sandbox.UnknownID, ""},
	{"GET /api/v1/submissions/no-uuid", ""},
	{"GET /api/v1/submissions/a%2Fb%20c", ""},
	{"GET /api/v1/submissions/../account", ""},
	{"GET /api/v1//account", ""},
	{"GET /api/v1/account/", ""},
	{"GET /nowhere", ""},
	{"GET /api/v1/account?a=%zz", ""},
	{"GET /api/v1/openapi.json", ""},
	{"PUT /api/v1/account", "{}"},
	{"OPTIONS /api/v1/assessments", ""},
	{"POST /api/v1/assessments", newAssessment},
	{"POST /api/v1/assessments", `{"name":""}`},
	{"POST /api/v1/assessments", `{`},
	{"POST /api/v1/assessments", strings.Repeat("x", 512<<10+1)},
	{"POST /api/v1/assessments " + sandbox.ReadOnlyKey, newAssessment},
	{"PATCH /api/v1/assessments/" + sandbox.AssessmentID, `{"status":"closed"}`},
	{"DELETE /api/v1/assessments/" + sandbox.AssessmentID, ""},
	{"POST /api/v1/assessments/" + sandbox.AssessmentID + "/invitations", `{"candidate_email":"` + sandbox.PlanLimitEmail + `","candidate_name":"Ada"}`},
	{"POST /api/v1/assessments/" + sandbox.ClosedAssessmentID + "/invitations", `{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`},
	{"POST /api/v1/assessments/" + sandbox.AssessmentID + "/invitations", `{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`},
	{"POST /api/v1/assessments", newAssessment},
	{"GET /_archive/" + sandbox.SubmissionID, ""},
}

var theTime = regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"|"reset":\d+`)

// transcript sends the requests and records the responses.
func transcript(t *testing.T, d transport) []string {
	t.Helper()
	lines := make([]string, 0, len(rawCalls))
	for _, c := range rawCalls {
		parts := append(strings.Fields(c.call), sandbox.TestKey)
		r, err := http.NewRequestWithContext(t.Context(), parts[0], d.base+parts[1], strings.NewReader(c.body))
		require.NoError(t, err)
		if parts[2] != "none" {
			r.Header.Set("Authorization", "Bearer "+parts[2])
		}
		res, err := d.client.Do(r)
		require.NoError(t, err, c.call)
		raw := readAll(t, res.Body)
		for _, name := range []string{"Date", "X-Ratelimit-Reset", "Retry-After"} {
			if res.Header.Get(name) != "" {
				res.Header.Set(name, "some time")
			}
		}
		var header strings.Builder
		require.NoError(t, res.Header.Write(&header))
		lines = append(lines, c.call+" -> "+res.Status+"\n"+header.String()+theTime.ReplaceAllString(raw, "some time"))
	}
	return lines
}

// TestTransportsShareOneServer sends the same requests over each transport.
func TestTransportsShareOneServer(t *testing.T) {
	want := transcript(t, inProcess(sandbox.Start(t, sandbox.WithQuota(60, 10))))
	assert.Contains(t, want[len(want)-2], " 429 ")
	got := transcript(t, transports(t, sandbox.Start(t, sandbox.WithQuota(60, 10)))[1])
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
}
