package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// asProgram is the environment variable that makes the test binary the program.
const asProgram = "HIRING_SANDBOX_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	m.Run()
}

// command prepares a run of the program.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

var address = regexp.MustCompile(`HIRING_BASE_URL=(http://\S+)`)

// running is a program that listens.
type running struct {
	*exec.Cmd

	out      *bufio.Reader
	greeting string
	baseURL  string
}

// start runs the program until it has printed its address.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	return startWith(t, nil, args...)
}

// startWith is start with a writer for standard error.
func startWith(t *testing.T, stderr io.Writer, args ...string) *running {
	t.Helper()
	p := &running{Cmd: command(t, append([]string{"-addr", "127.0.0.1:0"}, args...)...)}
	p.Stderr = stderr
	stdout, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() {
		if p.ProcessState == nil { // Not stopped by the test.
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	p.out = bufio.NewReader(stdout)
	for !strings.Contains(p.greeting, "Control API:") {
		line, err := p.out.ReadString('\n')
		require.NoError(t, err, p.greeting)
		p.greeting += line
	}
	found := address.FindStringSubmatch(p.greeting)
	require.NotNil(t, found, p.greeting)
	p.baseURL = found[1]
	return p
}

// stop ends the program with a signal and returns its last output.
func (p *running) stop(t *testing.T, signal os.Signal) string {
	t.Helper()
	require.NoError(t, p.Process.Signal(signal))
	rest, err := io.ReadAll(p.out)
	require.NoError(t, err)
	require.NoError(t, p.Wait(), "exit status 0")
	return strings.TrimSpace(string(rest))
}

func (p *running) client(t *testing.T, key string) *hiring.Client {
	t.Helper()
	client, err := hiring.New(p.baseURL, key, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	require.NoError(t, err)
	return client
}

// steer posts to the control API.
func (p *running) steer(t *testing.T, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.baseURL+"/_sandbox/"+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{}).Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Less(t, res.StatusCode, 300, "%s", answer)
}

func TestServesUntilStopped(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := start(t)
		assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, p.baseURL)
		first, _, _ := strings.Cut(p.greeting, "\n")
		assert.Equal(t, "See what your program does, and play the candidates: "+p.baseURL+"/_sandbox/", first)
		res, err := (&http.Client{}).Get(p.baseURL + "/_sandbox/")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, 200, res.StatusCode)
		for _, key := range []string{sandbox.TestKey, sandbox.ReadOnlyKey, sandbox.WriteKey, sandbox.LiveKey} {
			assert.Contains(t, p.greeting, "HIRING_API_KEY="+key+" ")
			_, err := p.client(t, key).Account.Get(t.Context())
			require.NoError(t, err)
		}
		assert.Equal(t, "stopped", p.stop(t, signal))
	}
}

// TestADelayDoesNotKeepTheServerOpen also checks that a client that loses its connection
// cannot connect again.
func TestADelayDoesNotKeepTheServerOpen(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.steer(t, "faults", `{"route":"GET /account","delay":"1h"}`)
	addr := strings.TrimPrefix(p.baseURL, "http://")
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "GET /api/v1/account HTTP/1.1\r\nHost: "+addr+"\r\nAuthorization: Bearer "+sandbox.TestKey+"\r\n\r\n")
	require.NoError(t, err)
	var response []byte
	again := make(chan error)
	go func() {
		response, _ = io.ReadAll(conn) // Until the connection ends, with or without an error.
		_, err := net.Dial("tcp", addr)
		again <- err
	}()
	for asked := false; !asked; { // Until the request has arrived.
		res, err := (&http.Client{}).Get(p.baseURL + "/_sandbox/journal")
		require.NoError(t, err)
		journal, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		asked = bytes.Contains(journal, []byte("/account"))
	}
	assert.Equal(t, "stopped", p.stop(t, syscall.SIGTERM))
	require.ErrorIs(t, <-again, syscall.ECONNREFUSED)
	assert.Empty(t, response)
}

func TestFlags(t *testing.T) {
	t.Parallel()
	p := start(t, "-keys", "sk_test_a:read:acme,sk_live_b", "-keys", "sk_test_c:write", "-quota", "7,2", "-since", "submitted",
		"-timeline", "open=1h,begin=1h,submit=1h", "-control-any-host", "-drift", "7")
	assert.Regexp(t, `HIRING_API_KEY=sk_test_a +# read acme\n.*HIRING_API_KEY=sk_live_b +# admin *\n.*HIRING_API_KEY=sk_test_c +# write *\n`, p.greeting)
	reader := p.client(t, "sk_test_a")
	_, err := reader.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 6, reader.Quota().Read.Remaining)
	_, err = reader.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: sandbox.UnknownID, Name: "n"})
	require.ErrorIs(t, err, hiring.ErrInsufficientScope)
	assert.Equal(t, 1, reader.Quota().Write.Remaining)

	live := p.client(t, "sk_live_b")
	challenges, err := live.Challenges.List().PageSize(1).Page(t.Context())
	require.NoError(t, err)
	posting, err := live.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "n"})
	require.NoError(t, err)
	_, err = live.Invitations.Send(t.Context(), posting.ID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.NoError(t, err)
	p.steer(t, "clock", `{"seconds":"3h"}`)
	attempts, err := live.Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, attempts, 1)
	assert.Equal(t, hiring.SubmissionStatus("submitted"), attempts[0].Status)
}

func dialectFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dialect.json")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// TestDialect gives the same file to the program and to a client.
func TestDialect(t *testing.T) {
	t.Parallel()
	const text = `{"page_param": "p", "page_size_param": "per_page", "list_challenges": "GET /library", "invitation_email": "email"}`
	var dialect hiring.Dialect
	require.NoError(t, json.Unmarshal([]byte(text), &dialect))
	p := start(t, "-dialect", dialectFile(t, text))
	client, err := p.client(t, sandbox.TestKey).With(hiring.WithDialect(dialect))
	require.NoError(t, err)
	page, err := client.Challenges.List().PageSize(2).Page(t.Context())
	require.NoError(t, err)
	assert.Len(t, page.Items, 2)
	_, err = client.Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.NoError(t, err)
	_, err = p.client(t, sandbox.TestKey).Challenges.List().Page(t.Context())
	require.ErrorIs(t, err, hiring.ErrNotFound)
	document, err := client.OpenAPI(t.Context())
	require.NoError(t, err)
	assert.Contains(t, string(document), `"/api/v1/library"`)
}

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close() //nolint:errcheck // Nothing depends on it.
	for _, test := range []struct {
		args, says string
	}{
		{"-addr " + taken.Addr().String(), taken.Addr().String() + " is taken by another program; choose another address with -addr"},
		{"-addr nonsense", "cannot listen on nonsense: "},
		{"now", `unexpected argument "now"; -h lists the flags`},
		{"-unknown", "flag provided but not defined: -unknown; -h lists the flags"},
		{"-quota 5", `invalid value "5" for flag -quota: give two numbers, as in 1000,200; -h lists the flags`},
		{"-quota 5,-1", "give two numbers"},
		{"-quota a,b", "give two numbers"},
		{"-drift x", "give a number from 0"},
		{"-since yesterday", "give created, submitted or evaluated"},
		{"-timeline open=soon", "open: give a duration, as in open=90s"},
		{"-timeline open=-1s", "open: give a duration"},
		{"-timeline close=1h", `there is no step "close"; the steps are open, begin, submit and evaluate`},
		{"-keys sk_test_a:root", `the scope "root" is none of read, write and admin`},
		{"-keys a:b:c:d", "give token:scope:organization"},
		{"-keys :read", "give token:scope:organization"},
		{"-dialect none.json", "none.json: no such file"},
		{"-dialect " + dialectFile(t, `{"page":"p"}`), `it is no dialect: unknown field "page"`},
		{"-dialect " + dialectFile(t, `[]`), "it is no dialect"},
		{"-dialect " + dialectFile(t, `{} {}`), "there is more after its JSON object"},
		{"-dialect " + dialectFile(t, `{"get_assessment":"GET"}`), "GetAssessment"},
		{"-keys mine", "token: must be sk_test_ or sk_live_"},
	} {
		wrong := command(t, strings.Fields(test.args)...)
		var stdout, stderr bytes.Buffer
		wrong.Stdout, wrong.Stderr = &stdout, &stderr
		var failed *exec.ExitError
		require.ErrorAs(t, wrong.Run(), &failed, test.args)
		assert.Equal(t, 1, failed.ExitCode(), test.args)
		assert.Contains(t, stderr.String(), "hiring-sandbox: ")
		assert.Contains(t, stderr.String(), test.says)
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line: %s", stderr.String())
		assert.Empty(t, stdout.String())
	}
}

// TestTheUnspecifiedAddress checks that the printed address can be used by clients.
func TestTheUnspecifiedAddress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printAddresses(&out, &net.TCPAddr{IP: net.IPv6zero, Port: 8780}, nil)
	assert.Contains(t, out.String(), "HIRING_BASE_URL=http://127.0.0.1:8780\n")
}

// TestCurlAlone runs the commands of the README.
func TestCurlAlone(t *testing.T) {
	t.Parallel()
	p := start(t)
	script := exec.CommandContext(t.Context(), "bash", "testdata/curl.sh")
	script.Env = append(os.Environ(), "HIRING_BASE_URL="+p.baseURL)
	var stderr bytes.Buffer
	script.Stderr = &stderr
	out, err := script.Output()
	require.NoError(t, err, "%s%s", out, stderr.String())
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var report struct {
		Data struct {
			Evaluated bool `json:"evaluated"`
			ShipScore int  `json:"ship_score"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &report), "%s", out)
	assert.True(t, report.Data.Evaluated)
	assert.Equal(t, 82, report.Data.ShipScore)
}
