package sandbox_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const invitationID = "1a000000-0000-4000-8001-000000000001"

func TestInvitationsAreFoundInTheirAssessmentOnly(t *testing.T) {
	d := inProcess(sandbox.New())
	for _, action := range []string{"resend", "revoke"} {
		for _, id := range []string{sandbox.ClosedAssessmentID, sandbox.UnknownID} {
			a := d.post(t, "/assessments/"+id+"/invitations/"+invitationID+"/"+action, "")
			a.fails(t, 404, "NOT_FOUND")
		}
	}
}

func TestStrangePathsAreNeverRedirected(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		d.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, path := range []string{
			"", "/", "/api", "/api/v1", "/api/v1/", "/api/v1/account/", "/api/v1//account", "//api/v1/account", "/api/v1/./account",
			"/api/v1/x/../account", "/api/v2/account", "/API/v1/account", "/api/v1/Account", "/api/v1/account/x", "/api/v1/account;x",
			"/api/v1/submissions/" + sandbox.SubmissionID + "//events", "/api/v1/" + strings.Repeat("a/", 50),
			"/api/v1/openapi.json/x",
		} {
			a := d.do(t, http.MethodGet, path, sandbox.TestKey)
			a.fails(t, 404, "NOT_FOUND")
		}
		assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/%61ccount", sandbox.TestKey).status, "an escaped letter is that letter")
	})
}

func TestMethodsThatAPathDoesNotHave(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		for call, allow := range map[string]string{
			"POST /account":                                     "GET, HEAD",
			"OPTIONS /account":                                  "GET, HEAD",
			"DELETE /members":                                   "GET, HEAD",
			"PUT /assessments":                                  "GET, HEAD, POST",
			"TRACE /challenges":                                 "GET, HEAD",
			"POST /assessments/" + sandbox.UnknownID:            "DELETE, GET, HEAD, PATCH",
			"GET /assessments/x/invitations/y/resend":           "POST",
			"HEAD /assessments/x/invitations/y/revoke":          "POST",
			"PATCH /submissions/" + sandbox.SubmissionID:        "GET, HEAD",
			"BREW /assessments/" + sandbox.UnknownID:            "DELETE, GET, HEAD, PATCH",
			"DELETE /assessments/x/invitations/" + invitationID: "",
		} {
			method, path, _ := strings.Cut(call, " ")
			a := d.do(t, method, "/api/v1"+path, sandbox.ReadOnlyKey)
			want := 405
			if allow == "" {
				want = 404
			}
			assert.Equal(t, want, a.status, call)
			assert.Equal(t, allow, a.header.Get("Allow"), call)
			if method != http.MethodHead {
				assert.Equal(t, "NOT_FOUND", a.Error.Code, call)
			}
		}
	})
}

func TestHead(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		for _, path := range []string{"/api/v1/account", "/api/v1/nowhere"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, d.base+path, http.NoBody)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
			res, err := d.client.Do(r)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			full := d.do(t, http.MethodGet, path, sandbox.TestKey)
			assert.Equal(t, full.status, res.StatusCode)
			assert.Empty(t, body)
			assert.Equal(t, int64(len(full.raw)), res.ContentLength)
		}
	})
}
