package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
)

// controlPath is where the control plane begins: beside the service's paths,
// so that no key opens it and no quota counts it.
const controlPath = "/_sandbox/"

// controlRoutes are what the control plane does; the functions get the id in
// the path, if there is one, and the body.
var controlRoutes = []struct {
	method, path string
	do           func(s *Server, id string, body []byte) (answer any, err error)
}{
	{http.MethodPost, "reset", controlReset},
	{http.MethodPost, "quota", controlQuota},
	{http.MethodPost, "faults", controlFaults},
	{http.MethodPost, "advance", controlAdvance},
	{http.MethodPost, "keys", controlKeys},
	{http.MethodPost, "keys/revoke", controlRevoke},
	{http.MethodPost, "invitations/{id}/open", controlOpen},
	{http.MethodPost, "invitations/{id}/begin", controlBegin},
	{http.MethodPost, "invitations/{id}/submit", controlSubmit},
	{http.MethodPost, "submissions/{id}/evaluate", controlEvaluate},
	{http.MethodPost, "assessments", controlAssessments},
	{http.MethodPost, "archives", controlArchives},
	{http.MethodGet, "journal", controlJournal},
}

// serveControl answers a request below controlPath.
func serveControl(s *Server, w http.ResponseWriter, r *http.Request) {
	if err := guard.Admit(r, s.config.AnyHost); err != nil {
		writeControl(w, http.StatusForbidden, controlError(err))
		return
	}
	rest := strings.Split(strings.TrimPrefix(r.URL.Path, controlPath), "/")
	status, problem := http.StatusNotFound, errors.New("the control plane has no such path; see the documentation of WithControlPlane")
	for _, route := range controlRoutes {
		id, ok := matchControl(strings.Split(route.path, "/"), rest)
		switch {
		case !ok:
		case route.method != r.Method:
			w.Header().Set("Allow", route.method)
			status, problem = http.StatusMethodNotAllowed, fmt.Errorf("use %s", route.method)
		default:
			body, err := controlapi.Read(r)
			if err == nil {
				var answer any
				if answer, err = route.do(s, id, body); err == nil {
					writeControl(w, http.StatusOK, answer)
					return
				}
			}
			writeControl(w, http.StatusBadRequest, controlError(err))
			return
		}
	}
	writeControl(w, status, controlError(problem))
}

func matchControl(wanted, got []string) (id string, ok bool) {
	if len(wanted) != len(got) {
		return "", false
	}
	for i, segment := range wanted {
		switch {
		case segment == "{id}":
			id = got[i]
		case segment != got[i]:
			return "", false
		}
	}
	return id, true
}

func controlError(err error) any {
	return map[string]any{"error": map[string]string{"message": err.Error()}}
}

func writeControl(w http.ResponseWriter, status int, answer any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body := append(render(answer), '\n')
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
