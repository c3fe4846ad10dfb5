package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

func TestParseCandidates(t *testing.T) {
	t.Parallel()
	ada := hiring.NewInvitation{Name: "Ada Example", Email: "ada@example.com"}
	eve := hiring.NewInvitation{Name: "Example, Eve", Email: "eve@example.com"}
	for name, c := range map[string]struct {
		text string
		want []candidate
	}{
		"no header":                {"Ada Example,ada@example.com\n\"Example, Eve\", eve@example.com \n", []candidate{{1, ada}, {2, eve}}},
		"header":                   {"name,email\nAda Example,ada@example.com\n", []candidate{{2, ada}}},
		"another order":            {"\ufeffEmail,Phone,Name\r\nada@example.com,1,Ada Example\r\n", []candidate{{2, ada}}},
		"empty lines":              {"name,email\n\nAda Example,ada@example.com\n", []candidate{{3, ada}}},
		"a name with a line break": {"\"Ada\nExample\",ada@example.com\n\"Example, Eve\",eve@example.com", []candidate{{1, hiring.NewInvitation{Name: "Ada\nExample", Email: "ada@example.com"}}, {3, eve}}},
	} {
		got, err := parseCandidates(c.text)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestParseCandidatesRejectsMalformedFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "there are no candidates",
		"name,email\n":                     "there are no candidates",
		"Bob Example,bob\n":                "the columns must be name,email",
		"bob@example.com\n":                "the columns must be name,email",
		"who,email\nBob,bob@example.com\n": "the columns must be name,email",
		"Bob,bob@example.com\nAda\n":       "record on line 2: wrong number of fields",
		"name,email\n\"Bob,bob@x.test\n":   "parse error on line 2",
		"\"Bob":                            "parse error on line 1",
	} {
		_, err := parseCandidates(text)
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestReadCandidates(t *testing.T) {
	t.Parallel()
	candidates, err := readCandidates("")
	require.NoError(t, err)
	require.Len(t, candidates, 3, "the sample")

	_, err = readCandidates(filepath.Join(t.TempDir(), "none.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)

	empty := filepath.Join(t.TempDir(), "empty.csv")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err = readCandidates(empty)
	require.EqualError(t, err, empty+": there are no candidates")
}
