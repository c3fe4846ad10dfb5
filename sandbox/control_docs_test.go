package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// asQuery writes a JSON object of strings and numbers as query parameters.
var asQuery = strings.NewReplacer(`{"`, "?", `":"`, "=", `":`, "=", `","`, "&", `,"`, "&", `"}`, "", "}", "")

// TestGuideDescribesTheControlAPI compares the table of docs/sandbox.md, which shows the most used operations, with the
// index of the control API.
func TestGuideDescribesTheControlAPI(t *testing.T) {
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
	rows := make(map[string]bool)
	for _, o := range index.Operations {
		example := ""
		if o.Example != nil {
			example = string(o.Example)
			if o.Method == http.MethodGet {
				example = asQuery.Replace(example)
			}
			example = "`" + example + "`"
		}
		rows[fmt.Sprintf("| `%s %s` | %s | %s |", o.Method, o.Path, example, o.Summary)] = true
	}
	guide, err := os.ReadFile("../docs/sandbox.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?m)^\\| `(?:GET|POST) .*$").FindAllString(string(guide), -1)
	assert.Greater(t, len(shown), 5)
	for _, row := range shown {
		assert.True(t, rows[row], "the index has no such operation: %s", row)
	}
}
