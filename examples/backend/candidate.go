package main

import (
	"fmt"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const (
	shown          = 50 // Candidates on the first page.
	downloadWithin = 10 * time.Minute
)

// home shows the form and the newest candidates.
func (a *app) home(w http.ResponseWriter, r *http.Request) { a.showHome(w, r, page{}) }

// showHome shows the form, also when the candidates cannot be shown.
func (a *app) showHome(w http.ResponseWriter, r *http.Request, p page) {
	board, err := a.board.snapshot(r.Context())
	if err != nil {
		report(r.Context(), a.log, "the candidates were not listed", err)
	}
	if err != nil && !p.Posted {
		p.Answer = answerTo(err)
	}
	p.Board = board
	p.Board.Candidates = board.Candidates[:min(shown, len(board.Candidates))]
	a.show(w, r, "home", p)
}

// candidate shows how far a candidate is.
func (a *app) candidate(w http.ResponseWriter, r *http.Request) {
	board, err := a.board.snapshot(r.Context())
	if err != nil {
		a.fail(w, r, "a candidate was not shown", err)
		return
	}
	candidate, ok := board.find(r.PathValue("id"))
	if !ok {
		a.show(w, r, "problem", page{Answer: failureText{Status: http.StatusNotFound, Text: "There is no such candidate."}})
		return
	}
	p := page{Board: board, Candidate: candidate, Already: r.URL.Query().Has("already")}
	if candidate.Submission != nil {
		if p.Report, err = a.board.report(r.Context(), candidate.Submission); err != nil {
			a.fail(w, r, "a report was not read", err)
			return
		}
	}
	if !p.Report.Ready() {
		w.Header().Set("Refresh", fmt.Sprint(keepFor.Seconds())) // From what was read last: it costs nothing more.
	}
	a.show(w, r, "candidate", p)
}

// Stage returns the stage of a candidate in a word. A submitted attempt shows in the
// submission only: the invitation stays started.
func (c candidate) Stage() string {
	switch {
	case c.Submission != nil && c.Submission.Status == hiring.SubmissionEvaluated:
		return "evaluated"
	case c.HandedIn() != nil:
		return "handed in"
	case c.Submission != nil:
		return "started"
	case c.Expired():
		return "expired"
	}
	return string(c.Status)
}

// Expired reports whether an invitation expired before the candidate started.
func (c candidate) Expired() bool {
	return c.Submission == nil && !c.ExpiresAt.IsZero() && c.ExpiresAt.Before(time.Now())
}

// HandedIn returns when the attempt was submitted, or nil.
func (c candidate) HandedIn() *time.Time {
	if c.Submission == nil {
		return nil
	}
	return c.Submission.SubmittedAt
}

// archive sends a candidate's workspace. The link to it is a secret for an hour:
// it is read now, for one read, and reaches neither a browser nor a cache.
func (a *app) archive(w http.ResponseWriter, r *http.Request) {
	board, err := a.board.snapshot(r.Context())
	if err != nil {
		a.fail(w, r, "a workspace was not sent", err)
		return
	}
	candidate, ok := board.find(r.PathValue("id"))
	if !ok || candidate.Submission == nil {
		a.show(w, r, "problem", page{Answer: failureText{Status: http.StatusNotFound, Text: "There is no such workspace."}})
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="workspace.zip"`)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadWithin)) // Longer than a page may.
	n, err := a.client.Submissions.DownloadArchive(r.Context(), candidate.Submission.ID, w)
	switch {
	case err == nil:
	case n > 0:
		panic(http.ErrAbortHandler) // Half an archive must not look like a whole one.
	default:
		h.Del("Content-Disposition")
		a.fail(w, r, "a workspace was not sent", err)
	}
}
