package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestGolden runs commands in a pipe and on a pseudo-terminal, each with its own server,
// and compares stdout, stderr and exit status.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ name, args string }{
		{"account", "account"},
		{"account-sandbox", "--sandbox account"},
		{"account-json", "account -o json"},
		{"account-csv", "account -o csv --columns name,plan"},
		{"unknown-command", "acount"},
		{"no-time", "watch --interval 5"},
		{"unknown-flag", "account --colums name"},
		{"unknown-format", "account -o xml"},
		{"unknown-column", "account --columns nme"},
		{"bad-query", "account --jq .a["},
		{"help", "--help"},
		{"help-formatting", "help formatting"},
		{"help-environment", "help environment"},
		{"help-exit-status", "help exit-status"},
		{"assessments-show", "assessment show " + sandbox.AssessmentID},
		{"unknown-sort", "submissions list --sort scor"},
		{"account-profile-sandbox", "--profile none --sandbox account"},
		{"key-in-path", "api GET /account?key=sk_live_a1b2c3d4e5f6g7h8"},
		{"members", "members"},
		{"challenges-list", "challenges list"},
		{"challenges-list-json", "challenges list -o json --limit 1"},
		{"challenges-get", "challenges get c0000000-0000-4000-8000-000000000001"},
		{"challenges-nothing", "challenges"},
		{"assessments-list", "assessments list"},
		{"assessments-list-csv", "assessments list -o csv"},
		{"assessments-get", "assessments get " + sandbox.AssessmentID},
		{"assessments-get-unknown", "assessments get " + sandbox.UnknownID},
		{"assessments-create", "assessments create --challenge c0000000-0000-4000-8000-000000000001 --name Backend"},
		{"assessments-create-incomplete", "assessments create --name Backend"},
		{"assessments-create-refused", "assessments create --challenge nonsense --name Backend"},
		{"assessments-close", "assessments close " + sandbox.AssessmentID},
		{"assessments-delete", "assessments delete " + sandbox.AssessmentID},
		{"invitations-list", "invitations list -a " + sandbox.AssessmentID + " --limit 4"},
		{"invitations-list-nowhere", "invitations list"},
		{"invitations-send", "invitations send ada@example.com --name Ada --again -a " + sandbox.AssessmentID},
		{"invitations-send-incomplete", "invitations send ada@example.com --again -a " + sandbox.AssessmentID},
		{"invitations-send-plan", "invitations send --again --name Ada " + sandbox.PlanLimitEmail + " -a " + sandbox.AssessmentID},
		{"invitations-send-closed", "invitations send --again --name Ada ada@example.com -a " + sandbox.ClosedAssessmentID},
		{"invitations-invite", "invitations invite -a " + sandbox.AssessmentID + " Ada<ada@example.com> Bob<bob@example.com>"},
		{"invite-existing", "invite -a " + sandbox.AssessmentID + " Zoe<Zoe.Sahin@candidates.test> Ada<ada@example.com>"},
		{"invitations-resend", "invitations resend 1a000000-0000-4000-8001-000000000360 -a " + sandbox.AssessmentID},
		{"invitations-revoke", "invitations revoke 1a000000-0000-4000-8001-000000000360 -a " + sandbox.AssessmentID},
		{"submissions-list", "submissions list --limit 5"},
		{"submissions-list-columns", "submissions list --limit 3 --columns candidate.email,score,rigor,report.pipeline_rank.rank"},
		{"submissions-list-csv", "submissions list --limit 3 -o csv"},
		{"submissions-list-template", `submissions list --limit 3 --jq .[]|"\(.candidate.name):\(.report.verdict_label)"`},
		{"submissions-list-sort", "submissions list --status evaluated --sort -score --limit 3"},
		{"submissions-list-since", "submissions list --since yesterday"},
		{"submissions-get", "submissions get " + sandbox.SubmissionID},
		{"submissions-find", "submissions find BJORN.bergstrom@candidates.test -a " + sandbox.AssessmentID},
		{"submissions-find-nobody", "submissions find nobody@example.com -a " + sandbox.AssessmentID},
		{"submissions-report", "submissions report " + sandbox.SubmissionID},
		{"submissions-report-csv", "submissions report -o csv " + sandbox.SubmissionID},
		{"submissions-report-thin", "submissions report 5b000000-0000-4000-8001-000000000003"},
		{"submissions-report-pending", "submissions report " + sandbox.PendingSubmissionID},
		{"submissions-archive-none", "submissions archive " + sandbox.SubmissionID},
		{"submissions-wait", "submissions wait " + sandbox.SubmissionID + " --jq .report.ship_score"},
		{"submissions-wait-csv", "submissions wait -o csv " + sandbox.SubmissionID},
		{"submissions-export", "submissions export all.jsonl"},
		{"events-list", "events list " + sandbox.SubmissionID},
		{"events-follow", "events follow --jq .kind " + sandbox.SubmissionID},
		{"watch", "watch --since 2026-02-28 --once --checkpoint s --jq .id"},
		{"quota", "quota"},
		{"quota-json", "quota -o json"},
		{"api", "api GET /account --jq .data.plan"},
		{"api-openapi", "api GET openapi.json --jq .openapi"},
		{"api-path-alone", "api members --jq .data[].role"},
		{"api-data", "api /assessments -d {\"challenge_id\":\"x\"}"},
		{"api-two-methods", "api -X GET POST /account"},
		{"api-missing", "api GET /nothing"},
		{"sandbox-address", "sandbox --addr nonsense"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(c.args)
			piped := seeded(t).run(args...)
			screen := seeded(t).onTerminal(args...)
			golden(t, "golden/"+c.name+".txt", stable(transcript(args, piped, screen)))
		})
	}
}

// TestScreens compares lists and reports on terminals of 40, 80 and 120 columns. No line is
// wider than the terminal.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{40, 80, 120} {
		var text strings.Builder
		for _, line := range []string{
			"assessments list", "challenges list", "invitations list -a Senior --limit 4", "submissions list --limit 5",
			"submissions list --limit 3 --columns candidate.email,score,id", "members", "events list " + sandbox.SubmissionID,
			"report " + sandbox.SubmissionID,
		} {
			shown := seeded(t).onScreen(pty.Winsize{Rows: 100, Cols: columns}, strings.Fields(line)...).stdout
			for part := range strings.Lines(shown) {
				if strings.HasPrefix(part, "Showing ") { // It is on standard error.
					continue
				}
				assert.LessOrEqual(t, displaywidth.Options{ControlSequences: true}.String(strings.TrimSuffix(part, "\n")), int(columns), "%s: %s", line, part)
			}
			text.WriteString("$ hiring " + line + "\n" + shown + "\n")
		}
		golden(t, fmt.Sprintf("golden/screens-%d.txt", columns), visible(text.String()))
	}
}

// TestColorsAndWidth follow the environment.
func TestColorsAndWidth(t *testing.T) {
	t.Parallel()
	colored := func(screen bool, env ...string) bool {
		u := seeded(t)
		u.env = append(u.env, env...)
		if screen {
			return strings.Contains(u.onTerminal("members").stdout, "\x1b[1m")
		}
		return strings.Contains(u.run("members").stdout, "\x1b[1m")
	}
	assert.True(t, colored(true))
	assert.False(t, colored(true, "CLICOLOR=0"))
	assert.False(t, colored(true, "NO_COLOR=1"))
	assert.False(t, colored(true, "NO_COLOR=1", "CLICOLOR_FORCE=1"))
	assert.True(t, colored(true, "CLICOLOR=0", "CLICOLOR_FORCE=1"))
	assert.False(t, colored(false))
	assert.True(t, colored(false, "CLICOLOR_FORCE=1"))
	assert.False(t, colored(false, "CLICOLOR_FORCE=0"))

	u := seeded(t)
	u.env = append(u.env, "TERM=dumb")
	for _, line := range []string{"members", "submissions export all.jsonl", "assessments delete " + sandbox.AssessmentID} {
		got := u.onTerminal(strings.Fields(line)...)
		assert.NotEmpty(t, got.stdout, line)
		assert.NotContains(t, got.stdout, "\x1b", line)
	}
	got, _ := u.inDialog([]answer{{"shown): ", "sk_test_half\x03"}}, "profile", "add", "acme", "--base-url", "https://hiring.example.com")
	assert.Equal(t, exitInterrupted, got.code)
	assert.NotContains(t, got.stdout, "\x1b")

	u = seeded(t)
	u.env = append(u.env, "COLUMNS=40")
	for line := range strings.Lines(u.onTerminal("assessments", "list").stdout) {
		assert.LessOrEqual(t, displaywidth.Options{ControlSequences: true}.String(strings.TrimSuffix(line, "\n")), 40)
	}
	assert.Contains(t, u.run("assessments", "list").stdout, sandbox.AssessmentID, "a pipe has no width")
}

// TestColumnsOfJSON: --columns selects members, in their order.
func TestColumnsOfJSON(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	for line, want := range map[string]string{
		"submissions list --limit 1 -o jsonl --columns candidate.email,score":                         `{"candidate.email":"uma.petrov@candidates.test","score":null}` + "\n",
		"account -o json --columns slug":                                                              "{\n  \"slug\": \"sandbox-hiring\"\n}\n",
		"watch --since 2026-02-28T08:00:00Z --once --checkpoint s --columns status,report.ship_score": `{"status":"evaluated","report.ship_score":34}` + "\n",
		"submissions wait --columns score " + sandbox.SubmissionID:                                    `{"score":91}` + "\n",
	} {
		got := u.run(strings.Fields(line)...)
		assert.Equal(t, want, got.stdout, "%s: %s", line, got.stderr)
	}
	u.fails(exitUsage, "There is no column nme.", "submissions", "list", "-o", "json", "--columns", "nme")
}

// seeded returns a user with a test key at a fixed time.
func seeded(t *testing.T) *user {
	t.Helper()
	return newUser(t, sandbox.New(sandbox.WithClock(noon)), sandbox.TestKey)
}

var unstable = regexp.MustCompile(`http://127\.0\.0\.1:\d+|req_[0-9a-f]+`)

// stable replaces text that differs from run to run.
func stable(text string) string {
	return unstable.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "req_") {
			return "req_…"
		}
		return "http://127.0.0.1:…"
	})
}

// TestANarrowListLeadsToASubmission: the list shows the address, and the name, the address and
// the beginning of an id that a table shows find the submission.
func TestANarrowListLeadsToASubmission(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	h.people[0].Name = "王小明"
	wang := newSubmission(t, h, "xiaoming.wang.of.the.long.name@candidates.example.com")
	for _, given := range []string{wang[:8], wang[:8] + "…", strings.ToUpper(wang[:20])} {
		assert.Equal(t, result{stdout: wang + "\n", stderr: "Submission: 王小明\n"}, u.run("submissions", "get", given, "--jq", ".id"))
	}
	h.people[0].Name = "Ada Lovelace"
	newSubmission(t, h, "ada@example.com")
	newest := newSubmission(t, h, "ada@example.com")
	narrow := u.onScreen(pty.Winsize{Rows: 40, Cols: 80}, "submissions", "list").stdout
	assert.Contains(t, narrow, "xiaoming.wang.of.the.long.name@candidates.example.com")
	assert.Contains(t, u.onScreen(pty.Winsize{Rows: 40, Cols: 80}, "invitations", "list", "-a", h.id).stdout, "xiaoming.wang.of.the.long.name@candidates.example.com")
	for given, want := range map[string]string{
		"王小明": wang, "xiaoming.wang": wang, "xiaoming.wang.of…": wang, wang: wang, strings.ToUpper(wang): wang,
		"ada lovelace": newest, "Ada": newest, "ADA@example.com": newest, "ada@exa": newest,
	} {
		got := u.run("submissions", "get", given, "--jq", ".id")
		assert.Equal(t, want+"\n", got.stdout, given)
	}
	assert.Equal(t, exitNotFound, u.run("report", "Bob").code)
	u.fails(exitUsage, "3 submissions match "+newest[:4]+"… Give the id of one: Ada Lovelace (ada@example.com, "+newest, "report", newest[:4]+"…")
	u.fails(exitUsage, "hiring: The id 1a000000… is cut. This command takes a whole id, as --columns id shows it, or with --assessment the candidate's address.\n", "invitations", "revoke", "1a000000…", "-a", h.id, "--yes")
	assert.Equal(t, exitUsage, u.run("invitations", "resend", "1a000000", "--yes").code)
}

// TestWordsAreNotBroken: help and errors break between words on a terminal of 80 columns.
func TestWordsAreNotBroken(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	for _, line := range append([]string{"help formatting", "help environment", "help exit-status", "submissions list --sort scor", "watch --interval x"}, helpOfEveryCommand(t)...) {
		got := u.onScreen(pty.Winsize{Rows: 40, Cols: 80}, strings.Fields(line)...)
		for part := range strings.Lines(got.stdout) {
			example := strings.HasPrefix(part, "  hiring ") // It stays whole, to be copied.
			assert.True(t, example || displaywidth.Options{ControlSequences: true}.String(strings.TrimSuffix(part, "\n")) <= 80, "%s: %s", line, part)
		}
	}
	assert.Equal(t, 1, strings.Count(u.run("submissions", "list", "--sort", "scor").stderr, "\n"), "one line in a log")
}

func helpOfEveryCommand(t *testing.T) (lines []string) {
	t.Helper()
	for _, c := range everyCommand(t) {
		lines = append(lines, strings.TrimPrefix(c.CommandPath(), "hiring ")+" --help")
	}
	return lines
}
