package doctor

import (
	"context"
	"maps"
	"net/http"
	"reflect"

	hiring "github.com/hiring-assessment/hiring-go"
)

// examination is a visit with what it has brought so far. It asks; what follows
// from the answers is for the checks.
type examination struct {
	*visit

	assumed map[string]string // The dialect, by field.
	doc     *document         // Nil when there is none.

	account, description            answer
	submissions, next, filtered     answer // The first page, the one after it, and those evaluated.
	challenges, assessments         answer
	assessment, invitations, log    answer
	members, challenge, one, report answer
	updated, made, sent, unnamed    answer // What writes were answered.
	resent, revoked, forbidden      answer
	since                           []string // What since can be about, by what was seen.
	meaning                         string   // How that was seen.
	seen                            []submission
	sizes                           map[string]int // The page sizes that the first page was asked with, by name.

	probed  map[string]clue   // What was seen to be true of a field.
	refuted map[string]string // How what is assumed, and what is usual, was seen not to be.
	why     map[string]string // Why nothing was seen.
}

// clue is a value of a field of Dialect and how it was seen.
type clue struct{ value, evidence string }

func newExamination(v *visit, assumed hiring.Dialect) *examination {
	e := &examination{
		visit: v, assumed: make(map[string]string),
		probed: make(map[string]clue), refuted: make(map[string]string), why: make(map[string]string),
	}
	for field, value := range reflect.ValueOf(assumed).Fields() {
		e.assumed[field.Name] = value.String()
	}
	return e
}

// run asks what is most telling first, because the reads may be used up.
func (e *examination) run(ctx context.Context) {
	e.account = e.ask(ctx, question{route: "GET /account"})
	if e.account.timedOut() {
		e.over = "the API did not answer GET /account within the time limit"
	}
	e.description = e.document(ctx)
	switch {
	case e.account.status == http.StatusForbidden && e.description.status == http.StatusForbidden:
		e.over = "the key may not read"
	case e.account.absent() && e.description.absent():
		e.over = "the service is not where the base URL leads"
	}
	if e.description.ok() {
		e.doc = readDocument(e.description.body)
	}
	for _, step := range []func(context.Context){
		e.readSubmissions, e.readLists, e.readPages, e.readNext, e.readSince, e.readMeaning, e.readLog,
		e.writeAll, e.readHidden, e.readRest,
	} {
		step(ctx)
	}
}

// said is what the document says of a field.
func (e *examination) said(field string) string { return e.doc.said(field, e.assumed[field]) }

// name is what a field is taken to be by now.
func (e *examination) name(field string) string {
	if found := e.probed[field]; found.value != "" {
		return found.value
	}
	return e.assumed[field]
}

// askKnown asks once more without the names that a strict service does not know.
func (e *examination) askKnown(ctx context.Context, q question) answer {
	a := e.ask(ctx, q)
	unknown := unknownNames(a, q.query)
	if len(unknown) == 0 {
		return a
	}
	q.query = maps.Clone(q.query)
	for _, name := range unknown {
		q.query.Del(name)
	}
	return e.ask(ctx, q)
}
