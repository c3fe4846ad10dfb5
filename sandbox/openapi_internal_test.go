package sandbox

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
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
	var served hiring.Response
	_, err := New().Client().OpenAPI(hiring.WithResponse(t.Context(), &served))
	require.NoError(t, err)
	assert.Equal(t, openAPI, served.Body, "without an envelope")
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
