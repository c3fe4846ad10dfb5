package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/steering"
)

// controlPath is where the control plane begins: beside the service's paths,
// so that no key opens it and no quota counts it.
const controlPath = "/_sandbox/"

// WithControlPlane says who may use the control plane, which every server has:
// what the methods of a Server do, as JSON over HTTP, for test suites in other
// languages.
//
//	POST /_sandbox/reset
//	POST /_sandbox/quota                      {"key", "class", "remaining"}
//	POST /_sandbox/faults                     a Fault: {"route", "skip", "times", "status", "code", "retry_after",
//	                                          "delay", "late", "after", "reset", "cut_after", "body", "content_type"}
//	POST /_sandbox/advance                    {"seconds"}
//	POST /_sandbox/keys                       {"token", "scope", "expires", "organization"}
//	POST /_sandbox/keys/revoke                {"token"}
//	POST /_sandbox/invitations/{id}/open
//	POST /_sandbox/invitations/{id}/begin     answers {"submission_id"}
//	POST /_sandbox/invitations/{id}/submit    answers {"submission_id"}
//	POST /_sandbox/submissions/{id}/evaluate  {"ship_score", "verdict", "pillars", "low_confidence", "summary", "confidence",
//	                                          "integrity_status", "extra"}, all of them optional
//	POST /_sandbox/assessments                {"name"}, answers {"assessment_id"}
//	POST /_sandbox/archives                   {"available"}
//	GET  /_sandbox/journal                    answers {"entries", "repeated"}
//
// A duration is a number of seconds or a text like "1m30s", expires an RFC 3339
// time. What answers nothing answers 204. A request that makes no sense is a 400
// that says what to do: {"error": {"message": "…"}}. It needs no key and counts
// against no quota, the journal does not show it and no fault meets it. A reset
// leaves a server as New made it with its options.
//
// Without this option, and with anyHost false, it takes requests from this
// machine only (a loopback address, to localhost, a loopback address or the name
// that Client uses in-process) and none that a web page of another origin makes; anything
// else is a 403. With anyHost it takes them from and to every address, for a
// server in a container of its own: whoever can reach it controls it.
func WithControlPlane(anyHost bool) Option {
	return func(s *Server) { s.anyHost = anyHost }
}

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
	if err := guard.Admit(r, s.anyHost); err != nil {
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
			body, err := steering.Read(r)
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
