package doctor

import (
	"reflect"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// evidence is what is known of a field of Dialect.
type evidence struct {
	field, assumed  string
	observed        observation // The value that a response showed.
	disproved       string      // How responses showed that the tried names are wrong.
	documented      string      // The value in the document.
	wrongInDocument []string    // Fields about which responses contradict the document.
	reason          string      // Why no response decided the field.
	stopped         string      // Why no more requests were sent.
}

func (e *examination) evidence(field string, wrongInDocument []string) evidence {
	return evidence{
		field: field, assumed: e.assumed[field], observed: e.observed[field], disproved: e.disproved[field],
		documented: e.documented(field), wrongInDocument: wrongInDocument, reason: e.reason[field], stopped: e.stopped,
	}
}

// wrongInDocument returns the fields about which responses contradict the document.
func (e *examination) wrongInDocument() []string {
	var fields []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		documented, seen := e.documented(field.Name), e.observed[field.Name].value
		if documented != "" && (seen != "" && documented != seen || seen == "" && e.disproved[field.Name] != "") {
			fields = append(fields, field.Name)
		}
	}
	return fields
}

// decide returns the finding about a field, and its value when that differs from the
// assumed one. A response counts more than the document.
func decide(e evidence) (f Finding, value string) {
	f = Finding{Group: "dialect", Name: e.field, Assumed: e.assumed}
	believed := e.documented != "" && len(e.wrongInDocument) == 0
	switch {
	case e.observed.value != "":
		f.Found, f.Evidence = e.observed.value, e.observed.evidence
		if e.documented != "" && e.documented != e.observed.value {
			f.Evidence += "; the document says " + e.documented
		}
	case e.disproved != "":
		f.Verdict, f.Evidence, f.Change = Wrong, e.disproved, "ask the API's support, then set Dialect."+e.field
		return f, ""
	case believed:
		f.Found, f.Evidence = e.documented, "the document says so"
	case e.documented != "":
		f.Verdict, f.Evidence = Undecided, "the document says "+e.documented+", but responses contradict it about "+
			strings.Join(e.wrongInDocument, ", ")
		return f, ""
	case e.stopped != "":
		f.Verdict, f.Evidence = NotChecked, e.stopped
		return f, ""
	default:
		f.Verdict, f.Evidence = Undecided, e.undecided()
		return f, ""
	}
	f.Verdict = Holds
	if f.Found != e.assumed {
		f.Verdict, f.Change, value = Wrong, "set Dialect."+e.field+" to "+quoted(f.Found), f.Found
	}
	return f, value
}

// undecided says why neither a response nor the document decides the field.
func (e evidence) undecided() string {
	const silent = "the document does not say"
	if e.reason == "" {
		return silent
	}
	return e.reason + "; " + silent
}

func quoted(s string) string { return `"` + s + `"` }
