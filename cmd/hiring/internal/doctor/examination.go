package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

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

// seeking is a search for the name of a parameter that takes a number.
type seeking struct {
	field string
	from  int             // The first value to try with.
	most  int             // The largest that the service takes, of a size; 0: it is none.
	says  func(meta) *int // Where the reply says what it took; nil: nowhere.
}

// seek asks with several names at once, each with a value of its own, until it is
// known which are heeded: those that are said and assumed first, all usual ones
// then, and at last, where nothing showed, all with a value that is too large.
func (e *examination) seek(ctx context.Context, q question, sought ...seeking) (first answer) {
	for round := range 3 {
		query, values := maps.Clone(q.query), make(map[string]map[string]int)
		if query == nil {
			query = url.Values{}
		}
		for _, s := range sought {
			if names := e.open(s, round); len(names) > 0 {
				values[s.field] = valuesFor(s, round, names)
				for name, value := range values[s.field] {
					query.Set(name, strconv.Itoa(value))
				}
			}
		}
		if len(values) == 0 {
			return first
		}
		a := e.askKnown(ctx, question{route: q.route, ids: q.ids, query: query})
		if round == 0 {
			first = a
		}
		for _, s := range sought {
			e.judge(s, a, values[s.field])
		}
	}
	return first
}

// open are the names that a search tries in a round.
func (e *examination) open(s seeking, round int) []string {
	tries := rounds(s.field, e.said(s.field), e.assumed[s.field])
	switch {
	case e.probed[s.field].value != "":
		return nil
	case round < 2:
		return tries[round]
	case s.most == 0 || e.refuted[s.field] != "":
		return nil
	}
	return slices.Concat(tries...)
}

func valuesFor(s seeking, round int, names []string) map[string]int {
	if round < 2 {
		return numbers(names, s.from)
	}
	return numbers(names, s.most+1)
}

func (e *examination) judge(s seeking, a answer, values map[string]int) {
	if len(values) == 0 {
		return
	}
	var said *int
	if s.says != nil {
		said = s.says(a.meta)
	}
	name, evidence := heeded(a, values, said, s.most > 0)
	switch {
	case name != "":
		e.probed[s.field] = clue{name, a.asked + ": " + evidence}
		delete(e.refuted, s.field)
	case a.skipped != "":
		e.why[s.field] = a.skipped
	case a.ok() && a.more() && (said != nil || s.most > 0): // Where there is one page only, all numbers may lead to it.
		if e.refuted[s.field] == "" {
			e.refuted[s.field] = a.asked
		} else {
			e.refuted[s.field] += fmt.Sprintf(", nor of %d other usual names", len(values))
			break
		}
		e.refuted[s.field] += ": no sign of " + strings.Join(slices.Sorted(maps.Keys(values)), ", ")
	default:
		e.why[s.field] = a.saw() + ", which does not tell"
	}
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
