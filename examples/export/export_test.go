package main

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// environment sets the two variables.
func environment(t *testing.T, baseURL, key string) {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", baseURL)
	t.Setenv("HIRING_API_KEY", key)
}

// files returns the content of the files below a folder by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		texts[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return texts
}

// newServer returns a server with two submissions. One of them has a log of two pages.
func newServer(t *testing.T) *sandbox.Server {
	t.Helper()
	server := sandbox.Start(t)
	assessment := server.AddAssessment("Backend engineer")
	for _, name := range []string{"ada", "eve"} {
		invitation, err := server.Invite(assessment, name+"@candidates.test", name)
		require.NoError(t, err)
		submission, err := server.Begin(invitation)
		require.NoError(t, err)
		if name == "eve" {
			require.NoError(t, server.AppendEvents(submission, "edit", slices.Repeat([]string{`{}`}, 600)...))
		}
	}
	return server
}

func TestRunTakesAFolder(t *testing.T) {
	server := newServer(t)
	environment(t, server.URL(), sandbox.LiveKey)
	folder := filepath.Join(t.TempDir(), "new", "folder")
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{folder}, &out))
	place, found := strings.CutPrefix(out.String(), "exported to "+folder)
	require.True(t, found)
	texts := files(t, folder+strings.TrimSuffix(place, "\n"))
	require.Equal(t, 2, strings.Count(texts["submissions.jsonl"], "\n"))
	require.Len(t, texts, 3, "nothing is left of what a later run would need")
}

func TestRunTakesTheFolderExportByItself(t *testing.T) {
	server := sandbox.Start(t)
	environment(t, server.URL(), sandbox.LiveKey)
	t.Chdir(t.TempDir())
	require.NoError(t, run(t.Context(), nil, new(bytes.Buffer)))
	require.Len(t, files(t, "export"), 1, "no submissions, and no logs")

	environment(t, server.URL(), "")
	require.ErrorContains(t, run(t.Context(), nil, new(bytes.Buffer)), "connect: hiring: HIRING_API_KEY")
	for _, args := range [][]string{{"-h"}, {"one", "two"}} {
		require.EqualError(t, run(t.Context(), args, new(bytes.Buffer)), "usage: export [folder]")
	}
}

// TestExportResumesWhereItFailed checks that the result equals that of a run without
// failures.
func TestExportResumesWhereItFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault sandbox.Fault
		want  string
		left  int // Requests of the run after the one that failed.
	}{
		"account":      {sandbox.Fault{Route: "GET /account"}, "account: hiring: Account.Get: 403", 5},
		"submissions":  {sandbox.Fault{Route: "GET /submissions"}, "submissions: submissions.jsonl: hiring: Submissions.List: 403", 5},
		"a log":        {sandbox.Fault{Route: "GET /submissions/{id}/events"}, "events: events/", 4},
		"a log's page": {sandbox.Fault{Route: "GET /submissions/{id}/events", Skip: 1}, "events: events/", 3},
		"the next log": {sandbox.Fault{Route: "GET /submissions/{id}/events", Skip: 2}, "events: events/", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, folder, whole := newServer(t), t.TempDir(), t.TempDir()
			client := server.LiveClient()
			require.NoError(t, export(t.Context(), client, whole, new(bytes.Buffer)))
			want := files(t, whole)
			require.Len(t, want, 3)

			c.fault.Status, c.fault.Code = http.StatusForbidden, hiring.ErrInsufficientScope
			server.Inject(c.fault)
			var out bytes.Buffer
			err := export(t.Context(), client, folder, &out)
			require.ErrorIs(t, err, hiring.ErrInsufficientScope)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, out.String())

			before := len(server.Journal())
			require.NoError(t, export(t.Context(), client, folder, &out))
			require.Equal(t, want, files(t, folder))
			require.Len(t, server.Journal(), before+c.left, "what is complete is not read again")
		})
	}
}

func TestExportHoldsNoSignedLinks(t *testing.T) {
	t.Parallel()
	server, folder := sandbox.Start(t), t.TempDir()
	invitation, err := server.Invite(server.AddAssessment("Backend engineer"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	id, err := server.Begin(invitation)
	require.NoError(t, err)
	require.NoError(t, server.Submit(id))
	submission, err := server.LiveClient().Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, submission.WorkspaceArchiveURL)

	require.NoError(t, export(t.Context(), server.LiveClient(), folder, new(bytes.Buffer)))
	text := ""
	for _, lines := range files(t, folder) {
		text += lines
	}
	require.Contains(t, text, id)
	require.Contains(t, text, `"workspace_archive_url":null`)
	require.NotContains(t, text, *submission.WorkspaceArchiveURL)
}

// TestIdsStayInTheFolder uses an id that is a path.
func TestIdsStayInTheFolder(t *testing.T) {
	t.Parallel()
	const meta = `"meta":{"request_id":"req_1","has_more":false}`
	for route, body := range map[string]string{
		"GET /account":     `{"data":{"id":"x/../../outside"},` + meta + `}`,
		"GET /submissions": `{"data":[{"id":"../../../outside"}],` + meta + `}`,
	} {
		server, folder := sandbox.Start(t), filepath.Join(t.TempDir(), "below", "folder")
		server.Inject(sandbox.Fault{Route: route, Status: http.StatusOK, Body: body, ContentType: "application/json"})
		err := export(t.Context(), server.Client(), folder, new(bytes.Buffer))
		require.ErrorContains(t, err, "path escapes from parent", route)
		outside, err := filepath.Glob(filepath.Join(folder, "..", "..", "*outside*"))
		require.NoError(t, err)
		require.Empty(t, outside)
	}
}

// full is a full disk.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestExportNamesFilesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	client, folder := sandbox.Start(t).LiveClient(), t.TempDir()
	require.ErrorIs(t, export(t.Context(), client, folder, full{}), errFull)

	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, export(t.Context(), client, file, new(bytes.Buffer)), "not a directory")
}
