// Package doctor finds out which of the client's assumptions hold at a service,
// from where it runs: the way there, the key, and each name, route, format, shape
// and behaviour that the documentation leaves open (docs/assumptions.md).
//
// A visit costs at most [MaxReads] reads, and writes only with a test key, of which
// the documentation says that nothing persists. It believes what it sees first:
// that a page size is heeded shows in the page. Where nothing that may be asked
// tells, it believes the service's OpenAPI document, unless that was seen to be
// wrong about something else. What neither tells is said to be undecided.
//
// An examination asks and keeps the answers; the tables of checks decide what
// follows from them, and send nothing.
package doctor

import (
	"context"
	"net/http"
	"reflect"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Config says which service to look at, and as whom.
type Config struct {
	BaseURL, Key string
	Dialect      hiring.Dialect  // What is assumed; zero fields mean the defaults.
	HTTP         *http.Client    // Nil means the default one.
	Options      []hiring.Option // Further ones for the client, such as an observer.
	NoWrites     bool            // Writes nothing, even with a test key.
}

// Run looks at a service. The error is that of a Config that makes no client, or
// the context's end, with the report so far: whatever the service does is a
// finding.
func Run(ctx context.Context, c Config) (Report, error) {
	assumed, err := c.Dialect.WithDefaults()
	if err != nil {
		return Report{}, err
	}
	c.Dialect = assumed
	v, err := newVisit(c)
	if err != nil {
		return Report{}, err
	}
	e := newExamination(v, assumed)
	e.run(ctx)
	return e.findings(assumed), ctx.Err()
}

// findings is what the checks make of an examination.
func (e *examination) findings(assumed hiring.Dialect) Report {
	e.way.mu.Lock() // A connection that lost a race may still be telling.
	defer e.way.mu.Unlock()
	r := Report{Dialect: assumed, Reads: e.reads, Writes: e.writes}
	for _, c := range wayChecks {
		r.Findings = append(r.Findings, c.finding("way", e))
	}
	corrected := reflect.ValueOf(&r.Dialect).Elem()
	liedAbout := e.liedAbout()
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		f, value := decide(e.evidence(field.Name, liedAbout))
		if r.Findings = append(r.Findings, f); value != "" {
			corrected.FieldByName(field.Name).SetString(value)
		}
	}
	for _, group := range []struct {
		name   string
		checks []check
	}{{"inputs", inputChecks}, {"replies", replyChecks}, {"behaviour", behaviourChecks}, {"document", documentChecks}} {
		for _, c := range group.checks {
			r.Findings = append(r.Findings, c.finding(group.name, e))
		}
	}
	return r
}

// check is an assumption and how to tell whether it holds.
type check struct {
	name    string // As docs/assumptions.md calls it.
	assumed string
	judge   func(*examination) judgement
}

// judgement is what a check says: a Finding without what the check knows already.
type judgement struct {
	verdict         Verdict
	found, evidence string
	change          string
}

func (c check) finding(group string, e *examination) Finding {
	j := c.judge(e)
	if j.verdict == Undecided && e.over != "" && group != "way" {
		j = untried(e.over) // What would have told was not asked.
	}
	return Finding{Group: group, Name: c.name, Verdict: j.verdict, Assumed: c.assumed, Found: j.found, Evidence: j.evidence, Change: j.change}
}

// The judgements that checks make most often.
func ok(found, evidence string) judgement   { return judgement{Holds, found, evidence, ""} }
func news(found, evidence string) judgement { return judgement{News, found, evidence, ""} }
func undecided(why string) judgement        { return judgement{verdict: Undecided, evidence: why} }
func untried(why string) judgement          { return judgement{verdict: Untried, evidence: why} }
func wrong(found, evidence, change string) judgement {
	return judgement{Wrong, found, evidence, change}
}

// unanswered is the judgement where an answer that would tell is not there.
func unanswered(a answer) judgement {
	switch {
	case a.asked == "":
		return undecided("there was nothing to ask with")
	case a.skipped != "":
		return untried(a.skipped)
	}
	return undecided(a.saw() + ", which does not tell")
}
