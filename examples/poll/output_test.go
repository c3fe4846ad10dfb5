package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

func TestATornLineIsEnded(t *testing.T) {
	t.Parallel()
	for before, kept := range map[string]string{
		"":               "",
		"{\"a\":1}\n":    "{\"a\":1}\n",
		`{"submi`:        "{\"submi\n",
		"{\"a\":1}\n{\"": "{\"a\":1}\n{\"\n",
	} {
		name := filepath.Join(t.TempDir(), "out")
		require.NoError(t, os.WriteFile(name, []byte(before), 0o600))
		out, err := openOutput(name, true)
		require.NoError(t, err)
		require.NoError(t, write(out, hiring.Submission{ID: "s"}))
		line, ok := strings.CutPrefix(read(t, name), kept)
		require.True(t, ok, "%q", line)
		require.Equal(t, []string{"s"}, ids(t, line))
	}
}

func TestTheOutputMayBeADevice(t *testing.T) {
	t.Parallel()
	out, err := openOutput(os.DevNull, true)
	require.NoError(t, err)
	require.NoError(t, write(out, hiring.Submission{ID: "s"}))
}

func TestOutputIsPrivate(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "out")
	_, err := openOutput(name, true)
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	_, err = openOutput(filepath.Join(t.TempDir(), "none", "out"), true)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNamesKeepTheirMeaningAndLoseTheirPower(t *testing.T) {
	t.Parallel()
	const name = "Eve \x1b[2J \u009b1m \u202e 日本語\u3000 👩🏽\u200d💻 \U000e0001 \"\\ \x7f"
	var out bytes.Buffer
	require.NoError(t, write(&out, hiring.Submission{ID: "s", Candidate: hiring.Candidate{Name: name}}))
	for _, r := range out.String() {
		require.True(t, unicode.IsGraphic(r) || r == '\n' || r == '\u200d', "%q", r)
	}
	var line result
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	require.Equal(t, "Eve \x1b[2J \ufffd1m \ufffd 日本語\u3000 👩🏽\u200d💻 \ufffd \"\\ \ufffd", line.CandidateName)
}
