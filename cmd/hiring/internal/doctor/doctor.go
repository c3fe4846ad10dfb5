// Package doctor checks which of the client's assumptions (docs/assumptions.md) hold at a
// server. It checks the connection, the key, and each name, route, format, response shape
// and behaviour that the documentation leaves open.
//
// A run costs at most [MaxReads] reads. It sends writes only with a test key, whose
// changes are not stored. What a response shows counts most. Where no request can show a
// fact, the server's OpenAPI document counts, unless a response has contradicted the
// document elsewhere. A fact that neither shows is reported as undecided.
//
// An examination sends requests and keeps the responses. The tables of checks derive
// findings from it and send nothing.
package doctor

import (
	"context"
	"net/http"
	"reflect"

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
	v, err := newProber(c)
	if err != nil {
		return Report{}, err
	}
	e := newExamination(v, assumed)
	e.run(ctx)
	return e.findings(assumed), ctx.Err()
}

// findings runs all checks on the responses of an examination.
func (e *examination) findings(assumed hiring.Dialect) Report {
	e.connection.mu.Lock() // A dial that was abandoned may still call the trace.
	defer e.connection.mu.Unlock()
	r := Report{Dialect: assumed, Reads: e.reads, Writes: e.writes}
	for _, c := range connectionChecks {
		r.Findings = append(r.Findings, c.finding("connection", e))
	}
	corrected := reflect.ValueOf(&r.Dialect).Elem()
	wrongInDocument := e.wrongInDocument()
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		f, value := decide(e.evidence(field.Name, wrongInDocument))
		r.Findings = append(r.Findings, f)
		if value != "" {
			corrected.FieldByName(field.Name).SetString(value)
		}
	}
	for _, group := range []struct {
		name   string
		checks []check
	}{{"requests", requestChecks}, {"responses", responseChecks}, {"behaviour", behaviourChecks}, {"document", documentChecks}} {
		for _, c := range group.checks {
			r.Findings = append(r.Findings, c.finding(group.name, e))
		}
	}
	return r
}

// check is one assumption and the function that checks it.
type check struct {
	name     string // As docs/assumptions.md calls it.
	assumed  string
	evaluate func(*examination) result
}

// result is what a check returns: the parts of a Finding that the check determines.
type result struct {
	verdict         Verdict
	found, evidence string
	change          string
}

func (c check) finding(group string, e *examination) Finding {
	j := c.evaluate(e)
	if j.verdict == Undecided && e.stopped != "" && group != "connection" {
		j = notChecked(e.stopped) // The request that would decide it was not sent.
	}
	return Finding{Group: group, Name: c.name, Verdict: j.verdict, Assumed: c.assumed, Found: j.found, Evidence: j.evidence, Change: j.change}
}

// These functions make the results that checks return most often.
func ok(found, evidence string) result    { return result{Holds, found, evidence, ""} }
func added(found, evidence string) result { return result{Added, found, evidence, ""} }
func undecided(reason string) result      { return result{verdict: Undecided, evidence: reason} }
func notChecked(reason string) result     { return result{verdict: NotChecked, evidence: reason} }
func wrong(found, evidence, change string) result {
	return result{Wrong, found, evidence, change}
}

// noResult returns the result for a response that is missing or not usable.
func noResult(resp response) result {
	switch {
	case resp.label == "":
		return undecided("no data to send the request with")
	case resp.skipped != "":
		return notChecked(resp.skipped)
	}
	return undecided(resp.summary() + ", which does not decide it")
}
