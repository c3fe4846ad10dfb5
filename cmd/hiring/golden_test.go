package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestGolden runs commands in a pipe and on a pseudo-terminal, each with its own server,
// and compares stdout, stderr and exit status.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ name, args string }{
		{"account", "account"},
		{"account-sandbox", "--sandbox account"},
		{"account-json", "account -o json"},
		{"account-jq", "account --jq .usage"},
		{"account-csv", "account -o csv --columns name,plan"},
		{"unknown-command", "acount"},
		{"unknown-command-of-group", "submissions fnd"},
		{"unknown-command-help", "submissions fnd --help"},
		{"unknown-command-help-command", "help submissions fnd"},
		{"help-of-group", "help challenges"},
		{"no-number", "members --limit many"},
		{"no-time", "watch --interval 5"},
		{"too-many-arguments", "account ada@example.com"},
		{"unknown-flag", "account --colums name"},
		{"unknown-format", "account -o xml"},
		{"unknown-column", "account --columns nme"},
		{"bad-query", "account --jq .a["},
		{"help", "--help"},
		{"help-formatting", "help formatting"},
		{"assessments-alias", "assessment ls"},
		{"assessments-show", "assessment show " + sandbox.AssessmentID},
		{"report", "report " + sandbox.SubmissionID},
		{"command-elsewhere", "import people.csv"},
		{"unknown-flag-of-unknown-command", "acount --limit 3"},
		{"misspelt-status", "submissions list --status evaluted"},
		{"misspelt-format", "account -o yml"},
		{"unknown-sort", "submissions list --sort scor"},
		{"watch-in-a-pipe", "members --watch -o csv"},
		{"account-profile-unknown", "--profile none account"},
		{"account-profile-sandbox", "--profile none --sandbox account"},
		{"key-in-path", "api GET /account?key=sk_live_a1b2c3d4e5f6g7h8"},
		{"members", "members"},
		{"members-jsonl", "members -o jsonl"},
		{"challenges-list", "challenges list"},
		{"challenges-list-json", "challenges list -o json --limit 1"},
		{"challenges-get", "challenges get c0000000-0000-4000-8000-000000000001"},
		{"challenges-nothing", "challenges"},
		{"assessments-list", "assessments list"},
		{"assessments-list-csv", "assessments list -o csv"},
		{"assessments-get", "assessments get " + sandbox.AssessmentID},
		{"assessments-get-unknown", "assessments get " + sandbox.UnknownID},
		{"assessments-get-none", "assessments get"},
		{"assessments-create", "assessments create --challenge c0000000-0000-4000-8000-000000000001 --name Backend"},
		{"assessments-create-incomplete", "assessments create --name Backend"},
		{"assessments-create-refused", "assessments create --challenge nonsense --name Backend"},
		{"assessments-close", "assessments close " + sandbox.AssessmentID},
		{"assessments-delete", "assessments delete " + sandbox.AssessmentID},
		{"invitations-list", "invitations list -a " + sandbox.AssessmentID + " --limit 4"},
		{"invitations-list-nowhere", "invitations list"},
		{"invitations-send", "invitations send -a " + sandbox.AssessmentID + " --email ada@example.com --name Ada"},
		{"invitations-send-incomplete", "invitations send -a " + sandbox.AssessmentID + " --email ada@example.com"},
		{"invitations-send-plan", "invitations send -a " + sandbox.AssessmentID + " --name Ada --email " + sandbox.PlanLimitEmail},
		{"invitations-send-closed", "invitations send -a " + sandbox.ClosedAssessmentID + " --name Ada --email ada@example.com"},
		{"invitations-ensure", "invitations ensure -a " + sandbox.AssessmentID + " --email ada@example.com --name Ada"},
		{"invitations-ensure-existing", "invitations ensure -a " + sandbox.AssessmentID + " --email Zoe.Sahin@candidates.test --name Zoe"},
		{"invitations-resend", "invitations resend 1a000000-0000-4000-8001-000000000360 -a " + sandbox.AssessmentID},
		{"invitations-revoke", "invitations revoke 1a000000-0000-4000-8001-000000000360 -a " + sandbox.AssessmentID},
		{"submissions-list", "submissions list --limit 5"},
		{"submissions-list-columns", "submissions list --limit 3 --columns candidate.email,score,rigor,report.pipeline_rank.rank"},
		{"submissions-list-csv", "submissions list --limit 3 -o csv"},
		{"submissions-list-jq", "submissions list --limit 3 --jq .[].candidate.email"},
		{"submissions-list-template", `submissions list --limit 3 --jq .[]|"\(.candidate.name):\(.report.verdict_label)"`},
		{"submissions-list-jsonl-jq", "submissions list --limit 3 -o jsonl --jq .candidate"},
		{"submissions-list-sort", "submissions list --status evaluated --sort -score --limit 3"},
		{"submissions-list-none", "submissions list --status nonsense"},
		{"submissions-list-none-sorted", "submissions list --status nonsense --sort nme"},
		{"submissions-list-since", "submissions list --since yesterday"},
		{"submissions-get", "submissions get " + sandbox.SubmissionID},
		{"submissions-find", "submissions find BJORN.bergstrom@candidates.test -a " + sandbox.AssessmentID},
		{"submissions-find-nobody", "submissions find nobody@example.com -a " + sandbox.AssessmentID},
		{"submissions-report", "submissions report " + sandbox.SubmissionID},
		{"submissions-report-csv", "submissions report -o csv " + sandbox.SubmissionID},
		{"submissions-report-thin", "submissions report 5b000000-0000-4000-8001-000000000003"},
		{"submissions-report-pending", "submissions report " + sandbox.PendingSubmissionID},
		{"submissions-report-html", "submissions report --html - " + sandbox.SubmissionID},
		{"submissions-archive-none", "submissions archive " + sandbox.SubmissionID},
		{"submissions-wait", "submissions wait " + sandbox.SubmissionID + " --jq .ship_score"},
		{"submissions-wait-csv", "submissions wait -o csv " + sandbox.SubmissionID},
		{"submissions-export", "submissions export all.jsonl"},
		{"events-list", "events list " + sandbox.SubmissionID},
		{"events-follow", "events follow --jq .kind " + sandbox.SubmissionID},
		{"watch", "watch --since 2026-02-01 --limit 2 --jq .id"},
		{"quota", "quota"},
		{"quota-json", "quota -o json"},
		{"api", "api GET /account --jq .data.plan"},
		{"api-include", "api GET /api/v1/members -i"},
		{"api-query", "api GET /submissions?status=evaluated -q page_size=1 --jq .data[].id"},
		{"api-openapi", "api GET openapi.json --jq .openapi"},
		{"api-path-alone", "api members --jq .data[].role"},
		{"api-data", "api /assessments -d {\"challenge_id\":\"x\"}"},
		{"api-two-methods", "api -X GET POST /account"},
		{"api-missing", "api GET /nothing"},
		{"api-no-method", "api FOO /account"},
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
