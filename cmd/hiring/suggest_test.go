package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestHabitsFromGh: commands and flags of gh work, or the error names the one to use.
func TestHabitsFromGh(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	for _, line := range []string{"submissions", "submissions list -L 2", "submission view " + sandbox.SubmissionID, "reports " + sandbox.SubmissionID, "invites ls -a Senior", "members list", "account -q .id", "api GET /submissions -f page_size=1"} {
		assert.Zero(t, u.run(strings.Fields(line)...).code, line)
	}
	for line, says := range map[string]string{
		"report x -o Report.PDF":                     "--output Report.PDF: choose one of table, json, jsonl, csv. Use -o json: the API has reports as data only.\n",
		"submissions list -o Subs.csv":               "--output Subs.csv: choose one of table, json, jsonl, csv. Use -o csv > Subs.csv.\n",
		"report x -o report.txt":                     " csv. Use > report.txt.\n",
		"submissions list --candidate Rosa":          "Use hiring submissions find 'Rosa'.\n",
		"submissions list -o results":                " csv. Use > <file> to write to a file.\n",
		"submissions list subs.ndjson":               "submissions list takes 0 arguments, got 'subs.ndjson'. Use -o jsonl > subs.ndjson.\n",
		"report Ada report.pdf":                      "Use -o json: the API has reports as data only.\n",
		"invitations list --sandbox":                 "--assessment is missing. hiring assessments list --sandbox shows the names and ids.\n",
		"submissions list -o noheader -o columns=id": "Use --columns id.\n",
		"submissions archive Ada x.zip":              "Use one at a time, as in hiring submissions archive Ada; -f names the file.\n",
		"submissions list -o text --jq .":            "--jq is for JSON: leave out -o, or use ",
		"archives download --all --assessment x":     "There is no command hiring archives. Use hiring submissions archive <submission> for one at a time: hiring submissions list --assessment x --all --jq '.[].id' lists them.\n",
		"invite @people.csv -a x":                    "hiring invitations import --assessment x people.csv reads a file of candidates.\n",
		"invite " + sandbox.AssessmentID + " a@b.c":  "--assessment is missing. Give the id with the flag: -a " + sandbox.AssessmentID + ".\n",
		"submissions list --created-after yesterday": "Use --since 2026-03-15, or with an age such as 7d; give your value in place of 2026-03-15.\n",
		"help acount":                                "There is no command hiring acount. Did you mean hiring account?",
		"api account -f name":                        "--field name: give name=value.",
		"api /submissions page==2":                   "/submissions is not a method: use GET, POST, PATCH, PUT, DELETE. Fields follow -f, as in hiring api GET /submissions -f page=2.\n",
		"invite bob@example.com Eve -a x --name Bob": "--name is for one address. Give several as 'Bob <bob@example.com>'.",
		"invitations expire-soon":                    "There is no command hiring invitations expire-soon. hiring invitations has the commands below.\n  find         Show the invitations of a candidate\n",
		"submissions export x.csv --status x,y":      "--status x,y: give one status only. hiring submissions list with --all --jq 'map(select(.status == \"x\" or .status == \"y\"))' shows several.\n",
		"invite list":                                "There is no command hiring invite list. Use hiring invitations list --assessment <assessment>.\n",
		"submissions list -L5 --sort -id --limit 9":  "--limit is given twice: give one value.\n",
		"submissions list --jq . --columns id,score": "--columns and --jq exclude each other: the program selects members, as in --jq 'map(pick(.id, .score))' of a list, or pick(.id, .score) of one thing.\n",
		"events list x --since 2026-03-01T12:00":     "Use --all --jq 'map(select(.time >= \"2026-03-01T11:00:00Z\"))'; ",
		"submissions list -o csv --jq .":             "with @csv, as in '.[] | [.id, .created_at] | @csv'.\n",
		"sandbox -p 8080":                            "sandbox uses no profile. --addr 127.0.0.1:8080 chooses the port.\n",
		"quota --id x":                               "quota has no flag --id. It has the flags below, and those of hiring --help: --jq selects from the results.\n  -h, --help   help for quota\n",
		"submissions list --filter state=done -l score>=80 -l score=80 -l id!=x": "submissions list does not have these flags.\n  --filter      Use --status 'done'.\n  -l            Use --all --jq 'map(select(.score >= 80))'; -o json shows the\n                members, and \"and\" joins several conditions.\n  -l            Use --all --jq 'map(select(.score == 80))'; ",
		"challenges list --level senior --sort -id --foo":                        "  --level       Use --all --jq 'map(select([.. | strings] | any(test(\"senior\";\n                \"i\"))))'.\n  --foo         It has the flags below, and those of hiring --help: --jq selects\n                from the results.\n      --all ",
		"submissions list --sort --desc -n 10":                                   "  --desc        Use --sort with a minus before the column for the highest first,\n                as in --sort -score.\n  -n            Use --limit 10; leave it out beside --all.\n",
		"submissions list -q -o json":                                            "--jq needs a value: filter the JSON with a jq program; see hiring help formatting. Use --jq '.[].id' of a list, ",
		"submissions report x --format pdf -x":                                   "  --format      Use -o json: the API has reports as data only.\n  -x            It has the flags below, ",
		"events list x --types ai_exchange":                                      "events list has no flag --types. Use --all --jq 'map(select(.kind == \"ai_exchange\"))': known are attempt_started, ai_prompt and ai_response, and there may be others; hiring watch writes new results.\n",
		"submissions list --min-score high -L 2":                                 "Use --all --jq 'map(select(.report.ship_score >= 80))'; give your value in place of 80; leave --limit out.\n",
		"invitations send a@b.test --agai":                                       "invitations send has no flag --agai. It has the flags below, and those of hiring --help.\n",
		"invite a@b.c d@e.f --message hello --lang de -a x":                      "  --lang        Use no flag: an invitation has only a name and an address, and\n                the API writes the e-mail.\n",
		"invitations wait x --for submitted":                                     "they wait for reports; for another status repeat hiring submissions list --status submitted.\n",
		"assesments show x":                                                      "Did you mean hiring assessments get <assessment>? ",
		"assesments delta x":                                                     "Did you mean hiring assessments list? ",
		"invitatoins send x":                                                     "Did you mean hiring invitations list? ",
		"reports download --assessment x --dir ./reports":                        "Use hiring submissions export <file> -a x for all of an assessment, ",
		"invitations revoke a@b.test c@d.test -a x":                              "Use one at a time, as in hiring invitations revoke --assessment x a@b.test, and ",
		"submissions list --verdict=Strong_Yes":                                  "(.report.verdict == \"strong_yes\"))': known ",
		"submissions list --filters Name=status,Values=started":                  "Use --status 'started'.\n",
		"invite bob@example.com -a x":                                            "Give 'Ada <bob@example.com>', or one address and --name.\n",
		"submissions list --since -7d":                                           "--since -7d: give a date as in 2026-03-15, ",
		"submissions list -o custom-columns=ID:.id,Mail:.candidate.email,N:name": "Use --columns id,candidate.email,name.\n",
		"submissions list --format {{.ID}},{{.Email}} --query x[].[id,name]":     "  --format      Use --columns id,email.\n  --query       Use --columns id,name.\n",
		"submissions --force":                                                    "hiring: submissions has no flag --force. Give it to a command below.\n  archive ",
		"assessments --status active":                                            "hiring: assessments list has no flag --status. Use --all --jq 'map(select(.status == \"active\"))': known ",
		"assessments list --name Senior":                                         "Use --all --jq 'map(select(.name | test(\"Senior\"; \"i\")))'.\n",
		"submissions list --score >70":                                           "Use --all --jq 'map(select(.report.ship_score > 70))'.\n",
		"inv ls":                                                                 "hiring inv. Did you mean hiring invitations list --assessment <assessment>? ",
		"invite a@b.c -a x --wait":                                               "Use hiring watch --assessment x, which writes each result ",
		"submissions archive Ada -o -":                                           "--output has no meaning. Use hiring submissions archive <submission> -f -.\n",
		"events list -a x":                                                       "as in hiring events list <submission>; hiring submissions list -a x shows the submissions.\n",
		"get " + sandbox.AssessmentID:                                            "Use hiring submissions get " + sandbox.AssessmentID + ", hiring assessments get " + sandbox.AssessmentID + ", ",
		"members list --newer-than 2026-03-15T00:00:00Z":                         "Use --all --jq 'map(select(.created_at >= \"2026-03-15T00:00:00Z\"))'.\n",
		"submissions wait --all -a x":                                            "as in hiring submissions list --assessment x --status submitted --all --jq '.[].id' | hiring submissions wait --assessment x -.\n",
		"invitations revoke -a x --older-than 2026-03-15T00:00:00Z":              "Use one at a time: hiring invitations list -a x --status sent --all --jq '.[] | select(.created_at < \"2026-03-15T00:00:00Z\") | .id' lists them.\n",
	} {
		u.fails(exitUsage, says, strings.Fields(line)...)
	}
	u.env = append(u.env, "HIRING_OUTPUT=json", "HIRING_JQ=.id", "HIRING_API_URL=x")
	const ignored = "hiring: warning: The variable HIRING_%s has no effect: use a flag, or HIRING_BASE_URL, HIRING_API_KEY or HIRING_PROFILE.\n"
	got := u.run("submissions", "get", "sub_"+sandbox.SubmissionID, "--jq", ".id")
	assert.Equal(t, result{stdout: sandbox.SubmissionID + "\n", stderr: fmt.Sprintf(ignored+ignored, "API_URL", "OUTPUT")}, got, "but the flag is given")
	u.env = u.env[:len(u.env)-3]
	assert.Equal(t, u.run("help", "exit-status"), u.run("help", "exit-codes"))
	assert.Contains(t, u.run("submissions list").stderr, "There is no command hiring submissions list. Use hiring submissions list.\n")
	assert.Zero(t, u.run("submissions", "list", "--sort", "-status", "-since=2w", "-limit", "3").code, "a value that begins with a dash, and flags with one dash")
	assert.Contains(t, u.run("api", "GET", "/v1/account").stdout, "Sandbox")
	assert.Contains(t, u.run("account", "-o", "csv", "--output", "json").stdout, "{", "an alias of a shell may set a global flag")
	got = u.run("api", "-X", "POST", "invitations")
	assert.Regexp(t, `^hiring: POST /invitations: 404 NOT_FOUND: The resource does not exist \(request req_\w+\)\. Check the path, its ids`, got.stderr, "the base URL is right")
	assert.Contains(t, u.run("api", "/v1/rate_limit").stderr, "). Use hiring quota.\n")
	assert.Equal(t, "hiring: warning: per_page may have no effect: the parameters of a list are page_size and page.\n", u.run("api", "/members?per_page=2").stderr)
	got = u.run("submissions", "list", "--status", "completed")
	assert.Equal(t, result{stderr: "hiring: warning: --status completed may find nothing: known are evaluated, started, submitted.\n"}, got)
	assert.Contains(t, u.run("submissions", "list", "--jq", ".[].candidate_email").stderr, "such a member. The member is .candidate.email.\n")
}

// TestAdviceKeepsWhatWasTyped: the only id or address that was typed replaces the only placeholder of its kind, the
// first suggested command has the flags that it knows, and the others are named.
func TestAdviceKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	const id, other = "5b000000-0000-4000-8001-000000000355", "5b000000-0000-4000-8001-000000000356"
	for line, advice := range map[string]string{
		"report view " + id: "hiring report " + id + ".", "wait submission/" + id + " --timeout 5s": "hiring submissions wait --timeout 5s " + id + ".", "delete assessment " + id + " --again": "hiring assessments delete " + id + ".",
		"invitations rm " + id + " " + other + " --yes": "hiring invitations revoke --yes <invitation>. That leaves out " + id + ", " + other + ". ", "report view " + id + " --assessment x": "hiring report " + id + ". That leaves out --assessment. ", "report " + id + " --due x": "no flag: an assessment is open until hiring assessments close <assessment>, ", "report view -p " + id: "hiring report --profile " + id + " <submission>. ",
		"lookup b@x.test": "hiring submissions find b@x.test, ", "remind b@x.test": "hiring invitations resend b@x.test -a <assessment>. ", "login b@x.test": "hiring profile add <name>.", "candidates get b@x.test": "hiring report b@x.test or hiring invitations find b@x.test.",
		"invite " + id + " -f p.csv --dry-run": "hiring invitations import --dry-run p.csv -a <assessment>, ", "invite " + id + " -f p.csv --yes": "hiring invitations import --yes p.csv -a <assessment>, ",
		"config profile staging": "hiring profile use <name>, after hiring profile add <name> once.", "challenges list " + id: "hiring assessments get <assessment> --jq .challenge_id, ", "invitations update " + id + " --expires 7d": "hiring invitations resend " + id + ", ",
		"stats -a x": "hiring submissions list --assessment x --all --jq 'group_by(", "candidates --assessment=x": "hiring submissions list --assessment x or hiring invitations list -a x.", "export -o all.csv -a x": "hiring submissions export --assessment x all.csv, which writes all submissions, without > before the name. ",
		"submissions events " + id + " --tail 20": "hiring events list --all --jq '.[-20:]' " + id + " or hiring events follow " + id + ". ", "submissions diff " + id + " " + other: "hiring submissions list --status evaluated --sort -score. That leaves out " + id + ", " + other + ". ", "invitations rm " + id + " --yes": "hiring invitations revoke --yes " + id + ". ", "members count -a x": "hiring members list --all --jq length.",
		"config set output json": "the flags of each command, ", "configure list": "hiring profile list.", "org member add b@x.test": "the dashboard: ", "delete invite " + id + " --force": "hiring invitations revoke --yes " + id + ".", "grade submission " + id: "the dashboard: ", "get report " + id: "hiring report " + id + ".", "jobs create --title X": "hiring assessments create --challenge <challenge> --name X. ",
		"report --id=" + id: "an argument, as in hiring report " + id + ", ", "logs -f " + id: "hiring events list " + id + " or hiring events follow " + id + ". ", "download " + id + " --dir out": "hiring submissions archive " + id + ". That leaves out --dir. ",
		"invitations create -a x --email b@x.test --name Bob": "hiring invitations invite --name Bob b@x.test -a x for a candidate ", "login acme --base-url https://h.test/v1 --with-token": "hiring profile add --base-url https://h.test/v1 <name>. That leaves out --with-token. ", "get /v1/account --sandbox": "hiring api --sandbox GET /v1/account. ", "post /v1/x -d name=y": "hiring api -f name=y POST /v1/x. ", "rm -f " + id: "the dashboard for a submission, because the API deletes none; hiring invitations revoke " + id + " for an invitation, or ",
		"get submissions -o yaml --field-selector status=started": "hiring submissions list -o json --status 'started' or hiring submissions get -o json <submission>. ", "run -d --name X": "hiring submissions list, or hiring assessments create --challenge <challenge> --name X. That leaves out -d. ", "login -u me -p s": "hiring profile add <name>. That leaves out -u, -p. ", "all --sandbox": "hiring help. ", "exec -it " + id: "hiring submissions archive " + id, "list-invitations --assessment-id x": "hiring invitations list -a x. ",
		"invitations send-invitation --email b@x.test --assessment-id x": "hiring invitations invite b@x.test --name <name> -a x for a candidate ", "submissions describe-submission --submission-id " + id: "hiring submissions get " + id + ". ", "submissions get-archive " + id: "hiring submissions archive " + id + ". ",
		"apply -f p.csv": "hiring invitations import p.csv -a <assessment>. ", "get submissions -w": "hiring submissions list or hiring submissions get <submission>. That leaves out -w. ", "attempts " + id: "hiring submissions get " + id + ". ", "status " + id + " --jq .[].id": "hiring report " + id + ". That leaves out --jq. ",
		"invitations export -a x --created-after 2026-03-15": "hiring invitations list -a x --all -o csv. That leaves out --created-after. ", "list -f": "a kind before the command, as in hiring submissions list. That leaves out -f. ",
		"cancel b@x.test -a Q4": "hiring invitations revoke b@x.test -a Q4. ", "candidates add -d email=b@x.test -d assessment=Y": "hiring invitations invite <candidate> -a <assessment> for", "cp b@x:/w.zip ./b/": "hiring submissions archive <submission>. That leaves out b@x:/w.zip, ./b/. ",
		"invitations add file://people.csv": "hiring invitations invite <candidate> -a <assessment> for a candidate such as 'Ada <ada@example.com>', which has no --dry-run and asks before it sends, or hiring invitations import <file.csv> -a <assessment> for a file. That leaves out file://people.csv.",
		"apply -f invites.yaml":             "hiring invitations import <file.csv> -a <assessment>, which reads CSV; ", "submissions help": "hiring help submissions. ", "submissions export " + id: "hiring submissions archive " + id + " for the workspace, or ",
		"submissions list -s started": "--status started. ", "assessments ls -a": "--all. ", "assessments list --filter name=ada": "--all --jq 'map(select(.name | test(\"ada\"; \"i\")))'. ", "submissions list --filter status!=x": "--all --jq 'map(select(.status != \"x\"))'; ",
		"submissions list --query length([].[id])": "--jq '.[].id'", "submissions list --query [].[id]|[0]": "--jq '.[].id'", "subs --min-score high": "hiring submissions list. That leaves out --min-score. ", "close b@x.test": "hiring assessments close <assessment>. ", "withdraw -d id=" + id: "hiring invitations revoke <invitation>. That leaves out -d. ",
		"apply -f p.csv -n " + id: "hiring invitations import --dry-run p.csv -a <assessment>. That leaves out -n. ", "bulk p.jsonl": "hiring invitations import <file.csv> -a <assessment>",
		"report --assessment " + id: "hiring submissions export <file> -a " + id + " for all, ", "invite --email b@x.test --name Bob -a " + id: "an argument, as in hiring invite b@x.test --name Bob -a " + id + ".",
	} {
		got := runWith(t.Context(), sandbox.TestKey, nil, strings.Fields(line)...)
		assert.Contains(t, strings.Join(strings.Fields(got.stderr), " ")+" ", "Use "+advice, line)
	}
}

// TestAgeInWeeks: the time in the advice is two weeks ago.
func TestAgeInWeeks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // It begins on 2000-01-01.
		assert.Contains(t, runWith(t.Context(), sandbox.TestKey, nil, "events", "list", "x", "--since", "2w").stderr, "1999-12-18T00:00:00Z")
	})
}

// TestNoWordLeadsToASecondEMail: no suggestion or help leads to the command that sends
// without a look, and that command needs a flag.
func TestNoWordLeadsToASecondEMail(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	for _, word := range []string{"invite", "create", "add", "new", "ensure", "sent", "resent", "sendd"} {
		got := u.run("invitations", word, "Ada <ada@example.com>", "-a", h.id, "--yes")
		assert.NotContains(t, got.stderr, "hiring invitations send?", word)
		got = u.run(word, "Ada <ada@example.com>", "-a", h.id, "--yes")
		assert.NotContains(t, got.stderr, "send?", word)
	}
	u.fails(exitUsage, "needs --again, because the candidate may get a second e-mail. Use hiring invitations invite --yes 'Ada <ada@example.com>' -a "+h.id+": it invites one or many, ", "invitations", "send", "Ada <ada@example.com>", "-a", h.id, "--yes")
	assert.Equal(t, 1, h.invitations()["ada@example.com"])
	require.Zero(t, u.run("invitations", "send", "Ada <ada@example.com>", "-a", h.id, "--yes", "--again").code)
	assert.Equal(t, 2, h.invitations()["ada@example.com"])
}

// TestListsReadWhatTheyShow: 30 items with one read, unless the user asks for more.
func TestListsReadWhatTheyShow(t *testing.T) {
	t.Parallel()
	const more = "Showing %s; more exist: use --limit <n> or --all.\n"
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	for flags, want := range map[string]struct {
		shown, reads int
		more         string
	}{
		"":                {30, 1, "30"},
		"--limit 100":     {100, 1, "100"},
		"--limit 101":     {101, 2, "101"},
		"--limit 293":     {293, 3, ""},
		"--all":           {293, 3, ""},
		"--sort -score":   {30, 3, "30"},
		"-o csv":          {30, 1, "30"},
		"--status submit": {0, 1, ""},
	} {
		before := len(server.Journal())
		got := u.run(append([]string{"submissions", "list", "-o", "jsonl"}, strings.Fields(flags)...)...)
		assert.Zero(t, got.code, got.stderr)
		rows := strings.Count(got.stdout, "\n")
		if flags == "-o csv" {
			rows--
		}
		assert.Equal(t, want.shown, rows, flags)
		assert.Len(t, server.Journal(), before+want.reads, flags)
		if want.more != "" {
			assert.Equal(t, strings.Replace(more, "%s", want.more, 1), got.stderr, flags)
		} else {
			assert.NotContains(t, got.stderr, "more exist")
		}
	}
}

// TestAFilterOfAPart: a filter that saw only the first items says so.
func TestAFilterOfAPart(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	assert.Equal(t, result{stdout: "30\n", stderr: "The filter saw only the first 30; --all reads the rest.\n"}, u.run("submissions", "list", "--jq", "length"))
	assert.Equal(t, result{stdout: "293\n"}, u.run("submissions", "list", "--jq", "length", "--all"))
}

// TestFieldsOfARequest: -f makes a POST unless the method is GET, and a POST with a live key says so.
func TestFieldsOfARequest(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.LiveKey)
	got := u.run("api", "/submissions", "-f", "page_size=1")
	assert.Equal(t, result{stderr: "hiring: This would send POST /submissions with a live key. Confirm with --yes.\n", code: exitUsage}, got)
	u.fails(exitUsage, "hiring: POST /assessments (because of -f; give GET before the path to read): 400 INVALID_INPUT: ", "api", "/assessments", "-f", "page=2", "--yes")
	u.fails(exitUsage, "hiring: POST /assessments: 400 INVALID_INPUT: ", "api", "POST", "/assessments", "-f", "page=2", "--yes")
	server.ClearJournal()
	assert.Zero(t, u.run("api", "GET", "/submissions", "-f", "page_size=1").code)
	require.Len(t, server.Journal(), 1)
	assert.Equal(t, "page_size=1", server.Journal()[0].Query)
}

// TestForms: names of commands, columns and statuses in another form, and an id and an address as other programs and
// browsers show them.
func TestForms(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	want := result{stdout: "91\n"}
	for _, form := range []string{
		"submission/" + sandbox.SubmissionID, "https://app.test/submissions/" + sandbox.SubmissionID + "/report?tab=1",
		"mailto:bjorn.bergstrom@candidates.test", "Björn <BJORN.bergstrom@candidates.test>", "candidates/bjorn.bergstrom@candidates.test", "BJORN bergstrom",
	} {
		assert.Equal(t, want, u.run("Report", form, "--jq", ".score"), form)
	}
	assert.Equal(t, want, u.run("SUBMISSIONS", "GET", sandbox.SubmissionID, "--jq", ".score"))
	assert.Equal(t, u.run("submissions", "list", "--columns", "id,submitted_at", "--sort", "-submitted_at"),
		u.run("submissions", "list", "--columns", "ID, submittedAt", "--sort", "-SUBMITTED AT"))
	assert.Equal(t, u.run("account", "-o", "csv"), u.run("account", "-o", "CSV"))
	assert.Equal(t, u.run("submissions", "list", "--status", "evaluated"), u.run("submissions", "list", "--status", "Evaluated"))
	assert.Contains(t, u.run("https://app.test/submissions/"+sandbox.SubmissionID).stderr, "Use hiring submissions get "+sandbox.SubmissionID+".\n")
	assert.Contains(t, u.run("assessment/"+sandbox.AssessmentID).stderr, "Use hiring assessments get "+sandbox.AssessmentID+".\n")
	got := u.run("submissions", "list", "-a", sandbox.UnknownID)
	assert.Equal(t, exitNotFound, got.code, "no empty list")
	got = u.run("submissions", "find", "a@example.com,b@example.com")
	assert.NotContains(t, got.stderr, "may not have started", "two addresses")
}

// TestPartsOfNames: a command that reads takes a part of a name, if it is of one thing.
func TestPartsOfNames(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	assert.Equal(t, u.run("assessments", "get", "a0000000-0000-4000-8000-000000000002").stdout, u.run("assessments", "get", "whole challenge").stdout)
	want := result{stdout: u.run("report", "bjorn.bergstrom@candidates.test").stdout, stderr: "Submission: Björn Bergström\n"}
	assert.Equal(t, want, u.run("report", "bjorn bergs"), "the whole name is printed")
	for part, why := range map[string]string{"eam": "team has it within a word", "se": "two letters"} {
		assert.Equal(t, exitNotFound, u.run("assessments", "get", part).code, why)
	}
	u.fails(exitUsage, "2 assessments match payments. Give the id of one: ", "submissions", "list", "-a", "payments") // One name begins so, and another has it.
	assert.Regexp(t, `^hiring: \d+ submissions match chiara\. .*; and \d+ more\.\n$`, u.run("report", "chiara").stderr)
	u.fails(exitNotFound, "There is no assessment whole challenge. This command takes an id or a whole name. Similar: Payments engineer, whole challenge (active, ", "assessments", "close", "whole challenge")
}

// TestResendARevokedInvitation: the rejection names the command that sends a further one.
func TestResendARevokedInvitation(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 1)
	invitation, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, h.people[0])
	require.NoError(t, err)
	u := newUser(t, h.server, sandbox.LiveKey)
	require.Zero(t, u.run("invitations", "revoke", invitation.ID, "--yes").code)
	got := u.fails(exitFailed, "409 CONFLICT: ", "invitations", "resend", invitation.ID, "--yes")
	assert.Contains(t, got.stderr, " hiring invitations send <candidate> -a <assessment> --again sends a further invitation.\n")
}

// TestAssessmentsByName: a command that reads takes an id, a name or the unique beginning of
// one, and a command that writes an id or a whole name.
func TestAssessmentsByName(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	u.write("people.csv", "name,email\nAda,ada@example.com\n")
	for _, line := range [][]string{
		{"assessments", "get", "Senior", "--jq", ".id"},
		{"assessments", "get", "a0000000-0000-4000-8000-000000000001"},
		{"challenges", "get", "Payments backend"},
		{"challenges", "get", "payments-b"},
		{"invitations", "list", "-a", "Senior", "--limit", "1"},
		{"submissions", "list", "-a", "Senior", "--limit", "1"},
		{"submissions", "find", "bjorn.bergstrom@candidates.test", "-a", "Senior"},
		{"submissions", "wait", sandbox.SubmissionID, "-a", "Senior"},
		{"submissions", "export", "all.jsonl", "-a", "Senior"},
		{"watch", "-a", "Senior", "--once", "--checkpoint", "s"},
	} {
		got := u.run(line...)
		assert.Zero(t, got.code, "%v: %s", line, got.stderr)
	}
	const senior, payments = "senior payments ENGINEER", "PAYMENTS backend"
	for _, line := range [][]string{
		{"assessments", "create", "--name", "Backend", "--challenge", payments},
		{"assessments", "close", senior},
		{"assessments", "delete", senior},
		{"invitations", "send", "--again", "Ada <ada@example.com>", "-a", senior},
		{"invitations", "invite", "Ada <ada@example.com>", "Bob <bob@example.com>", "-a", senior},
		{"invitations", "resend", "1a000000-0000-4000-8001-000000000360", "-a", senior},
		{"invitations", "revoke", "zoe.sahin@candidates.test", "-a", senior},
		{"invitations", "import", "people.csv", "-a", senior},
		{"invitations", "import", "people.csv", "--dry-run", "-a", senior},
	} {
		begun := append(slices.Clone(line[:len(line)-1]), line[len(line)-1][:8])
		got := u.run(begun...)
		assert.Equal(t, exitNotFound, got.code, "%v: %s", begun, got.stderr)
		assert.Regexp(t, "There is no (assessment|challenge) (senior p|PAYMENTS). This command takes an id or a whole name. Similar: (Senior|Payments) [^;]+000001\\).\n$", got.stderr)
		assert.Zero(t, writes(server), "%v", begun)
		got = u.run(line...)
		assert.Zero(t, got.code, "%v: %s", line, got.stderr)
		server.ClearJournal()
	}
	h := newCampaign(t, 1)
	h.server.AddAssessment("Ende\u0301mique")
	live := newUser(t, h.server, sandbox.LiveKey)
	assert.Zero(t, live.run("assessments", "delete", "end\u00e9mique", "--yes").code, "one name in two normal forms")
	h.server.AddAssessment("Backend")
	for name, says := range map[string]string{
		"Backend": "2 assessments match Backend. Give the id of one: Backend (active, ", " ": "The assessment is empty",
	} {
		live.fails(exitUsage, says, "assessments", "delete", name, "--yes")
	}

	got := u.run("assessments", "get", "nonsense")
	assert.Equal(t, result{stderr: "hiring: There is no assessment nonsense. Give one name or id: hiring assessments list --all shows them.\n", code: exitNotFound}, got)
}

// TestInvitationByID: without its assessment it is looked up.
func TestInvitationByID(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 1)
	other := h.server.AddAssessment("Newer")
	invitation, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, h.people[0])
	require.NoError(t, err)
	u := newUser(t, h.server, sandbox.LiveKey)
	before := len(h.server.Journal())
	assert.Zero(t, u.run("invitations", "resend", invitation.ID, "-a", h.id, "--yes").code)
	assert.Len(t, h.server.Journal(), before+1, "only a question names the candidate")
	assert.Zero(t, u.run("invitations", "resend", invitation.ID, "--yes").code)
	assert.Contains(t, u.onTerminal("invitations", "revoke", invitation.ID, "--yes").stdout, "Revoked the invitation.")
	u.fails(exitNotFound, "There is no invitation ", "invitations", "revoke", sandbox.UnknownID, "--yes")
	assert.Equal(t, exitNotFound, u.run("invitations", "revoke", invitation.ID, "-a", other, "--yes").code, "the flag is not second-guessed")
}

// TestInvitationByAddress is the newest of the candidate in the assessment.
func TestInvitationByAddress(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 2)
	sent := make(map[string]string)
	for _, person := range []hiring.NewInvitation{h.people[0], h.people[0], h.people[1]} {
		invitation, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, person)
		require.NoError(t, err)
		sent[person.Email] = invitation.ID
	}
	u := newUser(t, h.server, sandbox.LiveKey)
	got := u.run("invitations", "resend", "C0@example.com", "-a", h.id, "--yes", "--jq", ".id")
	assert.Equal(t, result{stdout: sent["c0@example.com"] + "\n"}, got)
	assert.Zero(t, u.run("invitations", "revoke", "c0@example.com", "-a", "Backend", "--yes").code)
	last := h.server.Journal()[len(h.server.Journal())-1]
	assert.Contains(t, last.Path, sent["c0@example.com"]+"/revoke")
	got = u.run("invitations", "resend", "c9@example.com", "-a", h.id, "--yes")
	assert.Equal(t, result{stderr: "hiring: There is no invitation c9@example.com. hiring invitations list -a " + h.id + " shows the ids.\n", code: exitNotFound}, got)
	got = u.run("invitations", "resend", "c0@example.com", "--yes")
	assert.Equal(t, result{stderr: "hiring: --assessment is missing. A candidate may have invitations of several assessments: hiring invitations find c0@example.com lists them.\n", code: exitUsage}, got)
}

// TestFindInvitations: in one assessment or in all, and by status.
func TestFindInvitations(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 2)
	client := h.server.LiveClient()
	other := h.server.AddAssessment("Other")
	first, err := client.Invitations.Send(t.Context(), h.id, h.people[0])
	require.NoError(t, err)
	second, err := client.Invitations.Send(t.Context(), other, h.people[0])
	require.NoError(t, err)
	_, err = client.Invitations.Send(t.Context(), other, h.people[1])
	require.NoError(t, err)
	u := newUser(t, h.server, sandbox.LiveKey)
	got := u.run("invitations", "find", "C0@example.com", "-o", "csv", "--columns", "id,assessment_id")
	assert.ElementsMatch(t, []string{"id,assessment_id", first.ID + "," + h.id, second.ID + "," + other}, strings.Fields(got.stdout), got.stderr)
	assert.Equal(t, result{stdout: first.ID + "\n"}, u.run("invitations", "find", first.ID[:35]+"…", "-a", "Backend", "--jq", ".[].id"))
	require.Zero(t, u.run("invitations", "revoke", first.ID, "--yes").code)
	assert.Equal(t, result{stdout: first.ID + "\n"}, u.run("invitations", "list", "-a", h.id, "--status", "revoked", "--jq", ".[].id"))
	assert.Equal(t, result{}, u.run("invitations", "list", "-a", h.id, "--status", "sent", "--jq", ".[].id"))
	assert.Contains(t, u.run("invitations", "list", "-a", h.id, "--status", "pending").stderr, "known are sent, opened, started, evaluated, revoked, expired.")
	assert.Contains(t, u.run("invitations", "find", "--help").stdout, "with one read\nfor each assessment and each 100 of its invitations.")
	assert.Len(t, strings.Fields(u.run("invitations", "find", "c0@exa", "--jq", ".[].id").stdout), 2, "a part of an address")
	byName := u.run("invitations", "find", strings.ToUpper(first.CandidateName[1:]), "--jq", ".[].id")
	assert.ElementsMatch(t, []string{first.ID, second.ID}, strings.Fields(byName.stdout), "a part of a name")
	nobody := u.run("invitations", "find", "", "--jq", ".[].id")
	assert.Equal(t, result{stderr: "hiring: There is no invitation of ''. hiring invitations list -a <assessment> shows the invitations.\n", code: exitNotFound}, nobody, "a variable that is not set")
}
