package doctor_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// TestFindingsAboutAChangedDocument changes the server's document and checks the finding.
func TestFindingsAboutAChangedDocument(t *testing.T) {
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
		"a route less": {func(d object) { delete(paths(d, "/challenges"), "get") }, "ListChallenges", doctor.Holds, "GET /challenges"},
		"input more": {func(d object) {
			s := schemas(d, "NewInvitation")
			s["required"] = append(s["required"].([]any), "locale")
		}, "required input", doctor.Wrong, "more is required: POST /assessments/{id}/invitations: locale"},
		"another page size":      {func(d object) { part(d, "components", "parameters", "PageSize")["name"] = "limit" }, "document", doctor.Wrong, "contradicted"},
		"no status of an update": {func(d object) { delete(schemas(d, "AssessmentUpdate")["properties"].(object), "status") }, "status member", doctor.Holds, "accepted"},
		"no optional member":     {func(d object) { delete(schemas(d, "NewAssessment")["properties"].(object), "budget_dollars_cap") }, "optional members", doctor.Holds, "accepted"},
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

// TestDocumentInAnEnvelopeIsRead: the client accepts it.
func TestDocumentInAnEnvelopeIsRead(t *testing.T) {
	raw, err := os.ReadFile("../../../../sandbox/openapi.json")
	require.NoError(t, err)
	s := sandbox.Start(t)
	s.Inject(sandbox.Fault{Route: "GET /openapi.json", Body: `{"data":` + string(raw) + `,"meta":{"request_id":"req_1"}}`, ContentType: "application/json"})
	r := runDoctor(t, s, doctor.Config{})
	assert.Empty(t, wrongNames(r))
	assert.Equal(t, "OpenAPI 3.1.0", finding(t, r, "document").Found)
}

// unchecked are the assumptions that no request of doctor can show, or that its calls of
// the client's methods include. docs/assumptions.md
// says so.
var unchecked = []string{"required name", "no body", "resource response", "confidence values", "score scale", "bare document", "any response", "not yet", "enforced limits", "meaning of since", "end of a log", "look of a throttle", "longest window", "settling", "addresses", "archive storage"}

// TestEveryDocumentedAssumptionIsChecked: docs/assumptions.md and the report have the same
// names, except those that the page lists as not checked.
func TestEveryDocumentedAssumptionIsChecked(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/assumptions.md")
	require.NoError(t, err)
	assert.Contains(t, strings.Join(strings.Fields(string(text)), " "), "It has no check of its own for: "+strings.Join(unchecked, ", ")+".")
	r := runDoctor(t, sandbox.Start(t), doctor.Config{})
	listed := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "-") {
			continue
		}
		if name := strings.Trim(cells[1], " `"); name != "Field" && name != "Name" && !slices.Contains(unchecked, name) {
			finding(t, r, name)
			listed++
		}
	}
	assert.Equal(t, 13+6+11+7-len(unchecked), listed, "of %s", text)
}
