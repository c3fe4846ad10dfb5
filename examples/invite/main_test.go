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

func TestRunNeedsNoSetup(t *testing.T) {
	environment(t, "", "")
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"candidates.csv"}, &stdout))
	require.Equal(t, "3 sent, 0 existing, 0 failed\n", stdout.String())
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

func TestRunRejectsBadArguments(t *testing.T) {
	for name, c := range map[string]struct{ baseURL, args, want string }{
		"no assessment":  {"https://hiring.example.com", "candidates.csv", "usage: invite"},
		"another flag":   {"", "-no candidates.csv", "usage: invite"},
		"a missing file": {"", "none.csv", "none.csv: "},
		"no key":         {"https://hiring.example.com", "candidates.csv 1", "HIRING_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			environment(t, c.baseURL, "")
			var stdout bytes.Buffer
			require.ErrorContains(t, run(t.Context(), strings.Fields(c.args), &stdout), c.want)
			require.Empty(t, stdout.String())
		})
	}
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
	ada := hiring.NewInvitation{Name: "Ada Example", Email: "ada@example.com"}
	eve := hiring.NewInvitation{Name: "Example, Eve", Email: "eve@example.com"}
	for name, c := range map[string]struct {
		text string
		want []hiring.NewInvitation
	}{
		"no header":                {"Ada Example,ada@example.com\n\"Example, Eve\", eve@example.com \n", []hiring.NewInvitation{ada, eve}},
		"header":                   {"\ufeffName,Email\r\n\r\nAda Example,ada@example.com\r\n", []hiring.NewInvitation{ada}},
		"a name with a line break": {"\"Ada\nExample\",ada@example.com", []hiring.NewInvitation{{Name: "Ada\nExample", Email: "ada@example.com"}}},
	} {
		got, err := read(file(t, c.text))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	for text, want := range map[string]string{
		"":                                 "there are no candidates",
		"name,email\n":                     "there are no candidates",
		"Bob Example,bob\n":                "the columns must be name,email",
		"bob@example.com\n":                "record on line 1: wrong number of fields",
		"Ada,ada@example.com\nBob,bob\n":   "row 2 has no address",
		"who,email\nBob,bob@example.com\n": "row 1 has no address: the columns must be name,email",
		"email,name\nbob@example.com,Bob":  "the columns must be name,email",
		"Bob,bob@example.com\nAda\n":       "record on line 2: wrong number of fields",
		"name,email\n\"Bob,bob@x.test\n":   "parse error on line 2",
	} {
		_, err := read(file(t, text))
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Zoë \ufffd[2J\ufffd\ufffd می\u200cخواهم", strings.Map(printable, "Zoë \x1b[2J\n\u202e می\u200cخواهم"))
}
