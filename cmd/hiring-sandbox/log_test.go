package main

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

// TestLogsEachRequest checks the lines on standard error, and that -quiet prints none.
func TestLogsEachRequest(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		var args []string
		if quiet {
			args = append(args, "-quiet")
		}
		var log bytes.Buffer
		p := startWith(t, &log, args...)
		page, err := p.client(t, "sk_test_sandbox").Submissions.List(hiring.SubmissionFilter{}).Page(t.Context())
		require.NoError(t, err)
		assert.NotEmpty(t, page.Items)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.baseURL+"/_sandbox/health", http.NoBody)
		require.NoError(t, err)
		response, err := new(http.Client).Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		p.stop(t, os.Interrupt)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if quiet {
			assert.Equal(t, []string{""}, lines)
			continue
		}
		assert.Len(t, lines, 1, "the control API is not logged")
		assert.Regexp(t, `^\d\d:\d\d:\d\d GET /api/v1/submissions 200 \S+$`, lines[0])
	}
}

func TestPrintsItsVersion(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	assert.Zero(t, run(t.Context(), []string{"--version"}, &out, &out))
	assert.Equal(t, "hiring-sandbox "+hiring.Version+"\n", out.String())
	out.Reset()
	assert.Zero(t, run(t.Context(), []string{"-h"}, &out, &out))
	for _, flag := range []string{"-since STAGE", "-addr HOST:PORT", "-dialect FILE"} {
		assert.Contains(t, out.String(), flag)
	}
}
