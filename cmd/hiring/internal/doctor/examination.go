package doctor

import (
	"context"
	"maps"
	"net/http"
	"reflect"

	hiring "github.com/hiring-assessment/hiring-go"
)

// examination sends the requests of a run and keeps what is known so far. The checks
// derive the findings from it.
type examination struct {
	*prober

	assumed map[string]string // The assumed names by field of Dialect.
	doc     *document         // Nil when there is none.

	account, description            response
	submissions, next, filtered     response // The first page, the next page, and the evaluated submissions.
	challenges, assessments         response
	assessment, invitations, log    response
	members, challenge, one, report response
	updated, made, sent, unnamed    response // Responses to writes.
	resent, revoked, forbidden      response
	sinceMeanings                   []string // The meanings of since that the responses allow; nil when no response shows them.
	sinceEvidence                   string   // How that was found.
	listed                          []submission
	requestedSizes                  map[string]int // Page sizes that the first page was requested with, by parameter name.

	observed  map[string]observation // Values of fields that responses showed.
	disproved map[string]string      // How responses showed that the tried names are wrong. An observed value counts more.
	reason    map[string]string      // Why no response decided a field.
}

// observation is a value of a field of Dialect and how it was observed.
type observation struct{ value, evidence string }

func newExamination(v *prober, assumed hiring.Dialect) *examination {
	e := &examination{
		prober: v, assumed: make(map[string]string),
		observed: make(map[string]observation), disproved: make(map[string]string), reason: make(map[string]string),
	}
	for field, value := range reflect.ValueOf(assumed).Fields() {
		e.assumed[field.Name] = value.String()
	}
	return e
}

// run sends the requests that decide most first, because the limit of reads may be
// reached.
func (e *examination) run(ctx context.Context) {
	e.account = e.do(ctx, request{route: "GET /account"})
	if e.account.timedOut() {
		e.stopped = "the API did not answer GET /account within the time limit"
	}
	e.description = e.document(ctx)
	switch {
	case e.account.status == http.StatusForbidden && e.description.status == http.StatusForbidden:
		e.stopped = "the key lacks the scope read"
	case e.account.absent() && e.description.absent():
		e.stopped = "the API is not at the base URL"
	}
	if e.description.ok() {
		e.doc = readDocument(e.description.body)
	}
	for _, step := range []func(context.Context){
		e.readSubmissions, e.readLists, e.readPages, e.readNext, e.readSince, e.readMeaning, e.readLog,
		e.writeAll, e.readWriteRoutes, e.readRest,
	} {
		step(ctx)
	}
}

// documented returns what the document says about a field, or "".
func (e *examination) documented(field string) string {
	return e.doc.documented(field, e.assumed[field])
}

// name returns the observed value of a field, or else the assumed one.
func (e *examination) name(field string) string {
	if found := e.observed[field]; found.value != "" {
		return found.value
	}
	return e.assumed[field]
}

// operation returns the document's operation of a documented route, or of a field of
// Dialect. It returns a zero operation when the document has none.
func (e *examination) operation(route string) *operation {
	if _, isField := e.assumed[route]; isField {
		route = e.name(route)
	}
	return e.doc.find(route)
}

// doWithKnownNames sends a request, and sends it again without the names that a strict
// server rejects as unknown.
func (e *examination) doWithKnownNames(ctx context.Context, q request) response {
	resp := e.do(ctx, q)
	unknown := unknownNames(resp, q.query)
	if len(unknown) == 0 {
		return resp
	}
	q.query = maps.Clone(q.query)
	for _, name := range unknown {
		q.query.Del(name)
	}
	return e.do(ctx, q)
}
