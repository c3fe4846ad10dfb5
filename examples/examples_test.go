// Package examples_test runs the examples as their readers do: built, in a
// process of their own.
package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var update = flag.Bool("update", false, "write testdata anew")

var programs string // The folder of the built examples.

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if programs, err = os.MkdirTemp("", "hiring-examples"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(programs) }()
	build := exec.Command("go", "build", "-o", programs+"/", "./quickstart", "./poll", "./export", "./shortlist", "./invite")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}

// service is what the two variables name; the zero value sets neither.
type service struct{ url, key string }

// program prepares a run that is killed when it hangs.
func program(t *testing.T, s service, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(programs, name), args...)
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

// oneLine checks what a failed program says.
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

func TestFailuresAreOneLine(t *testing.T) {
	t.Parallel()
	fake := sandbox.Start(t)
	page := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>\n<h1>Not here</h1>\n</html>", http.StatusNotFound)
	})
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	refused := "http://" + closed.Addr().String()
	require.NoError(t, closed.Close())
	for name, c := range map[string]struct {
		service
		want string
	}{
		"wrong key":          {service{fake.URL(), "sk_test_wrong"}, "401 INVALID_TOKEN"},
		"another web server": {service{page, sandbox.TestKey}, "404 the reply is not the service's own"},
		"not an address":     {service{"hiring.example.com", sandbox.TestKey}, "HIRING_BASE_URL: must be absolute"},
		"nobody listens":     {service{refused, sandbox.TestKey}, "refused"},
		"no key":             {service{fake.URL(), ""}, "HIRING_API_KEY"},
		"no address":         {service{"", sandbox.TestKey}, "HIRING_BASE_URL"},
	} {
		for _, example := range []string{"quickstart", "export", "invite"} {
			t.Run(name+"/"+example, func(t *testing.T) {
				t.Parallel()
				args := map[string][]string{"export": {t.TempDir()}, "invite": {csvFile(t, "Ada,ada@example.com"), sandbox.AssessmentID}}
				stdout, stderr, status := output(t, program(t, c.service, example, args[example]...))
				oneLine(t, example, stderr, status, c.want)
				if example != "invite" { // It tells what it did not do.
					require.Empty(t, stdout)
				}
			})
		}
	}
}

func TestInterruptEndsARequestAndAPause(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"in a request": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"between attempts": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "50")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
	} {
		for _, example := range []string{"quickstart", "export", "invite"} {
			t.Run(name+"/"+example, func(t *testing.T) {
				t.Parallel()
				asked := make(chan struct{}, 100)
				url := serve(t, func(w http.ResponseWriter, r *http.Request) {
					asked <- struct{}{}
					answer(w, r)
				})
				args := map[string][]string{"export": {t.TempDir()}, "invite": {csvFile(t, "Ada,ada@example.com"), sandbox.AssessmentID}}
				cmd := program(t, service{url, sandbox.TestKey}, example, args[example]...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				require.NoError(t, cmd.Start())
				<-asked
				told := time.Now()
				require.NoError(t, cmd.Process.Signal(os.Interrupt))
				require.Error(t, cmd.Wait())
				require.Less(t, time.Since(told), 5*time.Second, "from the signal to the end")
				oneLine(t, example, stderr.String(), cmd.ProcessState.ExitCode(), "")
				require.Regexp(t, "interrupt|canceled", stderr.String())
			})
		}
	}
}

func TestShortlist(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "shortlist"))
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "invited Ada Example\n")
	require.Contains(t, stdout, "\n95 Strong yes Oskar Quispe\n")
}

func TestExportHoldsEverything(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, stderr, status := output(t, program(t, service{}, "export", folder))
	require.Zero(t, status, stderr)
	files := read(t, folder)
	client := sandbox.Start(t).Client()
	submissions, err := client.Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, files, 1+len(submissions), "a file for the submissions and one for each of their logs")
	require.Equal(t, lines(t, submissions), files["submissions.jsonl"])
	events, err := client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Greater(t, len(events), 2000)
	require.Equal(t, lines(t, events), files["events/"+sandbox.BusySubmissionID+".jsonl"])
}

func lines[T any](t *testing.T, items []T) string {
	t.Helper()
	var b strings.Builder
	for _, item := range items {
		require.NoError(t, json.NewEncoder(&b).Encode(item))
	}
	return b.String()
}

// read returns the files of the one account below a folder, by their names.
func read(t *testing.T, folder string) map[string]string {
	t.Helper()
	accounts, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, accounts, 1)
	files := make(map[string]string)
	require.NoError(t, filepath.WalkDir(accounts[0], func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(accounts[0], path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return files
}

// world is a small account in small pages, whose service can stop answering.
type world struct {
	*sandbox.Server

	mu   sync.Mutex
	seen int
	stop int           // The request that is not answered any more, from 1; 0: none.
	late bool          // That one is answered, and only what follows is not.
	full chan struct{} // Closed when it came.
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if strings.HasSuffix(r.URL.Path, "/submissions") {
		query.Set("assessment_id", sandbox.ClosedAssessmentID)
	}
	if query.Has("page_size") {
		query.Set("page_size", "3")
	}
	r.URL.RawQuery = query.Encode()
	w.mu.Lock()
	w.seen++
	seen, stop, late, full := w.seen, w.stop, w.late, w.full
	w.mu.Unlock()
	answered := stop == 0 || seen < stop || seen == stop && late
	if answered {
		w.Server.ServeHTTP(out, r)
	}
	if seen == stop {
		_ = http.NewResponseController(out).Flush()
		close(full)
	}
	if !answered {
		<-r.Context().Done() // Until the client is killed.
	}
}

func (w *world) after(n int, late bool) (full <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen, w.stop, w.late, w.full = 0, n, late, make(chan struct{})
	return w.full
}

func newWorld(t *testing.T) (*world, service) {
	t.Helper()
	w := &world{Server: sandbox.Start(t)}
	return w, service{serve(t, w.ServeHTTP), sandbox.TestKey}
}

// killed runs an export until the world's nth request, and reports whether it
// came that far.
func killed(t *testing.T, w *world, s service, folder string, n int, late bool) bool {
	t.Helper()
	full := w.after(n, late)
	cmd := program(t, s, "export", folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-full:
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, <-ended)
		return true
	case err := <-ended:
		require.NoError(t, err, stderr.String())
		return false
	}
}

// TestExportKilledAndRunAgain kills an export over and over, each time a little
// further on.
func TestExportKilledAndRunAgain(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t)
	whole := t.TempDir()
	_, stderr, status := output(t, program(t, s, "export", whole))
	require.Zero(t, status, stderr)
	want, requests := read(t, whole), w.seen
	require.Len(t, want, 1+9)
	require.Greater(t, requests, 20)
	for name, late := range map[string]bool{"waiting for an answer": false, "with an answer in its hands": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newWorld(t)
			folder := t.TempDir()
			kills := 0
			// The first request is about the account; with the third at least one page was saved.
			for n := 3; killed(t, w, s, folder, n, late); n = 3 + kills%3 {
				kills++
				require.LessOrEqual(t, kills, 2*requests, "the export does not get on")
				tear(t, folder)
			}
			require.Greater(t, kills, 8)
			require.Equal(t, want, read(t, folder))
		})
	}
}

// tear leaves what a kill leaves that comes between writing a page and saving
// that it was written.
func tear(t *testing.T, folder string) {
	t.Helper()
	for _, pattern := range []string{"*/*.part", "*/events/*.part"} {
		parts, err := filepath.Glob(filepath.Join(folder, pattern))
		require.NoError(t, err)
		for _, part := range parts {
			file, err := os.OpenFile(part, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = file.WriteString(strings.Repeat(`{"id":"torn"}`+"\n", 500) + `{"id":`)
			require.NoError(t, errors.Join(err, file.Close()))
		}
	}
}

func TestExportRefusesADamagedState(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t)
	folder := t.TempDir()
	require.True(t, killed(t, w, s, folder, 4, false))
	states, err := filepath.Glob(filepath.Join(folder, "*", "*.state"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	state, part := states[0], strings.TrimSuffix(states[0], ".state")+".part"
	good, err := os.ReadFile(state)
	require.NoError(t, err)
	pages, err := os.ReadFile(part)
	require.NoError(t, err)
	size, rest, _ := strings.Cut(string(good), " ")
	end, err := strconv.Atoi(size)
	require.NoError(t, err)
	require.Equal(t, len(pages), end)

	w.after(0, false)
	for name, damaged := range map[string][2]string{
		"empty":               {"", string(pages)},
		"cut short":           {string(good[:len(good)/2]), string(pages)},
		"zeroed":              {strings.Repeat("\x00", len(good)), string(pages)},
		"smaller size":        {strconv.Itoa(end-10) + " " + rest, string(pages)},
		"another token":       {strings.Replace(string(good), " ey", " fy", 1), string(pages)},
		"file cut short":      {string(good), string(pages[:end-1])},
		"file gone with size": {string(good), ""},
	} {
		require.NoError(t, os.WriteFile(state, []byte(damaged[0]), 0o600))
		require.NoError(t, os.WriteFile(part, []byte(damaged[1]), 0o600))
		_, stderr, status := output(t, program(t, s, "export", folder))
		oneLine(t, "export", stderr, status, "submissions.jsonl.state is damaged: delete it")
		left, err := os.ReadFile(part)
		require.NoError(t, err)
		require.Equal(t, damaged[1], string(left), "%s: the file must stay as it was", name)
	}

	require.NoError(t, os.Remove(state))
	whole := t.TempDir()
	for _, folder := range []string{folder, whole} {
		_, stderr, status := output(t, program(t, s, "export", folder))
		require.Zero(t, status, stderr)
	}
	require.Equal(t, read(t, whole), read(t, folder), "begun anew and uninterrupted")
}

func csvFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "candidates.csv")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return name
}

func TestInvite(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"no header":           {"Ada Example,ada@example.com", "Bob Example,bob", "Ada again,ADA@example.com", `"Example, Eve", eve@example.com `},
		"header":              {"name,email", "Ada Example,ada@example.com", "Bob Example,bob", "Ada again,ADA@example.com", `"Example, Eve",eve@example.com`},
		"header, other order": {"\ufeffEmail,Phone,Name", "ada@example.com,1,Ada Example", "bob,2,Bob Example", "ADA@example.com,3,Ada again", `eve@example.com,4,"Example, Eve"`},
	} {
		stdout, stderr, status := output(t, program(t, service{}, "invite", csvFile(t, lines...)))
		require.Zero(t, status, stderr)
		require.Equal(t, "2 sent, 1 had one, 1 not sent, 0 unknown\n", stdout, name)
		require.Contains(t, stderr, "Bob Example: hiring: Invitations.Send: 400 INVALID_INPUT", name)
		require.Contains(t, stderr, "\r\033[K4 of 4, 196 writes left this hour\n", name)
	}
}

func TestInviteRefuses(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	ada := csvFile(t, "Ada Example,ada@example.com")
	for _, c := range []struct {
		service
		args []string
		want string
	}{
		{service{server.URL(), sandbox.LiveKey}, []string{ada, sandbox.AssessmentID}, "this would mail up to 1 candidates"},
		{service{server.URL(), "another-kind-of-key"}, []string{ada, sandbox.AssessmentID}, "this would mail up to 1 candidates"},
		{service{server.URL(), sandbox.TestKey}, []string{ada}, "usage"},
		{service{server.URL(), sandbox.TestKey}, nil, "usage"},
		{service{}, []string{csvFile(t, "Bob Example,bob")}, "the columns must be name,email"},
		{service{}, []string{csvFile(t, "name,email")}, "there are no candidates"},
		{service{}, []string{csvFile(t)}, "there are no candidates"},
		{service{}, []string{filepath.Join(t.TempDir(), "none.csv")}, "no such file"},
		{service{}, []string{csvFile(t, "Ada Example", "ada@example.com")}, "the columns must be name,email"},
		{service{}, []string{csvFile(t, "who,email", "Ada Example,ada@example.com")}, "the columns must be name,email"},
		{service{}, []string{csvFile(t, "Ada,ada@example.com", "Bob")}, "wrong number of fields"},
	} {
		stdout, stderr, status := output(t, program(t, c.service, "invite", c.args...))
		oneLine(t, "invite", stderr, status, c.want)
		require.Empty(t, stdout)
	}
	require.Empty(t, server.Journal(), "nothing may be sent")
}

func TestInviteByItself(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "invite"))
	require.Zero(t, status, stderr)
	require.Equal(t, "3 sent, 0 had one, 0 not sent, 0 unknown\n", stdout)
}

func TestInviteFailsWhenNobodyIsInvited(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "invite", csvFile(t, "Bob Example,bob@@example.com")))
	require.Equal(t, "0 sent, 0 had one, 1 not sent, 0 unknown\n", stdout)
	refusal, last, _ := strings.Cut(stderr, "\n")
	require.Contains(t, refusal, "Bob Example: hiring: Invitations.Send: 400 INVALID_INPUT")
	oneLine(t, "invite", last, status, "nobody was invited")
}

// escapes are a name that clears the screen, sets a title and turns the line
// around, if a terminal gets to see it.
const escapes = "Eve\x1b[2J\x1b]0;x\x07\x9b31m\u009b1m\u202e\b\x7f"

// harmless checks that nothing in a text is obeyed by a terminal but what the
// program itself draws.
func harmless(t *testing.T, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "\r\x1b[K", "")
	for i, r := range text {
		require.True(t, unicode.IsGraphic(r) || r == '\n', "%q at %d of %q", r, i, text)
	}
	require.Contains(t, text, "Eve")
}

// TestNoTerminalIsGivenOrders: names come from candidates.
func TestNoTerminalIsGivenOrders(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "invite", csvFile(t, escapes+",eve@@example.com")))
	require.Equal(t, 1, status)
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

// hired is a live world whose service can stop answering writes.
type hired struct {
	*sandbox.Server

	url, assessment string

	mu   sync.Mutex
	stop int           // The write that is not answered, from 1; 0: none.
	late bool          // It takes effect all the same.
	full chan struct{} // Closed when it came.
}

func newHired(t *testing.T) *hired {
	t.Helper()
	h := &hired{Server: sandbox.Start(t)}
	client := h.LiveClient()
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	assessment, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Invite"})
	require.NoError(t, err)
	h.assessment, h.url = assessment.ID, serve(t, h.ServeHTTP)
	return h
}

func (h *hired) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		h.Server.ServeHTTP(w, r)
		return
	}
	h.mu.Lock()
	h.stop--
	now, late, full := h.stop == 0, h.late, h.full
	h.mu.Unlock()
	if !now || late {
		recorded := httptest.NewRecorder()
		h.Server.ServeHTTP(recorded, r)
		if !now {
			maps.Copy(w.Header(), recorded.Header())
			w.WriteHeader(recorded.Code)
			_, _ = w.Write(recorded.Body.Bytes())
			return
		}
	}
	_, _ = io.Copy(io.Discard, r.Body) // Only then does net/http notice that the client is gone.
	close(full)
	<-r.Context().Done()
}

// until runs the program until its nth write, which is not answered.
func (h *hired) until(t *testing.T, n int, late bool, file string, signal os.Signal) (stdout, stderr string, status int) {
	t.Helper()
	full := make(chan struct{})
	h.mu.Lock()
	h.stop, h.late, h.full = n, late, full
	h.mu.Unlock()
	cmd := program(t, service{h.url, sandbox.LiveKey}, "invite", "-yes", file, h.assessment)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-full:
		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, <-ended)
	case err := <-ended:
		require.NoError(t, err, errs.String())
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestInviteKilledAndRunAgain(t *testing.T) {
	t.Parallel()
	h := newHired(t)
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("Candidate %d,candidate-%d@example.com", i, i))
	}
	file := csvFile(t, lines...)
	kills := 0
	for {
		stdout, stderr, status := h.until(t, 1+kills%5, kills%2 == 0, file, os.Kill)
		if status == 0 {
			require.Regexp(t, `^\d+ sent, \d+ had one, 0 not sent, 0 unknown\n$`, stdout)
			require.Contains(t, stderr, "40 of 40")
			break
		}
		kills++
		require.Less(t, kills, 40, "it does not get on")
	}
	require.Greater(t, kills, 8)
	invitations, err := h.LiveClient().Invitations.List(h.assessment).Collect(t.Context())
	require.NoError(t, err)
	mails := make(map[string]int)
	for _, invitation := range invitations {
		mails[invitation.CandidateEmail]++
	}
	require.Len(t, mails, 40)
	require.Len(t, invitations, 40, "nobody is mailed twice")
}

func TestInviteInterrupted(t *testing.T) {
	t.Parallel()
	h := newHired(t)
	file := csvFile(t, "Ada,ada@example.com", "Bob,bob@example.com", "Eve,eve@example.com")
	stdout, stderr, status := h.until(t, 2, true, file, os.Interrupt)
	require.Equal(t, "1 sent, 0 had one, 1 not sent, 1 unknown\n", stdout)
	progress, last, _ := strings.Cut(stderr, "\n")
	require.Equal(t, "\r\033[K1 of 3, 198 writes left this hour", progress)
	oneLine(t, "invite", last, status, "the outcome is unknown")
	require.Equal(t, 1, strings.Count(last, "canceled"), last)

	stdout, stderr, status = h.until(t, 0, false, file, os.Interrupt)
	require.Zero(t, status, stderr)
	require.Equal(t, "1 sent, 2 had one, 0 not sent, 0 unknown\n", stdout)
}
