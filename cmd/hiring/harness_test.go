package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// underTest makes this test binary act as the program, so that tests run it as a process.
const underTest = "HIRING_PROGRAM_UNDER_TEST"

// locklessUnderTest makes the file system of the program under test one without locks.
const locklessUnderTest = "HIRING_LOCKLESS_UNDER_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(underTest) != "" {
		_ = os.Unsetenv(underTest)
		if os.Getenv(locklessUnderTest) != "" {
			files.TryLock = func(*flock.Flock) (bool, error) {
				return false, &os.PathError{Op: "lock", Path: "x.lock", Err: syscall.ENOLCK}
			}
		}
		os.Exit(newApp().main())
	}
	flag.Parse()
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write what the tests see into testdata, instead of comparing")

// noon is the time of the tests' sandboxes.
func noon() time.Time { return time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC) }

// user runs the program with a home folder and an environment.
type user struct {
	t    *testing.T
	home string
	env  []string
}

// newUser returns a user of a server and a key. Without a server, nothing is configured.
func newUser(t *testing.T, server *sandbox.Server, key string) *user {
	t.Helper()
	home := t.TempDir()
	u := &user{t: t, home: home, env: []string{
		underTest + "=1", "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + filepath.Join(home, ".state"),
		"TZ=Europe/Berlin", "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "COLORTERM=truecolor",
	}}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		u.env = append(u.env, "GOCOVERDIR="+dir)
	}
	if server != nil {
		t.Cleanup(server.Close)
		u.env = append(u.env, envBaseURL+"="+server.URL(), envKey+"="+key)
	}
	return u
}

// writes returns how many requests that are no reads a server has received.
func writes(server *sandbox.Server) (n int) {
	for _, entry := range server.Journal() {
		if entry.Method != http.MethodGet {
			n++
		}
	}
	return n
}

// result is the result of a run. On a terminal, stdout has everything.
type result struct {
	stdout, stderr string
	code           int
}

func (u *user) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env, c.Dir = u.env, u.home
	return c
}

// run runs the program with pipes.
func (u *user) run(args ...string) result { return u.runWith("", args...) }

func (u *user) runWith(stdin string, args ...string) result {
	u.t.Helper()
	c := u.command(u.t.Context(), args...)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	code := exitCode(u.t, c.Run())
	return result{stdout.String(), stderr.String(), code}
}

// fails is run with a check of the exit status and of a text on standard error.
func (u *user) fails(code int, says string, args ...string) result {
	u.t.Helper()
	got := u.run(args...)
	assert.Equal(u.t, code, got.code, "%v: %s", args, got.stderr)
	assert.Contains(u.t, got.stderr, says, "%v", args)
	return got
}

// onTerminal runs the program on a pseudo-terminal and returns the raw output.
func (u *user) onTerminal(args ...string) result {
	u.t.Helper()
	return u.onScreen(pty.Winsize{Rows: 40, Cols: 100}, args...)
}

func (u *user) onScreen(size pty.Winsize, args ...string) result {
	u.t.Helper()
	got, _ := u.dialog(size, nil, args...)
	return got
}

// answer is what the user types after a question.
type answer struct{ question, typed string }

// inDialog runs the program on a pseudo-terminal and answers its questions. It also
// returns the open terminal, so that tests can check its settings.
func (u *user) inDialog(answers []answer, args ...string) (result, *os.File) {
	u.t.Helper()
	return u.dialog(pty.Winsize{Rows: 40, Cols: 100}, answers, args...)
}

func (u *user) dialog(size pty.Winsize, answers []answer, args ...string) (result, *os.File) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), time.Minute)
	defer cancel()
	c := u.command(ctx, args...)
	terminal, err := pty.StartWithSize(c, &size)
	require.NoError(u.t, err)
	u.t.Cleanup(func() { _ = terminal.Close() })
	var screen bytes.Buffer
	chunk := make([]byte, 4096)
	for {
		n, err := terminal.Read(chunk)
		screen.Write(chunk[:n])
		if err != nil {
			break
		}
		if len(answers) > 0 && strings.HasSuffix(strings.TrimSuffix(screen.String(), "\x1b[0m"), answers[0].question) {
			_, err := terminal.WriteString(answers[0].typed)
			require.NoError(u.t, err)
			answers = answers[1:]
		}
	}
	assert.Empty(u.t, answers, "never asked")
	code := exitCode(u.t, c.Wait())
	return result{stdout: strings.ReplaceAll(screen.String(), "\r\n", "\n"), code: code}, terminal
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return 0
}

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test -run %s -update writes it", t.Name())
	assert.Equal(t, string(want), text, "%s; go test -update writes what is seen now", file)
}

// finalScreen removes lines that were drawn over.
func finalScreen(screen string) string {
	var lines []string
	for line := range strings.SplitSeq(screen, "\n") {
		lines = append(lines, line[strings.LastIndex(line, "\r\x1b[K")+1:])
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\x1b[K", "")
}

// visible shows escape sequences in a golden file.
func visible(text string) string { return strings.ReplaceAll(text, "\x1b", "␛") }

// shellWords quotes args for a shell.
func shellWords(args []string) string {
	words := slices.Clone(args)
	for i, word := range words {
		if strings.ContainsAny(word, "|&;<>()$`\\\"' *?[]#~{}") {
			words[i] = "'" + word + "'"
		}
	}
	return strings.Join(words, " ")
}

// transcript returns the golden file of a run with pipes and a run on a terminal.
func transcript(args []string, piped, screen result) string {
	return "$ hiring " + shellWords(args) + "\n" +
		"--- stdout\n" + visible(piped.stdout) + "--- stderr\n" + visible(piped.stderr) + "--- exit " + strconv.Itoa(piped.code) + "\n" +
		"--- terminal of 100 columns\n" + visible(finalScreen(screen.stdout)) + "--- exit " + strconv.Itoa(screen.code) + "\n"
}
