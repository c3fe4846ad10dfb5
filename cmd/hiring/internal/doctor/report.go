package doctor

import (
	"slices"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Verdict is what became of one assumption.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Holds     Verdict = "ok"        // It was seen to hold.
	News      Verdict = "new"       // The service has more than is known here, which harms nobody.
	Undecided Verdict = "undecided" // Nothing that may be asked tells.
	Untried   Verdict = "not asked" // Something before it failed, or the reads were used up.
	Wrong     Verdict = "wrong"     // It was seen not to hold.
)

// Finding is one row of a report.
type Finding struct {
	Group    string  `json:"group"`           // Which of the report's tables.
	Name     string  `json:"name"`            // A field of Dialect, or as docs/assumptions.md calls it.
	Verdict  Verdict `json:"verdict"`         //
	Assumed  string  `json:"assumed"`         // What the client takes for granted.
	Found    string  `json:"found,omitzero"`  // What the service does; empty when that is not known.
	Evidence string  `json:"evidence"`        // What was seen, or why nothing was. Names no resource and no candidate.
	Change   string  `json:"change,omitzero"` // What to do about it; empty when there is nothing.
}

// Report is what a visit found.
type Report struct {
	Findings []Finding      `json:"findings"`
	Dialect  hiring.Dialect `json:"dialect"` // What was assumed, corrected by what was found.
	Reads    int            `json:"reads"`   // Requests that count against the key's read quota, repeated ones included.
	Writes   int            `json:"writes"`  // The same for writes: 0 with a live key.
}

// Contradicted tells whether anything was seen not to hold.
func (r Report) Contradicted() bool { return r.Count(Wrong) > 0 }

// Decided returns the fields of Dialect that were seen or are documented, and the others.
func (r Report) Decided() (decided, open []string) {
	for _, f := range r.Findings {
		switch {
		case f.Group != "dialect":
		case f.Verdict == Holds || f.Found != "":
			decided = append(decided, f.Name)
		default:
			open = append(open, f.Name)
		}
	}
	return decided, open
}

// NeededUndecided returns the fields of Dialect that were not decided and that commands of
// this key need: a key that may only read needs no names of writes.
func (r Report) NeededUndecided() []string {
	readOnly := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Group == "way" && f.Name == "scope" && f.Found == onlyRead })
	_, open := r.Decided()
	return slices.DeleteFunc(open, func(field string) bool {
		return readOnly && slices.Contains([]string{"UpdateAssessment", "ResendInvitation", "RevokeInvitation", "InvitationEmail", "InvitationName"}, field)
	})
}

// Count tells how many findings have a verdict.
func (r Report) Count(v Verdict) int {
	n := 0
	for _, f := range r.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}
