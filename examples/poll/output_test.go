package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

func TestTornLineIsCutOff(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", longestLine) + "\"}\n"
	for before, kept := range map[string]string{
		"":                                 "",
		"{\"a\":1}\n":                      "{\"a\":1}\n",
		`{"submi`:                          "",
		"{\"a\":1}\n{\"submission_id\":\"": "{\"a\":1}\n",
		long:                               long,
		long + "{":                         long,
	} {
		name := filepath.Join(t.TempDir(), "out")
		require.NoError(t, os.WriteFile(name, []byte(before), 0o600))
		out, err := openOutput(settings{out: name}, nil)
		require.NoError(t, err)
		require.NoError(t, out.write())
		require.NoError(t, out.write(hiring.Submission{ID: "s"}))
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		line, ok := strings.CutPrefix(string(after), kept)
		require.True(t, ok)
		require.Equal(t, []string{"s"}, ids(t, line))
	}
}

func TestAnotherFileIsNotTouched(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a,b\nc,d", strings.Repeat("{", longestLine+1)} {
		name := filepath.Join(t.TempDir(), "notes")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := openOutput(settings{out: name}, nil)
		require.ErrorContains(t, err, "choose another file")
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, string(after))
	}
}

func TestLinesAreSynced(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "out")
	out, err := openOutput(settings{out: name}, nil)
	require.NoError(t, err)
	require.NotNil(t, out.sync)
	failure := errors.New("the disk is gone")
	out.sync = func() error {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, []string{"s"}, ids(t, string(text)), "after they were written")
		return failure
	}
	require.ErrorIs(t, out.write(hiring.Submission{ID: "s"}), failure)
}

func TestOutputIsPrivate(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "out")
	_, err := openOutput(settings{out: name}, nil)
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	_, err = openOutput(settings{out: filepath.Join(t.TempDir(), "none", "out")}, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNamesKeepTheirMeaningAndLoseTheirPower(t *testing.T) {
	t.Parallel()
	const name = "Eve \x1b[2J \u009b1m \u202e \u200d 日本語\u3000 👩🏽\u200d💻 \U000e0001 \"\\\u2028\x7f"
	var out bytes.Buffer
	o := output{&out, noSync}
	require.NoError(t, o.write(hiring.Submission{ID: "s", Candidate: hiring.Candidate{Name: name}}))
	for _, r := range out.String() {
		require.True(t, unicode.IsGraphic(r) || r == '\n', "%q", r)
	}
	require.Contains(t, out.String(), "日本語\u3000")
	var line result
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	require.Equal(t, name, line.CandidateName)
}
