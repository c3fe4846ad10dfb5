package doctor

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
)

// readLog finds the name of the log's page size. It reads the log that is likely to be the
// longest.
func (e *examination) readLog(ctx context.Context) {
	const field = "EventPageSizeParam"
	if len(e.listed) == 0 {
		e.reason[field] = "no submission is known"
		return
	}
	longest := slices.MaxFunc(e.listed, func(a, b submission) int { return cmp.Compare(a.exchanges(), b.exchanges()) })
	q := request{route: listEvents, ids: []string{longest.ID}}
	e.log = e.findParameters(ctx, q, parameterSearch{field: field, from: 6, most: 500})
}

// readWriteRoutes checks with GET whether the assumed routes of writes exist. A 405
// response names the methods of the path and changes nothing.
func (e *examination) readWriteRoutes(ctx context.Context) {
	assessment, invitation := e.assessmentID(), idOf(e.invitations.items(), "")
	for _, field := range []string{"ResendInvitation", "RevokeInvitation"} {
		if e.observed[field].value != "" || invitation == "" {
			continue
		}
		for _, route := range e.candidates(field) {
			method, path, _ := strings.Cut(route, " ")
			resp := e.do(ctx, request{route: "GET " + path, ids: []string{assessment, invitation}})
			if resp.status == http.StatusMethodNotAllowed && slices.Contains(resp.allowed(), method) {
				e.observed[field] = observation{route, resp.label + ": rejected, with Allow: " + strings.Join(resp.allowed(), ", ")}
				break
			}
		}
	}
}

// allowed returns the methods in the Allow header.
func (resp response) allowed() []string {
	return strings.FieldsFunc(resp.header.Get("Allow"), func(r rune) bool { return r == ',' || r == ' ' })
}

// readRest reads one resource of each kind that no response has shown yet.
func (e *examination) readRest(ctx context.Context) {
	e.filtered = e.do(ctx, request{route: listSubmissions, query: e.page("evaluated", []string{"status"})})
	e.members = e.do(ctx, request{route: "GET /members"})
	if len(e.listed) > 0 {
		e.one = e.do(ctx, request{route: "GET /submissions/{id}", ids: []string{e.listed[0].ID}})
		e.report = e.do(ctx, request{route: "GET /submissions/{id}/report", ids: []string{e.listed[0].ID}})
	}
	if id := e.multiTaskChallenge(); id != "" {
		e.challenge = e.do(ctx, request{route: "GET /challenges/{id}", ids: []string{id}})
	}
}

// multiTaskChallenge returns a challenge with several tasks, or else any.
func (e *examination) multiTaskChallenge() string {
	type challenge struct {
		ID       string `json:"id"`
		Multiple bool   `json:"is_multi_task"`
	}
	for _, c := range decoded[challenge](e.challenges.items()) {
		if c.Multiple {
			return c.ID
		}
	}
	return idOf(e.challenges.items(), "")
}
