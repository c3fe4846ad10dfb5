package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// runningProgram is a program that runs until it is stopped.
type runningProgram struct {
	stdout *bufio.Reader
	stderr *bufio.Reader
	stop   func(os.Signal) (rest string, code int)
}

func (u *user) start(args ...string) runningProgram {
	u.t.Helper()
	c := u.command(u.t.Context(), args...)
	stdout, err := c.StdoutPipe()
	require.NoError(u.t, err)
	stderr, err := c.StderrPipe()
	require.NoError(u.t, err)
	require.NoError(u.t, c.Start())
	s := runningProgram{stdout: bufio.NewReader(stdout), stderr: bufio.NewReader(stderr)}
	s.stop = func(with os.Signal) (string, int) {
		u.t.Helper()
		require.NoError(u.t, c.Process.Signal(with))
		rest, err := io.ReadAll(s.stderr)
		require.NoError(u.t, err)
		return string(rest), exitCode(u.t, c.Wait())
	}
	return s
}

func nextLine(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	line, err := from.ReadString('\n')
	require.NoError(t, err)
	return line
}

// newSubmission returns a submitted submission of the live data.
func newSubmission(t *testing.T, h *campaign, email string) (submission string) {
	t.Helper()
	client := h.server.LiveClient()
	person := h.people[0]
	person.Email = email
	invitation, err := client.Invitations.Send(t.Context(), h.id, person)
	require.NoError(t, err)
	submission, err = h.server.Begin(invitation.ID)
	require.NoError(t, err)
	require.NoError(t, h.server.Submit(submission))
	return submission
}

func TestWaitShowsItsProgress(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	first, second := newSubmission(t, h, "a@example.com"), newSubmission(t, h, "b@example.com")
	require.NoError(t, h.server.Evaluate(first, sandbox.Result{ShipScore: new(71)}))
	u.env = append(u.env, "TZ=UTC")
	got, _ := u.inDialog([]answer{{" UTC", "\x03"}}, "submissions", "wait", first, second, "--jq", ".report.ship_score")
	assert.Equal(t, exitInterrupted, got.code)
	assert.Regexp(t, `reports ready: \d of 2, next poll at \d\d:\d\d:\d\d UTC`, got.stdout)

	require.NoError(t, h.server.Evaluate(second, sandbox.Result{ShipScore: new(82), ReportDelay: time.Hour}))
	assert.Contains(t, u.run("report", second).stdout, "The submission is evaluated, but its report is not ready yet.\n")
	h.server.Advance(time.Hour)
	u.write("ids", first+"\n\n"+second+"\n"+sandbox.UnknownID+"\n")
	got = u.runWith(u.read("ids"), "submissions", "wait", "-", "--interval", "20ms", "--jq", ".report.ship_score")
	assert.ElementsMatch(t, []string{"71", "82"}, strings.Fields(got.stdout))
	assert.Equal(t, exitNotFound, got.code, got.stderr)
	assert.Regexp(t, "^hiring: .*\n$", got.stderr, "no progress without a terminal")
}

// TestTimeoutBelowTheInterval: a report that is ready well before the time limit is found.
func TestTimeoutBelowTheInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 1)
		submission := newSubmission(t, h, "a@example.com")
		time.AfterFunc(5*time.Second, func() { assert.NoError(t, h.server.Evaluate(submission, sandbox.Result{ShipScore: new(71)})) })
		before := len(h.server.Journal())
		got := runWith(t.Context(), sandbox.LiveKey, h.server.Transport(), "submissions", "wait", submission, "--timeout", "25s", "--jq", ".report.ship_score")
		assert.Equal(t, result{stdout: "71\n"}, got)
		assert.Less(t, len(h.server.Journal()), before+5)
	})
}

func TestWatchResumesFromItsCheckpoint(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	seen := make(map[string]int)
	watch := []string{"watch", "--since", "1h", "--checkpoint", "watch.state", "--interval", "20ms", "--jq", ".candidate.email"}
	for email, stopped := range map[string]struct {
		with os.Signal
		code int
	}{"a@example.com": {syscall.SIGINT, exitInterrupted}, "b@example.com": {syscall.SIGTERM, exitOK}} {
		submission := newSubmission(t, h, email)
		require.NoError(t, h.server.Evaluate(submission, sandbox.Result{ShipScore: new(71)}))
		s := u.start(watch...)
		for seen[email] == 0 {
			seen[strings.TrimSpace(nextLine(t, s.stdout))]++
		}
		second := u.run(append(watch, "--once")...)
		assert.Equal(t, result{stderr: "hiring: watch.state: another command is writing this file: wait until it has ended.\n", code: exitUsage}, second)
		_, code := s.stop(stopped.with)
		assert.Equal(t, stopped.code, code)
		assert.NoFileExists(t, filepath.Join(u.home, "watch.state.lock"))
	}
	assert.LessOrEqual(t, seen["a@example.com"]+seen["b@example.com"], 3, "at most the last line is repeated")

	require.NoError(t, h.server.Evaluate(newSubmission(t, h, "c@example.com"), sandbox.Result{}))
	got := u.onTerminal(append(watch, "--once")...)
	assert.Zero(t, got.code, got.stdout)
	assert.Contains(t, got.stdout, "--since does not count: the watch resumes from watch.state.")
	assert.Contains(t, got.stdout, "c@example.com\n")
	assert.Equal(t, result{}, u.run("watch", "--checkpoint", "watch.state", "--once"), "nothing is due, and cron sends no e-mail")
	u.env = append(u.env, "TZ=UTC")
	got, _ = u.inDialog([]answer{{" UTC", "\x03"}}, "watch")
	assert.Regexp(t, `results written: \d, next poll at \d\d:\d\d:\d\d UTC`, got.stdout)
	for _, line := range []string{"watch --once", "watch --checkpoint none/watch.state", "watch -o csv"} {
		assert.Equal(t, exitUsage, u.run(strings.Fields(line)...).code, line)
	}
}

// TestOnePollReadsAllThatIsDue: --once polls again while there is more, here in the next window
// of the rate limit.
func TestOnePollReadsAllThatIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 1)
		for i := range 250 {
			_, err := h.server.AddResult(h.id, fmt.Sprintf("c%d@example.com", i), sandbox.Result{})
			require.NoError(t, err)
		}
		h.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 2)
		began, read := time.Now(), 0
		o := hiring.WatchOptions{Since: began.Add(-time.Hour), Checkpoint: hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))}
		for _, want := range []int{250, 0} {
			for _, err := range pollAll(t.Context(), h.server.LiveClient(), o) {
				require.NoError(t, err)
				read++
			}
			assert.Equal(t, want, read)
			read = 0
		}
		assert.Equal(t, time.Hour, time.Since(began), "the next window of the rate limit")
	})
}

// TestEvaluatedSince finds what was evaluated three days after the beginning, whichever time
// the API compares with since.
func TestEvaluatedSince(t *testing.T) {
	t.Parallel()
	for _, on := range []sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceSubmitted, sandbox.SinceEvaluated} {
		h := newCampaign(t, 1)
		h.server = sandbox.New(sandbox.WithSinceOn(on))
		h.id = h.server.AddAssessment("Backend")
		submission := newSubmission(t, h, "a@example.com")
		h.server.Advance(72 * time.Hour)
		require.NoError(t, h.server.Evaluate(submission, sandbox.Result{}))
		u := newUser(t, h.server, sandbox.LiveKey)
		list := func(flag string, days int) string {
			return u.run("submissions", "list", flag, time.Now().AddDate(0, 0, days).Format(time.RFC3339), "--jq", ".[].id").stdout
		}
		assert.Equal(t, submission+"\n", list("--evaluated-since", 2), on)
		assert.Empty(t, list("--evaluated-since", 4), on)
		assert.Equal(t, on != sandbox.SinceEvaluated, list("--since", 2) == "", on)
		require.Zero(t, u.run("submissions", "export", "day.jsonl", "--evaluated-since", "1d", "--force").code)
		assert.Contains(t, u.read("day.jsonl"), submission, on)
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	submission := newSubmission(t, h, "a@example.com")
	got := u.onTerminal("submissions", "archive", submission)
	require.Zero(t, got.code, got.stdout)
	assert.Contains(t, got.stdout, "Wrote "+submission+".zip")
	assert.True(t, strings.HasPrefix(u.read(submission+".zip"), "PK"), "a zip file")
	info, err := os.Stat(filepath.Join(u.home, submission+".zip"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode(), "the archive belongs to a candidate")
	assert.Equal(t, result{stdout: u.read(submission + ".zip")}, u.run("submissions", "archive", submission, "-f", "-"))
	u.write("older.zip", "older")
	for _, file := range []string{submission + ".zip", "older.zip"} {
		got = u.run("submissions", "archive", submission, "-f", file)
		assert.Equal(t, result{stderr: "hiring: " + file + " exists. --force replaces it.\n", code: exitUsage}, got)
	}
	assert.Equal(t, result{stderr: "hiring: warning: Wrote " + submission + ".zip; -f - writes to standard output.\n"}, u.run("submissions", "archive", submission, "--force"))
	got = u.run("submissions", "archive", submission)
	assert.Equal(t, result{stderr: "hiring: " + submission + ".zip exists. --force replaces it.\n", code: exitUsage}, got)
	assert.Equal(t, "older", u.read("older.zip"))
	assert.Zero(t, u.run("submissions", "archive", submission, "-f", "older.zip", "--force").code)
	assert.Equal(t, u.read(submission+".zip"), u.read("older.zip"))

	h.server.Inject(sandbox.Fault{Route: "GET /_archive/{id}", Times: 50, Status: 404})
	got = u.run("submissions", "archive", submission, "-f", "broken.zip")
	assert.NotZero(t, got.code)
	entries, err := filepath.Glob(filepath.Join(u.home, "broken*"))
	require.NoError(t, err)
	assert.Empty(t, entries, "a partial archive would look complete")
}

// TestExitStatuses checks the documented exit statuses.
func TestExitStatuses(t *testing.T) {
	t.Parallel()
	create := []string{"assessments", "create", "--challenge", "c0000000-0000-4000-8000-000000000001", "--name", "Backend"}
	for name, c := range map[string]struct {
		key   string
		fault sandbox.Fault
		args  []string
		code  int
		says  string
	}{
		"refused key":     {key: "sk_test_other", args: []string{"account"}, code: exitAuth, says: "INVALID_TOKEN"},
		"missing scope":   {key: sandbox.ReadOnlyKey, args: create, code: exitAuth, says: "write"},
		"quota":           {fault: sandbox.Fault{Route: "GET /account", Status: 429, RetryAfter: time.Hour}, args: []string{"account"}, code: exitQuota, says: "hiring quota"},
		"unknown outcome": {fault: sandbox.Fault{Route: "POST /assessments", Reset: true, After: true}, args: create, code: exitUnknown, says: "Check with a list command"},
		"server error":    {fault: sandbox.Fault{Route: "GET /account", Times: 4, Status: 501}, args: []string{"account"}, code: exitFailed, says: "501"},
		"proxy":           {fault: sandbox.Fault{Route: "GET /account", Status: 200, ContentType: "text/html", Body: "<h1>Sign in\x1b[2J</h1>"}, args: []string{"account"}, code: exitFailed, says: "Sign in"},
	} {
		server := sandbox.New()
		if c.fault.Route != "" {
			server.Inject(c.fault)
		}
		u := newUser(t, server, cmp.Or(c.key, sandbox.TestKey))
		got := u.run(c.args...)
		assert.Equal(t, c.code, got.code, "%s: %s", name, got.stderr)
		assert.Contains(t, got.stderr, c.says, name)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "%s: one line: %q", name, got.stderr)
		assert.NotContains(t, got.stderr, "\x1b", name)
		assert.Empty(t, got.stdout, name)
	}
}

// TestWatchLosesNoResultToACutLine: a full disk or a crash has cut the last line of the file. The
// next result begins a line of its own.
func TestWatchLosesNoResultToACutLine(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	submission := newSubmission(t, h, "a@example.com")
	require.NoError(t, h.server.Evaluate(submission, sandbox.Result{ShipScore: new(71)}))
	for before, want := range map[string]string{
		"":                              submission + "\n",
		`"whole"` + "\n":                `"whole"` + "\n" + submission + "\n",
		`"whole"` + "\n" + `{"id":"5b0`: `"whole"` + "\n" + `{"id":"5b0` + "\n" + submission + "\n",
	} {
		for _, flag := range []int{os.O_WRONLY, os.O_RDWR} { // A shell's >> is the first.
			u.write("results.jsonl", before)
			file, err := os.OpenFile(filepath.Join(u.home, "results.jsonl"), flag|os.O_APPEND, 0o600)
			require.NoError(t, err)
			c := u.command(t.Context(), "watch", "--once", "--checkpoint", strconv.Itoa(flag)+strconv.Itoa(len(before)), "--since", "1h", "--jq", ".id")
			c.Stdout = file
			require.NoError(t, c.Run())
			require.NoError(t, file.Close())
			assert.Equal(t, want, u.read("results.jsonl"))
		}
	}
}

// TestWatchOnATerminal shows a line for people, unless the user asks for JSON.
func TestWatchOnATerminal(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	watch := []string{"watch", "--since", "2026-02-28T08:00:00Z", "--once", "--checkpoint"}
	line := regexp.MustCompile(`\x1b\[[0-9;]*[mK]`).ReplaceAllString(finalScreen(u.onTerminal(append(watch, "s")...).stdout), "")
	assert.Equal(t, "Théo O'Brien  theo.obrien@candidates.test  evaluated  34  Strong no  2026-02-27 15:57  5b000000-000…\n", line)
	for _, format := range []string{"json", "jsonl"} {
		assert.Contains(t, u.onTerminal(append(watch, format, "-o", format)...).stdout, `{"assessment_id":"`)
	}
	assert.Contains(t, u.run(append(watch, "table", "-o", "table")...).stdout, "Théo O'Brien  theo.")
	assert.Contains(t, u.run(append(watch, "csv", "-o", "csv")...).stderr, "this command writes lines of JSON. --jq ")
}
