package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// readLog finds the name of the log's page size, in the log that is likely to be
// the longest.
func (e *examination) readLog(ctx context.Context) {
	const field = "EventPageSizeParam"
	id, most := "", -1
	for _, s := range e.seen {
		exchanges := 0
		if s.Report != nil {
			exchanges = s.Report.Facts.Exchanges
		}
		if exchanges > most {
			id, most = s.ID, exchanges
		}
	}
	if id == "" {
		e.why[field] = "no submission is known whose log could be read"
		return
	}
	q := question{route: listEvents, ids: []string{id}}
	e.log = e.seek(ctx, q, seeking{field: field, from: 6, most: 500, says: sizeSaid})
}

// readHidden looks whether assumed writes are there without doing them: read, such
// a path is refused with the methods that it has.
func (e *examination) readHidden(ctx context.Context) {
	assessment, invitation := e.assessmentID(), idOf(e.invitations.items(), "")
	for _, field := range []string{"ResendInvitation", "RevokeInvitation"} {
		if e.probed[field].value != "" || invitation == "" {
			continue
		}
		for _, route := range unique(e.said(field), e.assumed[field]) {
			method, path, _ := strings.Cut(route, " ")
			a := e.ask(ctx, question{route: "GET " + path, ids: []string{assessment, invitation}})
			if a.status == http.StatusMethodNotAllowed && slices.Contains(a.allowed(), method) {
				e.probed[field] = clue{route, a.asked + ": refused, with Allow: " + strings.Join(a.allowed(), ", ")}
				break
			}
		}
	}
}

// allowed are the methods that a path has, as a 405 tells.
func (a answer) allowed() []string {
	return strings.FieldsFunc(a.header.Get("Allow"), func(r rune) bool { return r == ',' || r == ' ' })
}

// readRest reads one of each resource that was not seen yet.
func (e *examination) readRest(ctx context.Context) {
	query := e.page("evaluated", []string{"status"})
	e.filtered = e.ask(ctx, question{route: listSubmissions, query: query})
	e.members = e.ask(ctx, question{route: "GET /members"})
	if len(e.seen) > 0 {
		e.one = e.ask(ctx, question{route: "GET /submissions/{id}", ids: []string{e.seen[0].ID}})
		e.report = e.ask(ctx, question{route: "GET /submissions/{id}/report", ids: []string{e.seen[0].ID}})
	}
	if id := e.severalTasks(); id != "" {
		e.challenge = e.ask(ctx, question{route: "GET /challenges/{id}", ids: []string{id}})
	}
}

// severalTasks is a challenge of several tasks, or else any.
func (e *examination) severalTasks() string {
	for _, item := range e.challenges.items() {
		var c struct {
			ID       string `json:"id"`
			Multiple bool   `json:"is_multi_task"`
		}
		if json.Unmarshal(item, &c) == nil && c.Multiple {
			return c.ID
		}
	}
	return idOf(e.challenges.items(), "")
}
