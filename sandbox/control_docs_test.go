package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestGuideListsTheControlAPI compares the table of docs/sandbox-program.md with
// the index of the control API.
func TestGuideListsTheControlAPI(t *testing.T) {
	_, body := steer(t, sandbox.Start(t), http.MethodGet, "", "")
	var index struct {
		Operations []struct {
			Method  string          `json:"method"`
			Path    string          `json:"path"`
			Summary string          `json:"summary"`
			Example json.RawMessage `json:"example"`
		} `json:"operations"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &index))
	table := "| Operation | Body | What it does |\n|---|---|---|\n"
	for _, o := range index.Operations {
		example := ""
		if string(o.Example) != "null" {
			example = "`" + string(o.Example) + "`"
		}
		table += fmt.Sprintf("| `%s %s` | %s | %s |\n", o.Method, o.Path, example, o.Summary)
	}
	guide, err := os.ReadFile("../docs/sandbox-program.md")
	require.NoError(t, err)
	assert.Contains(t, string(guide), table, "put this table into docs/sandbox-program.md:\n%s", table)
}

// TestControlDocumentDescribesEveryOperation compares the OpenAPI document of the control API with its index. The
// contract module checks exchanges against the document.
func TestControlDocumentDescribesEveryOperation(t *testing.T) {
	server := sandbox.Start(t)
	_, body := steer(t, server, http.MethodGet, "", "")
	var index struct {
		Operations []struct {
			Method  string          `json:"method"`
			Path    string          `json:"path"`
			Summary string          `json:"summary"`
			Example json.RawMessage `json:"example"`
		} `json:"operations"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &index))
	status, body := steer(t, server, http.MethodGet, "openapi.json", "")
	require.Equal(t, http.StatusOK, status)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Summary     string `json:"summary"`
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Properties map[string]any `json:"properties"`
					} `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &document))
	ids := make(map[string]bool)
	described := 0
	for _, methods := range document.Paths {
		described += len(methods)
	}
	assert.Equal(t, len(index.Operations), described, "operations of the index and of the document")
	for _, o := range index.Operations {
		operation := document.Paths[o.Path][strings.ToLower(o.Method)]
		assert.Equal(t, o.Summary, operation.Summary, "%s %s", o.Method, o.Path)
		assert.False(t, ids[operation.OperationID], "%s: the operation id %q is used twice", o.Path, operation.OperationID)
		ids[operation.OperationID] = true
		var example map[string]any
		if json.Unmarshal(o.Example, &example) != nil {
			continue
		}
		for name := range example {
			assert.Contains(t, operation.RequestBody.Content["application/json"].Schema.Properties, name, "%s %s", o.Method, o.Path)
		}
	}
}

func TestStepsOfUnknownIDsFail(t *testing.T) {
	server := sandbox.Start(t)
	for name, step := range map[string]func() error{
		"Regrade":    func() error { return server.Regrade(sandbox.UnknownID, sandbox.Result{}) },
		"SetArchive": func() error { return server.SetArchive(sandbox.UnknownID, false) },
		"Decide":     func() error { return server.Decide(sandbox.UnknownID, "shortlisted") },
		"Pause":      func() error { return server.Pause(sandbox.UnknownID, time.Minute) },
		"AddResult": func() error {
			_, err := server.AddResult(sandbox.UnknownID, "ada@candidates.test", sandbox.Result{})
			return err
		},
	} {
		assert.ErrorContains(t, step(), sandbox.UnknownID, name)
	}
}
