// Package examples_test runs the examples like their readers: built, as processes.
package examples_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

var update = flag.Bool("update", false, "write testdata anew")

// programs is the folder of the built examples. It stays, so that the next run builds what has changed.
var programs = filepath.Join("..", ".cache", "examples")

// TestMain builds the examples, which takes longer than the tests of a change should. So .ci/run sets the variable.
func TestMain(m *testing.M) {
	if os.Getenv("HIRING_SKIP_NOTHING") == "" {
		fmt.Println("the examples are built and run with HIRING_SKIP_NOTHING=1, as in .ci/run")
		return
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", programs+"/", "./quickstart", "./poll", "./reports", "./invite", "./backend")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		os.Exit(1)
	}
	m.Run()
}

// service has the values of the two variables; the zero value sets neither.
type service struct{ url, key string }

// program prepares a run, which is killed at the end of the test.
func program(t *testing.T, s service, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, name), args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "HIRING_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	if s.url != "" {
		cmd.Env = append(cmd.Env, "HIRING_BASE_URL="+s.url)
	}
	if s.key != "" {
		cmd.Env = append(cmd.Env, "HIRING_API_KEY="+s.key)
	}
	return cmd
}

// output runs a program to its end.
func output(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%v", cmd)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// oneLine checks the output of a failed program.
func oneLine(t *testing.T, name, stderr string, status int, want string) {
	t.Helper()
	require.Equal(t, 1, status, "exit status of %s, which said %q", name, stderr)
	line, ended := strings.CutSuffix(stderr, "\n")
	require.True(t, ended && !strings.Contains(line, "\n"), "%s must say one line, said %q", name, stderr)
	require.True(t, strings.HasPrefix(line, name+": "), "%s must begin with its name, said %q", name, stderr)
	require.Contains(t, line, want)
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// failures returns services that a program cannot use, and a part of the error.
func failures(t *testing.T) map[string]failure {
	t.Helper()
	fake := sandbox.Start(t)
	page := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>\n<h1>Not here</h1>\n</html>", http.StatusNotFound)
	})
	return map[string]failure{
		"wrong key":          {service{fake.URL(), "sk_test_wrong"}, "401 INVALID_TOKEN"},
		"another web server": {service{page, sandbox.TestKey}, "404 the response is not from the API"},
		"not an address":     {service{"hiring.example.com", sandbox.TestKey}, "HIRING_BASE_URL: must be absolute"},
		"no server":          {service{"http://127.0.0.1:1", sandbox.TestKey}, "refused"},
		"no key":             {service{fake.URL(), ""}, "HIRING_API_KEY"},
		"no address":         {service{"", sandbox.TestKey}, "HIRING_BASE_URL"},
	}
}

type failure struct {
	service
	want string
}

func TestFailuresAreOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range failures(t) {
		for _, example := range []string{"quickstart", "invite"} {
			t.Run(name+"/"+example, func(t *testing.T) {
				t.Parallel()
				args := map[string][]string{"invite": {csvFile(t, "Ada,ada@example.com"), sandbox.AssessmentID}}
				stdout, stderr, status := output(t, program(t, c.service, example, args[example]...))
				oneLine(t, example, stderr, status, c.want)
				if example != "invite" { // It prints the candidates that it did not invite.
					require.Empty(t, stdout)
				}
			})
		}
	}
}

// stalls are servers that send no result in time.
var stalls = map[string]http.HandlerFunc{
	"in a request": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"between attempts": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(http.StatusServiceUnavailable)
	},
}

// stop runs a program until its first request, and sends it a signal.
func stop(t *testing.T, answer http.HandlerFunc, signal os.Signal, name string, args ...string) (stderr string, status int) {
	t.Helper()
	asked := make(chan struct{}, 100)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		answer(w, r)
	})
	cmd := program(t, service{url, sandbox.TestKey}, name, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	require.NoError(t, cmd.Start())
	<-asked
	require.NoError(t, cmd.Process.Signal(signal))
	_ = cmd.Wait()
	return errs.String(), cmd.ProcessState.ExitCode()
}

func TestInterruptEndsARequestAndAPause(t *testing.T) {
	t.Parallel()
	for name, answer := range stalls {
		for _, example := range []string{"quickstart", "invite"} {
			t.Run(name+"/"+example, func(t *testing.T) {
				t.Parallel()
				args := map[string][]string{"invite": {csvFile(t, "Ada,ada@example.com"), sandbox.AssessmentID}}
				stderr, status := stop(t, answer, os.Interrupt, example, args[example]...)
				oneLine(t, example, stderr, status, "")
				require.Regexp(t, "interrupt|canceled", stderr)
			})
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "reports", sandbox.SubmissionID, sandbox.UnknownID))
	require.Equal(t, sandbox.SubmissionID+" 91 true\n", stdout)
	oneLine(t, "reports", stderr, status, "1 submission missing")
}

func csvFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "candidates.csv")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return name
}

// escapes is a name that clears the screen, sets a title and reverses the line if a
// terminal interprets it.
const escapes = "Eve\x1b[2J\x1b]0;x\x07\x9b31m\u009b1m\u202e\b\x7f"

// harmless checks that a terminal interprets nothing in a text.
func harmless(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		require.True(t, unicode.IsGraphic(r) || r == '\n', "%q at %d of %q", r, i, text)
	}
	require.Contains(t, text, "Eve")
}

// TestNoTerminalIsGivenOrders uses names of candidates with escape sequences.
func TestNoTerminalIsGivenOrders(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "invite", filepath.Join(t.TempDir(), "none"+escapes)))
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "no such file")
	harmless(t, stdout+stderr)

	fake := sandbox.Start(t)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		fake.ServeHTTP(recorded, r)
		quoted, _ := json.Marshal(strings.ToValidUTF8(escapes, ""))
		for name, values := range recorded.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(recorded.Code)
		for _, member := range []string{"name", "candidate_name", "verdict", "verdict_label", "status"} {
			text := regexp.MustCompile(`"`+member+`":"[^"]{5,8}"`).ReplaceAll(recorded.Body.Bytes(), fmt.Appendf(nil, `"%s":%s`, member, quoted))
			recorded.Body = bytes.NewBuffer(text)
		}
		_, _ = w.Write(recorded.Body.Bytes())
	})
	for _, name := range []string{"quickstart", "poll"} {
		args := map[string][]string{"poll": {"-listen=", "-once", "-since=2000-01-01", "-checkpoint=" + filepath.Join(t.TempDir(), "state")}}
		stdout, stderr, status := output(t, program(t, service{url, sandbox.TestKey}, name, args[name]...))
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "Eve")
		harmless(t, stdout)
	}
}

// TestPrintableIsTheSameEverywhere compares the copies. Each example has its own, so that
// its folder can be copied.
func TestPrintableIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	copies := make(map[string][]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, rest, found := strings.Cut(string(text), "func printable(")
		if body, _, ended := strings.Cut(rest, "\n}\n"); found && ended {
			copies[body] = append(copies[body], file)
		}
	}
	require.Len(t, copies, 1, "%v", copies)
	for _, files := range copies {
		require.GreaterOrEqual(t, len(files), 3)
	}
}

func TestQuickstartShowsTheTables(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "quickstart"))
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	const golden = "testdata/quickstart.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(stdout), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), stdout, "run go test ./examples -update if the change is meant")

	server := sandbox.Start(t)
	overTCP, stderr, status := output(t, program(t, service{server.URL(), sandbox.TestKey}, "quickstart"))
	require.Zero(t, status, stderr)
	require.Equal(t, stdout, overTCP, "the embedded sandbox and the same one over TCP")
}

func TestQuickstartOnlyReadsWithALiveKey(t *testing.T) {
	t.Parallel()
	fake := sandbox.Start(t)
	var writes atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			writes.Add(1)
		}
		r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
		fake.ServeHTTP(w, r)
	})
	stdout, stderr, status := output(t, program(t, service{url, "sk_live_quickstart"}, "quickstart"))
	require.Zero(t, status, stderr)
	require.Zero(t, writes.Load(), "requests other than GET")
	require.NotContains(t, stdout, "CREATED Quickstart")
	require.Contains(t, stdout, "writes: not known before the first one")
}

func TestInvite(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"no header": {"Ada Example,ada@example.com", "Bob Example,bob@@example.com", "Ada again,ADA@example.com", `"Example, Eve", eve@example.com `},
		"header":    {"\ufeffName,Email", "Ada Example,ada@example.com", "Bob Example,bob@@example.com", "Ada again,ADA@example.com", `"Example, Eve",eve@example.com`},
	} {
		stdout, stderr, status := output(t, program(t, service{}, "invite", csvFile(t, lines...)))
		require.Equal(t, "2 sent, 1 existing, 1 failed\n", stdout, name)
		oneLine(t, "invite", stderr, status, "candidate 2: Invitations.Send: 400 INVALID_INPUT")
	}
}

func TestInviteRejectsBadArguments(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	ada := csvFile(t, "Ada Example,ada@example.com")
	for _, c := range []struct {
		service
		args []string
		want string
	}{
		{service{server.URL(), sandbox.LiveKey}, []string{ada, sandbox.AssessmentID}, "this sends e-mails to real candidates (1 in the file)"},
		{service{server.URL(), "another-kind-of-key"}, []string{ada, sandbox.AssessmentID}, "this sends e-mails to real candidates (1 in the file)"},
		{service{server.URL(), sandbox.TestKey}, []string{ada}, "usage"},
		{service{server.URL(), sandbox.TestKey}, nil, "usage"},
		{service{}, nil, "usage: invite"},
		{service{}, []string{csvFile(t, "Bob Example,bob")}, "the columns must be name,email"},
		{service{}, []string{filepath.Join(t.TempDir(), "none.csv")}, "no such file"},
		{service{}, []string{csvFile(t, "Ada Example", "ada@example.com")}, "wrong number of fields"},
		{service{}, []string{csvFile(t, "who,email", "Ada Example,ada@example.com")}, "the columns must be name,email"},
		{service{}, []string{csvFile(t, "Ada,ada@example.com", "Bob")}, "wrong number of fields"},
	} {
		stdout, stderr, status := output(t, program(t, c.service, "invite", c.args...))
		oneLine(t, "invite", stderr, status, c.want)
		require.Empty(t, stdout)
	}
	require.Empty(t, server.Journal(), "nothing is sent")
}

func TestBackendServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	cmd := program(t, service{}, "backend", "-listen=127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(strings.TrimPrefix(line, "open ")), nil)
	require.NoError(t, err)
	reply, err := (&http.Client{Timeout: time.Minute}).Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	require.Equal(t, http.StatusOK, reply.StatusCode)
	require.Contains(t, string(body), "Invite a candidate")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "status 0")
}

func TestBackendRejectsWrongSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service
		args []string
		want string
	}{
		"no assessment":  {service{"https://hiring.example.com", sandbox.LiveKey}, nil, "-assessment ID"},
		"not an address": {service{"hiring.example.com", sandbox.LiveKey}, []string{"-assessment=a"}, "HIRING_BASE_URL: must be absolute"},
		"no key":         {service{"https://hiring.example.com", ""}, []string{"-assessment=a"}, "HIRING_API_KEY"},
		"nowhere":        {service{}, []string{"-listen=nowhere"}, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := output(t, program(t, c.service, "backend", c.args...))
			require.Empty(t, stdout)
			oneLine(t, "backend", stderr, status, c.want)
		})
	}
}
