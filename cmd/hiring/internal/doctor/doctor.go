// Package doctor checks which of the client's assumptions (docs/assumptions.md) hold at a
// server. It checks the connection, the key, and the names, routes, formats, response
// shapes and behaviour that the documentation leaves open.
//
// All requests are calls of a [hiring.Client]. What the client cannot read is wrong, with
// the client's own text. A run costs at most [MaxReads] reads. It sends writes only with a
// test key, whose changes are not stored. What a response shows counts most. Where no
// request can show a name, the server's OpenAPI document counts, unless a response has
// contradicted the document elsewhere.
package doctor

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Config says which server to check, and with which key.
type Config struct {
	BaseURL, Key string
	Dialect      hiring.Dialect  // The assumed names; zero fields mean the defaults.
	HTTP         *http.Client    // Nil means the default client.
	Options      []hiring.Option // More options for the client, such as an observer.
	NoWrites     bool            // Sends no writes, not even with a test key.
}

// Run checks a server and returns a report. It returns an error when Config makes no
// client or when ctx ends, in the second case together with the report so far. Failures of
// the server are findings, not errors.
func Run(ctx context.Context, c Config) (Report, error) {
	assumed, err := c.Dialect.WithDefaults()
	if err != nil {
		return Report{}, err
	}
	c.Dialect = assumed
	p, err := newProber(c)
	if err != nil {
		return Report{}, err
	}
	e := newExamination(p, assumed)
	e.run(hiring.WithResponse(ctx, &p.present.Response))
	return e.report(), ctx.Err()
}

// examination sends the requests of a run and collects the findings.
type examination struct {
	*prober

	assumed, dialect hiring.Dialect // The second has the names that are known so far.
	doc              *document      // Nil when there is none.
	fields           map[string]*field
	resources        map[string]*resource
	found            map[string]Finding // By row.
	readOnly         bool               // The key lacks the scope write.
	wrote            bool               // A write succeeded.
}

func newExamination(p *prober, assumed hiring.Dialect) *examination {
	e := &examination{
		prober: p, assumed: assumed, dialect: assumed,
		fields: make(map[string]*field), resources: make(map[string]*resource), found: make(map[string]Finding),
	}
	for f, value := range reflect.ValueOf(assumed).Fields() {
		e.fields[f.Name] = &field{assumed: value.String()}
	}
	return e
}

// run sends the requests that decide most first, because the limit of reads may be
// reached.
func (e *examination) run(ctx context.Context) {
	account := e.readAccount(ctx)
	description := e.readDocument(ctx)
	switch {
	case account.forbidden() && description.forbidden():
		e.stopped, e.stop = "the key lacks the scope read", account
	case account.absent() && description.absent():
		e.stopped, e.stop = "the API is not at the base URL", account
	}
	e.check("account", hiring.Account{}, account)
	submissions := e.readSubmissions(ctx)
	challenges := e.readChallenges(ctx)
	assessments := e.readAssessments(ctx, submissions)
	assessment := assessmentOf(submissions, assessments)
	invitations := e.readInvitations(ctx, assessment)
	e.readSince(ctx, submissions)
	e.readFiltered(ctx, submissions)
	e.readSubmission(ctx, submissions)
	e.readLog(ctx, submissions)
	e.readMembers(ctx)
	e.readUnknown(ctx)
	e.writeAssessments(ctx, challenges, assessments)
	e.writeInvitations(ctx, assessment, invitations)
	e.checkConnection(account, description)
}

// report returns the findings in the order of the rows.
func (e *examination) report() Report {
	r := Report{Dialect: e.assumed, Reads: e.reads, Writes: e.writes, Stopped: e.stopped, Cause: e.stop.err}
	corrected := reflect.ValueOf(&r.Dialect).Elem()
	e.decideFields(func(name, value string) { corrected.FieldByName(name).SetString(value) })
	e.decideResources()
	for _, row := range rows() {
		f, ok := e.found[row.name]
		switch {
		case !ok:
			f = undecided("there is no data to send the request with", "run it again when the organization has submissions")
		case f.Verdict == Undecided && e.readOnly && row.write:
			f = Finding{Verdict: NotNeeded, Evidence: "the key may only read"}
		}
		if f.Verdict == Undecided && e.stopped != "" && row.group != "connection" {
			f = notChecked(e.stopped)
		}
		f.Group, f.Name, f.Assumed = row.group, row.name, row.assumed
		if state := e.fields[row.name]; state != nil {
			f.Assumed = state.assumed
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// row is a row of the report.
type row struct {
	group, name string // The name is a field of Dialect, or as in docs/assumptions.md.
	assumed     string // What the client assumes. The value of a field of Dialect is known later.
	write       bool   // Only writes need it.
}

// rows returns the rows of every report.
func rows() []row {
	all := []row{
		{"connection", "connection", "requests reach the server, and its certificate is valid", false},
		{"connection", "proxy", "responses come from the API, not from an intermediary", false},
		{"connection", "base URL", "the API is below /api/v1 of the base URL", false},
		{"connection", "clock", "this machine's clock differs by less than a minute", false},
		{"connection", "key", "the key is valid", false},
		{"connection", "scope", "the key may read", false},
		{"connection", "rate-limit headers", "X-RateLimit-Limit, -Remaining and -Reset on every response", false},
		{"connection", "request ids", "X-Request-Id on every response, and the same id in meta", false},
	}
	for f := range reflect.TypeFor[hiring.Dialect]().Fields() {
		all = append(all, row{"dialect", f.Name, "", isWriteField(f.Name)})
	}
	all = append(all,
		row{"requests", "status member", "PATCH takes a body with the member status", true},
		row{"requests", "optional members", "time_limit_minutes and budget_dollars_cap of a new assessment", true},
		row{"requests", "status filter", "the parameter status takes the values of the field status", false},
		row{"requests", "page sizes", "every list except the members takes a page size up to 100", false},
		row{"responses", "error envelope", "an unknown id is a 404 with the error envelope and NOT_FOUND", false},
		row{"responses", "list shape", "lists are arrays, newest first, in pages by number from 1 or by cursor", false},
		row{"responses", "inline report", "a listed submission contains its report", false},
		row{"responses", "prompt text", "the payload of an ai_prompt has text", false},
		row{"responses", "response members", "the payload of an ai_response has a token count and a model", false},
	)
	for _, name := range []string{"account", "member", "challenge", "assessment", "invitation", "submission", "report", "event"} {
		all = append(all, row{"resources", name, "the client reads all members of hiring." + strings.ToUpper(name[:1]) + name[1:], false})
	}
	return append(all,
		row{"document", "document", "responses do not contradict the server's OpenAPI document", false},
		row{"document", "required input", "writes require no members that the client does not send", true},
	)
}
