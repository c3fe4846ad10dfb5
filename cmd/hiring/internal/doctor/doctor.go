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
	add := func(group string, checks []check) {
		for _, c := range checks {
			r.Findings = append(r.Findings, c.finding(group, e))
		}
	}
	add("connection", connectionChecks)
	corrected := reflect.ValueOf(&r.Dialect).Elem()
	wrongInDocument := e.wrongInDocument()
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		f, value := decide(e.evidence(field.Name, wrongInDocument))
		f.Group, f.Name, f.Assumed = "dialect", field.Name, e.assumed[field.Name]
		r.Findings = append(r.Findings, f)
		if value != "" {
			corrected.FieldByName(field.Name).SetString(value)
		}
	}
	add("requests", requestChecks)
	add("responses", responseChecks)
	add("behaviour", behaviourChecks)
	add("document", documentChecks)
	return r
}

// check is one assumption and the function that checks it.
type check struct {
	name     string // As docs/assumptions.md calls it.
	assumed  string
	evaluate func(*examination) Finding // Without the group and the two fields above.
}

func (c check) finding(group string, e *examination) Finding {
	f := c.evaluate(e)
	if f.Verdict == Undecided && e.stopped != "" && group != "connection" {
		f = notChecked(e.stopped) // The request that would decide it was not sent.
	}
	f.Group, f.Name, f.Assumed = group, c.name, c.assumed
	return f
}

// These functions make the findings that checks return.
func ok(found, evidence string) Finding {
	return Finding{Verdict: Holds, Found: found, Evidence: evidence}
}
func undecided(reason string) Finding  { return Finding{Verdict: Undecided, Evidence: reason} }
func notChecked(reason string) Finding { return Finding{Verdict: NotChecked, Evidence: reason} }
func added(found, evidence, change string) Finding {
	return Finding{Verdict: Added, Found: found, Evidence: evidence, Change: change}
}
func wrong(found, evidence, change string) Finding {
	return Finding{Verdict: Wrong, Found: found, Evidence: evidence, Change: change}
}

// noResult returns the finding for a response that is missing or not usable.
func noResult(resp response) Finding {
	switch {
	case resp.label == "":
		return undecided("no data to send the request with")
	case resp.skipped != "":
		return notChecked(resp.skipped)
	}
	return undecided(resp.indecisive())
}
