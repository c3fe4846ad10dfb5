package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// environment returns the environment variables of the program.
func environment(t *testing.T, url, key string) {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", url)
	t.Setenv("HIRING_API_KEY", key)
}

func TestWithoutSetUp(t *testing.T) {
	environment(t, "", "")
	folder := t.TempDir()
	file := filepath.Join(folder, "report.html")
	require.NoError(t, os.WriteFile(file, []byte("an earlier one"), 0o644)) // Its mode must not remain.
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-o", file}, &stdout, io.Discard))
	require.Equal(t, "wrote "+file+": 280 submissions, for 4 of the reads of this hour\n", stdout.String())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "Oskar Quispe")
	wellFormed(t, string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
	requireFiles(t, folder, "report.html")
}

func requireFiles(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var found []string
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	require.Equal(t, names, found)
}

func TestOnAService(t *testing.T) {
	server, assessment := world(t)
	environment(t, server.URL(), sandbox.LiveKey)
	file := filepath.Join(t.TempDir(), "out.html")
	require.NoError(t, run(t.Context(), []string{"-assessment", assessment, "-o", file}, io.Discard, io.Discard))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "<b>6</b> of 8 evaluated")
	for _, entry := range server.Journal() {
		require.Equal(t, http.MethodGet, entry.Method, "it only reads")
	}
}

// TestListingsWithoutReports requires that each report is read separately and that the cost is printed.
func TestListingsWithoutReports(t *testing.T) {
	server, assessment := world(t)
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/submissions") {
			server.ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		server.ServeHTTP(recorded, r)
		var reply struct {
			Data []map[string]any `json:"data"`
			Meta map[string]any   `json:"meta"`
		}
		if err := json.Unmarshal(recorded.Body.Bytes(), &reply); err != nil {
			t.Error(err)
		}
		for _, submission := range reply.Data {
			delete(submission, "report")
		}
		for name, values := range recorded.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		_ = json.NewEncoder(w).Encode(reply)
	}))
	defer bare.Close()
	environment(t, bare.URL, sandbox.LiveKey)
	file := filepath.Join(t.TempDir(), "out.html")
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-assessment", assessment, "-o", file}, &stdout, io.Discard))
	require.Contains(t, stdout.String(), "8 submissions, for 8 of the reads")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "<b>6</b> of 8 evaluated")
	require.Contains(t, string(text), "Made for 8 of the reads")
}

// TestFailuresLeaveTheOldReport fails each request and the writing of the file.
func TestFailuresLeaveTheOldReport(t *testing.T) {
	server, assessment := world(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "report.html")
	require.NoError(t, os.WriteFile(file, []byte("an earlier one"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "taken"), 0o700))
	for _, c := range []struct{ name, key, assessment, out, want string }{
		{"wrong key", "sk_live_wrong", assessment, file, "401 INVALID_TOKEN"},
		{"unknown assessment", sandbox.LiveKey, sandbox.UnknownID, file, "404 NOT_FOUND"},
		{"listing fails", sandbox.LiveKey, assessment, file, "400 INVALID_INPUT"},
		{"no assessment", sandbox.LiveKey, "", file, "-assessment ID"},
		{"no key", "", assessment, file, "HIRING_API_KEY"},
		{"no such folder", sandbox.LiveKey, assessment, filepath.Join(folder, "none", "report.html"), "no such file"},
		{"a folder", sandbox.LiveKey, assessment, filepath.Join(folder, "taken"), "exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t, server.URL(), c.key)
			if c.name == "listing fails" {
				server.Inject(sandbox.Fault{Route: "GET /submissions", Status: 400})
			}
			require.ErrorContains(t, run(t.Context(), []string{"-assessment", c.assessment, "-o", c.out}, io.Discard, io.Discard), c.want)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, "an earlier one", string(text))
			requireFiles(t, folder, "report.html", "taken")
		})
	}
}
