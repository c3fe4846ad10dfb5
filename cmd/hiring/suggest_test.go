package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestHabitsFromGh: commands and flags of gh work, or the error names the one to use.
func TestHabitsFromGh(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	for _, line := range []string{"auth list", "auth status", "submissions list -L 2", "submission view " + sandbox.SubmissionID, "members list", "api GET /submissions -f page_size=1"} {
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
		"submissions list -n 5":                 "submissions list has no flag -n. Use --limit.",
		"submissions list --page 2":             "submissions list has no flag --page. Use --limit; lists are read to their end.",
		"submissions list --per-page 5":         "submissions list has no flag --per-page. Use --limit; lists are read to their end.",
		"submissions list --no-headers":         "submissions list has no flag --no-headers. Use --jq, as in --jq '.[].id'.",
		"report x --pdf r.pdf":                  "report has no flag --pdf. Use --html, and print the page from a browser.",
		"report ada@example.com":                "report takes the id of a submission, got 'ada@example.com'. hiring submissions find ada@example.com --assessment <assessment> shows",
		"submissions get ada@example.com":       "hiring submissions find ada@example.com --assessment <assessment>",
		"events " + sandbox.SubmissionID:        "Did you mean hiring events list " + sandbox.SubmissionID + "?",
		"logs " + sandbox.SubmissionID:          "There is no command hiring logs. Did you mean hiring events? hiring help lists the commands.\n",
		"usage":                                 "Did you mean hiring account or hiring quota?",
		"candidates list":                       "Did you mean hiring invitations or hiring submissions?",
		"top":                                   "Did you mean hiring submissions or hiring watch?",
		"api account -f name":                   "--field name: give name=value.",
		"invitations send ada@example.com -a x": "invitations send takes no arguments, got 'ada@example.com'. Use --email.",
	} {
		got := u.run(strings.Fields(line)...)
		assert.Equal(t, exitUsage, got.code, line)
		assert.Contains(t, got.stderr, says, line)
	}
}

// TestFieldsOfAPICalls: as in gh, -f makes a body, or a query with GET.
func TestFieldsOfAPICalls(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	got := u.run("api", "/assessments", "-f", "name=Ops", "-f", "challenge_id=c0000000-0000-4000-8000-000000000001", "--jq", ".data.name")
	assert.Equal(t, "Ops\n", got.stdout, got.stderr)
	journal := server.Journal()
	assert.JSONEq(t, `{"name":"Ops","challenge_id":"c0000000-0000-4000-8000-000000000001"}`, string(journal[len(journal)-1].Body))
	got = u.run("api", "GET", "/submissions", "-f", "page_size=1", "--jq", ".data|length")
	assert.Equal(t, "1\n", got.stdout, got.stderr)
	assert.Equal(t, exitUsage, u.run("api", "/assessments", "-f", "a=b", "-d", "{}").code)
}

// TestAssessmentsByName: an id, a name or the unique beginning of one, in every command.
func TestAssessmentsByName(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	for _, line := range [][]string{
		{"assessments", "get", "senior payments ENGINEER"},
		{"assessments", "get", "Senior", "--jq", ".id"},
		{"assessments", "get", "a0000000-0000-4000-8000-000000000001"},
		{"assessments", "create", "--challenge", "payments", "--name", "Backend"},
		{"challenges", "get", "Payments backend"},
		{"assessments", "close", "senior"},
		{"assessments", "delete", "senior"},
		{"invitations", "list", "-a", "Senior", "--limit", "1"},
		{"invitations", "send", "-a", "Senior", "--email", "ada@example.com", "--name", "Ada"},
		{"invitations", "ensure", "-a", "Senior", "--email", "ada@example.com", "--name", "Ada"},
		{"invitations", "resend", "1a000000-0000-4000-8001-000000000360", "-a", "Senior"},
		{"submissions", "list", "-a", "Senior", "--limit", "1"},
		{"submissions", "find", "bjorn.bergstrom@candidates.test", "-a", "Senior"},
		{"submissions", "wait", sandbox.SubmissionID, "-a", "Senior"},
		{"submissions", "export", "all.jsonl", "-a", "Senior"},
		{"watch", "-a", "Senior", "--since", "2026-02-20", "--limit", "1"},
	} {
		got := u.run(line...)
		assert.Zero(t, got.code, "%v: %s", line, got.stderr)
	}
	u.write("people.csv", "name,email\nAda,ada@example.com\n")
	assert.Contains(t, u.run("invitations", "import", "people.csv", "-a", "senior", "--dry-run").stdout, "1 candidate for Senior payments engineer: ")

	got := u.run("assessments", "get", "s")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "hiring: 2 assessments match s. Give the id or the whole name: Staff engineer, traffic (active, a0000000-0000-4000-8000-000000000004); Senior payments engineer (active, ")
	got = u.run("assessments", "delete", " ", "--yes")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "The assessment is empty")
	got = u.run("assessments", "get", "nonsense")
	assert.Equal(t, result{stderr: "hiring: There is no assessment nonsense. hiring assessments list shows the names and ids.\n", code: exitNotFound}, got)
}

// TestInvitationWithoutItsAssessment is looked up.
func TestInvitationWithoutItsAssessment(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 1)
	other := h.server.AddAssessment("Newer")
	invitation, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, h.people[0])
	require.NoError(t, err)
	u := newUser(t, h.server, sandbox.LiveKey)
	assert.Zero(t, u.run("invitations", "resend", invitation.ID, "--yes").code)
	assert.Equal(t, "Revoked the invitation.\n", u.run("invitations", "revoke", invitation.ID, "--yes").stderr)
	got := u.run("invitations", "revoke", sandbox.UnknownID, "--yes")
	assert.Equal(t, exitNotFound, got.code)
	assert.Contains(t, got.stderr, "No assessment has an invitation ")
	got = u.run("invitations", "revoke", invitation.ID, "-a", other, "--yes")
	assert.Equal(t, exitNotFound, got.code, "the flag is not second-guessed")
}
