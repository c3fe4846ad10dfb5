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
	Undecided  Verdict = "undecided"   // No request that doctor may send decides it.
	NotChecked Verdict = "not checked" // An earlier request failed, or the limit of requests was reached.
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
	Dialect  hiring.Dialect `json:"dialect"` // The assumed names, corrected by the findings.
	Reads    int            `json:"reads"`   // Requests that count against the key's read rate limit, retries included.
	Writes   int            `json:"writes"`  // The same for writes; 0 with a live key.
}

// Contradicted reports whether an assumption does not hold.
func (r Report) Contradicted() bool { return r.Count(Wrong) > 0 }

// Decided returns the fields of Dialect that a response or the document decided, and the
// others.
func (r Report) Decided() (decided, undecided []string) {
	for _, f := range r.Findings {
		switch {
		case f.Group != "dialect":
		case f.Verdict == Holds || f.Found != "":
			decided = append(decided, f.Name)
		default:
			undecided = append(undecided, f.Name)
		}
	}
	return decided, undecided
}

// NeededUndecided returns the undecided fields of Dialect that commands need with this
// key. A read-only key needs no names of writes.
func (r Report) NeededUndecided() []string {
	readOnly := slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Group == "connection" && f.Name == "scope" && f.Found == readOnlyFound
	})
	_, undecided := r.Decided()
	if !readOnly {
		return undecided
	}
	return without(undecided, writeFields)
}

// Count returns the number of findings with a verdict.
func (r Report) Count(v Verdict) int {
	n := 0
	for _, f := range r.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}
