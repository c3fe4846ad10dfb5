package sandbox_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const invitationID = "1a000000-0000-4000-8001-000000000001"

// promise is the document's description of a successful operation.
type promise struct {
	status int
	body   string // An example body; empty for an operation without one.
}

// promises returns the promises of all operations by route.
func promises(t *testing.T) map[string]promise {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Example json.RawMessage `json:"example"`
				} `json:"content"`
			} `json:"requestBody"`
			Responses map[string]json.RawMessage `json:"responses"`
		} `json:"paths"`
	}
	raw, err := sandbox.New().Client().OpenAPI(t.Context())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &document))
	all := make(map[string]promise)
	for path, operations := range document.Paths {
		for method, o := range operations {
			status, err := strconv.Atoi(slices.Min(slices.Collect(maps.Keys(o.Responses))))
			require.NoError(t, err)
			route := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")
			all[route] = promise{status, string(o.RequestBody.Content["application/json"].Example)}
		}
	}
	return all
}

func TestEveryOperationAnswers(t *testing.T) {
	promised := promises(t)
	eachTransport(t, func(t *testing.T, d transport) {
		for _, o := range operations.All() {
			if o.Name == "OpenAPI" {
				continue // It has no envelope.
			}
			want := promised[o.Route]
			a := d.do(t, o.Method(), "/api/v1"+o.Path()+"?unknown=1&limit=x", sandbox.WriteKey, want.body, header("Idempotency-Key", "k"))
			assert.Equal(t, want.status, a.status, "%s: %s", o.Name, a.raw)
		}
	})
}

func TestOneNotFoundForEveryCause(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		var bodies []string
		promised := promises(t)
		for _, o := range operations.All() {
			for _, id := range o.IDs {
				for _, wrong := range []string{sandbox.UnknownID, "not-a-uuid", "..", ".", "%2e%2e", "a%2Fb", "%00", strings.Repeat("9", 3000), ""} {
					a := d.do(t, o.Method(), "/api/v1"+strings.Replace(o.Path(), id, wrong, 1), sandbox.TestKey, promised[o.Route].body)
					a.fails(t, 404, "NOT_FOUND")
					bodies = append(bodies, strings.Replace(string(a.raw), a.Error.RequestID, "", 1))
				}
			}
		}
		require.Greater(t, len(bodies), 100)
		for _, body := range bodies {
			require.Equal(t, bodies[0], body)
		}
	})
}

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

func TestDialectRoutes(t *testing.T) {
	s := sandbox.New(sandbox.WithDialect(hiring.Dialect{
		ListChallenges: "GET /library", ListAssessments: "GET /assessments/all", GetAssessment: "GET /assessments/{id}",
		UpdateAssessment: "PUT /assessments/{id}/settings", ResendInvitation: "POST /assessments/{id}/resend/{invitation_id}",
		RevokeInvitation: "DELETE /assessments/{id}/invitations/{invitation_id}",
	}))
	d := inProcess(s)
	assert.Equal(t, 5, d.get(t, "/library").Meta.Total)
	assert.Equal(t, 6, d.get(t, "/assessments/all").Meta.Total, "a name wins over an id")
	assert.Equal(t, 200, d.get(t, "/assessments/"+sandbox.AssessmentID).status)
	a := "/api/v1/assessments/" + sandbox.AssessmentID
	assert.Equal(t, 200, d.do(t, "PUT", a+"/settings", sandbox.TestKey, `{"status":"closed"}`).status)
	assert.Equal(t, 200, d.do(t, "POST", a+"/resend/"+invitationID, sandbox.TestKey).status)
	assert.Equal(t, 200, d.do(t, "DELETE", a+"/invitations/"+invitationID, sandbox.TestKey).status)
	d.do(t, "DELETE", a+"/invitations/"+invitationID, sandbox.ReadOnlyKey).fails(t, 403, "INSUFFICIENT_SCOPE")

	for _, gone := range []string{"GET /api/v1/challenges", "POST " + a + "/invitations/" + invitationID + "/resend"} {
		method, path, _ := strings.Cut(gone, " ")
		d.do(t, method, path, sandbox.TestKey).fails(t, 404, "NOT_FOUND")
	}
	d.do(t, "PATCH", a, sandbox.TestKey).fails(t, 405, "NOT_FOUND")
	d = inProcess(sandbox.New(sandbox.WithDialect(hiring.Dialect{ListAssessments: "GET /submissions/postings", ListChallenges: "GET /challenges/all"})))
	assert.Equal(t, 6, d.get(t, "/submissions/postings").Meta.Total, "wherever the two are in the table")
	assert.Equal(t, 5, d.get(t, "/challenges/all").Meta.Total)
	assert.Equal(t, 200, d.get(t, "/challenges/"+multiTask).status)
	d.get(t, "/assessments?page=1").fails(t, 405, "NOT_FOUND")
}
