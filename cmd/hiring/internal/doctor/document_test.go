package doctor_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

type object = map[string]any

// part returns a nested part of the document.
func part(o object, names ...string) object {
	for _, name := range names {
		o = o[name].(object)
	}
	return o
}

func notRef(list []any, name string) []any {
	var kept []any
	for _, item := range list {
		if ref, ok := item.(object); !ok || !strings.HasSuffix(ref["$ref"].(string), name) {
			kept = append(kept, item)
		}
	}
	return kept
}

// TestFindingsAboutAChangedDocument changes the server's document and checks the finding.
func TestFindingsAboutAChangedDocument(t *testing.T) {
	text := object{"type": "string"}
	paths := func(d object, route string, names ...string) object {
		return part(d, append([]string{"paths", "/api/v1" + route}, names...)...)
	}
	schemas := func(d object, name string) object { return part(d, "components", "schemas", name) }
	for name, c := range map[string]struct {
		change  func(object)
		row     string
		verdict doctor.Verdict
		found   string
	}{
		"a route less":         {func(d object) { delete(paths(d, "/assessments/{id}"), "delete") }, "routes", doctor.Wrong, "missing: DELETE /assessments/{id}"},
		"a route that answers": {func(d object) { delete(d["paths"].(object), "/api/v1/members") }, "routes", doctor.Holds, "as documented"},
		"a route more":         {func(d object) { d["paths"].(object)["/api/v1/webhooks"] = object{"get": object{}} }, "routes", doctor.Added, "new: GET /webhooks"},
		"a parameter less": {func(d object) {
			p := paths(d, "/submissions", "get")
			p["parameters"] = notRef(p["parameters"].([]any), "FilterStatus")
		}, "parameters", doctor.Wrong, "missing: GET /submissions?status"},
		"a parameter more": {func(d object) {
			p := paths(d, "/members", "get")
			p["parameters"] = []any{object{"name": "role", "in": "query"}}
		}, "parameters", doctor.Added, "new: GET /members?role"},
		"input more": {func(d object) {
			s := schemas(d, "NewInvitation")
			s["required"] = append(s["required"].([]any), "locale")
		}, "required input", doctor.Wrong, "more is required: POST /assessments/{id}/invitations: locale"},
		"no enum":      {func(d object) { delete(part(schemas(d, "Pillar"), "properties", "id"), "enum") }, "values", doctor.Undecided, ""},
		"a value less": {func(d object) { part(schemas(d, "Assessment"), "properties", "status")["enum"] = []any{"active"} }, "values", doctor.Wrong, "missing: status closed"},
		"a value more": {func(d object) {
			part(schemas(d, "Task"), "properties", "kind")["enum"] = []any{"bug", "feature", "efficiency", "design"}
		}, "values", doctor.Added, "new: tasks.kind design"},
		"a member less":              {func(d object) { delete(schemas(d, "Account")["properties"].(object), "slug") }, "account", doctor.Holds, "as documented"},
		"a member more":              {func(d object) { schemas(d, "PipelineRank")["properties"].(object)["best"] = text }, "report", doctor.Added, "new: pipeline_rank.best"},
		"a member of another type":   {func(d object) { schemas(d, "Usage")["properties"].(object)["assessments_used"] = text }, "account", doctor.Wrong, "of another type: usage.assessments_used is string, not integer"},
		"a member of parts":          {func(d object) { s := schemas(d, "Member"); schemas(d, "Usage")["allOf"] = []any{s} }, "account", doctor.Added, "new: usage.created_at, usage.email, usage.id, usage.name, usage.role"},
		"no status of an update":     {func(d object) { delete(schemas(d, "AssessmentUpdate")["properties"].(object), "status") }, "status member", doctor.Holds, "status"},
		"no optional member":         {func(d object) { delete(schemas(d, "NewAssessment")["properties"].(object), "budget_dollars_cap") }, "optional members", doctor.Holds, "accepted"},
		"no page size of challenges": {func(d object) { delete(paths(d, "/challenges", "get"), "parameters") }, "page sizes", doctor.Wrong, "not for challenges"},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile("../../../../sandbox/openapi.json")
			require.NoError(t, err)
			var d object
			require.NoError(t, json.Unmarshal(raw, &d))
			c.change(d)
			changed, err := json.Marshal(d)
			require.NoError(t, err)
			s := sandbox.Start(t)
			s.Inject(sandbox.Fault{Route: "GET /openapi.json", Body: string(changed), ContentType: "application/json"})
			r := runDoctor(t, s, doctor.Config{})
			f := finding(t, r, c.row)
			assert.Equal(t, c.verdict, f.Verdict, "%+v", f)
			assert.Equal(t, c.found, f.Found)
			if c.verdict == doctor.Wrong {
				assert.Equal(t, []string{c.row}, wrongNames(r))
				assert.NotEmpty(t, f.Change)
			} else {
				assert.Empty(t, wrongNames(r))
			}
		})
	}
}

// TestDocumentInAnEnvelopeIsReported: the document is read, and the envelope is reported.
func TestDocumentInAnEnvelopeIsReported(t *testing.T) {
	raw, err := os.ReadFile("../../../../sandbox/openapi.json")
	require.NoError(t, err)
	s := sandbox.Start(t)
	s.Inject(sandbox.Fault{Route: "GET /openapi.json", Body: `{"data":` + string(raw) + `,"meta":{"request_id":"req_1"}}`, ContentType: "application/json"})
	r := runDoctor(t, s, doctor.Config{})
	assert.Equal(t, []string{"bare document"}, wrongNames(r))
	assert.Equal(t, "in the envelope", finding(t, r, "bare document").Found)
	assert.Equal(t, "OpenAPI 3.1.0", finding(t, r, "document").Found)
}

// TestEveryDocumentedAssumptionIsChecked: docs/assumptions.md and the report have the same names.
func TestEveryDocumentedAssumptionIsChecked(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/assumptions.md")
	require.NoError(t, err)
	r := runDoctor(t, sandbox.Start(t), doctor.Config{})
	listed := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "-") {
			continue
		}
		if name := strings.Trim(cells[1], " `"); name != "Field" && name != "Name" {
			finding(t, r, name)
			listed++
		}
	}
	assert.Equal(t, 13+6+10+7, listed, "of %s", text)
}

// TestUnknownConfidenceIsNotWrong: another value of a report's confidence is reported as
// new.
func TestUnknownConfidenceIsNotWrong(t *testing.T) {
	s := sandbox.Start(t)
	invited, err := s.LiveClient().Invitations.Send(t.Context(), s.AddAssessment("Backend"), hiring.NewInvitation{Email: "a@candidates.test", Name: "A"})
	require.NoError(t, err)
	id, err := s.Begin(invited.ID)
	require.NoError(t, err)
	require.NoError(t, s.Submit(id))
	require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: 50, Confidence: "certain"}))
	r := runDoctor(t, s, doctor.Config{Key: sandbox.LiveKey})
	f := finding(t, r, "confidence values")
	assert.Equal(t, doctor.Added, f.Verdict, "%+v", f)
	assert.Equal(t, "new: certain", f.Found)
}
