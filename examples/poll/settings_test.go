package main

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

// environment looks variables up in pairs.
func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	set, err := parse(nil, environment(), io.Discard)
	require.NoError(t, err)
	require.Equal(t, settings{
		watch: hiring.WatchOptions{Lookback: 30 * 24 * time.Hour}, listen: "127.0.0.1:8781", format: "text", embedded: true,
	}, set)
}

func TestFlagsOverrideVariables(t *testing.T) {
	t.Parallel()
	env := environment("HIRING_API_KEY_FILE", "key", "POLL_ASSESSMENT", "a1", "POLL_CHECKPOINT", "state", "POLL_SINCE", "2026-03-01",
		"POLL_LOOKBACK", "", "POLL_OUT", "lines", "POLL_LISTEN", "", "POLL_LOG_LEVEL", "warn", "POLL_ONCE", "true", "POLL_LOG_FORMAT", "json")
	want := settings{
		watch: hiring.WatchOptions{
			AssessmentID: "a1", Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Lookback: 30 * 24 * time.Hour, Checkpoint: hiring.FileCheckpoint("state"),
		},
		to: "lines", once: true, level: slog.LevelWarn, format: "json", keyFile: "key",
	}
	set, err := parse(nil, env, io.Discard)
	require.NoError(t, err)
	require.Equal(t, want, set)

	set, err = parse([]string{"-assessment=a2", "-since=2026-03-01T09:00:00Z", "-lookback=48h", "-out=", "-listen=:1", "-log-level=debug", "-once=false"}, env, io.Discard)
	require.NoError(t, err)
	want.watch.AssessmentID, want.watch.Since, want.watch.Lookback = "a2", time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), 48*time.Hour
	want.to, want.listen, want.level, want.once = "", ":1", slog.LevelDebug, false
	require.Equal(t, want, set)
}

func TestWrongSettingsAreOneLine(t *testing.T) {
	for _, c := range []struct{ args, variable, want string }{
		{"-nope", "", "-nope; -h lists the flags"},
		{"5b000000-0000-4000-8001-000000000001", "", "unexpected argument"},
		{"-since=yesterday", "", "give a time as in 2026-03-01T09:00:00Z"},
		{"", "POLL_SINCE=yesterday", `POLL_SINCE: invalid value "yesterday": give a time`},
		{"-lookback=0", "", "-lookback must be above 0"},
		{"-log-level=loud", "", "loud"},
		{"-log-format=xml", "", "-log-format must be text or json"},
		{"-once", "HIRING_BASE_URL=https://hiring.example.com", "-once needs -checkpoint"},
		{"-once", "", "need a service: set HIRING_BASE_URL and HIRING_API_KEY"},
		{"-checkpoint=x", "", "need a service"},
		{"-assessment=x", "", "need a service"},
	} {
		t.Run(c.args+c.variable, func(t *testing.T) {
			t.Setenv("HIRING_BASE_URL", "")
			t.Setenv("HIRING_API_KEY", "")
			if name, value, ok := strings.Cut(c.variable, "="); ok {
				t.Setenv(name, value)
			}
			var stdout, stderr bytes.Buffer
			require.Equal(t, 2, exitStatus(run(t.Context(), strings.Fields(c.args), &stdout, &stderr)))
			require.Empty(t, stdout.String())
			require.Regexp(t, `^poll: [^\n]+\n$`, stderr.String())
			require.Contains(t, stderr.String(), c.want)
		})
	}
}

func TestHelp(t *testing.T) {
	var stderr bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-h"}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), "-checkpoint file")
	require.NotContains(t, stderr.String(), "poll: ")
}

func TestReadmeNamesEveryFlag(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var help bytes.Buffer
	_, _ = parse([]string{"-h"}, environment(), &help)
	flags := regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(help.String(), -1)
	require.Greater(t, len(flags), 5)
	for _, f := range flags {
		variable := "POLL_" + strings.ToUpper(strings.ReplaceAll(f[1], "-", "_"))
		require.Contains(t, string(readme), "\n| `-"+f[1]+"` | `"+variable+"` |")
	}
}
