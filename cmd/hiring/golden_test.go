package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestGolden runs the commands in a pipe and on a pseudo-terminal, each against a
// server of its own, and compares stdout, stderr and exit status.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ name, args string }{
		{"account", "account"},
		{"account-json", "account -o json"},
		{"account-jq", "account --jq .usage"},
		{"account-csv", "account -o csv --columns name,plan"},
		{"unknown-command", "acount"},
		{"unknown-flag", "account --colums name"},
		{"unknown-format", "account -o xml"},
		{"unknown-column", "account --columns nme"},
		{"bad-query", "account --jq .a["},
		{"help", "--help"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(c.args)
			piped := seeded(t).run(args...)
			screen := seeded(t).onTerminal("", args...)
			golden(t, "golden/"+c.name+".txt", stable(transcript(args, piped, screen)))
		})
	}
}

// seeded is a user of test mode, at noon.
func seeded(t *testing.T) *user {
	t.Helper()
	return newUser(t, sandbox.New(sandbox.WithClock(noon)), sandbox.TestKey)
}

var unstable = regexp.MustCompile(`http://127\.0\.0\.1:\d+|req_[0-9a-f]+`)

// stable replaces what differs from run to run.
func stable(text string) string {
	return unstable.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "req_") {
			return "req_…"
		}
		return "http://127.0.0.1:…"
	})
}
