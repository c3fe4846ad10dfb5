package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// environment sets the environment variables of the client.
func environment(t *testing.T, baseURL, key string) {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", baseURL)
	t.Setenv("HIRING_API_KEY", key)
}

func TestRunSendsToRealCandidatesOnlyWithYes(t *testing.T) {
	server := sandbox.Start(t)
	assessment := server.AddAssessment("Backend engineer")
	file := file(t, "Ada Example,ada@example.com\n")
	environment(t, server.URL(), sandbox.LiveKey)

	var stdout bytes.Buffer
	err := run(t.Context(), []string{file, assessment}, &stdout)
	require.EqualError(t, err, "this sends e-mails to real candidates (1 in the file): to confirm, add -yes")
	require.Empty(t, server.Journal(), "nothing is sent")

	for _, args := range [][]string{{"-yes", file, assessment}, {file, assessment, "-yes"}} {
		require.NoError(t, run(t.Context(), args, &stdout))
	}
	require.Equal(t, "1 sent, 0 existing, 0 failed\n0 sent, 1 existing, 0 failed\n", stdout.String())
	require.NoFileExists(t, file+"."+assessment+".last", "every outcome is known")
}

// file returns the name of a file with the text.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "candidates.csv")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := read(file(t, "\ufeffName,Email\r\n\r\n\"Ada\nExample\",ada@example.com\r\n\"Example, Eve\", eve@example.com \n"))
	require.NoError(t, err)
	require.Equal(t, []hiring.NewInvitation{{Name: "Ada\nExample", Email: "ada@example.com"}, {Name: "Example, Eve", Email: "eve@example.com"}}, got)
	for text, want := range map[string]string{
		"":                               "there are no candidates",
		"name,email\n":                   "there are no candidates",
		"Ada,ada@example.com\nBob,bob\n": "row 2 has no address",
		"name,email\n\"Bob,bob@x.test\n": "parse error on line 2",
	} {
		_, err := read(file(t, text))
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Zoë \ufffd[2J\ufffd\ufffd می\u200cخواهم", strings.Map(printable, "Zoë \x1b[2J\n\u202e می\u200cخواهم"))
}
