package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	hiring "github.com/hiring-assessment/hiring-go"
)

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
