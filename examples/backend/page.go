package main

import (
	"bytes"
	"embed"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

//go:embed pages.html style.css
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"moment": moment,
	"within": within,
	"score":  func(r *hiring.Report) string { return number(r.Score()) },
	"pillar": func(p hiring.Pillar) string { return number(p.ReliableScore()) },
}).ParseFS(files, "pages.html"))

// number shows a score. That there is none does not mean zero.
func number(score int, ok bool) string {
	if !ok {
		return "not enough data"
	}
	return strconv.Itoa(score)
}

// page is what a template shows.
type page struct {
	Mode      string // Whom the mails reach.
	Console   string // Where the embedded sandbox's own page is.
	Answer    failureText
	Posted    bool // The form was sent, and this is its answer.
	Form      hiring.NewInvitation
	Board     snapshot
	Candidate candidate
	Report    *hiring.Report
	Already   bool // Nothing was sent, for the candidate had an invitation.
}

// show answers with a template, whole or not at all.
func (a *app) show(w http.ResponseWriter, r *http.Request, name string, p page) {
	p.Mode, p.Console = a.mode, a.console
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, name, p); err != nil {
		a.log.ErrorContext(r.Context(), "a page was not made", "error", err)
		http.Error(w, ours.Text, ours.Status)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if p.Answer.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds(p.Answer.RetryAfter)))
	}
	w.WriteHeader(max(p.Answer.Status, http.StatusOK))
	_, _ = text.WriteTo(w) // A browser that went away.
}

// fail answers a view that could not be made.
func (a *app) fail(w http.ResponseWriter, r *http.Request, what string, err error) {
	if r.Context().Err() != nil {
		return // The browser has disconnected.
	}
	report(r.Context(), a.log, what, err)
	a.show(w, r, "problem", page{Answer: answerTo(err)})
}

func (a *app) style(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "max-age=3600") // Contains no personal data.
	http.ServeFileFS(w, r, files, "style.css")
}

// moment writes a time for people; nil means not yet.
func moment(t any) string {
	switch t := t.(type) {
	case *time.Time:
		if t != nil {
			return t.UTC().Format("2 Jan 2006, 15:04:05 UTC")
		}
	case time.Time:
		return t.UTC().Format("2 Jan 2006, 15:04:05 UTC")
	}
	return "not yet"
}

// within writes a time to wait for people.
func within(d time.Duration) string {
	if d <= 2*time.Minute {
		return strconv.Itoa(seconds(d)) + " seconds"
	}
	return strconv.Itoa(int(math.Ceil(d.Minutes()))) + " minutes"
}

// seconds are rounded up: a browser that comes back too early is refused again.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
