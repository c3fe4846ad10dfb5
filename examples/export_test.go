package examples_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestExportIsComplete(t *testing.T) {
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

// world is a small account with small pages. Its server can stop responding.
type world struct {
	*sandbox.Server

	mu   sync.Mutex
	seen int
	stop int           // The first request without a response, from 1; 0 for none.
	late bool          // That request still has a response, and the next ones have none.
	full chan struct{} // Closed when that request arrived.
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

// killed runs an export until the nth request. It reports whether the export reached that
// request.
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

// TestExportKilledAndRunAgain kills an export repeatedly, each time a little later.
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
			// The first request reads the account. By the third at least one page was
			// saved.
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

// tear creates the state after a kill between writing a page and saving the progress.
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

func TestExportRejectsADamagedState(t *testing.T) {
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
