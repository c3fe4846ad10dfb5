package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// environment sets the environment variables of the client.
func environment(t *testing.T, baseURL, key string) {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", baseURL)
	t.Setenv("HIRING_API_KEY", key)
}

func TestRunNeedsNoSetup(t *testing.T) {
	environment(t, "", "")
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &stdout, &stderr))
	require.Equal(t, "3 sent, 0 existing, 0 not sent, 0 unknown\n", stdout.String())
	require.Equal(t, "line 2: sent; 199 writes left this hour\nline 3: sent; 198 writes left this hour\nline 4: sent; 197 writes left this hour\n", stderr.String())
}

func TestRunSendsToRealCandidatesOnlyWithYes(t *testing.T) {
	server := sandbox.Start(t)
	assessment := server.AddAssessment("Backend engineer")
	file := filepath.Join(t.TempDir(), "candidates.csv")
	require.NoError(t, os.WriteFile(file, []byte("Ada Example,ada@example.com\n"), 0o600))
	environment(t, server.URL(), sandbox.LiveKey)

	var stdout, stderr bytes.Buffer
	err := run(t.Context(), []string{file, assessment}, &stdout, &stderr)
	require.EqualError(t, err, "this sends e-mails to real candidates (1 in the file): to confirm, put -yes before the file")
	require.Empty(t, server.Journal(), "nothing is sent")

	require.NoError(t, run(t.Context(), []string{"-yes", file, assessment}, &stdout, &stderr))
	require.Equal(t, "1 sent, 0 existing, 0 not sent, 0 unknown\n", stdout.String())
	require.FileExists(t, file+"."+assessment+".state")
}

func TestRunRejectsBadArguments(t *testing.T) {
	for name, c := range map[string]struct{ baseURL, args, want string }{
		"no assessment":         {"https://hiring.example.com", "candidates.csv", "usage: invite"},
		"a flag after the file": {"https://hiring.example.com", "candidates.csv 1 -yes", "usage: invite"},
		"another flag":          {"", "-no", "flag provided but not defined: -no; usage: invite"},
		"a missing file":        {"", "none.csv", "none.csv: "},
		"no key":                {"https://hiring.example.com", "candidates.csv 1", "HIRING_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			environment(t, c.baseURL, "")
			var stdout, stderr bytes.Buffer
			require.ErrorContains(t, run(t.Context(), strings.Fields(c.args), &stdout, &stderr), c.want)
			require.Empty(t, stdout.String()+stderr.String())
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-h"}, &stdout, &stderr))
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "usage: invite [-yes] file.csv assessment\n  -yes")
}
