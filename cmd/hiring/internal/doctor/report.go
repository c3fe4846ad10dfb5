package doctor

import (
	"slices"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Verdict is the result of checking one assumption.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Holds      Verdict = "ok"          // A response or the document shows that it holds.
	Added      Verdict = "new"         // The API has more than the client knows. No change is needed.
	NotNeeded  Verdict = "not needed"  // Only writes need it, and the key may only read.
	Undecided  Verdict = "undecided"   // No request that doctor may send decides it.
	NotChecked Verdict = "not checked" // An earlier request ended the run.
	Wrong      Verdict = "wrong"       // A response or the document shows that it does not hold.
)

// Finding is one row of a report.
type Finding struct {
	Group    string  `json:"group"` // The table of the report that has the row.
	Name     string  `json:"name"`  // A field of Dialect, or as docs/assumptions.md calls it.
	Verdict  Verdict `json:"verdict"`
	Assumed  string  `json:"assumed"`         // What the client assumes.
	Found    string  `json:"found,omitzero"`  // What the server does; empty when unknown.
	Evidence string  `json:"evidence"`        // What showed it, or why nothing did. It names no resource and no candidate.
	Change   string  `json:"change,omitzero"` // What the user can do; empty when nothing is needed.
}

// Report is the result of a run.
type Report struct {
	Findings []Finding      `json:"findings"`
	Dialect  hiring.Dialect `json:"dialect"`          // The assumed names, corrected by the findings.
	Reads    int            `json:"reads"`            // Requests that count against the key's read rate limit, retries included.
	Writes   int            `json:"writes"`           // The same for writes; 0 with a live key.
	Stopped  string         `json:"stopped,omitzero"` // Why the run ended before all checks; empty when it did not.
	Cause    error          `json:"-"`                // The client's error that ended the run, or nil.
}

// Decided returns the fields of Dialect that a response or the document decided, and the
// others that the commands of this key need. A read-only key needs no names of writes.
func (r Report) Decided() (decided, undecided []string) {
	for _, f := range r.Findings {
		switch {
		case f.Group != "dialect":
		case f.Verdict == Holds || f.Found != "":
			decided = append(decided, f.Name)
		case f.Verdict != NotNeeded:
			undecided = append(undecided, f.Name)
		}
	}
	return decided, undecided
}

// With returns the findings with one of some verdicts.
func (r Report) With(verdicts ...Verdict) []Finding {
	var findings []Finding
	for _, f := range r.Findings {
		if slices.Contains(verdicts, f.Verdict) {
			findings = append(findings, f)
		}
	}
	return findings
}

// These functions make findings.
func ok(found, evidence string) Finding {
	return Finding{Verdict: Holds, Found: found, Evidence: evidence}
}
func added(found, evidence string) Finding {
	return Finding{Verdict: Added, Found: found, Evidence: evidence}
}
func undecided(reason, change string) Finding {
	return Finding{Verdict: Undecided, Evidence: reason, Change: change}
}
func wrong(found, evidence, change string) Finding {
	return Finding{Verdict: Wrong, Found: found, Evidence: evidence, Change: change}
}
func notChecked(reason string) Finding { return Finding{Verdict: NotChecked, Evidence: reason} }
