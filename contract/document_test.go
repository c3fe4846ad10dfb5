package contract_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/contract"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestEveryOperationHasCommonResponses also checks headers, scopes and descriptions.
func TestEveryOperationHasCommonResponses(t *testing.T) {
	document := load(t, served(t, sandbox.New()))
	documented := document.Routes()
	var described []string
	for _, o := range documented {
		described = append(described, o.Method+" "+strings.TrimPrefix(o.Path, "/api/v1"))
	}
	routes := make(map[string]bool)
	for _, o := range operations.All() {
		routes[o.Route] = true // Of two that share one, the document has that one.
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(routes)), described, "the suite's operations, and the document's")
	for _, o := range documented {
		assert.NotEmpty(t, o.Operation.OperationID)
		assert.Len(t, o.Operation.Tags, 1, o.Operation.OperationID)
		assert.NotEmpty(t, o.Operation.Summary, o.Operation.OperationID)
		assert.NotEmpty(t, o.Operation.Description, o.Operation.OperationID)
		want := "write"
		if o.Method == http.MethodGet {
			want = "read"
		}
		assert.Equal(t, want, contract.Scope(o.Operation), o.Operation.OperationID)
		var statuses []int
		for _, answer := range contract.Statuses(o.Operation) {
			statuses = append(statuses, answer.Status)
			response := o.Operation.Responses.Status(answer.Status).Value
			for _, header := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Date"} {
				if assert.Contains(t, response.Headers, header, answer) {
					assert.True(t, response.Headers[header].Value.Required, answer)
				}
			}
			_, retry := response.Headers["Retry-After"]
			assert.Equal(t, answer.Status == http.StatusTooManyRequests, retry, answer)
		}
		for _, status := range []int{400, 401, 403, 429, 500} {
			assert.Contains(t, statuses, status, o.Operation.OperationID)
		}
		byID := slices.ContainsFunc([]byte(o.Path), func(b byte) bool { return b == '{' })
		assert.Equal(t, byID, slices.Contains(statuses, http.StatusNotFound), o.Operation.OperationID)
		assert.Equal(t, o.Operation.OperationID == "sendInvitation", slices.Contains(statuses, http.StatusPaymentRequired), o.Operation.OperationID)
	}
}

// TestEverythingIsDescribed goes through the whole document: no parameter,
// header, response or member is without words, and provenance is one of three.
func TestEverythingIsDescribed(t *testing.T) {
	var document map[string]any
	require.NoError(t, json.Unmarshal(served(t, sandbox.New()), &document))
	marks, described := map[string]int{}, 0
	visit(document, "", func(at string, node map[string]any) {
		if mark, marked := node["x-provenance"].(string); marked {
			marks[mark]++
		}
		if needsWords(at) && node["$ref"] == nil {
			assert.NotEmpty(t, node["description"], at)
			described++
		}
	})
	require.Len(t, marks, 3)
	assert.Positive(t, marks["documented"])
	assert.Positive(t, marks["inferred"])
	assert.Positive(t, marks["invented"])
	assert.Greater(t, described, 150)
	t.Logf("%d descriptions, provenance: %v", described, marks)
}

// needsWords: each component but examples, each response of an operation, and
// each member of a component. Envelopes are described once, in the introduction.
func needsWords(at string) bool {
	path := strings.Split(strings.ReplaceAll(at, "/api/v1/", "|"), "/")
	last := len(path) - 2
	if last < 1 {
		return false
	}
	switch path[last] {
	case "parameters", "headers", "schemas", "securitySchemes":
		return path[1] == "components" && last == 2
	case "responses":
		return true
	case "properties":
		return path[2] == "schemas"
	}
	return false
}

// visit calls see for each object of a document but those in examples.
func visit(value any, at string, see func(at string, node map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		see(at, value)
		for name, member := range value {
			if name != "example" && name != "examples" {
				visit(member, at+"/"+name, see)
			}
		}
	case []any:
		for i, item := range value {
			visit(item, at+"/"+strconv.Itoa(i), see)
		}
	}
}
