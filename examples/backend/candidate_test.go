package main

import (
	"archive/zip"
	"bytes"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const archiveRoute = "GET /_archive/{id}"

// evaluated takes Ada through all stages. Two pillars of the result have not enough data.
func (s *site) evaluated() (invitationID, submissionID string) {
	s.t.Helper()
	invitationID, err := s.server.Invite(s.assessment, "ada@candidates.test", "Ada")
	require.NoError(s.t, err)
	submissionID, err = s.server.Begin(invitationID)
	require.NoError(s.t, err)
	require.NoError(s.t, s.server.Evaluate(submissionID, sandbox.Result{
		ShipScore:     77,
		Pillars:       map[string]int{"correctness": 82, "craft": 41, "rigor": 13},
		LowConfidence: []string{"rigor"},
	}))
	return invitationID, submissionID
}

// TestStages follows a candidate from the form to the result.
func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		w := s.post("Ada <script>alert(1)</script>", "ada@candidates.test")
		path := w.Header().Get("Location")
		invitation := path[len("/candidates/"):]
		submission := ""
		for _, step := range []struct {
			stage string
			move  func() error
		}{
			{"sent", func() error { return nil }},
			{"opened", func() error { return s.server.Open(invitation) }},
			{"started", func() (err error) { submission, err = s.server.Begin(invitation); return err }},
			{"handed in", func() error { return s.server.Submit(submission) }},
			{"evaluated", func() error {
				return s.server.Evaluate(submission, sandbox.Result{ShipScore: 77, Pillars: map[string]int{"craft": 41}})
			}},
		} {
			require.NoError(t, step.move())
			time.Sleep(keepFor + time.Second)
			w := s.get(path)
			body := w.Body.String()
			require.Equal(t, http.StatusOK, w.Code)
			require.Contains(t, body, `<h1>Ada &lt;script&gt;alert(1)&lt;/script&gt; <span class="stage`)
			require.Contains(t, body, ">"+step.stage+"</span></h1>")
			require.Contains(t, s.get("/").Body.String(), ">"+step.stage+"</span></td>")
			require.Equal(t, step.stage != "evaluated", w.Header().Get("Refresh") != "", "it goes on by itself until the end")
			require.NotContains(t, body, "<script")
		}
		body := s.get(path).Body.String()
		require.Contains(t, body, "Score: 77, low confidence")
		require.Contains(t, body, "<td>Craft</td><td>41</td>")
		require.Contains(t, body, "<td>Rigor</td><td>not enough data</td>", "which is not 0")
	})
}

func TestThinEvidenceIsNoScore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		invitation, _ := s.evaluated()
		body := s.get("/candidates/" + invitation).Body.String()
		require.Contains(t, body, "<td>Correctness</td><td>82</td>")
		require.Contains(t, body, "<td>AI Fluency</td><td>not enough data</td>", "null")
		require.Contains(t, body, "<td>Rigor</td><td>not enough data</td>", "low confidence")
		require.NotContains(t, body, "13")
	})
}

func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		path := s.post("Ada", "ada@candidates.test").Header().Get("Location")
		time.Sleep(40 * 24 * time.Hour)
		body := s.get(path).Body.String()
		require.Contains(t, body, "not taken up in time")
		require.Contains(t, body, ">expired</span>")
	})
}

func TestUnknownCandidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		for _, path := range []string{"/candidates/x", "/candidates/x/archive", "/pending/x"} {
			require.Equal(t, http.StatusNotFound, s.get(path).Code, path)
		}
	})
}

// TestNothingIsKept checks the cache headers of pages about candidates.
func TestNothingIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		invitation, _ := s.evaluated()
		for _, path := range []string{"/", "/candidates/" + invitation, "/candidates/" + invitation + "/archive", "/pending/x"} {
			h := s.get(path).Header()
			require.Equal(t, "no-store", h.Get("Cache-Control"), path)
			require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
			require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
			require.NotContains(t, s.get(path).Body.String(), "_archive", "a signed link")
		}
		board, err := s.app.board.snapshot(t.Context())
		require.NoError(t, err)
		require.Nil(t, board.Candidates[0].Submission.WorkspaceArchiveURL, "a signed link")
		require.Contains(t, s.get("/style.css").Header().Get("Content-Type"), "text/css")
		require.Equal(t, http.StatusOK, s.get("/healthz").Code)
	})
}

func TestArchive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		invitation, _ := s.evaluated()
		path := "/candidates/" + invitation + "/archive"
		w := s.get(path)
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, `attachment; filename="workspace.zip"`, w.Header().Get("Content-Disposition"))
		_, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
		require.NoError(t, err)

		s.server.Inject(sandbox.Fault{Route: archiveRoute, Status: 503, Times: -1})
		w = s.get(path)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Contains(t, w.Header().Get("Content-Type"), "text/html")
		require.Empty(t, w.Header().Get("Content-Disposition"))

		s.server.ClearFaults()
		s.server.Inject(sandbox.Fault{Route: archiveRoute, CutAfter: 20})
		s.server.Inject(sandbox.Fault{Route: archiveRoute, Status: 503, Times: -1})
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { s.get(path) }, "half an archive")

		s.server.ClearFaults()
		s.server.SetArchives(false)
		w = s.get(path)
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Contains(t, w.Body.String(), "no workspace")
	})
}
