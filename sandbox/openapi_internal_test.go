package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

func decodeDocument(t *testing.T, d hiring.Dialect) openAPINode {
	t.Helper()
	full, err := d.WithDefaults()
	require.NoError(t, err)
	var document openAPINode
	require.NoError(t, json.Unmarshal(openAPIFor(full), &document))
	return document
}

// TestTheDocumentHasEveryRouteAndNoOther checks this in each dialect.
func TestTheDocumentHasEveryRouteAndNoOther(t *testing.T) {
	for name, dialect := range map[string]hiring.Dialect{
		"default": {},
		"other": {
			ListChallenges: "GET /library", ListAssessments: "GET /assessments/all", GetAssessment: "GET /postings/{id}",
			UpdateAssessment: "PUT /assessments/{id}", ResendInvitation: "POST /assessments/{id}/{invitation_id}",
			RevokeInvitation: "DELETE /assessments/{id}/{invitation_id}",
		},
		"changed places": {
			ListChallenges: "GET /assessments", ListAssessments: "GET /challenges",
			ResendInvitation: "POST /assessments/{id}/invitations/{invitation_id}/revoke",
			RevokeInvitation: "POST /assessments/{id}/invitations/{invitation_id}/resend",
		},
	} {
		full, err := dialect.WithDefaults()
		require.NoError(t, err)
		var want, got []string
		for _, r := range newRoutes(full) {
			want = append(want, strings.ToLower(r.method)+" /api/v1"+r.template)
		}
		paths := decodeDocument(t, dialect).object("paths")
		for path := range paths {
			for method := range paths.object(path) {
				got = append(got, method+" "+path)
			}
		}
		assert.ElementsMatch(t, want, got, name)
	}
}

func TestDocumentWithSwappedRoutes(t *testing.T) {
	document := decodeDocument(t, hiring.Dialect{ListChallenges: "GET /assessments", ListAssessments: "GET /challenges"})
	assert.Equal(t, "listChallenges", document.object("paths", "/api/v1/assessments", "get")["operationId"])
	assert.Equal(t, "listAssessments", document.object("paths", "/api/v1/challenges", "get")["operationId"])
	assert.Equal(t, "createAssessment", document.object("paths", "/api/v1/assessments", "post")["operationId"])
}

func TestTheDocumentHasTheNamesOfTheDialect(t *testing.T) {
	document := decodeDocument(t, hiring.Dialect{
		PageParam: "p", PageSizeParam: "per_page", CursorParam: "after", EventPageSizeParam: "limit",
		SinceLayout: "2006-01-02 15:04", InvitationEmail: "email", InvitationName: "candidate_email",
	})
	parameters := document.object("components", "parameters")
	var names []string
	for _, key := range []string{"Page", "PageSize", "Cursor", "EventPageSize"} {
		names = append(names, parameters.object(key)["name"].(string))
	}
	assert.Equal(t, []string{"p", "per_page", "after", "limit"}, names)
	assert.Equal(t, "2026-03-01 00:00", parameters.object("FilterSince")["example"])
	assert.NotContains(t, parameters.object("FilterSince", "schema"), "format")

	invitation := document.object("components", "schemas", "NewInvitation")
	assert.Equal(t, []any{"email", "candidate_email"}, invitation["required"])
	assert.Equal(t, "idn-email", invitation.object("properties", "email")["format"])
	assert.NotContains(t, invitation.object("properties", "candidate_email"), "format", "the name is called that now")
	body := document.object("paths", "/api/v1/assessments/{id}/invitations", "post", "requestBody", "content", "application/json")
	assert.Equal(t, []string{"candidate_email", "email"}, slices.Sorted(maps.Keys(body.object("example"))))
	response := document.object("components", "schemas", "Invitation", "properties")
	assert.Contains(t, response, "candidate_name", "what comes back is documented and has no dialect")
}

// TestDescriptionsAreIndependentOfTheDialect checks that descriptions have no assumed names,
// which would be wrong in another dialect.
func TestDescriptionsAreIndependentOfTheDialect(t *testing.T) {
	d := hiring.DefaultDialect()
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, member := range value {
				if text, ok := member.(string); ok && name == "description" {
					for _, guess := range []string{d.PageSizeParam, d.InvitationEmail, d.InvitationName, "`" + d.CursorParam + "`", "`" + d.PageParam + "`", "/resend", "/revoke"} {
						assert.NotContains(t, text, guess)
					}
				}
				visit(member)
			}
		case []any:
			for _, item := range value {
				visit(item)
			}
		}
	}
	visit(map[string]any(decodeDocument(t, hiring.Dialect{})))
}

func TestTheDocumentIsServedBare(t *testing.T) {
	s := newTest(t, WithQuota(10, 1))
	for _, key := range []string{testKey, readOnlyKey} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, guard.InProcess+"/api/v1/openapi.json", http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+key)
		res, err := wire.Transport{Handler: s}.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
		assert.Equal(t, int64(len(openAPI)), res.ContentLength)
		assert.Equal(t, "9", res.Header.Get("X-RateLimit-Remaining"), "it counts as a read")
		assert.Regexp(t, "^req_", res.Header.Get("X-Request-Id"))
	}
}
