package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// asQuery writes a JSON object of strings and numbers as query parameters.
var asQuery = strings.NewReplacer(`{"`, "?", `":"`, "=", `":`, "=", `","`, "&", `,"`, "&", `"}`, "", "}", "")

// TestGuideListsTheControlAPI compares the table of docs/sandbox.md with
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
	table := "| Operation | Parameters | What it does |\n|---|---|---|\n"
	for _, o := range index.Operations {
		example := ""
		if o.Example != nil {
			example = string(o.Example)
			if o.Method == http.MethodGet {
				example = asQuery.Replace(example)
			}
			example = "`" + example + "`"
		}
		table += fmt.Sprintf("| `%s %s` | %s | %s |\n", o.Method, o.Path, example, o.Summary)
	}
	guide, err := os.ReadFile("../docs/sandbox.md")
	require.NoError(t, err)
	assert.Contains(t, string(guide), table, "put this table into docs/sandbox.md:\n%s", table)
}
