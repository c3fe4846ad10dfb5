package examples_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// poll prepares a run that begins with all earlier evaluations.
func poll(t *testing.T, s service, args ...string) *exec.Cmd {
	t.Helper()
	return program(t, s, "poll", append([]string{"-listen=", "-since=2000-01-01"}, args...)...)
}

// delivered returns the ids in complete lines.
func delivered(t *testing.T, text string) (ids []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		var item struct {
			ID string `json:"submission_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &item), line)
		ids = append(ids, item.ID)
	}
	return ids
}

// evaluated counts the submissions to deliver.
func evaluated(t *testing.T) int {
	t.Helper()
	all, err := sandbox.New().Client().Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}).Collect(t.Context())
	require.NoError(t, err)
	return len(all)
}

func TestPollEndsWithOneClearLine(t *testing.T) {
	t.Parallel()
	for name, c := range failures(t) {
		if name == "no server" {
			continue // It waits for the server.
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := output(t, poll(t, c.service))
			require.Equal(t, 1, status)
			require.Empty(t, stdout)
			require.Regexp(t, `(?m)^time=\S+ level=ERROR msg=ended error=[^\n]+\n\z`, stderr)
			require.Contains(t, stderr, c.want)
			require.NotContains(t, strings.ReplaceAll(stderr, "sk_test_…", "the key"), "sk_test")
		})
	}
}

func TestPollNeedsNoSetup(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "poll"))
	require.Equal(t, 0, status, stderr)
	require.Len(t, delivered(t, stdout), evaluated(t))
}

// TestPollWritesNoSampleDataWhereAServerIsMissing uses settings that mean a server.
func TestPollWritesNoSampleDataWhereAServerIsMissing(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-checkpoint=" + filepath.Join(t.TempDir(), "state"), "-assessment=" + sandbox.AssessmentID} {
		out := filepath.Join(t.TempDir(), "out")
		_, stderr, status := output(t, program(t, service{}, "poll", flag, "-out="+out))
		require.Equal(t, 1, status)
		require.Contains(t, stderr, "HIRING_BASE_URL")
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Empty(t, text)
	}
}

func TestPollRefusesWrongSettings(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"POLL_SINCE=yesterday": `invalid value "yesterday" for flag -since`,
		"POLL_ONCE=perhaps":    `invalid boolean value "perhaps" for -once`,
		"POLL_ONCE=true":       "-once needs -checkpoint",
	} {
		cmd := program(t, service{}, "poll")
		cmd.Env = append(cmd.Env, variable)
		_, stderr, status := output(t, cmd)
		require.Equal(t, 2, status, stderr)
		require.Contains(t, stderr, want)
	}
	_, stderr, status := output(t, program(t, service{}, "poll", "5b000000-0000-4000-8001-000000000001"))
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "takes no arguments")
}

// TestPollReadsItsVariables also checks that flags override variables, and that an empty variable but POLL_LISTEN is not set.
func TestPollReadsItsVariables(t *testing.T) {
	t.Parallel()
	server, folder := sandbox.Start(t), t.TempDir()
	out := filepath.Join(folder, "lines")
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	for range 2 { // The second run has nothing new.
		cmd := program(t, service{server.URL(), sandbox.TestKey}, "poll", "-since=2000-01-01T00:00:00Z")
		cmd.Env = append(cmd.Env, "POLL_SINCE=2030-01-01", "POLL_ONCE=true", "POLL_CHECKPOINT="+filepath.Join(folder, "state"), "POLL_OUT="+out, "POLL_ASSESSMENT=")
		_, stderr, status := output(t, cmd)
		require.Equal(t, 0, status, stderr)
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Len(t, delivered(t, string(text)), evaluated(t))
	}

	cmd := program(t, service{server.URL(), sandbox.TestKey}, "poll")
	cmd.Env = append(cmd.Env, "POLL_LISTEN="+taken.Addr().String())
	_, stderr, status := output(t, cmd)
	require.Equal(t, 1, status, stderr)
	require.Contains(t, stderr, "address already in use")
}

func TestPollStopsOnSignal(t *testing.T) {
	t.Parallel()
	for name, answer := range stalls {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(name+"/"+signal.String(), func(t *testing.T) {
				t.Parallel()
				stderr, status := stop(t, answer, signal, "poll", "-listen=", "-since=2000-01-01")
				require.Zero(t, status, stderr)
				require.Contains(t, stderr, "level=INFO msg=stopped\n")
			})
		}
	}
}

// TestPollIsKilledByASecondSignal runs jobs until one is blocked in a write, because nothing reads their pipe. The first
// signal does not end the write. If it comes before the write, the job ends, and the next one gets more time.
func TestPollIsKilledByASecondSignal(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer func() { require.NoError(t, errors.Join(reader.Close(), writer.Close())) }()
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		asked := make(chan struct{})
		ask := sync.OnceFunc(func() { close(asked) })
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			ask()
			server.ServeHTTP(w, r)
		})
		cmd := poll(t, service{url, sandbox.TestKey}, "-once", "-checkpoint="+filepath.Join(t.TempDir(), "state"))
		cmd.Stdout = writer
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		<-asked                       // From now on the program handles signals.
		again := time.NewTicker(wait) // The program may receive the first ones as one signal.
		for running := true; running; {
			select {
			case err = <-ended:
				running = false
			case <-again.C:
				_ = cmd.Process.Signal(syscall.SIGTERM) // The process may have ended.
			}
		}
		again.Stop()
		if err != nil {
			require.ErrorContains(t, err, "signal: terminated")
			return
		}
	}
}

func TestPollNoticesThatThereIsNoReader(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	state := filepath.Join(t.TempDir(), "state")
	cmd := poll(t, service{server.URL(), sandbox.TestKey}, "-checkpoint="+state)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.NoError(t, reader.Close())
	require.Error(t, cmd.Run())
	require.NoError(t, writer.Close())
	require.Equal(t, 1, cmd.ProcessState.ExitCode(), stderr.String())
	require.Contains(t, stderr.String(), `level=ERROR msg=ended error="results cannot be written: write /dev/stdout: broken pipe"`)
	lines, err := poll(t, service{server.URL(), sandbox.TestKey}, "-once", "-checkpoint="+state).Output()
	require.NoError(t, err)
	require.Len(t, delivered(t, string(lines)), evaluated(t), "nothing was delivered before")
}

// TestPollRejectsAClosedStandardOutput closes it like a shell's >&-. The runtime then
// opens the null device in its place, so that output would be lost.
func TestPollRejectsAClosedStandardOutput(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	state := filepath.Join(t.TempDir(), "state")
	for _, to := range []string{">&-", ">/dev/null"} {
		run := poll(t, service{server.URL(), sandbox.TestKey}, "-once", "-checkpoint="+state)
		cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `exec "$@" ` + to, "sh"}, run.Args...)...)
		cmd.Env = run.Env
		stdout, stderr, status := output(t, cmd)
		require.Equal(t, 1, status, stderr)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "standard output")
		require.NoFileExists(t, state)
	}
	lines, err := poll(t, service{server.URL(), sandbox.TestKey}, "-once", "-checkpoint="+state).Output()
	require.NoError(t, err)
	require.Len(t, delivered(t, string(lines)), evaluated(t), "nothing was delivered before")
}
