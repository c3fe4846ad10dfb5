package docs_test

import (
	"go/build"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImportBoundaries checks that internal packages import only what they may.
func TestImportBoundaries(t *testing.T) {
	const ours = "github.com/hiring-assessment/hiring-go"
	for dir, unknown := range map[string][]string{
		"internal/envelope":           {ours, "net", "context", "time", "log", "os"},
		"internal/urls":               {ours, "net/http", "context", "encoding", "log", "os"},
		"internal/limits":             {ours, "net", "context", "log", "os"},
		"internal/jsoncodec":          {ours + "/sandbox", "net", "context", "log", "os"},
		"internal/paging":             {ours, "net", "context", "time", "log", "os"},
		"internal/quota":              {ours + "/sandbox", "net", "context", "encoding", "log", "os"},
		"internal/jsoncodec/fastjson": {ours + "/sandbox", "net", "context", "log", "os"},
		"internal/redact":             {ours + "/sandbox", "net", "context", "time", "os"},
		"internal/poll":               {ours, "net", "context", "log", "os"},
		"internal/serverclock":        {ours, "net", "context", "encoding", "log", "os"},
		"internal/statefile":          {ours, "net", "context", "encoding", "log"},
		"sandbox/internal/wire":       {ours, "encoding/json"},
		"sandbox/internal/world":      {ours, "net", "context", "sync"},
	} {
		pkg, err := build.ImportDir(dir, 0)
		require.NoError(t, err)
		for _, path := range pkg.Imports {
			assert.NotEqual(t, ours, path, "%s imports the root", dir)
			if path == ours+"/internal/envelope" { // The text form of a saved state.
				continue
			}
			for _, prefix := range unknown {
				assert.False(t, path == prefix || strings.HasPrefix(path, prefix+"/"), "%s imports %s", dir, path)
			}
		}
	}
}

type nothingImported struct{}
