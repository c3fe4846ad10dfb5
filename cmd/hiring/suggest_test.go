package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestHabitsFromGh: commands and flags of gh work, or the error names the one to use.
func TestHabitsFromGh(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	for _, line := range []string{"auth list", "auth status", "submissions list -L 2", "submission view " + sandbox.SubmissionID} {
		assert.Zero(t, u.run(strings.Fields(line)...).code, line)
	}
	assert.Equal(t, "2\n", u.run("submissions", "list", "-L", "2", "--jq", "length").stdout)
	for line, says := range map[string]string{
		"login":                                 "Did you mean hiring profile add?",
		"invite ada@example.com":                "Did you mean hiring invitations send?",
		"submissions list --json id":            "submissions list has no flag --json. Use -o json.",
		"submissions list --format json":        "submissions list has no flag --format. Use -o.",
		"submissions list -q .":                 "submissions list has no flag -q. Use --jq.",
		"submissions list -t {{.id}}":           "submissions list has no flag -t. Use --jq with string interpolation; see hiring help formatting.",
		"submissions list --template {{.id}}":   "submissions list has no flag --template. Use --jq with string interpolation; see hiring help formatting.",
		"submissions list -s evaluated":         "submissions list has no flag -s. Use --status.",
		"submissions list -l 5":                 "submissions list has no flag -l. Use --limit.",
		"members -l 5":                          "members has no flag -l. Use --limit.",
		"account -s evaluated":                  "account has no flag -s.\n",
		"submissions help":                      "There is no command hiring submissions help. Use hiring help submissions.",
		"api account -f name=x":                 "api has no flag -f. Use --data or --query.",
		"invitations send ada@example.com -a x": "invitations send takes no arguments, got 'ada@example.com'. Use --email.",
	} {
		got := u.run(strings.Fields(line)...)
		assert.Equal(t, exitUsage, got.code, line)
		assert.Contains(t, got.stderr, says, line)
	}
}
