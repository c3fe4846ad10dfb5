package sandbox

import (
	"encoding/json"
	"slices"
	"strconv"
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

// claims are the members that describe more than a type: the meaning of values and their
// range.
var claims = []string{
	"description", "enum", "const", "default", "format", "pattern", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minProperties", "maxProperties",
}

// named are the maps with names as keys.
var named = []string{"properties", "patternProperties", "schemas", "parameters", "headers", "responses", "securitySchemes", "paths", "content"}

// eachClaim visits every part of the document with a claim.
func eachClaim(part any, path string, names bool, visit func(path string, part map[string]any)) {
	switch part := part.(type) {
	case []any:
		for i, item := range part {
			eachClaim(item, path+"/"+strconv.Itoa(i), false, visit)
		}
	case map[string]any:
		if !names && slices.ContainsFunc(claims, func(claim string) bool { return part[claim] != nil }) {
			visit(path, part)
		}
		for name, member := range part {
			if names || name != "example" && name != "examples" {
				eachClaim(member, path+"/"+name, !names && slices.Contains(named, name), visit)
			}
		}
	}
}

// TestEveryClaimOfTheDocumentHasAProvenance checks that each range and meaning is
// marked as documented by the API, inferred, or invented.
func TestEveryClaimOfTheDocumentHasAProvenance(t *testing.T) {
	for name, dialect := range map[string]hiring.Dialect{"default": {}, "other": {PageParam: "p", InvitationEmail: "email", UpdateAssessment: "PUT /postings/{id}"}} {
		document, seen := decodeDocument(t, dialect), map[any]int{}
		for _, part := range []string{"paths", "components"} {
			eachClaim(map[string]any(document.object(part)), "/"+part, part == "paths", func(path string, part map[string]any) {
				provenance := part["x-provenance"]
				seen[provenance]++
				assert.Contains(t, []any{"documented", "inferred", "invented"}, provenance, "%s: %s", name, path)
			})
		}
		for _, provenance := range []any{"documented", "inferred", "invented"} {
			assert.Greater(t, seen[provenance], 25, "%v", provenance)
		}
	}
}

// TestAssumptionsAreNotCalledDocumented lists what the API's documentation
// does not specify.
func TestAssumptionsAreNotCalledDocumented(t *testing.T) {
	document := decodeDocument(t, hiring.Dialect{})
	d := hiring.DefaultDialect()
	for _, route := range []string{d.ListChallenges, d.ListAssessments, d.GetAssessment, d.UpdateAssessment, d.ResendInvitation, d.RevokeInvitation} {
		r := newRoute("", route, nil)
		assert.Equal(t, "invented", document.object("paths", r.path(), strings.ToLower(r.method))["x-provenance"], route)
	}
	for _, name := range []string{"Page", "PageSize", "Cursor", "EventPageSize", "FilterSince"} {
		assert.Equal(t, "invented", document.object("components", "parameters", name)["x-provenance"], name)
	}
	for _, place := range [][]string{
		{"Report", "properties", "ship_score"}, {"Report", "properties", "percentile"}, {"Pillar", "properties", "score"}, {"NewInvitation"},
		{"AssessmentUpdate", "properties", "status"}, {"Challenge", "properties", "is_platform"},
	} {
		assert.Equal(t, "invented", document.object("components", "schemas").object(place...)["x-provenance"], "%v", place)
	}
	for _, place := range [][]string{{"Pillar", "properties", "id"}, {"ErrorCode"}, {"Report", "properties", "pillars"}, {"Timestamp"}, {"Submission", "properties", "workspace_archive_url"}} {
		assert.Equal(t, "documented", document.object("components", "schemas").object(place...)["x-provenance"], "%v", place)
	}
}
